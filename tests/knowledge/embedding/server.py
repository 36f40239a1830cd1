"""A server on loopback that speaks the embeddings API, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

DIMENSIONS = 4

Misbehaviour = Callable[[dict[str, Any]], "Reply"]


@dataclass
class Reply:
    """What the server answers: a status and a body (JSON, or bytes as they are), perhaps slowly or not to the end."""

    body: Any
    status: int = 200
    seconds_a_byte: float = 0.0
    is_cut_off: bool = False


def vector_of(text: str) -> list[float]:
    """The vector this server has for a text."""
    return [float(len(text)), float(sum(map(ord, text)) % 97 + 1), 1.0, -1.0]


def result(index: int, text: str) -> dict[str, Any]:
    return {"object": "embedding", "index": index, "embedding": vector_of(text)}


def well_behaved(asked: dict[str, Any]) -> Reply:
    return Reply({"data": [result(index, text) for index, text in enumerate(asked["input"])]})


@dataclass
class EmbeddingServer:
    """Serves while the context is open; `behave` may be changed at any time, `requests` are what was asked."""

    behave: Misbehaviour = well_behaved
    requests: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)

    def __enter__(self) -> Self:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(asked)
                server.authorizations.append(self.headers["Authorization"])
                reply = server.behave(asked)
                body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if reply.is_cut_off:
                    self.wfile.write(body[: len(body) // 2])
                    self.close_connection = True
                    return
                try:
                    for byte in [body[n : n + 1] for n in range(len(body))] if reply.seconds_a_byte else [body]:
                        self.wfile.write(byte)
                        time.sleep(reply.seconds_a_byte)
                except OSError:
                    self.close_connection = True

            def log_message(self, *args: Any) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"
