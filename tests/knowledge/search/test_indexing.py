"""The indexer's work: a first lap, the tail of the log, and an index that is true again after whatever befell it."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from pytest_django import DjangoAssertNumQueries, Settings

from company.rules.chart import Company
from knowledge.models import Page, PageStatus
from knowledge.search.commands import reindex_words
from knowledge.search.indexing import Indexing
from knowledge.search.lexical.documents import Filters
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.schema import folder_of
from knowledge.search.lexical.writer import LexicalWriter
from knowledge.search.native import NativeSearcher
from knowledge.search.pages import PageCorpus
from knowledge.search.progress import index_progress
from knowledge.search.rules.outcome import Degraded, Mode, SearchOutcome
from knowledge.search.rules.queries import query_tokens
from knowledge.search.seam import Query
from knowledge.writes.pages import move_page, rename_page, restore_page, save_page, trash_page
from tests.deployments import ROOT, clean_environment, until
from tests.factories import admin, install_company
from tests.knowledge.pages import page, row

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def index(tmp_path: Path, harbour: Company) -> Indexing:
    return Indexing(tmp_path, wanted=[PageCorpus()])


def found(root: Path, question: str, **filters: object) -> list[int]:
    answer = LexicalReader(root).search(query_tokens(question), filters=Filters(**filters), limit=50)  # type: ignore[arg-type]
    return [hit.id for hit in answer.hits]


@pytest.fixture
def harbour(transactional_db: None) -> Company:
    return install_company()


@pytest.mark.covers("SE-08")
def test_the_first_lap_takes_in_every_published_page_and_says_when_it_is_done(index: Indexing, tmp_path: Path) -> None:
    first = page("Quay map", "Where the ferries moor.")
    page("A plan", "Nobody reads of ferries yet.", status=PageStatus.DRAFT)
    gone = page("Old quay map", "Where the ferries moored.")
    trash_page(actor=admin(), page_id=gone.id)
    assert not LexicalReader(tmp_path).state().is_whole
    index.catch_up()
    assert found(tmp_path, "ferries") == [first.id]
    state = LexicalReader(tmp_path).state()
    assert (state.is_whole, state.done, state.total) == (True, 1, 1)


@pytest.mark.covers("SE-08", "SE-14")
def test_a_lap_that_was_interrupted_goes_on_where_it_stood(
    index: Indexing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.search.pages.ROWS_AT_ONCE", 2)
    made = [page(f"Berth {number}", "A berth.").id for number in range(5)]
    laps = iter([False, True])
    index.catch_up(is_stopping=lambda: next(laps))
    state = LexicalReader(tmp_path).state()
    assert (state.is_whole, state.done, state.total) == (False, 2, 5)
    asked: list[int] = []
    corpus = PageCorpus()

    def after(_: PageCorpus, identity: int) -> object:
        asked.append(identity)
        return _after(corpus, identity)

    monkeypatch.setattr(PageCorpus, "after", after)
    Indexing(tmp_path, wanted=[PageCorpus()]).catch_up()
    assert asked[0] == made[1]
    assert sorted(found(tmp_path, "berth")) == made


_after = PageCorpus.after


@pytest.mark.covers("SE-14")
def test_each_write_is_found_with_the_next_run(index: Indexing, tmp_path: Path) -> None:
    first = page("Tariff", "Winter prices.")
    index.catch_up()
    second = page("Berths", "Where winter ferries moor.")
    save_page(actor=admin(), page_id=first.id, base_version=1, body="Summer prices.")
    index.catch_up()
    assert found(tmp_path, "winter") == [second.id]
    rename_page(actor=admin(), page_id=first.id, title="Winter tariff")
    trash_page(actor=admin(), page_id=second.id)
    index.catch_up()
    assert found(tmp_path, "winter") == [first.id]
    restore_page(actor=admin(), page_id=second.id)
    index.catch_up()
    assert sorted(found(tmp_path, "winter")) == [first.id, second.id]
    assert LexicalReader(tmp_path).count() == 2


@pytest.mark.covers("SE-09")
def test_what_lies_beneath_a_page_that_moved_is_known_to_lie_elsewhere(index: Indexing, tmp_path: Path) -> None:
    folder = page("Auto-Drafted Skills", "")
    parent = page("Mooring", "ropes")
    child = page("Knots", "ropes", parent_id=parent.id)
    index.catch_up()
    assert found(tmp_path, "ropes", excluded_ancestors=frozenset({folder.id})) == [parent.id, child.id]
    move_page(actor=admin(), page_id=parent.id, parent_id=folder.id)
    index.catch_up()
    assert found(tmp_path, "ropes", excluded_ancestors=frozenset({folder.id})) == []
    move_page(actor=admin(), page_id=parent.id, parent_id=None, container="PROD")
    index.catch_up()
    assert sorted(found(tmp_path, "ropes", containers=frozenset({"PROD"}))) == [parent.id, child.id]


@pytest.mark.covers("SE-08", "SE-14")
@pytest.mark.parametrize("harm", ["deleted", "damaged", "of another database"])
def test_an_index_that_was_harmed_is_built_anew(index: Indexing, tmp_path: Path, harm: str) -> None:
    made = page("Quay map", "ferries")
    index.catch_up()
    if harm == "deleted":
        shutil.rmtree(folder_of(tmp_path))
    elif harm == "damaged":
        (folder_of(tmp_path) / "meta.json").write_text("{")
    else:
        Page.objects.all().update(body="barges")  # as another database would have it
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("knowledge.search.indexing._database", lambda: "1/2")
            Indexing(tmp_path, wanted=[PageCorpus()]).catch_up()
        assert found(tmp_path, "barges") == [made.id]
        return
    assert found(tmp_path, "ferries") == []
    assert not LexicalReader(tmp_path).state().is_whole
    index.catch_up()
    assert found(tmp_path, "ferries") == [made.id]


@pytest.mark.usefixtures("own_frontier")
@pytest.mark.covers("SE-14")
def test_a_place_held_back_by_a_long_transaction_moves_on_when_that_has_ended(index: Indexing, tmp_path: Path) -> None:
    index.catch_up()
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("SELECT pg_current_xact_id()")
        made = page("Quay map", "ferries")
        index.catch_up()
        assert found(tmp_path, "ferries") == [made.id]
        assert not index._is_at_rest()
    index.catch_up()
    assert index._is_at_rest()


@pytest.mark.usefixtures("own_frontier")
@pytest.mark.covers("SE-14")
def test_an_idle_run_costs_a_handful_of_queries_and_no_commit(
    index: Indexing, tmp_path: Path, django_assert_max_num_queries: object
) -> None:
    page("Quay map", "ferries")
    index.catch_up()
    index.catch_up()
    assert index._is_at_rest()
    before = (folder_of(tmp_path) / "meta.json").stat().st_mtime_ns
    with django_assert_max_num_queries(3):  # type: ignore[operator]
        index.catch_up()
    assert (folder_of(tmp_path) / "meta.json").stat().st_mtime_ns == before


@pytest.mark.covers("SE-14")
def test_a_change_is_found_soon_and_a_deleted_folder_heals_while_it_runs(index: Indexing, tmp_path: Path) -> None:
    woken, stopping = threading.Event(), threading.Event()
    thread = threading.Thread(target=index.run, kwargs={"woken": woken, "stopping": stopping})
    thread.start()
    try:
        until(lambda: LexicalReader(tmp_path).state().is_whole)
        made = page("Quay map", "ferries")
        woken.set()
        until(lambda: found(tmp_path, "ferries") == [made.id])
        shutil.rmtree(folder_of(tmp_path), ignore_errors=True)  # it may be written to at this moment
        until(lambda: found(tmp_path, "ferries") == [made.id])
    finally:
        stopping.set()
        woken.set()
        thread.join(10)


@pytest.mark.covers("SE-14")
def test_an_index_that_lost_some_of_its_files_heals_while_nothing_changes(index: Indexing, tmp_path: Path) -> None:
    made = page("Quay map", "ferries")
    woken, stopping = threading.Event(), threading.Event()
    thread = threading.Thread(target=index.run, kwargs={"woken": woken, "stopping": stopping})
    thread.start()
    try:
        until(lambda: found(tmp_path, "ferries") == [made.id])
        until(lambda: LexicalReader(tmp_path).state().is_whole)
        time.sleep(0.3)  # its writer is done with the folder
        for file in folder_of(tmp_path).glob("*.store"):
            file.unlink()
        until(lambda: found(tmp_path, "ferries") == [made.id] and bool(list(folder_of(tmp_path).glob("*.store"))))
    finally:
        stopping.set()
        woken.set()
        thread.join(10)


@pytest.mark.slow
@pytest.mark.covers("SE-08", "SE-14")
def test_a_folder_deleted_while_pages_are_saved_says_that_it_is_building_and_is_whole_again(
    index: Indexing, tmp_path: Path
) -> None:
    for number in range(60):
        page(f"Berth {number}", "ferries")
    searcher = NativeSearcher(tmp_path)
    ferries = Query(text="ferries", mode=Mode.KEYWORD, limit=50)
    woken, stopping = threading.Event(), threading.Event()
    saving = threading.Thread(target=_save_until, args=(stopping, woken))
    running = threading.Thread(target=index.run, kwargs={"woken": woken, "stopping": stopping})
    outcomes: list[SearchOutcome] = []

    def asked() -> SearchOutcome:
        outcomes.append(searcher.search(ferries).outcome)
        return outcomes[-1]

    running.start()
    try:
        until(lambda: asked().degraded == ())
        saving.start()
        for _ in range(3):
            outcomes.clear()
            shutil.rmtree(folder_of(tmp_path), ignore_errors=True)  # it may be written to at this moment
            until(lambda: asked().degraded == (Degraded.BUILDING,))
            assert not outcomes[-1].coverage.complete
            until(lambda: asked().degraded == ())
    finally:
        stopping.set()
        woken.set()
        running.join(30)
        if saving.ident is not None:
            saving.join(30)
    index.catch_up()
    assert LexicalReader(tmp_path).count() == Page.objects.count()
    assert {state for outcome in outcomes for state in outcome.degraded} <= {Degraded.BUILDING}


def _save_until(stopping: threading.Event, woken: threading.Event) -> None:
    try:
        while not stopping.wait(0.02):
            page(f"Quay {uuid.uuid4()}", "barges")
            woken.set()
    finally:
        connection.close()


@pytest.mark.covers("SE-08")
def test_the_command_builds_the_index_anew_and_the_indexer_goes_on_from_there(
    index: Indexing, tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.INDEX_DIR = tmp_path
    made = page("Quay map", "ferries")
    index.catch_up()
    Page.objects.all().update(body="barges")  # as nothing in the log tells
    index.catch_up()
    assert found(tmp_path, "barges") == []
    assert reindex_words(argparse.Namespace()) == 0
    assert "1 document indexed" in capsys.readouterr().out
    assert found(tmp_path, "barges") == [made.id]
    after = page("Tariff", "barges")
    index.catch_up()
    assert sorted(found(tmp_path, "barges")) == [made.id, after.id]


@pytest.mark.covers("SE-08")
def test_the_command_waits_while_the_indexer_is_at_work(
    index: Indexing, tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.INDEX_DIR = tmp_path
    page("Quay map", "ferries")
    writer = LexicalWriter(tmp_path)
    done: list[int] = []

    def reindex() -> None:
        try:
            done.append(reindex_words(argparse.Namespace()))
        finally:
            connection.close()

    command = threading.Thread(target=reindex)
    command.start()
    try:
        until(lambda: "waiting" in capsys.readouterr().out)
        assert done == []
    finally:
        del writer
        command.join(30)
    assert done == [0]
    assert len(found(tmp_path, "ferries")) == 1


@pytest.mark.covers("SE-14")
def test_how_far_the_index_lags_is_told_from_outside_the_indexer_and_grows_where_that_is_dead(
    index: Indexing, tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page("Quay map", "ferries")
    index.catch_up()
    assert (index_progress(tmp_path).lag_seconds, index_progress(tmp_path).changes) == (0.0, 0)
    made = page("Tariff", "winter")
    save_page(actor=admin(), page_id=made.id, base_version=1, body="summer")
    first = index_progress(tmp_path)
    assert first.changes == 2
    with django_assert_num_queries(1):
        assert index_progress(tmp_path).lag_seconds > first.lag_seconds > 0
    index.catch_up()
    assert (index_progress(tmp_path).lag_seconds, index_progress(tmp_path).changes) == (0.0, 0)
    assert index_progress(tmp_path).state.is_whole


@pytest.mark.slow
@pytest.mark.covers("SE-14", "SE-08")
def test_killed_at_random_while_pages_are_written_it_neither_loses_nor_doubles_one(
    harbour: Company, tmp_path: Path
) -> None:
    """The process itself, as the supervisor starts it. CREWLET_TEST_WRITES makes it longer."""
    chance = random.Random(4)
    total = int(os.environ.get("CREWLET_TEST_WRITES", "1200"))
    writes = iter(range(total))
    root = tmp_path / "index"
    made: list[int] = []

    def write(count: int) -> None:
        for number in [number for number, _ in zip(writes, range(count), strict=False)]:
            if number % 3 == 2:
                chosen = row(chance.choice(made))
                save_page(actor=admin(), page_id=chosen.pk, body=f"ferry {number}", base_version=chosen.version)
            else:
                made.append(page(f"Berth {number}", f"ferry {number}", by=admin()).id)

    for death in range(12):
        process = _indexer(tmp_path)
        write(total // 13)
        time.sleep(chance.random())
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        if death == 6:
            shutil.rmtree(folder_of(root))
    process = _indexer(tmp_path)
    try:
        write(total)
        last = page("The last one", "lighthouse", by=admin())
        written = time.monotonic()
        until(lambda: found(root, "lighthouse") == [last.id])
        assert time.monotonic() - written < 30
        assert LexicalReader(root).count() == Page.objects.count()
        for one in chance.sample(list(Page.objects.exclude(pk=last.id)), 200):
            assert one.pk in found(root, f"{one.body.split()[1]} ")
    finally:
        process.terminate()
        assert process.wait(20) == 0


def _indexer(data_dir: Path) -> subprocess.Popen[bytes]:
    database = connection.get_connection_params()
    url = f"postgresql://{database['user']}@/{database['dbname']}?host={database['host']}"
    return subprocess.Popen(
        [sys.executable, "-m", "crewlet_site.child", "indexer"],
        cwd=ROOT,
        env=clean_environment(CREWLET_DATA_DIR=str(data_dir), DATABASE_URL=url, REDIS_URL=settings.REDIS_URL),
    )
