"""`crewlet up`: one supervisor, the processes of a deployment, and nothing left running when it ends.

It binds the listening socket and hands it down, so that web processes come and go while the address stays; starts
what a data directory needs, restarts what dies, and stops everything in order. It keeps no thread and no
connection while children run, because it starts them by fork.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Self

import structlog
from django.core.exceptions import ImproperlyConfigured

from crewlet_site import logs
from crewlet_site.embedded import places, servers
from crewlet_site.embedded.death import ending_with_parent
from crewlet_site.embedded.locks import FileLock
from crewlet_site.environment import metrics_folder, read_environment

ROOT = Path(__file__).resolve().parent.parent
STOP_ORDER = (("beat", "web-1", "web-2"), ("worker", "indexer"))
"""Nobody asks for anything new before those who do what was asked for are told to finish."""
STOP_SECONDS = 12.0
LONGEST_PAUSE = 30.0
STEADY_AFTER = 60.0
PATIENCE_WITH_THE_REST = 20.0

log = structlog.get_logger(__name__)


class CannotStart(Exception):
    """`up` ends before it is ready; the text is one clear line."""


def up(*, data_dir: Path, host: str, port: int, example: bool) -> int:
    """Run the deployment of a data directory until Ctrl-C or SIGTERM; returns the exit code."""
    try:
        servers.prepare_data_dir(data_dir)
        logs.configure(process="supervisor", data_dir=data_dir)
        with _signals() as asked, ExitStack() as stack:
            lock = FileLock(data_dir / "run" / "up")
            address_file = data_dir / "run" / "up.address"
            if not lock.try_take():
                raise CannotStart(_already_running(data_dir, address_file))
            listening = stack.enter_context(_listen(host, port))
            address = f"http://{_shown(host)}:{listening.getsockname()[1]}"
            address_file.write_text(address)
            stack.callback(address_file.unlink)
            os.environ.setdefault("CREWLET_DASHBOARD_URL", address)  # what a document may refer to
            shutil.rmtree(metrics_folder(data_dir), ignore_errors=True)  # counters of processes that have ended
            in_use = _begin_servers(data_dir, stack)
            read_environment()  # what is wrong with it is told once, before every process would
            supervisor = stack.enter_context(Supervisor(listening=listening, servers_in_use=in_use, asked=asked))
            link = _prepare(in_use, address, example=example)
            asked.politely = True
            supervisor.run(address, link)
    except (CannotStart, servers.ServersUnavailable, ImproperlyConfigured) as error:
        print(error, file=sys.stderr)  # noqa: T201 (the answer of a command)
        return 1
    except KeyboardInterrupt:
        print("Stopped before it was ready.", file=sys.stderr)  # noqa: T201 (the answer of a command)
        return 130
    except Exception as error:
        log.exception("up_failed")
        line = logs.Redactor(os.environ).text(str(error)).strip() or "no words"
        kept = data_dir / "logs" / "supervisor.jsonl"
        print(f"It did not start: {type(error).__name__}: {line.splitlines()[0]} (more in {kept})", file=sys.stderr)  # noqa: T201
        return 1
    return 0


@dataclass
class _Asked:
    """How often the operator asked to stop. Before there are children to stop, asking interrupts what is going on."""

    times: int = 0
    politely: bool = False

    def __call__(self, signum: int, _frame: object) -> None:
        self.times += 1
        if not self.politely:
            self.politely = True
            raise KeyboardInterrupt


@contextlib.contextmanager
def _signals() -> Iterator[_Asked]:
    asked = _Asked()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, asked)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup leaves it
        signal.signal(signal.SIGHUP, asked)
    yield asked


@contextlib.contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise CannotStart(f"Port {port} of {host} {reason}. Choose another one with --port.") from error
        listening.listen(2048)
        listening.set_inheritable(True)
        yield listening


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _already_running(data_dir: Path, address_file: Path) -> str:
    try:
        where = f" at {address_file.read_text()}"
    except FileNotFoundError:
        where = ""
    return f"Crewlet is already running{where} with the data directory {data_dir}. Give another one with --data-dir."


def _begin_servers(data_dir: Path, stack: ExitStack) -> list[servers.ServerInUse]:
    """Begin to start the embedded servers; they are waited for when the code is loaded."""
    in_use = []
    for kind in places.name_servers(data_dir):
        server = servers.ServerInUse(places.Places(data_dir, kind))
        stack.callback(server.release)
        in_use.append(server)
    return in_use


def _prepare(in_use: list[servers.ServerInUse], address: str, *, example: bool) -> str | None:
    """Bring the database to where the processes can start; returns a one-time link while nobody has signed in."""
    import django
    from django.db import Error, connections

    django.setup()
    from crewlet_site import first_start, preparation

    for server in in_use:
        server.wait()
    try:
        preparation.migrate()
        if example:
            first_start.load_example_where_empty()
        return first_start.sign_in_link(address)
    except Error as error:
        log.exception("database_not_prepared")
        line = str(error).strip().splitlines() or [type(error).__name__]
        raise CannotStart(f"The database cannot be prepared: {logs.Redactor(os.environ).text(line[0])}") from error
    finally:
        connections.close_all()
        connections["default"].close_pool()  # type: ignore[attr-defined]  # Postgres has one, with threads


@dataclass
class Child:
    """A process of the deployment and its record of ends."""

    name: str
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    start_again: float = 0.0
    ready: bool = field(default=False)


class Supervisor:
    """Starts the children on being entered, watches them in `run`, stops them on being left.

    They load their code at once and wait for `run` with everything else.
    """

    def __init__(self, *, listening: socket.socket, servers_in_use: list[servers.ServerInUse], asked: _Asked) -> None:
        self._listening = listening
        self._servers = servers_in_use
        self._asked = asked
        self._children = {name: Child(name) for name in ("web-1", "web-2", "indexer", "worker", "beat")}
        self._said, self._saying = os.pipe()
        os.set_inheritable(self._saying, True)
        self._go, not_yet = os.pipe()
        self._not_yet: int | None = not_yet
        os.set_inheritable(self._go, True)
        self._all_up, not_all = os.pipe()
        self._not_all_up: int | None = not_all
        os.set_inheritable(self._all_up, True)
        self._woken, waking = os.pipe()
        os.set_blocking(waking, False)
        os.set_blocking(self._woken, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def __enter__(self) -> Self:
        self._start_what_is_due()
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()
        self._say_that_all_are_up()
        self._stop_all()

    def run(self, address: str, link: str | None) -> None:
        """Until somebody asks to stop."""
        self._let_go()
        began = time.monotonic()
        announced = False
        while not self._asked.times:
            self._start_what_is_due()
            self._sleep(0.05 if not announced else 1.0)
            self._notice_ends()
            for server in self._servers:
                if server.ensure_kept():
                    log.error("server_restarted", server=server.places.kind.value)
            if not announced and self._all_answer(address, time.monotonic() - began):
                announced = True
                _announce(address, link)
                self._say_that_all_are_up()

    def _let_go(self) -> None:
        """Let the children begin with what needs the database; those started from now on do not wait."""
        if self._not_yet is not None:
            os.close(self._not_yet)
            self._not_yet = None

    def _say_that_all_are_up(self) -> None:
        """Let the children load what they can do without until then."""
        if self._not_all_up is not None:
            os.close(self._not_all_up)
            self._not_all_up = None

    def _start_what_is_due(self) -> None:
        now = time.monotonic()
        for child in self._children.values():
            if child.process is None and child.start_again <= now:
                self._start(child)

    def _start(self, child: Child) -> None:
        fds = [self._saying, self._go, self._all_up]
        environment = {
            **os.environ,
            "CREWLET_READY_FD": str(self._saying),
            "CREWLET_GO_FD": str(self._go),
            "CREWLET_ALL_UP_FD": str(self._all_up),
        }
        if child.name.startswith("web"):
            fds.append(self._listening.fileno())
            environment["CREWLET_SOCKET"] = str(self._listening.fileno())
        child.process = subprocess.Popen(  # noqa: S603 (our own module; there is one thread here)
            [sys.executable, "-m", "crewlet_site.child", child.name],
            cwd=ROOT,
            env=environment,
            pass_fds=fds,
            stdin=subprocess.DEVNULL,
            preexec_fn=ending_with_parent(signal.SIGTERM),  # noqa: PLW1509 (there is one thread here)
            start_new_session=True,  # a Ctrl-C in the terminal reaches the supervisor alone, which stops them in order
        )
        child.started = time.monotonic()

    def _sleep(self, seconds: float) -> None:
        """Until a signal, a child that says it is ready, or the time is over."""
        readable, _, _ = select.select([self._woken, self._said], [], [], seconds)
        if self._woken in readable:
            os.read(self._woken, 4096)
        if self._said in readable:
            for name in os.read(self._said, 4096).decode().split():
                self._children[name].ready = True

    def _notice_ends(self) -> None:
        now = time.monotonic()
        for child in self._children.values():
            if child.process is None or (code := child.process.poll()) is None:
                continue
            child.failures = 1 if now - child.started > STEADY_AFTER else child.failures + 1
            pause = min(LONGEST_PAUSE, 0.5 * 2 ** (child.failures - 1))
            child.process, child.ready, child.start_again = None, False, now + pause
            log.error("process_ended", process=child.name, code=code, again_in=pause)

    def _all_answer(self, address: str, waited: float) -> bool:
        waiting = [child.name for child in self._children.values() if not child.ready]
        web = [name for name in waiting if name.startswith("web")]
        if web or (waiting and waited < PATIENCE_WITH_THE_REST):
            return False
        if not _is_ready(address):
            return False
        if waiting:
            log.warning("processes_not_ready", processes=waiting)
        return True

    def _stop_all(self) -> None:
        for names in STOP_ORDER:
            running = [child for name in names if (child := self._children[name]).process is not None]
            for child in running:
                _signal(child, signal.SIGTERM)
            deadline = time.monotonic() + STOP_SECONDS
            while any(_lives(child) for child in running):
                if time.monotonic() > deadline or self._asked.times > 1:
                    for child in running:
                        if _lives(child):
                            log.warning("process_killed", process=child.name)
                            _signal(child, signal.SIGKILL)
                self._sleep(0.05)
        log.info("stopped")


def _lives(child: Child) -> bool:
    return child.process is not None and child.process.poll() is None


def _signal(child: Child, signum: signal.Signals) -> None:
    if child.process is not None:
        child.process.send_signal(signum)


def _is_ready(address: str) -> bool:
    """Whether `/readyz` answers 200."""
    scheme, _, place = address.partition("://")
    assert scheme == "http"  # noqa: S101 (made above)
    connection = HTTPConnection(place, timeout=2)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _announce(address: str, link: str | None) -> None:
    print(f"Crewlet is ready at {address}", flush=True)  # noqa: T201 (the answer of a command)
    if link is not None:
        print(f"Sign in once at {link}", flush=True)  # noqa: T201 (the answer of a command)
