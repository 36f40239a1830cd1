"""The bench of search: that its sums are right and that it reads any set of the form it says."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from bench.retrieval import Doc, RetrievalSet, example_set, ndcg, read_set, recall, repeated
from bench.search import quality

FILES = {
    "docs.jsonl": json.dumps({"id": "a", "title": "T", "text": "x"}) + "\n" + json.dumps({"id": "b", "text": "y"}),
    "queries.jsonl": json.dumps({"id": "q", "text": "what"}),
    "qrels.tsv": "query_id\tdoc_id\trelevance\nq\ta\t2\nq\tb\t0\n",
}


def test_the_gain_of_a_ranking_is_a_share_of_the_best_there_could_be() -> None:
    assert ndcg(["a", "b"], {"a": 1}) == 1.0
    assert ndcg(["b", "a"], {"a": 1}) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg(["x"] * 10 + ["a"], {"a": 1}) == 0.0
    assert ndcg(["a", "b"], {"a": 1, "b": 3}) < ndcg(["b", "a"], {"a": 1, "b": 3}) == 1.0
    assert recall(["a", "x"], {"a": 1, "b": 1, "c": 0}) == 0.5


@pytest.mark.parametrize("form", ["folder", "archive"])
def test_a_set_is_read_from_a_folder_or_an_archive(tmp_path: Path, form: str) -> None:
    place = tmp_path / "a_set"
    if form == "folder":
        place.mkdir()
        for name, text in FILES.items():
            (place / name).write_text(text)
    else:
        place = tmp_path / "a_set.tar.gz"
        with tarfile.open(place, "w:gz") as archive:
            for name, text in FILES.items():
                member = tarfile.TarInfo(f"a_set/{name}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
    read = read_set(place)
    assert read == RetrievalSet(
        name="a_set",
        docs=[Doc(id="a", title="T", text="x"), Doc(id="b", title="", text="y")],
        questions={"q": "what"},
        relevant={"q": {"a": 2, "b": 0}},
    )


def test_a_place_that_holds_no_set_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"docs\.jsonl"):
        read_set(tmp_path)
    with pytest.raises(ValueError, match="neither"):
        read_set(tmp_path / "absent")


def test_documents_are_repeated_under_other_titles() -> None:
    docs = list(repeated([Doc(id="a", title="T", text="x")], 3))
    assert [(doc.id, doc.title) for doc in docs] == [("0", "T"), ("1", "T 1"), ("2", "T 2")]


def test_our_engine_finds_the_example_pages_by_their_titles(tmp_path: Path) -> None:
    from bench.engines import Lexical

    judged = example_set()
    engine = Lexical(tmp_path)
    engine.build(judged.docs)
    found = quality(engine, judged)
    assert found.recall == 1.0
    assert found.ndcg > 0.8  # three pages share one title
