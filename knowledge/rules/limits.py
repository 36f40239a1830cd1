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
