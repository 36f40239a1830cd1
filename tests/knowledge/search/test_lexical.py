"""The lexical index: what it finds, what it leaves out, and that it is true after any death."""

from __future__ import annotations

import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.search.lexical.documents import Batch, Document, Filters, IndexState, Removal
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.schema import folder_of
from knowledge.search.lexical.writer import Feeder, LexicalWriter, WriterBusy
from knowledge.search.rules.queries import query_tokens

ALL = Filters()
WHOLE = IndexState(position="1", is_whole=True, done=1, total=1)
PAGE = Document(kind="page", id=1, container="ENG", bucket=0, title="A page", body="", version=1)


def write(root: Path, documents: Iterable[Document], *, state: IndexState = WHOLE) -> LexicalReader:
    with LexicalWriter(root) as writer:
        for document in documents:
            writer.put(document)
        writer.commit(state)
    return LexicalReader(root)


def pages(*bodies: str) -> list[Document]:
    return [replace(PAGE, id=number, title=f"Page {number}", body=body) for number, body in enumerate(bodies, start=1)]


def found(reader: LexicalReader, question: str, *, filters: Filters = ALL, limit: int = 8) -> list[int]:
    return [hit.id for hit in reader.search(query_tokens(question), filters=filters, limit=limit).hits]


@pytest.mark.covers("SE-03")
def test_a_short_page_about_a_thing_beats_a_long_one_that_mentions_it(tmp_path: Path) -> None:
    long = "The mooring is one of many words. " + "Runbook of the harbour, step after step. " * 300 + "mooring " * 5
    assert found(write(tmp_path, pages(long, "How the mooring works.")), "mooring") == [2, 1]


@pytest.mark.covers("SE-03")
def test_a_title_counts_more_than_a_mention(tmp_path: Path) -> None:
    titled = replace(PAGE, id=1, title="Winter tariff", body="What we ask for in the cold months of the year.")
    mention = replace(PAGE, id=2, title="Meeting", body="We spoke about the winter and the tariff of the year.")
    assert found(write(tmp_path, [mention, titled]), "winter tariff") == [1, 2]


