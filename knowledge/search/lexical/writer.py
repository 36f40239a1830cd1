"""Writing the lexical index. One process of a host writes, and opens a writer anew for each run of work.

A commit is whole or absent: its documents, its removals and the state that says how far they reach are one write of
tantivy's own commit, so a process killed at any moment leaves the commit before, and the log is followed on from the
position that commit holds. What such a death leaves behind in the folder is taken away when the next writer opens: the
same changes come to the same file names again, and tantivy creates no file that is there.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

import tantivy

from knowledge.search.lexical import schema as fields
from knowledge.search.lexical.documents import Batch, Document, IndexState, Removal
from knowledge.search.rules.analysis import Analyser

#: Memory for documents that are not on disk yet. tantivy asks for at least 15 MB a thread.
HEAP_BYTES = 64_000_000

#: While changes keep coming, a commit is made no more often than this.
COMMIT_SECONDS = 0.5


class WriterBusy(ValueError):
    """Another writer has the index open."""


class LexicalWriter:
    """Puts and removes documents, and commits them with the state of the index. Use as a context manager.

    Opening removes the indexes of other builds under `root`. Raises WriterBusy where another writer has the index
    open, and OSError or ValueError where the folder cannot be written or was taken away: the run is then over, and
    the next one starts from what is on disk.
    """

    def __init__(self, root: Path, *, analyser: Analyser | None = None) -> None:
        self.folder = fields.folder_of(root)
        self._analyser = analyser or Analyser()
        self.folder.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(fields.schema(), str(self.folder), reuse=True)
        try:
            self._writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
        except ValueError as error:
            if "LockBusy" in str(error):
                raise WriterBusy(f"Another writer has {self.folder} open.") from error
            raise
        self._remove_leftovers()
        for other in root.iterdir():
            if other != self.folder and other.is_dir() and other.name.startswith("v"):
                shutil.rmtree(other)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the index at its last commit; what was put after it is dropped."""
        if kind is None:
            self._writer.rollback()
        self._writer.wait_merging_threads()

    def _remove_leftovers(self) -> None:
        """Remove what no commit holds: files of a commit that was never made, and of replacing one that was cut short.

        Whoever calls holds the writer's lock, so nothing of it is being written now. A reader that is opening the
        index at this moment is waited for.
        """
        self._writer.garbage_collect_files()
        for unfinished in self.folder.glob(".tmp*"):
            unfinished.unlink(missing_ok=True)

    def put(self, document: Document) -> None:
        """Take a document in, in place of the one with its kind and id."""
        key = fields.key_of(document.kind, document.id)
        title, body = self._analyser.analyse(document.title, document.body)
        entry = tantivy.Document()
        entry.add_text(fields.KEY, key)
        entry.add_text(fields.KIND, document.kind)
        entry.add_unsigned(fields.ID, document.id)
        entry.add_text(fields.CONTAINER, document.container)
        entry.add_unsigned(fields.BUCKET, document.bucket)
        entry.add_boolean(fields.DRAFTED, document.is_drafted)
        for ancestor in document.ancestors:
            entry.add_unsigned(fields.ANCESTORS, ancestor)
        entry.add_text(fields.TITLE, title.stems)
        entry.add_text(fields.BODY, f"{title.stems} {body.stems}")
        entry.add_text(fields.EXACT, f"{title.exact} {body.exact}")
        entry.add_text(fields.HEADING, title.exact)
        self._writer.delete_documents_by_term(fields.KEY, key)
        self._writer.add_document(entry)

    def remove(self, removal: Removal) -> None:
        """Take a document out."""
        self._writer.delete_documents_by_term(fields.KEY, fields.key_of(removal.kind, removal.id))

    def clear(self) -> None:
        """Take every document out, the state of the index too."""
        self._writer.delete_all_documents()

    def commit(self, state: IndexState) -> None:
        """Make everything since the last commit findable, and the index be where `state` says."""
        entry = tantivy.Document()
        entry.add_text(fields.KEY, fields.STATE_KEY)
        entry.add_text(fields.STATE, state.to_json())
        self._writer.delete_documents_by_term(fields.KEY, fields.STATE_KEY)
        self._writer.add_document(entry)
        self._writer.commit()


class Feeder:
    """Feeds a writer from a stream of batches, and commits at most every half second. It is told the time.

    The first batch after a quiet while is committed at once, so a change is found as soon as a commit takes; under a
    stream of changes they share a commit. What is pending when a stream pauses is due after `wait(now)` seconds.
    """

    def __init__(self, writer: LexicalWriter) -> None:
        self._writer = writer
        self._committed_at: float | None = None
        self._pending: IndexState | None = None

    def take(self, batch: Batch, now: float) -> bool:
        """Take a batch in; True when it was committed with what was pending before it."""
        for removal in batch.removals:
            self._writer.remove(removal)
        for document in batch.documents:
            self._writer.put(document)
        self._pending = batch.state
        return self.tick(now)

    def tick(self, now: float) -> bool:
        """Commit what is pending if that is due."""
        if self._pending is None or self.wait(now) > 0:
            return False
        return self.flush(now)

    def flush(self, now: float) -> bool:
        """Commit what is pending, due or not."""
        if self._pending is None:
            return False
        self._writer.commit(self._pending)
        self._pending = None
        self._committed_at = now
        return True

    def wait(self, now: float) -> float:
        """How long until a commit may be made."""
        if self._committed_at is None:
            return 0.0
        return max(0.0, self._committed_at + COMMIT_SECONDS - now)
