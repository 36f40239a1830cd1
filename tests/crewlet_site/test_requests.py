"""A web process's requests: in threads that stay, with nothing kept of one for the next."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import path

from company.streams import Streamed
from crewlet_site import requests
from crewlet_site.requests import Requests
from tests.loops import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]

gate = threading.Barrier(requests.THREADS)


class Pieces:
    """Endless bytes that know whether they were closed."""

    def __init__(self) -> None:
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return b"piece"

    def close(self) -> None:
        self.closed = True


source = Pieces()


def who(request: HttpRequest) -> HttpResponse:
    """The thread, and whether the one before left a connection behind in it."""
    held = connection.connection is not None
    connection.ensure_connection()
    return HttpResponse(f"{threading.current_thread().name} {held}")


def together(request: HttpRequest) -> HttpResponse:
    """Answers once as many are here as there are threads."""
    gate.wait(30)
    return HttpResponse(threading.current_thread().name)


def endless(request: HttpRequest) -> HttpResponseBase:
    """An answer that ends when nobody listens."""
    connection.ensure_connection()
    return Streamed(request, source, content_type="text/plain")


def whole_file(request: HttpRequest) -> HttpResponseBase:
    """Pieces from an iterator that knows nothing of event loops, as static files are sent."""
    return StreamingHttpResponse(iter([b"one ", b"two ", b"three"]))


def broken(request: HttpRequest) -> HttpResponse:
    """A fault."""
    raise RuntimeError("on purpose")


urlpatterns = [
    path("who", who),
    path("together", together),
    path("endless", endless),
    path("file", whole_file),
    path("broken", broken),
]


class Exchange:
    """One request to the application and what came back."""

    def __init__(self, application: Requests, address: str, *, leave_after: int | None = None) -> None:
        self.application, self.address, self.leave_after = application, address, leave_after
        self.status, self.body, self.messages = 0, b"", 0
        self.left, self.sent_much = asyncio.Event(), asyncio.Event()
        self._asked = False

    async def run(self) -> Exchange:
        scope = {
            "type": "http", "method": "GET", "path": self.address, "raw_path": self.address.encode(),
            "query_string": b"", "headers": [(b"host", b"testserver")], "http_version": "1.1", "scheme": "http",
            "root_path": "", "server": ("testserver", 80), "client": ("127.0.0.1", 1),
        }  # fmt: skip
        await asyncio.wait_for(self.application(scope, self._receive, self._send), 60)
        return self

    async def _receive(self) -> Mapping[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Mapping[str, Any]) -> None:
        self.messages += 1
        if self.messages > 2:
            self.sent_much.set()
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.body += message.get("body", b"")
        if self.leave_after is not None and self.messages >= self.leave_after:
            self.left.set()
            await asyncio.sleep(0)


@pytest.fixture
def application(settings: Any) -> Iterator[Requests]:
    settings.ALLOWED_HOSTS = ["testserver"]
    made = Requests()
    yield made
    made.close()


def test_requests_one_after_another_share_threads_and_leave_them_no_connection(application: Requests) -> None:
    async def one_after_another() -> list[str]:
        return [(await Exchange(application, "/who").run()).body.decode() for _ in range(3 * requests.THREADS)]

    answers = run(one_after_another)
    assert len({answer.split()[0] for answer in answers}) <= requests.THREADS
    assert {answer.split()[1] for answer in answers} == {"False"}


def test_as_many_requests_as_there_are_threads_run_at_once_and_more_of_them_wait(application: Requests) -> None:
    async def many() -> list[Exchange]:
        runs = [Exchange(application, "/together").run() for _ in range(2 * requests.THREADS)]
        return list(await asyncio.gather(*runs))

    answers = run(many)
    assert [answer.status for answer in answers] == [200] * (2 * requests.THREADS)
    assert len({answer.body for answer in answers}) == requests.THREADS


def test_a_stream_ends_and_its_source_is_closed_when_the_client_leaves(application: Requests) -> None:
    source.closed = False
    answer = run(Exchange(application, "/endless", leave_after=5).run)
    assert answer.status == 200
    assert answer.body.startswith(b"piece")
    assert source.closed


def test_a_stream_holds_no_thread_of_the_requests_and_no_connection_in_one(application: Requests) -> None:
    async def beside() -> bytes:
        streams = [Exchange(application, "/endless", leave_after=None) for _ in range(requests.THREADS)]
        running = [asyncio.ensure_future(stream.run()) for stream in streams]
        await asyncio.gather(*(stream.sent_much.wait() for stream in streams))
        answer = await Exchange(application, "/who").run()
        for stream in streams:
            stream.left.set()
        await asyncio.gather(*running)
        return answer.body

    assert run(beside).endswith(b" False")


def test_a_file_is_sent_piece_by_piece_and_nothing_is_warned_of(application: Requests) -> None:
    answer = run(Exchange(application, "/file").run)
    assert (answer.status, answer.body) == (200, b"one two three")
    assert answer.messages > 3


def test_a_fault_is_a_page_that_tells_nothing_of_it(application: Requests) -> None:
    fault = run(Exchange(application, "/broken").run)
    assert fault.status == 500
    assert b"on purpose" not in fault.body
