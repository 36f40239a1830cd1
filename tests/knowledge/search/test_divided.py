"""A search divided over hosts: whole while all answer, honest about what is missing when one does not."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import Client
from pytest_django import Settings

from company.models.revisions import Revision
from crewlet_site.environment import Environment
from knowledge.rules.buckets import bucket_of
from knowledge.search import parts
from knowledge.search.divided import DividedReader
from knowledge.search.indexing import Indexing
from knowledge.search.lexical.documents import Filters, IndexState, LexicalAnswer
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.lexical.schema import folder_of
from knowledge.search.native import NativeSearcher
from knowledge.search.pages import PageCorpus
from knowledge.search.parts import PATH, SIGNATURE, Part, read_answer, signature_of, written_part
from knowledge.search.rules.outcome import Mode
from knowledge.search.rules.queries import query_tokens
from knowledge.search.rules.ranges import ranges_of
from knowledge.search.seam import Found, Query
from tests.deployments import ROOT, clean_environment, until
from tests.factories import install_company
from tests.knowledge.pages import page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.covers("SE-12")]

FERRIES = Query(text="ferries", mode=Mode.KEYWORD, limit=50)

#: The asking host in these tests: nobody asks it.
OWN = "http://127.0.0.1:1"


@pytest.fixture
def root(tmp_path: Path, transactional_db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of forty pages of unlike worth, as each host has it, and every search divided."""
    install_company()
    Revision.objects.update(document={"name": "Harbour"})  # other processes read it
    monkeypatch.setattr("knowledge.search.rules.ranges.DIVIDED_ABOVE", 0)
    for number in range(40):
        page(f"Berth {number}", "ferries " * (number % 7 + 1) + "moor here " * (number % 5))
    settings.INDEX_DIR = tmp_path / "index"
    Indexing(settings.INDEX_DIR, wanted=[PageCorpus()]).catch_up()
    return tmp_path / "index"


class Host:
    """A web process of another host: its own data directory and index, the same database and secret key."""

    def __init__(self, data_dir: Path, index: Path, *, secret: str) -> None:
        shutil.copytree(index, data_dir / "index")
        database = connection.get_connection_params()
        listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crewlet_site.child", "web-1"],
            cwd=ROOT,
            env=clean_environment(
                CREWLET_DATA_DIR=str(data_dir),
                CREWLET_SOCKET=str(listening.fileno()),
                CREWLET_SECRET_KEY=secret,
                DATABASE_URL=f"postgresql://{database['user']}@/{database['dbname']}?host={database['host']}",
                REDIS_URL=django_settings.REDIS_URL,
            ),
            pass_fds=[listening.fileno()],
        )
        listening.close()

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.address}/healthz", timeout=30).status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def started(tmp_path: Path, root: Path) -> Iterator[Callable[..., Host]]:
    hosts: list[Host] = []

    def start(*, secret: str = django_settings.SECRET_KEY) -> Host:
        hosts.append(Host(tmp_path / f"host{len(hosts)}", root, secret=secret))
        return hosts[-1]

    yield start
    for host in hosts:
        host.kill()


@pytest.fixture
def searching(root: Path, settings: Settings) -> Iterator[Callable[..., Found]]:
    """A search by a process whose settings name itself and other hosts."""
    searchers: dict[tuple[str, ...], NativeSearcher] = {}

    def search(*others: str) -> Found:
        if others not in searchers:
            settings.SEARCH_HOSTS, settings.SEARCH_HOST = [OWN, *others], OWN
            searchers[others] = NativeSearcher(root)
        return searchers[others].search(FERRIES)

    yield search
    for searcher in searchers.values():
        assert isinstance(searcher._reader, DividedReader)
        searcher._reader.close()


def pages_of(found: Found) -> list[tuple[int, float]]:
    return [(hit.page_id, hit.score) for hit in found.hits]


