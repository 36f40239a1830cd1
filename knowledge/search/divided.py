"""A search of words divided over several hosts: each looks in a range of buckets, the asking one merges.

Every host holds the whole index, so a document scores the same wherever it is looked for and rankings merge by score.
A host that does not answer in time costs its buckets and nothing else, and the answer names them. It is then left
alone for some seconds, so that searches do not wait for it one after the other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import replace
from pathlib import Path

import httpx
import structlog
from django.conf import settings

from knowledge.search.lexical.documents import Filters, IndexState, LexicalAnswer
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.schema import folder_of
from knowledge.search.parts import PATH, SIGNATURE, Part, read_answer, signature_of, written_part
from knowledge.search.rules import ranges
from knowledge.search.rules.outcome import buckets_missing
from knowledge.search.rules.queries import QueryTokens

#: How long a search waits for the other hosts, and for a connection to one.
PART_SECONDS = 1.0
CONNECT_SECONDS = 0.25

#: How long a host that did not answer is left alone.
LEFT_ALONE_SECONDS = 5.0

#: How many parts this process asks for at once.
_AT_ONCE = 32

log = structlog.get_logger(__name__)


class DividedReader(LexicalReader):
    """Reads the index under `root`, and divides searches of a large one over `hosts`, of which `own` is this one.

    Hosts are told by the addresses they are asked at. Titles are looked for here alone: somebody is typing.
    """

    def __init__(self, root: Path, *, hosts: Sequence[str], own: str) -> None:
        super().__init__(root)
        self._build = folder_of(root).name
        self._ranges = ranges.ranges_of(hosts)
        self._own = self._ranges.get(own)
        self._others = {host: held for host, held in self._ranges.items() if host != own}
        self._client = httpx.Client(
            timeout=httpx.Timeout(PART_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=_AT_ONCE, max_keepalive_connections=_AT_ONCE),
            trust_env=False,
        )
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="search-part")
        self._lock = threading.Lock()
        self._left_alone: dict[str, float] = {}

    def search(self, tokens: QueryTokens, *, filters: Filters, limit: int) -> LexicalAnswer:
        """As the index answers; `nodes` says how many hosts took part and `buckets_missing` what none answered for."""
        if not self._others or tokens.is_empty or limit < 1 or self.count() <= ranges.DIVIDED_ABOVE:
            return super().search(tokens, filters=filters, limit=limit)
        deadline = time.monotonic() + PART_SECONDS
        asked = {
            held: self._pool.submit(
                self._ask,
                host,
                Part(build=self._build, tokens=tokens, filters=replace(filters, buckets=held), limit=limit),
            )
            for host, held in self._others.items()
            if not self._is_left_alone(host)
        }
        answers: dict[tuple[int, int], LexicalAnswer] = {}
        if self._own is not None:
            answers[self._own] = super().search(tokens, filters=replace(filters, buckets=self._own), limit=limit)
        for held, future in asked.items():
            answer = self._answer(future, deadline)
            if answer is not None:
                answers[held] = answer
        return merged(answers, here=self.state(), limit=limit)

    def close(self) -> None:
        """Let go of the connections to the other hosts."""
        self._pool.shutdown(wait=True)
        self._client.close()

    def _ask(self, host: str, part: Part) -> LexicalAnswer | None:
        """The part of one host; None, said in the log, where there is none to be had."""
        body = written_part(part)
        try:
            response = self._client.post(
                f"{host}{PATH}",
                content=body,
                headers={SIGNATURE: signature_of(body), "Content-Type": "application/json"},
            )
            response.raise_for_status()
            return read_answer(response.content)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            log.warning("search_part_missing", host=host, error=str(error) or type(error).__name__)
            with self._lock:
                self._left_alone[host] = time.monotonic() + LEFT_ALONE_SECONDS
            return None

    def _is_left_alone(self, host: str) -> bool:
        with self._lock:
            return self._left_alone.get(host, 0.0) > time.monotonic()

    @staticmethod
    def _answer(future: Future[LexicalAnswer | None], deadline: float) -> LexicalAnswer | None:
        try:
            return future.result(timeout=max(0.0, deadline - time.monotonic()))
        except OutOfTime:
            return None


def reader_of(root: Path) -> LexicalReader:
    """The reader of the index under `root`: one that divides its searches where hosts are named in the settings."""
    if settings.SEARCH_HOSTS:
        return DividedReader(root, hosts=settings.SEARCH_HOSTS, own=settings.SEARCH_HOST)
    return LexicalReader(root)


def merged(answers: Mapping[tuple[int, int], LexicalAnswer], *, here: IndexState, limit: int) -> LexicalAnswer:
    """One ranking of several, by the buckets each is of. It is whole where the index of every host is."""
    hits = [hit for answer in answers.values() for hit in answer.hits]
    hits.sort(key=lambda hit: (-hit.identifiers, -hit.score, hit.id))
    unfinished = [answer.state for answer in answers.values() if not answer.state.is_whole]
    return LexicalAnswer(
        hits=tuple(hits[:limit]),
        state=unfinished[0] if unfinished else here,
        nodes=len(answers),
        buckets_missing=buckets_missing(list(answers)),
    )
