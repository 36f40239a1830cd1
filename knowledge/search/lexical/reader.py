"""Reading the lexical index, from as many threads as like. A reader follows the writer by itself.

A commit replaces one small file of the index, so looking at that file before each search is enough to know whether to
open the index anew. A folder that is not there yet, or was taken away, is an index that is building.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import structlog
import tantivy

from knowledge.search.lexical import matching
from knowledge.search.lexical import schema as fields
from knowledge.search.lexical.documents import Filters, IndexState, LexicalAnswer, LexicalHit
from knowledge.search.rules.queries import QueryTokens

log = structlog.get_logger(__name__)

#: What changes with each commit, and vanishes with the index.
_COMMITTED = "meta.json"

_Seen = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Opened:
    seen: _Seen
    searcher: tantivy.Searcher
    state: IndexState


class LexicalReader:
    """Searches the index under `root` as of its latest commit."""

    def __init__(self, root: Path) -> None:
        self._folder = fields.folder_of(root)
        self._meta = self._folder / _COMMITTED
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def state(self) -> IndexState:
        """Where the index stands; nothing done of nothing where there is none."""
        opened = self._current()
        return opened.state if opened else IndexState()

    def count(self) -> int:
        """How many documents the index holds."""
        opened = self._current()
        return max(0, opened.searcher.num_docs - 1) if opened else 0

    def search(self, tokens: QueryTokens, *, filters: Filters, limit: int) -> LexicalAnswer:
        """The best `limit` documents, best first, equal ones by id. Raises nothing for any tokens at all."""
        opened = self._current()
        if opened is None or tokens.is_empty or limit < 1:
            return LexicalAnswer(hits=(), state=opened.state if opened else IndexState())
        completed = matching.completions(opened.searcher, tokens.typed)
        query = matching.matching(tokens, completed, filters)
        return LexicalAnswer(hits=_hits(opened.searcher, query, limit), state=opened.state)

    def titles(self, tokens: QueryTokens, *, filters: Filters, limit: int) -> LexicalAnswer:
        """Documents whose titles hold the words typed so far, the last one perhaps unfinished."""
        opened = self._current()
        if opened is None or tokens.is_empty or limit < 1:
            return LexicalAnswer(hits=(), state=opened.state if opened else IndexState())
        completed = matching.completions(opened.searcher, tokens.typed)
        query = matching.matching_titles(tokens, completed, filters)
        return LexicalAnswer(hits=_hits(opened.searcher, query, limit), state=opened.state)

    def _current(self) -> _Opened | None:
        """The index as of its latest commit, None while there is none."""
        seen = self._look()
        opened = self._opened
        if seen is None or (opened is not None and opened.seen == seen):
            return opened if seen is not None else None
        with self._lock:
            seen = self._look()
            if seen is not None and (self._opened is None or self._opened.seen != seen):
                self._opened = self._open(seen) or self._opened
            return self._opened if seen is not None else None

    def _look(self) -> _Seen | None:
        try:
            found = self._meta.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _open(self, seen: _Seen) -> _Opened | None:
        """Open the index; None, said in the log, where it cannot be opened: it is being deleted, or damaged."""
        try:
            searcher = tantivy.Index.open(str(self._folder)).searcher()
            state = _state_of(searcher)
        except (ValueError, OSError, TypeError) as error:
            log.warning("lexical_index_unreadable", folder=str(self._folder), error=str(error))
            return None
        return _Opened(seen=seen, searcher=searcher, state=state)


@cache
def local_reader(root: Path) -> LexicalReader:
    """This process's reader of the index under `root`."""
    return LexicalReader(root)


def _state_of(searcher: tantivy.Searcher) -> IndexState:
    found = searcher.search(
        tantivy.Query.term_query(fields.schema(), fields.KEY, fields.STATE_KEY, "basic"), 1, count=False
    ).hits
    if not found:
        return IndexState()
    return IndexState.from_json(str(searcher.doc(found[0][1]).get_first(fields.STATE)))


def _hits(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> tuple[LexicalHit, ...]:
    found = searcher.search(query, limit, count=False).hits
    hits = []
    for score, address in found:
        stored = searcher.doc(address)
        identifiers = int(score // matching.IDENTIFIER_SCORE)
        hits.append(
            LexicalHit(
                kind=str(stored.get_first(fields.KIND)),
                id=int(stored.get_first(fields.ID) or 0),
                score=score - identifiers * matching.IDENTIFIER_SCORE,
                identifiers=identifiers,
            )
        )
    hits.sort(key=lambda hit: (-hit.identifiers, -hit.score, hit.id))
    return tuple(hits)
