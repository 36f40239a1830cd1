"""A bucket on this machine that speaks what the attachment storage uses of S3's protocol; it checks no signature."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class Bucket(BaseHTTPRequestHandler):
    """Objects by name, in the memory of the server."""

    objects: dict[str, bytes]

    def do_PUT(self) -> None:
        """Keep an object."""
        self.objects[self._key] = self._body()
        self._answer(200)

    def do_HEAD(self) -> None:
        """Say whether there is one."""
        self._object(with_body=False)

    def do_GET(self) -> None:
        """Give one, or list those with a prefix."""
        if "/" in self.path.partition("?")[0].lstrip("/"):
            self._object(with_body=True)
        else:
            self._listing()

    def do_DELETE(self) -> None:
        """Drop one."""
        self.objects.pop(self._key, None)
        self._answer(204)

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).lstrip("/").partition("/")[2]

    def _object(self, *, with_body: bool) -> None:
        body = self.objects.get(self._key)
        if body is None:
            self._answer(404)
        else:
            self._answer(200, body, with_body=with_body)

    def _listing(self) -> None:
        prefix = parse_qs(urlsplit(self.path).query).get("prefix", [""])[0]
        names = sorted(name.removeprefix(prefix) for name in self.objects if name.startswith(prefix))
        folders = sorted({f"{name.partition('/')[0]}/" for name in names if "/" in name})
        files = [name for name in names if "/" not in name]
        said = "".join(f"<CommonPrefixes><Prefix>{escape(prefix + name)}</Prefix></CommonPrefixes>" for name in folders)
        said += "".join(f"<Contents><Key>{escape(prefix + name)}</Key><Size>1</Size></Contents>" for name in files)
        self._answer(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{said}</ListBucketResult>".encode())

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"]))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def _answer(self, status: int, body: bytes = b"", *, with_body: bool = True) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Mon, 30 Nov 2026 00:00:00 GMT")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the base class's)
        """Say nothing."""


@contextmanager
def bucket() -> Iterator[tuple[str, dict[str, bytes]]]:
    """The address of a bucket's service and the objects in it."""
    objects: dict[str, bytes] = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OneBucket", (Bucket,), {"objects": objects}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", objects
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
