"""The files of a tree as an import reads them: which are pages, what a page's says, and the bytes of the others."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import IO

from company.rules.refusals import Code, Refused
from knowledge import files
from knowledge.exchange.trees import BROKEN, Entry, is_page
from knowledge.rules.attachments import check_size
from knowledge.rules.exporting import FILES
from knowledge.rules.importing.documents import FRONT_MATTER_BYTES, PageDocument, read_foreign, read_own
from knowledge.rules.limits import BODY_BYTES
from knowledge.rules.texts import check_body

PATH_BYTES = 1_024
IN_MEMORY = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class SourceFiles:
    """The files that go to one space, by their paths in it; `own` says that they are an export of this app's own."""

    entries: dict[str, Entry]
    own: bool

    def pages(self) -> list[str]:
        """The paths of the markdown files that become pages."""
        return [path for path in self.entries if self.is_page(path)]

    def others(self) -> list[str]:
        """The paths of the files that pages may have attached."""
        return [path for path in self.entries if not self.is_page(path)]

    def is_page(self, path: str) -> bool:
        """Whether a file becomes a page; in an own export, a markdown file among the attachments does not."""
        return is_page(path) and not (self.own and f"/{FILES}/" in f"/{path}")

    def read(self, path: str) -> PageDocument:
        """A markdown file; refuses one that is too large, no UTF-8, or cannot be a body."""
        entry = self.entries[path]
        if len(path.encode("utf-8", "replace")) > PATH_BYTES:
            raise Refused(Code.TOO_LONG, f"its path has more than {PATH_BYTES} bytes")
        if entry.size > BODY_BYTES + FRONT_MATTER_BYTES:
            raise Refused(Code.TOO_LONG, f"it has {entry.size} bytes; a page has at most {BODY_BYTES}")
        try:
            with entry.open() as file:
                text = file.read(BODY_BYTES + FRONT_MATTER_BYTES + 1).decode()
        except UnicodeDecodeError as error:
            raise Refused(Code.INVALID, "it is no text in UTF-8") from error
        except BROKEN as error:
            raise Refused(Code.INVALID, f"it cannot be read: {error}") from error
        try:
            document = read_own(text) if self.own else read_foreign(text)
        except ValueError as error:
            raise Refused(Code.INVALID, str(error)) from error
        check_body(document.body)
        return document

    def measure(self, path: str) -> files.Measured:
        """What the content of a file is; refuses what cannot be read, and more than an attachment may have."""
        with self.spooled(path) as content:
            return files.measure(content)

    def spooled(self, path: str) -> IO[bytes]:
        """A file of the tree that can be read from its beginning more than once; refuses what cannot be read."""
        entry = self.entries[path]
        check_size(entry.size)
        spool = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (its reader closes it)
        try:
            with entry.open() as file:
                while piece := file.read(files.CHUNK):
                    spool.write(piece)
        except BROKEN as error:
            spool.close()
            raise Refused(Code.INVALID, f"it cannot be read: {error}") from error
        spool.seek(0)
        return spool
