"""A permission hook to ask, on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(kw_only=True)
class AHook:
    """What it was asked, and what it says next: a status, headers and a body."""

    url: str = ""
    status: int = 200
    body: bytes = b'"allow"'
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], None] = lambda: None
    asked: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[AHook]:
    """A hook on a free port."""
    hook = AHook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            hook.asked.append((dict(self.headers), self.rfile.read(length)))
            hook.before()
            self.send_response(hook.status)
            for name, value in {"Content-Length": str(len(hook.body)), **hook.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(hook.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hook.url = f"http://127.0.0.1:{server.server_port}/decide"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