@pytest.mark.slow
@pytest.mark.xdist_group("deployment")
def test_hosts_find_together_what_one_finds_and_a_dead_one_is_named_by_its_buckets(
    root: Path, started: Callable[..., Host], searching: Callable[..., Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.search.divided.PART_SECONDS", 30.0)  # a busy machine is no missing host
    alone = NativeSearcher(root).search(FERRIES)
    assert alone.outcome.coverage.nodes == 1
    first, second = started(), started()
    until(lambda: first.answers() and second.answers())
    divided = searching(first.address, second.address)
    assert pages_of(divided) == pages_of(alone)
    assert len(divided.hits) == 40
    assert (divided.outcome.coverage.nodes, divided.outcome.coverage.complete) == (3, True)

    second.kill()
    partial = searching(first.address, second.address)
    low, high = ranges_of([OWN, first.address, second.address])[second.address]
    assert partial.outcome.served_mode is Mode.KEYWORD
    assert partial.outcome.coverage.buckets_missing == tuple(range(low, high + 1))
    assert (partial.outcome.coverage.nodes, partial.outcome.coverage.complete) == (2, False)
    kept = [(page_id, score) for page_id, score in pages_of(alone) if not low <= bucket_of(page_id) <= high]
    assert pages_of(partial) == kept
    assert 0 < len(kept) < 40


@pytest.mark.slow
@pytest.mark.xdist_group("deployment")
def test_a_host_with_another_secret_is_no_host_of_ours(
    root: Path, started: Callable[..., Host], searching: Callable[..., Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.search.divided.PART_SECONDS", 30.0)
    stranger = started(secret="another deployment's key, long enough to be one")
    until(stranger.answers)
    coverage = searching(stranger.address).outcome.coverage
    assert (coverage.nodes, coverage.complete, len(coverage.buckets_missing)) == (1, False, 32)


def test_a_host_that_takes_too_long_costs_its_buckets_and_is_then_left_alone_for_a_while(
    searching: Callable[..., Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.search.divided.PART_SECONDS", 0.2)
    monkeypatch.setattr("knowledge.search.divided.LEFT_ALONE_SECONDS", 600.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(30)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert len(searching(address).outcome.coverage.buckets_missing) == 32
        silent.accept()[0].close()
        until(lambda: _is_quiet(lambda: searching(address), silent))


def _is_quiet(ask: Callable[[], Found], silent: socket.socket) -> bool:
    """Whether a search came back, its buckets missing, and did not knock."""
    assert len(ask().outcome.coverage.buckets_missing) == 32
    silent.settimeout(0.2)
    try:
        silent.accept()[0].close()
    except TimeoutError:
        return True
    return False


def test_a_host_whose_index_is_not_whole_makes_the_answer_building(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lap = IndexState(position="1", done=3, total=40)
    monkeypatch.setattr(DividedReader, "_ask", lambda *_: LexicalAnswer(hits=(), state=lap))
    with closing(DividedReader(root, hosts=[OWN, "http://127.0.0.1:2"], own=OWN)) as reader:
        answer = reader.search(query_tokens("ferries"), filters=Filters(), limit=8)
    assert (answer.state, answer.buckets_missing) == (lap, ())


def test_a_small_index_is_not_divided(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge.search.rules.ranges.DIVIDED_ABOVE", 10_000)
    with closing(DividedReader(root, hosts=[OWN, "http://127.0.0.1:2"], own=OWN)) as reader:
        answer = reader.search(query_tokens("ferries"), filters=Filters(), limit=50)
    assert (answer.nodes, len(answer.hits), answer.buckets_missing) == (1, 40, ())


def test_only_a_signed_part_of_the_same_build_is_answered(root: Path, client: Client) -> None:
    part = Part(build=folder_of(root).name, tokens=query_tokens("ferries"), filters=Filters(buckets=(0, 31)), limit=50)

    def ask(body: bytes, signature: str) -> tuple[int, bytes]:
        answer = client.post(PATH, body, content_type="application/json", headers={SIGNATURE: signature})
        return answer.status_code, answer.content

    body = written_part(part)
    status, content = ask(body, signature_of(body))
    assert status == 200
    assert {bucket_of(hit.id) <= 31 for hit in read_answer(content).hits} == {True}
    for wrong in ("", signature_of(b"another body"), "é"):
        assert ask(body, wrong)[0] == 401
    older = body.replace(part.build.encode(), b"v0-0-0.1")
    assert ask(older, signature_of(older))[0] == 503
    for nonsense in (b"{}", b"\xff", json.dumps({**json.loads(body), "limit": 10**9}).encode()):
        assert ask(nonsense, signature_of(nonsense))[0] == 400


def test_what_goes_over_the_wire_comes_back_the_same(root: Path) -> None:
    asked = Part(
        build="v1",
        tokens=query_tokens("Where is getUserById in v1.9 of 注意 Łódź"),
        filters=Filters(kinds=frozenset({"page"}), containers=frozenset(), excluded_ids=frozenset({1}), buckets=(3, 9)),
        limit=8,
    )
    assert parts.read_part(written_part(asked)) == asked
    answer = LexicalReader(root).search(query_tokens("ferries"), filters=Filters(), limit=8)
    assert read_answer(parts.written_answer(answer)) == answer


@pytest.mark.parametrize(
    ("hosts", "own", "named"),
    [
        (["http://a:1", "index-2"], "http://a:1", "search_hosts"),
        (["http://a:1/x"], "http://a:1/x", "search_hosts"),
        (["http://a:1", "http://b:1"], "", "search_host"),
        (["http://a:1", "http://b:1"], "http://c:1", "search_host"),
        ([], "http://c:1", "search_host"),
    ],
)
def test_settings_that_name_no_hosts_or_not_this_one_are_refused(
    hosts: list[str], own: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWLET_SEARCH_HOSTS", json.dumps(hosts))
    monkeypatch.setenv("CREWLET_SEARCH_HOST", own)
    with pytest.raises(ValueError, match=named):
        Environment()
    monkeypatch.setenv("CREWLET_SEARCH_HOSTS", '["http://a:1", "http://b:1"]')
    monkeypatch.setenv("CREWLET_SEARCH_HOST", "http://b:1")
    assert Environment().search_host == "http://b:1"
