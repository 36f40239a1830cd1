"""Web processes killed between a request and its answer: with a key, everything is there once."""

from __future__ import annotations

import os
import queue
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.db import connection

from company.writes.document import apply_document
from knowledge.models import Comment, Page, Revision
from tests.deployments import ROOT, clean_environment, until
from tests.factories import admin, token_for

WRITES = int(os.environ.get("CREWLET_TEST_WRITES", "1000"))
CLIENTS = 5
DEATHS = int(os.environ.get("CREWLET_TEST_DEATHS", "6"))

DOCUMENT = """\
name: Harbour
knowledge: {root_space: HOME}
units:
  - name: Engineering
    lead: Engineer Bot
    space: ENG
    roles: [{name: Engineer Bot}]
"""


class Webs:
    """Web processes behind one listening socket, as the supervisor starts them, on the database of the test."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._said, self._saying = os.pipe()
        self._ready: set[str] = set()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._started = 0
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._hear, daemon=True).start()

    def client(self) -> httpx.Client:
        """Somebody who keeps connections open, as programs do."""
        return httpx.Client(base_url=self.url, timeout=60, verify=False, trust_env=False)

    def start(self) -> str:
        """One more process; its name."""
        self._started += 1
        name = f"web-{self._started}"
        database = connection.get_connection_params()
        self._running[name] = subprocess.Popen(
            [sys.executable, "-m", "crewlet_site.child", name],
            cwd=ROOT,
            env=clean_environment(
                DATABASE_URL=f"postgresql://{database['user']}@/{database['dbname']}?host={database['host']}",
                REDIS_URL=settings.REDIS_URL,
                CREWLET_DATA_DIR=str(self._data_dir),
                CREWLET_RATE_LIMITS="off",
                CREWLET_SOCKET=str(self._listening.fileno()),
                CREWLET_READY_FD=str(self._saying),
            ),
            pass_fds=[self._listening.fileno(), self._saying],
            stderr=subprocess.DEVNULL,
        )
        return name

    def wait_for(self, name: str) -> None:
        """Until a process serves."""
        until(lambda: name in self._ready or self._running[name].poll() is not None, 120)
        assert name in self._ready

    def kill(self, name: str) -> None:
        """End a process where it stands."""
        process = self._running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        """End what runs."""
        for name in list(self._running):
            self.kill(name)
        self._listening.close()
        os.close(self._saying)

    def _hear(self) -> None:
        while said := os.read(self._said, 4096):
            self._ready |= set(said.decode().split())


@pytest.fixture
def webs(tmp_path: Path) -> Iterator[Webs]:
    """Two web processes that serve, over a company in force."""
    apply_document(actor=admin(), source=DOCUMENT)
    made = Webs(tmp_path)
    try:
        for name in [made.start(), made.start()]:
            made.wait_for(name)
        yield made
    finally:
        made.close()


@dataclass(kw_only=True)
class Sent:
    """A request with its key, how often it was sent, and its first answer."""

    method: str
    path: str
    asked: dict[str, Any]
    key: str
    attempts: int = 0
    answer: Any = None


@dataclass(kw_only=True)
class Writer:
    """A client that sends each request until it is answered, always with the same key."""

    http: httpx.Client
    secret: str
    number: int
    sent: list[Sent] = field(default_factory=list)

    def run(self, left: queue.SimpleQueue[int | None]) -> None:
        """Pages, comments, edits and moves by numbers, until there is none."""
        log = f"Log {self.number}"
        base = self.send("POST", "/api/v1/pages", {"container": "ENG", "title": log, "body": ""}, log)
        at, last = f"/api/v1/pages/{base['id']}", base
        while (number := left.get()) is not None:
            key = f"write {number}"
            kind = number // DEATHS % 4
            if kind == 0:
                last = self.send("POST", "/api/v1/pages", {"container": "ENG", "title": key, "body": key}, key)
            elif kind == 1:
                self.send("POST", f"{at}/comments", {"body": key}, key)
            elif kind == 2:
                self.send("PATCH", at, {"edit": {"mode": "append", "text": f"<{number}>"}}, key)
            elif last is not base:
                self.send("POST", f"/api/v1/pages/{last['id']}/move", {"parent_id": base["id"]}, key)

    def send(self, method: str, path: str, asked: dict[str, Any], key: str) -> Any:
        """The answer to a request, however often it has to be sent."""
        request = Sent(method=method, path=path, asked=asked, key=key)
        self.sent.append(request)
        request.answer = self.again(request)
        return request.answer

    def again(self, request: Sent) -> Any:
        """Send a request until it is answered."""
        headers = {"Authorization": f"Bearer {self.secret}", "Idempotency-Key": request.key}
        while True:
            request.attempts += 1
            assert request.attempts < 1_000
            try:
                answer = self.http.request(request.method, request.path, json=request.asked, headers=headers)
            except httpx.TransportError:
                continue
            if answer.status_code != 503:
                assert answer.status_code in (200, 201), answer.text
                return answer.json()
            time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.covers("PG-16", "PG-22")
@pytest.mark.django_db(transaction=True)
def test_a_thousand_writes_over_processes_that_are_killed_again_and_again_are_there_once(webs: Webs) -> None:
    """CREWLET_TEST_WRITES makes it longer."""
    chance = random.Random(8)
    secret = token_for(seat="engineer-bot")
    left: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    writers = [Writer(http=webs.client(), secret=secret, number=number) for number in range(CLIENTS)]
    alive = ["web-1", "web-2"]
    with ThreadPoolExecutor(CLIENTS) as clients:
        running = [clients.submit(writer.run, left) for writer in writers]
        try:
            for death in range(DEATHS):
                for number in range(death, WRITES, DEATHS):
                    left.put(number)
                until(lambda: left.qsize() < WRITES // DEATHS // 2 or any(client.done() for client in running), 120)
                webs.kill(alive.pop(0))
                alive.append(webs.start())
                webs.wait_for(alive[-1])
        finally:
            for _ in running:
                left.put(None)
    for client in running:
        client.result()

    sent = [request for writer in writers for request in writer.sent]
    assert None not in [request.answer for request in sent]
    lost = [request for request in sent if request.attempts > 1]
    assert lost  # else nothing died between a request and its answer

    logs = dict(Page.objects.filter(title__startswith="Log ").values_list("title", "pk"))
    assert len(logs) == CLIENTS
    made = [request for request in sent if request.path == "/api/v1/pages"]
    assert Page.objects.count() == len(made)
    for writer in writers:
        base = Page.objects.get(pk=logs[f"Log {writer.number}"])
        edits = [request.asked["edit"]["text"] for request in writer.sent if request.method == "PATCH"]
        said = [request.key for request in writer.sent if request.path.endswith("/comments")]
        moved = {request.path.split("/")[4] for request in writer.sent if request.path.endswith("/move")}
        assert base.body == "".join(edits)
        assert (base.version, Revision.objects.filter(page=base).count()) == (len(edits) + 1, len(edits) + 1)
        assert list(Comment.objects.filter(page=base).order_by("pk").values_list("body", flat=True)) == said
        assert {str(pk) for pk in Page.objects.filter(parent=base).values_list("pk", flat=True)} == moved

    # after all that, by processes that were not there when it was asked
    kept = [request for request in sent if not request.path.endswith("/move")]
    repeated = [request for request in lost if request in kept] + chance.sample(kept, min(len(kept), 100))
    before = (Page.objects.count(), Revision.objects.count(), Comment.objects.count())
    for request in repeated:
        assert writers[0].again(request) == request.answer
    for writer in writers:
        writer.http.close()
    assert (Page.objects.count(), Revision.objects.count(), Comment.objects.count()) == before
