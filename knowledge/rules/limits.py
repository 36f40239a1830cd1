"""The limits of the contract's section 8 that pages obey. What is over one is refused and told the limit, never cut."""

from __future__ import annotations

TITLE_BYTES = 256
BODY_BYTES = 512 * 1024
MESSAGE_BYTES = 256
REASON_BYTES = 32 * 1024
COMMENT_BYTES = 32 * 1024
EXCERPT_BYTES = 600
LABELS = 32
LABEL_BYTES = 64
WATCHERS = 256
SEARCH_BUCKETS = 64
ATTACHMENT_BYTES = 25 * 1024 * 1024
FILE_NAME_BYTES = 200
FILE_PATH_BYTES = 512
IMPORT_BYTES = 256 * 1024 * 1024
"""An upload to import, packed; what is larger goes by the command line."""
IMPORT_FILES = 50_000
"""How many files an upload holds, so that its report can be kept and shown."""
IMPORTS_AT_ONCE = 4
"""How many imports of one author wait or run, since each keeps its upload until it ends."""
