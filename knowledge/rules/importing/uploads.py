"""What an upload to import may be: its size, and what its files are known by. Pure."""

from __future__ import annotations

import unicodedata

from company.rules.refusals import Code, Refused
from knowledge.rules.limits import IMPORT_BYTES
from knowledge.rules.texts import clean_line

SOURCE_BYTES = 255


def check_upload_size(size: int) -> None:
    """Refuse an upload of more than 256 MiB (`too_long`)."""
    if size > IMPORT_BYTES:
        raise Refused(
            Code.TOO_LONG,
            f"The zip is larger than {IMPORT_BYTES // 1024 // 1024} MiB. Bring it in parts, or have an operator use "
            "'./crewlet pages import'.",
            attr="file",
            extras={"limit": IMPORT_BYTES},
        )


def clean_source(source: str) -> str:
    """The name by which the files of a tree are known again: one line of at most 255 bytes, in one normal form."""
    return clean_line(unicodedata.normalize("NFC", source).strip(), attr="source", limit=SOURCE_BYTES)
