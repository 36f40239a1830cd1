"""The keeper of one embedded server: its parent process, which starts it, restarts it and stops it.

`python -m crewlet_site.embedded.keeper <postgres|valkey> <data directory> [--fast]`, started by
`crewlet_site.embedded.servers`. It lives as long as somebody holds the users' lock; when the last one has let go,
or on SIGTERM, it stops the server and ends.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from crewlet_site.embedded import programs
from crewlet_site.embedded.account import Account, AccountUnavailable, server_account
from crewlet_site.embedded.death import ending_with_parent
from crewlet_site.embedded.locks import FileLock
from crewlet_site.embedded.places import Kind, Places

STARTS_BEFORE_GIVING_UP = 4
LOG_BYTES = 10 * 2**20
STOP_SECONDS = 30


class Keeper:
    """One server's life."""

    def __init__(self, places: Places, *, fast: bool) -> None:
        self._places = places
        self._fast = fast
        self._account = Account()
        self._server: subprocess.Popen[bytes] | None = None
        self._last_words: list[str] = []
        self._log = _open_log(places)
        self._wake, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        self._unwanted = False

    def run(self) -> int:
        """Keep the server until nobody wants it. 0, or 1 where it could not be started (see `Places.complaint`)."""
        signal.signal(signal.SIGTERM, lambda *_: self._stop_wanting())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=self._wait_for_the_last_user, daemon=True).start()
        try:
            self._prepare()
            self._keep()
        except (programs.CannotStart, AccountUnavailable, OSError) as error:
            self._places.complaint.write_text(f"{self._places.kind.capitalize()} did not start: {error}")
            self._say("server_failed", "error", str(error))
            return 1
        finally:
            self._stop()
        return 0

    def _prepare(self) -> None:
        self._account = server_account()
        places = self._places
        program = programs.program(places.kind)
        self._account.open_programs(program, say=lambda text: self._say("folder_opened", "warning", text))
        self._account.reach(places.home, say=lambda text: self._say("folder_opened", "warning", text))
        if places.socket_dir != places.home:
            _make_short_dir(places, self._account)
        programs.make(places, self._account, fast=self._fast)
        programs.clear_leftovers(places)

    def _keep(self) -> None:
        failures = 0
        while not self._is_unwanted():
            began = time.monotonic()
            self._start()
            self._listen_to_server()
            if self._is_unwanted():
                return
            # It ended by itself.
            failures = 0 if time.monotonic() - began > 60 else failures + 1
            self._say("server_ended", "error", " ".join(self._last_words) or "without a word")
            if failures >= STARTS_BEFORE_GIVING_UP:
                raise programs.CannotStart(self._last_words[-1] if self._last_words else "it ended without a word.")
            time.sleep(0.25 * 2**failures)

    def _start(self) -> None:
        self._last_words = []
        self._server = subprocess.Popen(  # type: ignore[call-overload]  # noqa: S603 (our own program; the keeper starts it from its main thread)
            programs.command(self._places, fast=self._fast),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._places.home,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"},
            preexec_fn=ending_with_parent(programs.STOP_SIGNALS[self._places.kind]),  # noqa: PLW1509 (the other thread waits in the kernel)
            **self._account.popen_arguments(),
        )
        self._say("server_started", "info", f"process {self._server.pid}")

    def _listen_to_server(self) -> None:
        """Copy what the server says into its log, until it ends or nobody wants it."""
        assert self._server is not None  # noqa: S101 (just started)
        assert self._server.stdout is not None  # noqa: S101 (a pipe was asked for)
        with selectors.DefaultSelector() as selector:
            selector.register(self._server.stdout, selectors.EVENT_READ)
            selector.register(self._wake, selectors.EVENT_READ)
            rest = b""
            while not self._unwanted:
                for key, _ in selector.select():
                    if key.fileobj == self._wake:
                        os.read(self._wake, 16)
                        continue
                    chunk = os.read(self._server.stdout.fileno(), 65536)
                    if not chunk:
                        self._server.wait()
                        return
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        self._repeat(line.decode(errors="replace"))

    def _repeat(self, line: str) -> None:
        if line.strip():
            self._last_words = [*self._last_words[-4:], line.strip()]
            self._say("server_said", _level_of(line), line.strip())

    def _stop(self) -> None:
        server = self._server
        if server is None:
            return
        drain = threading.Thread(target=_drain, args=(server,), daemon=True)
        drain.start()  # a full pipe would keep it from ending
        for patience, signum in (
            (STOP_SECONDS, programs.STOP_SIGNALS[self._places.kind]),
            (5, signal.SIGQUIT),
            (5, signal.SIGKILL),
        ):
            if server.poll() is not None:
                break
            server.send_signal(signum)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(patience)
        self._say("server_stopped", "info", "")

    def _wait_for_the_last_user(self) -> None:
        users = FileLock(self._places.users_lock)
        users.take()  # and keep it: whoever comes now waits until this keeper has ended
        self._stop_wanting()

    def _is_unwanted(self) -> bool:
        return self._unwanted

    def _stop_wanting(self) -> None:
        self._unwanted = True
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"!")

    def _say(self, event: str, level: str, message: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._log.info(json.dumps({"event": event, "level": level, "at": at, "message": message}, ensure_ascii=False))


def _drain(server: subprocess.Popen[bytes]) -> None:
    assert server.stdout is not None  # noqa: S101 (a pipe was asked for)
    while os.read(server.stdout.fileno(), 65536):
        pass


def _level_of(line: str) -> str:
    """The level of a line of either server."""
    if line.startswith(("FATAL", "PANIC", "ERROR")):
        return "error"
    if line.startswith("WARNING") or " # " in line[:60]:
        return "warning"
    return "info"


def _make_short_dir(places: Places, account: Account) -> None:
    """The folder in the temporary directory for sockets; refuses one that somebody else made."""
    parent = places.short_dir
    parent.mkdir(mode=0o711, exist_ok=True)
    status = parent.lstat()
    if parent.is_symlink() or status.st_uid != os.geteuid():
        raise programs.CannotStart(f"{parent} belongs to somebody else. Use a data directory with a shorter path.")
    parent.chmod(0o711)
    places.socket_dir.mkdir(mode=0o700, exist_ok=True)
    account.own(places.socket_dir)


def _open_log(places: Places) -> logging.Logger:
    handler = RotatingFileHandler(places.log, maxBytes=LOG_BYTES, backupCount=3, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger(f"keeper.{places.kind}")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    return logger


def main(arguments: list[str]) -> int:
    """Be the keeper of a server, unless it has one."""
    places = Places(Path(arguments[1]), Kind(arguments[0]))
    lock = FileLock(places.keeper_lock)
    if not lock.try_take():
        return 0
    places.complaint.unlink(missing_ok=True)
    return Keeper(places, fast="--fast" in arguments[2:]).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
