"""The search engines that are measured beside each other: ours, and what others build a wiki's search on."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import psycopg

from bench.retrieval import Doc
from knowledge.embedding.providers.protocol import EmbeddingProvider
from knowledge.embedding.rules.window import opening
from knowledge.search.lexical.documents import Document, Filters, IndexState
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.writer import LexicalWriter
from knowledge.search.rules.fusion import fuse
from knowledge.search.rules.queries import query_tokens

DEPTH = 50
_WORD = re.compile(r"\w+")


class Engine(Protocol):
    """Takes a corpus in and answers questions with the numbers of documents, best first."""

    name: str

    def build(self, docs: Sequence[Doc]) -> None:
        """Take the corpus in."""

    def search(self, question: str) -> list[int]:
        """At most 50 documents."""


class Lexical:
    """Our index, through its Python seam, with the filters every search has."""

    name = "keyword"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reader = LexicalReader(folder)
        self.filters = Filters(kinds=frozenset({"page"}), excluded_containers=frozenset({"TS"}))

    def build(self, docs: Sequence[Doc]) -> None:
        with LexicalWriter(self._folder) as writer:
            for number, doc in enumerate(docs):
                writer.put(
                    Document(
                        kind="page",
                        id=number,
                        container="ENG",
                        bucket=number % 64,
                        title=doc.title,
                        body=doc.text,
                        version=1,
                    )
                )
            writer.commit(IndexState(position="0", is_whole=True, done=len(docs), total=len(docs)))

    def search(self, question: str) -> list[int]:
        answer = self._reader.search(query_tokens(question), filters=self.filters, limit=DEPTH)
        return [hit.id for hit in answer.hits]


class Semantic:
    """By meaning alone, as an exact scan of float vectors: what the two stages are judged against."""

    def __init__(self, provider: EmbeddingProvider) -> None:
        self.name = f"semantic ({provider.model})"
        self._provider = provider

    def build(self, docs: Sequence[Doc]) -> None:
        bound = self._provider.limits.input_bytes
        texts = [opening(title=doc.title, body=doc.text, bound=bound) for doc in docs]
        self._vectors = np.asarray(self._provider.embed(texts))

    def search(self, question: str) -> list[int]:
        nearest = np.argsort(-(self._vectors @ np.asarray(self._provider.embed([question]))[0]), kind="stable")
        return [int(number) for number in nearest[:DEPTH]]


class Hybrid:
    """Our keyword and semantic halves, fused; both are built already."""

    def __init__(self, keyword: Engine, semantic: Engine) -> None:
        self.name = f"hybrid of {keyword.name} and {semantic.name}"
        self._halves = keyword, semantic

    def build(self, docs: Sequence[Doc]) -> None:
        """Nothing: the halves are."""

    def search(self, question: str) -> list[int]:
        keyword, semantic = (half.search(question) for half in self._halves)
        return [one.key for one in fuse(keyword=keyword, semantic=semantic)][:DEPTH]


class Bm25s:
    """The bm25s package as its guide says, with English stop words and an English stemmer."""

    name = "bm25s"

    def build(self, docs: Sequence[Doc]) -> None:
        import bm25s  # optional: only where it is measured
        import Stemmer

        stemmer = Stemmer.Stemmer("english")
        self._cut: Callable[[list[str]], object] = lambda texts: bm25s.tokenize(
            texts, stopwords="en", stemmer=stemmer, show_progress=False
        )
        self._index = bm25s.BM25()
        self._index.index(self._cut([f"{doc.title} {doc.text}" for doc in docs]), show_progress=False)
        self._depth = min(DEPTH, len(docs))

    def search(self, question: str) -> list[int]:
        found, scores = self._index.retrieve(self._cut([question]), k=self._depth, show_progress=False)
        return [int(number) for number, score in zip(found[0], scores[0], strict=True) if score > 0]


class Sqlite:
    """SQLite's FTS5 with its Porter stemmer, the words of a question joined by OR."""

    name = "SQLite FTS5"

    def build(self, docs: Sequence[Doc]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE docs USING fts5(title, body, tokenize='porter unicode61')")
        rows = ((number, doc.title, doc.text) for number, doc in enumerate(docs))
        self._database.executemany("INSERT INTO docs (rowid, title, body) VALUES (?, ?, ?)", rows)

    def search(self, question: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        if not words:
            return []
        found = self._database.execute(
            "SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY bm25(docs) LIMIT ?", (words, DEPTH)
        )
        return [int(number) for (number,) in found]


class Postgres:
    """What most wikis ship: a generated `tsvector` under a GIN index, ranked by `ts_rank_cd`, words joined by OR."""

    name = "Postgres ts_rank_cd"

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    def build(self, docs: Sequence[Doc]) -> None:
        run = self._connection.execute
        run("DROP TABLE IF EXISTS docs")
        run(
            "CREATE TABLE docs (id int, title text, body text, words tsvector GENERATED ALWAYS AS"
            " (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'D')) STORED)"
        )
        with self._connection.cursor() as cursor, cursor.copy("COPY docs (id, title, body) FROM STDIN") as rows:
            for number, doc in enumerate(docs):
                rows.write_row((number, doc.title.replace("\x00", ""), doc.text.replace("\x00", "")))
        run("CREATE INDEX ON docs USING gin (words)")
        run("ANALYZE docs")

    def search(self, question: str) -> list[int]:
        words = " OR ".join(_WORD.findall(question))
        found = self._connection.execute(
            "SELECT id FROM docs, websearch_to_tsquery('english', %s) asked WHERE words @@ asked"
            " ORDER BY ts_rank_cd(words, asked) DESC, id LIMIT %s",
            (words, DEPTH),
        )
        return [int(number) for (number,) in found]