@pytest.mark.covers("SE-04")
@pytest.mark.parametrize(
    "name", ["sltrhd_images", "getUserById", "ERR_CONN_RESET", "v1.9", "10.0.0.12", "--dry-run", "lib/quay_map.c"]
)
def test_the_page_that_holds_an_identifier_whole_is_first(tmp_path: Path, name: str) -> None:
    parts = " ".join(re.findall("[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name))
    lookalikes = [f"{parts} {parts} {parts}"] * 5
    reader = write(tmp_path, pages(*lookalikes, "Padding. " * 200 + f"Use `{name}`, please."))
    answer = reader.search(query_tokens(name), filters=ALL, limit=8)
    assert answer.hits[0].id == 6
    assert answer.hits[0].identifiers >= 1
    assert answer.hits[0].score < 1000


@pytest.mark.covers("SE-04")
@pytest.mark.parametrize("typed", ["de", "dep", "depl", "deploym", "roll back depl"])
def test_a_word_is_found_as_it_is_typed(tmp_path: Path, typed: str) -> None:
    reader = write(tmp_path, [*pages("ferries", "berths"), replace(PAGE, id=7, title="Deployment", body="roll back")])
    assert found(reader, typed)[0] == 7
    assert [hit.id for hit in reader.titles(query_tokens(typed.rsplit(maxsplit=1)[-1]), filters=ALL, limit=5).hits] == [
        7
    ]


@pytest.mark.covers("SE-03")
@pytest.mark.parametrize("question", ['"', "((", "数" * 130, "the", "a:b^2 OR", "\\", "🙂", "ab* -c", "x" * 400])
def test_no_question_is_an_error(tmp_path: Path, question: str) -> None:
    found(write(tmp_path, pages("some text")), question)


@pytest.mark.covers("SE-03")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_no_text_and_no_question_of_any_kind_is_an_error(tmp_path: Path, text: str) -> None:
    if not (tmp_path / "index").exists():
        write(tmp_path / "index", pages("some text", "注意 привет"))
    found(LexicalReader(tmp_path / "index"), text)


@pytest.mark.covers("SE-09")
def test_what_is_left_out_never_costs_a_place(tmp_path: Path) -> None:
    outside = [replace(PAGE, id=n, container="TS", body="ferry ferry ferry") for n in range(1, 501)]
    under = [replace(PAGE, id=n, body="ferry ferry", ancestors=(9, 4)) for n in range(501, 601)]
    drafted = [replace(PAGE, id=n, body="ferry ferry", is_drafted=True) for n in range(601, 701)]
    inside = [replace(PAGE, id=n, body="a ferry among many other words") for n in range(701, 751)]
    reader = write(tmp_path, [*outside, *under, *drafted, *inside])
    filters = Filters(excluded_containers=frozenset({"TS"}), excluded_ancestors=frozenset({9}))
    assert found(reader, "ferry", filters=filters, limit=50) == list(range(701, 751))
    scoped = Filters(containers=frozenset({"ENG"}), excluded_ancestors=frozenset({4}), excluded_ids=frozenset({701}))
    assert found(reader, "ferry", filters=scoped, limit=50) == list(range(702, 751))
    assert len(found(reader, "ferry", filters=Filters(with_drafted=True), limit=1000)) == 750
    assert found(reader, "ferry", filters=Filters(containers=frozenset()), limit=50) == []
    assert found(reader, "ferry", filters=Filters(kinds=frozenset({"item"})), limit=50) == []


@pytest.mark.covers("SE-12")
def test_a_divided_search_finds_together_what_one_search_finds_with_the_same_scores(tmp_path: Path) -> None:
    reader = write(tmp_path, [replace(PAGE, id=n, bucket=n % 64, body="ferry " * (n % 7 + 1)) for n in range(1, 200)])
    whole = reader.search(query_tokens("ferry"), filters=ALL, limit=200).hits
    parts = [
        hit
        for buckets in ((0, 20), (21, 63))
        for hit in reader.search(query_tokens("ferry"), filters=Filters(buckets=buckets), limit=200).hits
    ]
    assert sorted(parts, key=lambda hit: (-hit.score, hit.id)) == list(whole)


@pytest.mark.covers("SE-14")
def test_a_saved_page_replaces_itself_and_a_removed_one_is_gone(tmp_path: Path) -> None:
    reader = write(tmp_path, pages("old words", "other"))
    assert found(reader, "words") == [1]
    with LexicalWriter(tmp_path) as writer:
        writer.put(replace(PAGE, id=1, title="Page", body="new text"))
        writer.put(replace(PAGE, id=1, title="Page", body="newer text"))
        writer.remove(Removal(kind="page", id=2))
        writer.commit(replace(WHOLE, position="2"))
    assert found(reader, "words") == []
    assert found(reader, "newer") == [1]
    assert found(reader, "other") == []
    assert reader.count() == 1
    assert reader.state().position == "2"


@pytest.mark.covers("SE-08")
def test_an_index_that_is_not_whole_says_how_far_it_is(tmp_path: Path) -> None:
    assert LexicalReader(tmp_path).search(query_tokens("x"), filters=ALL, limit=8).state == IndexState()
    lap = IndexState(position="5", lap_after=2, done=2, total=9)
    answer = write(tmp_path, pages("ferry"), state=lap).search(query_tokens("ferry"), filters=ALL, limit=8)
    assert answer.state == lap
    assert not answer.state.is_whole
    assert [hit.id for hit in answer.hits] == [1]


@pytest.mark.covers("SE-08")
def test_a_folder_that_is_deleted_under_a_reader_is_building_and_then_whole_again(tmp_path: Path) -> None:
    reader = write(tmp_path, pages("ferry"))
    assert found(reader, "ferry") == [1]
    shutil.rmtree(tmp_path)
    assert not reader.state().is_whole
    assert found(reader, "ferry") == []
    write(tmp_path, pages("", "ferry"))
    assert found(reader, "ferry") == [2]
    assert reader.state().is_whole


@pytest.mark.covers("SE-08")
def test_an_index_of_another_build_is_never_read_and_goes_away(tmp_path: Path) -> None:
    old = tmp_path / "v0-0-0.1.0"
    old.mkdir(parents=True)
    write(tmp_path, pages("ferry"))
    assert not old.exists()


@pytest.mark.covers("SE-14")
def test_what_was_not_committed_is_dropped_with_its_run(tmp_path: Path) -> None:
    reader = write(tmp_path, pages("ferry"))
    with LexicalWriter(tmp_path) as writer:
        writer.put(replace(PAGE, id=2, body="ferry"))
    writer = LexicalWriter(tmp_path)
    writer.put(replace(PAGE, id=3, body="ferry"))
    del writer
    assert found(reader, "ferry") == [1]
    write(tmp_path, [replace(PAGE, id=4, body="ferry")], state=replace(WHOLE, position="9"))
    assert found(reader, "ferry") == [1, 4]


@pytest.mark.covers("SE-14")
def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    with LexicalWriter(tmp_path), pytest.raises(WriterBusy):
        LexicalWriter(tmp_path)


@pytest.mark.covers("SE-14")
def test_a_change_after_a_quiet_while_is_committed_at_once_and_a_stream_shares_commits(tmp_path: Path) -> None:
    with LexicalWriter(tmp_path) as writer:
        feeder = Feeder(writer)
        batches = [Batch(documents=[page], state=replace(WHOLE, position=str(page.id))) for page in pages(*"abcd")]
        assert feeder.take(batches[0], now=100.0)
        assert not feeder.take(batches[1], now=100.1)
        assert not feeder.take(batches[2], now=100.4)
        assert feeder.wait(100.4) == pytest.approx(0.1)
        assert LexicalReader(tmp_path).state().position == "1"
        assert feeder.tick(now=100.5)
        assert LexicalReader(tmp_path).state().position == "3"
        assert not feeder.tick(now=107.0)
        assert feeder.take(batches[3], now=107.0)
        assert LexicalReader(tmp_path).count() == 4


@pytest.mark.covers("SE-14")
def test_what_a_commit_that_was_cut_short_has_written_does_not_stop_the_next_one(tmp_path: Path) -> None:
    whole, died = tmp_path / "whole", tmp_path / "died"
    write(whole, pages("ferry", "ferry"))
    shutil.copytree(whole, died)
    folder = folder_of(died)
    again = [replace(PAGE, id=1, body="barge")]
    write(whole, again)
    half_made = [file for file in folder_of(whole).iterdir() if not (folder / file.name).exists()]
    assert any(file.suffix == ".del" for file in half_made)
    for file in (*half_made, folder_of(whole) / ".managed.json"):
        shutil.copy(file, folder)
    (folder / ".tmpA1b2C3").write_text("half a list of files")
    reader = LexicalReader(died)
    assert found(reader, "ferry") == [1, 2]

    write(died, again)
    assert (found(reader, "ferry"), found(reader, "barge")) == ([2], [1])
    assert not (folder / ".tmpA1b2C3").exists()
    assert not any((folder / file.name).exists() for file in half_made if file.suffix != ".del")


KILLED = """
import sys, time
from dataclasses import replace
from pathlib import Path
from knowledge.search.lexical.documents import Document, IndexState
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.schema import folder_of
from knowledge.search.lexical.writer import LexicalWriter
root = Path(sys.argv[1])
at = int(LexicalReader(root).state().position or 0)
print("from", at, flush=True)
page = Document(kind="page", id=1, container="ENG", bucket=0, title="A page", body="", version=1)
with LexicalWriter(root) as writer:
    while at < 4000:
        for number in range(at + 1, at + 21):
            writer.put(replace(page, id=number % 1000 + 1, body=f"ferry n{number}", version=number))
        at += 20
        writer.commit(IndexState(position=str(at), is_whole=True))
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.covers("SE-14")
def test_a_writer_killed_at_random_neither_loses_nor_doubles_a_document(tmp_path: Path) -> None:
    chance = random.Random(7)
    kills = 0
    for _ in range(200):
        with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            assert run.stdout.readline().startswith("from")
            if kills < 12:
                time.sleep(chance.uniform(0.0, 0.4))
                run.send_signal(signal.SIGKILL)
                kills += 1
            run.wait()
            reader = LexicalReader(tmp_path)
            position = int(reader.state().position or 0)
            assert reader.count() == min(position, 1000)
            if run.returncode == 0:
                break
    assert kills == 12
    assert position == 4000
    ids = found(reader, "ferry", limit=2000)
    assert sorted(ids) == list(range(1, 1001))
    for number in (3001, 3456, 4000):
        assert found(reader, f"n{number}")[:1] == [number % 1000 + 1]
    assert found(reader, "n2999 ") == []
