"""Keeping the lexical index true: one lap over everything there is, then the tail of the change log, for ever.

The index's place in the log is committed with the documents it is true of, so a process that is killed loses nothing
and doubles nothing: its successor follows the log on from there. Nothing is kept that cannot be made again: an index
that was deleted, is damaged, or was made of another database is built anew, and says `building` meanwhile.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import structlog
import tantivy
from django.db import Error, connection
from django.db.models import Max
from django.utils import timezone

from company.models.changes import Change
from company.reads.changes import ChangeReader
from knowledge.search import corpora
from knowledge.search.corpora import Corpus
from knowledge.search.lexical import schema
from knowledge.search.lexical.documents import Batch, IndexState
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.writer import Feeder, LexicalWriter, WriterBusy

#: How often a resting index is looked after: its folder may be gone, a long transaction may have ended.
LOOKED_AFTER_SECONDS = 1.0

#: How long to wait after a failure before the next attempt.
RETRY_SECONDS = 2.0

#: How often the progress of a first lap is told.
PROGRESS_SECONDS = 5.0

#: How many changed documents are read at once.
DOCUMENTS_AT_ONCE = 200

log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class Figures:
    """What one run of work did. `oldest` is when the oldest change it took in was written."""

    documents: int = 0
    removals: int = 0
    oldest: datetime | None = None
    began: float = field(default_factory=time.monotonic)


class Indexing:
    """Keeps the index under `root` true. One at a time for a folder: a second one is told that it is busy."""

    def __init__(self, root: Path, *, wanted: Sequence[Corpus] | None = None) -> None:
        self._root = root
        self._corpora = tuple(corpora.registered() if wanted is None else wanted)
        self._kinds = ",".join(corpus.kind for corpus in self._corpora)
        self._reader: ChangeReader | None = None
        self._committed: IndexState | None = None
        self._told_at = 0.0

    def run(self, *, woken: threading.Event, stopping: threading.Event) -> None:
        """Follow the log until `stopping`; whoever hears of a change sets `woken`.

        A database that is away, a full disk and another writer are waited for, and said in the log.
        """
        is_due = True
        while not stopping.is_set():
            if is_due or not self._is_at_rest():
                woken.clear()
                if not self._attempt(stopping):
                    stopping.wait(RETRY_SECONDS)
                    is_due = True
                    continue
            is_due = woken.wait(LOOKED_AFTER_SECONDS)

    def catch_up(
        self,
        *,
        is_stopping: Callable[[], bool] = lambda: False,
        anew: bool = False,
        told: Callable[[IndexState], None] = lambda _: None,
    ) -> Figures:
        """Bring the index up to the end of the log, through its first lap if that is not done; what was done.

        `anew` empties it first; `told` hears where a lap stands after each stretch of it. Raises WriterBusy while
        another one is at work on the index, `django.db.Error` while the database is away, OSError and ValueError
        where the index cannot be written.
        """
        self._remove_damaged()
        figures = Figures()
        kept, self._reader = self._reader, None
        was_held_back = kept is not None and not kept.is_settled
        with LexicalWriter(self._root) as writer:
            state = LexicalReader(self._root).state()
            database = _database()
            reader = kept if kept is not None and state == self._committed else _reader_from(state, database)
            if anew or reader is None or state.kinds != self._kinds:
                reader, state = self._begin(writer, figures)
            feeder = Feeder(writer)
            while not is_stopping():
                news = reader.read()
                if news.replaced:
                    log.warning("index_of_another_database", position=state.position)
                    reader, state = self._begin(writer, figures)
                    continue
                moved_on = replace(state, position=f"{database}:{reader.position}")
                if news.changes:
                    oldest = min(change.at for change in news.changes)
                    figures.oldest = min(figures.oldest or oldest, oldest)
                    moved_on = replace(moved_on, seen=max(state.seen, *(change.pk for change in news.changes)))
                for batch in self._batches(news.changes, before=state, after=moved_on):
                    self._feed(feeder, batch, figures)
                state = moved_on
                if not state.is_whole:
                    state = self._lap(feeder, state, figures)
                    told(state)
                elif not news.changes:
                    break
            committed = LexicalReader(self._root).state()
            # A place that moved on over nothing is not worth a commit, unless a transaction had held it back.
            has_news = figures.oldest is not None or (was_held_back and state.position != committed.position)
            if has_news or replace(state, position=committed.position) != committed:
                feeder.take(Batch(state=state), time.monotonic())
                feeder.flush(time.monotonic())
                committed = state
        self._reader, self._committed = reader, committed
        return figures

    def _begin(self, writer: LexicalWriter, figures: Figures) -> tuple[ChangeReader, IndexState]:
        """An empty index at the place where the log stands now, before anything is read."""
        writer.clear()
        figures.documents = figures.removals = 0
        seen = Change.objects.aggregate(Max("pk"))["pk__max"] or 0
        reader = ChangeReader()
        reader.read()
        total = sum(corpus.count() for corpus in self._corpora)
        log.info("index_building", done=0, total=total)
        self._told_at = time.monotonic()
        state = IndexState(
            position=f"{_database()}:{reader.position}",
            kinds=self._kinds,
            total=total,
            is_whole=not self._corpora,
            seen=seen,
        )
        writer.commit(state)
        return reader, state

    def _lap(self, feeder: Feeder, state: IndexState, figures: Figures) -> IndexState:
        """The next stretch of the first lap."""
        kinds = [corpus.kind for corpus in self._corpora]
        at = kinds.index(state.lap_kind) if state.lap_kind in kinds else 0
        documents = self._corpora[at].after(state.lap_after)
        if documents:
            done = state.done + len(documents)
            state = replace(state, lap_kind=kinds[at], lap_after=documents[-1].id, done=done)
            state = replace(state, total=max(done, state.total))
        elif at + 1 < len(kinds):
            state = replace(state, lap_kind=kinds[at + 1], lap_after=0)
        else:
            state = replace(state, is_whole=True, total=state.done)
        self._feed(feeder, Batch(documents=documents, state=state), figures)
        now = time.monotonic()
        if state.is_whole or now - self._told_at >= PROGRESS_SECONDS:
            self._told_at = now
            log.info("index_built" if state.is_whole else "index_building", done=state.done, total=state.total)
        return state

    def _batches(self, changes: Sequence[Change], *, before: IndexState, after: IndexState) -> Iterator[Batch]:
        """What changes mean for the index. Only the last batch says that the place in the log was reached."""
        pieces = [
            (corpus, piece)
            for corpus in self._corpora
            if (mine := [change for change in changes if change.kind == corpus.change_kind])
            for piece in _pieces(corpus.touched(mine))
        ]
        for number, (corpus, piece) in enumerate(pieces, start=1):
            changed = corpus.of(piece)
            yield Batch(
                documents=changed.documents,
                removals=changed.removals,
                state=after if number == len(pieces) else before,
            )

    @staticmethod
    def _feed(feeder: Feeder, batch: Batch, figures: Figures) -> None:
        feeder.take(batch, time.monotonic())
        figures.documents += len(batch.documents)
        figures.removals += len(batch.removals)

    def _is_at_rest(self) -> bool:
        return self._reader is not None and self._reader.is_settled and _opens(schema.folder_of(self._root))

    def _attempt(self, stopping: threading.Event) -> bool:
        """One run; False, and why in the log, where it failed."""
        try:
            figures = self.catch_up(is_stopping=stopping.is_set)
        except WriterBusy:
            log.info("index_busy")  # somebody builds it anew by hand, or the indexer before this one is not gone yet
            return False
        except (Error, OSError, ValueError) as error:
            log.warning("indexing_failed", error=str(error).strip())
            return False
        finally:
            connection.close()
        if figures.documents or figures.removals:
            lag = (timezone.now() - figures.oldest).total_seconds() if figures.oldest else None
            log.info(
                "index_caught_up",
                documents=figures.documents,
                removals=figures.removals,
                seconds=round(time.monotonic() - figures.began, 3),
                lag_seconds=None if lag is None else round(lag, 3),
            )
        return True

    def _remove_damaged(self) -> None:
        """Take an index away that cannot be opened, so that it is built anew."""
        folder = schema.folder_of(self._root)
        if (folder / "meta.json").exists() and not _opens(folder):
            log.error("index_damaged", folder=str(folder))
            shutil.rmtree(folder)


def _opens(folder: Path) -> bool:
    """Whether an index is there with every file it names: one deleted while it is written to may be left in part."""
    if not (folder / "meta.json").exists():
        return False
    try:
        tantivy.Index.open(str(folder)).searcher()
    except ValueError as error:
        log.warning("index_unreadable", folder=str(folder), error=str(error))
        return False
    return True


def _pieces(identities: Sequence[int]) -> Iterator[Sequence[int]]:
    for first in range(0, len(identities), DOCUMENTS_AT_ONCE):
        yield identities[first : first + DOCUMENTS_AT_ONCE]


def _reader_from(state: IndexState, database: str) -> ChangeReader | None:
    """A reader at the place in the log that an index has reached; None where that is no place in this log."""
    known, _, position = (state.position or "").rpartition(":")
    return ChangeReader(position=int(position)) if known == database and position.isdigit() else None


def _database() -> str:
    """What tells this database from any other: a place in the log of one means nothing in another."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()) "
            "FROM pg_control_system()"
        )
        cluster, oid = cursor.fetchone()
    return f"{cluster}/{oid}"
