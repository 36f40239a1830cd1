"""What the benches run against: a temporary data directory, its servers, databases, and a deployment of `./crewlet up`.

Everything is made when a bench first asks for it and goes away with the block. Nothing of the deployment you work with
is touched: where DATABASE_URL names a server, the benches make databases of their own on it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from crewlet_site.embedded.places import Kind
from crewlet_site.embedded.servers import use

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 90


class BenchFailed(Exception):
    """A bench could not be run; the text says why in one line."""


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A running `./crewlet up` and what commands need to reach it."""

    url: str
    environ: dict[str, str]

    def command(self, *words: str, given: str = "") -> str:
        """Run `./crewlet …` against the deployment and answer what it prints; raises BenchFailed where it refuses."""
        ran = subprocess.run(
            [str(ROOT / "crewlet"), *words], env=self.environ, input=given, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise BenchFailed(f"./crewlet {words[0]} failed: {(ran.stderr or ran.stdout).strip()[-300:]}")
        return ran.stdout.strip()


class Site:
    """Use as a context manager; the properties make things on first use."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self._stack = ExitStack()
        self._run = secrets.token_hex(3)

    def __enter__(self) -> Site:
        self.folder = Path(tempfile.mkdtemp(prefix="crewlet-bench-"))
        self._stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    @cached_property
    def servers(self) -> dict[str, str]:
        """DATABASE_URL and REDIS_URL of the servers in use: those of the environment, else embedded ones."""
        given = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)}
        kinds = tuple(
            kind for kind, name in ((Kind.POSTGRES, "DATABASE_URL"), (Kind.VALKEY, "REDIS_URL")) if name not in given
        )
        for server in self._stack.enter_context(use(self.folder, kinds)):
            given["DATABASE_URL" if server.places.kind is Kind.POSTGRES else "REDIS_URL"] = server.places.url
        return given

    @cached_property
    def postgres_version(self) -> str:
        """Of the server in use."""
        with psycopg.connect(self.servers["DATABASE_URL"]) as connection:
            return str(connection.execute("SHOW server_version").fetchone()[0])  # type: ignore[index] # always one row

    def database(self, name: str) -> str:
        """Make an empty database, dropped at the end, and answer its URL."""
        url = self.servers["DATABASE_URL"]
        called = f"crewlet_bench_{self._run}_{name}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(called)))
        self._stack.callback(_drop, url, called)
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc, f"/{called}", parts.query, ""))

    @cached_property
    def inside(self) -> None:
        """Set Django up in this process, on a database of its own, migrated."""
        self.say("a database for the benches within this process")
        os.environ |= self.servers | {
            "DATABASE_URL": self.database("inside"),
            "CREWLET_DATA_DIR": str(self.folder / "inside"),
            "DJANGO_SETTINGS_MODULE": "crewlet_site.settings",
        }
        import django
        from django.core.management import call_command
        from django.db import connections

        from crewlet_site import logs

        logs.configure(process="bench", data_dir=self.folder, terminal_level="WARNING")
        django.setup()
        call_command("migrate", verbosity=0)
        self._stack.callback(connections.close_all)

    @cached_property
    def deployment(self) -> Deployment:
        """A deployment of the example company: two web processes, no limits of rate."""
        self.say("./crewlet up, with the example company")
        port = free_port()
        environ = os.environ | self.servers | {
            "DATABASE_URL": self.database("up"),
            "CREWLET_DATA_DIR": str(self.folder / "up"),
            "CREWLET_RATE_LIMITS": "off",
        }  # fmt: skip
        self.serve([str(ROOT / "crewlet"), "up", "--port", str(port)], environ=environ, until="Crewlet is ready at")
        return Deployment(url=f"http://127.0.0.1:{port}", environ=environ)

    def serve(self, command: list[str], *, environ: dict[str, str], until: str) -> None:
        """Start a server that is stopped at the end; returns when it has said `until`. Raises BenchFailed."""
        process = subprocess.Popen(
            command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._stack.callback(_stop, process)
        said: list[str] = []
        ready = threading.Event()

        def listen() -> None:
            assert process.stdout is not None  # a pipe was asked for
            for line in process.stdout:  # read to the end, or the pipe fills and the server waits for us
                if not ready.is_set():
                    said.append(line)
                if until in line:
                    ready.set()
            ready.set()

        threading.Thread(target=listen, daemon=True).start()
        if not ready.wait(START_SECONDS) or process.poll() is not None:
            raise BenchFailed(f"{Path(command[0]).name} did not start: {''.join(said).strip()[-400:]}")


def free_port() -> int:
    """A port nobody listens on at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _drop(url: str, name: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
