"""Files attached to pages: what they may be called, and which of them a browser may show in place. Pure.

Only pictures of a closed list of formats, told by their own first bytes, are shown; none of them can hold a script.
Everything else, whatever it calls itself, is handed over as a file to keep.
"""

from __future__ import annotations

import unicodedata

from company.rules.refusals import Code, Refused
from knowledge.rules.limits import ATTACHMENT_BYTES, FILE_NAME_BYTES, FILE_PATH_BYTES
from knowledge.rules.texts import clean_line

OTHER = "application/octet-stream"
"""The media type of whatever is not shown in place."""
HEAD_BYTES = 32
"""How much of a file `media_type_of` has to see."""


def clean_file_name(name: str) -> str:
    """The name a file is listed and handed over by: the last part of whatever path came with it, in one normal form.

    Refuses control characters, a name that shows nothing (`invalid`), and more than 200 bytes (`too_long`), which is
    under the length at which upload parsers cut a name of their own accord.
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    shown = clean_line(last, attr="file", limit=FILE_NAME_BYTES)
    if not shown.strip(". "):
        raise Refused(Code.INVALID, "The file's name shows nothing but dots. Give it another one.", attr="file")
    return shown


def clean_file_path(path: str) -> str:
    """The place of a file in a folder that is kept as one, such as `scripts/run.sh`; empty for none.

    Refuses what could lead out of a folder or means different things to different systems (`invalid`).
    """
    if not path:
        return ""
    normal = unicodedata.normalize("NFC", path)
    parts = normal.split("/")
    if "\\" in normal or ":" in normal or any(part in ("", ".", "..") for part in parts):
        raise Refused(
            Code.INVALID, "A file's path is relative, divided by '/', and has no part '.' or '..'.", attr="path"
        )
    for part in parts:
        clean_line(part, attr="path", limit=FILE_NAME_BYTES)
    if len(normal.encode()) > FILE_PATH_BYTES:
        raise too_long("path", FILE_PATH_BYTES)
    return normal


def too_long(attr: str, limit: int) -> Refused:
    """The refusal of what is longer than may be kept."""
    return Refused(
        Code.TOO_LONG, f"'{attr}' has more than {limit} bytes, which is all that is kept.", attr=attr,
        extras={"limit": limit},
    )  # fmt: skip


def check_size(size: int) -> None:
    """Refuse a file of more than 25 MiB (the contract's section 8)."""
    if size > ATTACHMENT_BYTES:
        raise Refused(
            Code.TOO_LONG,
            f"The file is larger than {ATTACHMENT_BYTES // 1024 // 1024} MiB, which is all a page keeps. "
            "Make it smaller, or keep it elsewhere and link to it.",
            attr="file",
            extras={"limit": ATTACHMENT_BYTES},
        )


def media_type_of(head: bytes) -> str:
    """The media type to serve a file by, told by its first bytes: a picture that is shown, or `OTHER`."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return OTHER


def as_markdown(*, name: str, url: str, media_type: str) -> str:
    """The markdown that shows a picture, or links to any other file."""
    words = name.translate(_ESCAPED)
    return f"{'' if media_type == OTHER else '!'}[{words}]({url})"


_ESCAPED = str.maketrans({mark: f"\\{mark}" for mark in "\\[]`*_<>&"})
