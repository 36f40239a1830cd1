"""Sets that a search can be judged on: documents, questions, and which documents answer each. Reads files."""

from __future__ import annotations

import csv
import json
import math
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crewlet_site.example_pages import read_pages


@dataclass(frozen=True, kw_only=True)
class Doc:
    """One document of a set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class RetrievalSet:
    """`relevant` holds, for each question that has an answer, how relevant which documents are."""

    name: str
    docs: Sequence[Doc]
    questions: Mapping[str, str]
    relevant: Mapping[str, Mapping[str, int]]


def read_set(path: Path) -> RetrievalSet:
    """A folder of `docs.jsonl`, `queries.jsonl` and `qrels.tsv`, or a tar archive of one; raises ValueError else."""
    files = _files(path)
    try:
        docs = [
            Doc(id=str(row["id"]), title=row.get("title", ""), text=row["text"]) for row in _rows(files["docs.jsonl"])
        ]
        questions = {str(row["id"]): str(row["text"]) for row in _rows(files["queries.jsonl"])}
        relevant: dict[str, dict[str, int]] = {}
        for question, doc, relevance in list(csv.reader(files["qrels.tsv"].splitlines(), delimiter="\t"))[1:]:
            relevant.setdefault(question, {})[doc] = int(relevance)
    except KeyError as missing:
        raise ValueError(f"{path} has no {missing}") from missing
    name = path.name.split(".")[0]
    return RetrievalSet(name=name, docs=docs, questions=questions, relevant=relevant)


def example_set() -> RetrievalSet:
    """The example company's pages, each asked for by its title: what can be measured from the repository alone."""
    pages = [page for page in read_pages() if page.body]
    return RetrievalSet(
        name="example",
        docs=[Doc(id=str(number), title=page.title, text=page.body) for number, page in enumerate(pages)],
        questions={str(number): page.title for number, page in enumerate(pages)},
        relevant={str(number): {str(number): 1} for number, _ in enumerate(pages)},
    )


def repeated(docs: Sequence[Doc], count: int) -> Iterator[Doc]:
    """`count` documents: these again and again, each round under other titles."""
    for number in range(count):
        doc = docs[number % len(docs)]
        title = doc.title if number < len(docs) else f"{doc.title} {number // len(docs)}"
        yield Doc(id=str(number), title=title, text=doc.text)


def ndcg(ranked: Sequence[str], relevant: Mapping[str, int], *, depth: int = 10) -> float:
    """The discounted gain of a ranking's first documents, as a share of the best there could be."""
    gain = sum((2 ** relevant.get(doc, 0) - 1) / math.log2(place + 2) for place, doc in enumerate(ranked[:depth]))
    grades = sorted(relevant.values(), reverse=True)[:depth]
    best = sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades))
    return gain / best if best else 0.0


def recall(ranked: Sequence[str], relevant: Mapping[str, int], *, depth: int = 50) -> float:
    """Which share of the relevant documents stands among a ranking's first."""
    wanted = {doc for doc, grade in relevant.items() if grade > 0}
    return len(wanted.intersection(ranked[:depth])) / len(wanted) if wanted else 0.0


def _files(path: Path) -> dict[str, str]:
    if path.is_dir():
        return {file.name: file.read_text(encoding="utf-8") for file in path.iterdir() if file.is_file()}
    try:
        with tarfile.open(path) as archive:
            members = {Path(member.name).name: archive.extractfile(member) for member in archive if member.isfile()}
            return {name: file.read().decode() for name, file in members.items() if file is not None}
    except (OSError, tarfile.TarError) as error:
        raise ValueError(f"{path} is neither a folder nor a tar archive of a retrieval set") from error


def _rows(text: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.strip())
