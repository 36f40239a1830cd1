"""How well and how fast questions find their documents, ours and others' engines on the same sets in one run."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import psycopg

from bench.engines import Bm25s, Engine, Hybrid, Lexical, Postgres, Semantic, Sqlite
from bench.figures import Row, percentile
from bench.options import Options
from bench.retrieval import Doc, RetrievalSet, example_set, ndcg, read_set, recall, repeated
from bench.site import BenchFailed, Site
from knowledge.embedding.providers import provider_of
from knowledge.embedding.providers.protocol import ProviderSettings

#: How many questions of a set the speed is measured on, and how many searches are in flight at most.
TIMED = 200
IN_FLIGHT = 8


@dataclass(frozen=True, kw_only=True)
class Quality:
    """Means over the questions of a set."""

    ndcg: float
    recall: float


def run(site: Site, options: Options) -> list[Row]:
    """Rows of quality a set and engine; of speed, where `pages` says how many documents to repeat the sets to."""
    try:
        sets = [read_set(path) for path in options.data] or [example_set()]
    except ValueError as error:
        raise BenchFailed(str(error)) from error
    rows: list[Row] = []
    for retrieval_set in sets:
        site.say(f"search: {retrieval_set.name}")
        rows += _measured(partial(_qualities, site, retrieval_set, options))
    if options.pages:
        rows += _measured(partial(_speeds, site, sets, options))
    return rows


def _measured(rows: Callable[[], list[Row]]) -> list[Row]:
    try:
        return rows()
    except psycopg.OperationalError as error:
        raise BenchFailed(f"Postgres went away: {error}") from error


def _engines(site: Site, name: str) -> list[Engine]:
    peers: list[Engine] = [Sqlite(), Postgres(site.database(f"search_{name}".lower().replace("-", "_")))]
    if find_spec("bm25s") is not None:
        peers.insert(0, Bm25s())
    return [Lexical(site.folder / f"search-{name}"), *peers]


def _qualities(site: Site, judged: RetrievalSet, options: Options) -> list[Row]:
    engines = _engines(site, judged.name)
    for engine in engines:
        engine.build(judged.docs)
    if options.model:
        semantic = Semantic(provider_of(ProviderSettings(model=options.model)))
        site.say(f"search: {judged.name}: {len(judged.docs)} vectors of {options.model}")
        semantic.build(judged.docs)
        engines[1:1] = [semantic, Hybrid(engines[0], semantic)]
    found = {engine.name: quality(engine, judged) for engine in engines}
    rows = []
    for engine in engines:
        aim, met = _aim(engine, found)
        rows.append(
            Row(
                bench="search quality",
                what=f"{judged.name}: {engine.name}",
                figures={
                    "nDCG@10": round(found[engine.name].ndcg, 4),
                    "recall@50": round(found[engine.name].recall, 4),
                    "documents": len(judged.docs),
                    "questions": len(judged.relevant),
                },
                aim=aim,
                met=met,
            )
        )
    return rows


def _aim(engine: Engine, found: dict[str, Quality]) -> tuple[str, bool | None]:
    if isinstance(engine, Lexical) and Bm25s.name in found:
        return f"at least {Bm25s.name}'s", found[engine.name].ndcg >= found[Bm25s.name].ndcg
    if isinstance(engine, Hybrid):
        best = max(quality.ndcg for name, quality in found.items() if name.startswith(("keyword", "semantic")))
        return "0.97 of the better half", found[engine.name].ndcg >= 0.97 * best
    return "", None


def quality(engine: Engine, judged: RetrievalSet) -> Quality:
    """How well an engine that holds the set's documents answers its questions."""
    gains, recalls = [], []
    for question, relevant in judged.relevant.items():
        ranked = [judged.docs[number].id for number in engine.search(judged.questions[question])]
        gains.append(ndcg(ranked, relevant))
        recalls.append(recall(ranked, relevant))
    return Quality(ndcg=statistics.fmean(gains), recall=statistics.fmean(recalls))


def _speeds(site: Site, sets: Sequence[RetrievalSet], options: Options) -> list[Row]:
    docs = list(repeated([doc for one in sets for doc in one.docs], options.pages))
    questions = [text for one in sets for text in one.questions.values()]
    questions = questions[:: max(1, len(questions) // TIMED)][:TIMED]
    rows = []
    medians: dict[str, float] = {}
    for engine in _engines(site, "speed"):
        site.say(f"search: {engine.name}, {len(docs)} documents")
        row, medians[engine.name] = _speed(engine, docs, questions)
        rows.append(row)
    peer = medians[Postgres.name] / medians[Lexical.name]
    rows[0] = Row(
        bench=rows[0].bench,
        what=rows[0].what,
        figures={**rows[0].figures, "times ts_rank_cd": round(peer, 1)},
        aim=f"30 times {Postgres.name}",
        met=peer >= 30,
    )
    return rows


def _speed(engine: Engine, docs: Sequence[Doc], questions: Sequence[str]) -> tuple[Row, float]:
    began = time.perf_counter()
    engine.build(docs)
    built = time.perf_counter() - began
    for question in questions[:20]:
        engine.search(question)
    seconds = [_timed(engine, question) for question in questions]
    figures: dict[str, float | int | str] = {
        "p50 ms": float(f"{percentile(seconds, 0.5) * 1000:.3g}"),
        "p99 ms": float(f"{percentile(seconds, 0.99) * 1000:.3g}"),
        "searches/s": round(len(seconds) / sum(seconds)),
        "documents": len(docs),
        "documents/s built": round(len(docs) / built),
    }
    if isinstance(engine, Lexical):
        figures["searches/s, 8 in flight"] = round(_in_flight(engine, questions))
    return Row(bench="search speed", what=engine.name, figures=figures), percentile(seconds, 0.5)


def _timed(engine: Engine, question: str) -> float:
    began = time.perf_counter()
    engine.search(question)
    return time.perf_counter() - began


def _in_flight(engine: Engine, questions: Sequence[str]) -> float:
    """Searches a second, eight at a time."""

    def ask() -> None:
        for question in questions:
            engine.search(question)

    threads = [threading.Thread(target=ask) for _ in range(IN_FLIGHT)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return IN_FLIGHT * len(questions) / (time.perf_counter() - began)
