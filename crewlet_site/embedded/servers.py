"""Use the servers of a data directory: start what is not running, and let go in a way that stops what nobody uses."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from crewlet_site.embedded import programs
from crewlet_site.embedded.locks import FileLock, is_held
from crewlet_site.embedded.places import Kind, Places

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 90
STOP_SECONDS = 45


class ServersUnavailable(Exception):
    """An embedded server cannot be used; the text is one clear line."""


class ServerInUse:
    """One server, kept running for as long as this object is held."""

    def __init__(self, places: Places, *, fast: bool = False) -> None:
        """Begins a start where it is not running, without waiting for it."""
        self.places = places
        self._fast = fast
        self._users = FileLock(places.users_lock)
        self._users.share()  # waits for a keeper that is just stopping its server
        self._keeper: subprocess.Popen[bytes] | None = None
        self.ensure_kept()

    def ensure_kept(self) -> bool:
        """Start a keeper where there is none; returns whether one had to be started."""
        if is_held(self.places.keeper_lock):
            return False
        self._keeper = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", "crewlet_site.embedded.keeper", self.places.kind, str(self.places.data_dir),
             *(["--fast"] if self._fast else [])],
            cwd=ROOT,
            env={name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C in the terminal is not for it
        )  # fmt: skip
        return True

    def wait(self) -> None:
        """Wait until the server answers; raises ServersUnavailable."""
        deadline = time.monotonic() + START_SECONDS
        while not programs.answers(self.places):
            ended = self._keeper is not None and self._keeper.poll() not in (None, 0)
            if ended or time.monotonic() > deadline:
                raise ServersUnavailable(self._complaint())
            if self._keeper is not None and self._keeper.poll() == 0:
                self.ensure_kept()  # another keeper was there first, and has ended since
            time.sleep(0.02)

    def _complaint(self) -> str:
        try:
            return self.places.complaint.read_text()
        except FileNotFoundError:
            return f"{self.places.kind.capitalize()} did not start; see {self.places.log}."

    def release(self) -> None:
        """Let go. Where nobody else uses the server, returns when it has stopped."""
        last = self._users.try_take()
        self._users.release()
        if not last and self._users.try_share():
            self._users.close()
            return  # others go on using it
        self._users.close()
        deadline = time.monotonic() + STOP_SECONDS
        while is_held(self.places.keeper_lock) and time.monotonic() < deadline:
            time.sleep(0.01)
        if self._keeper is not None:
            # It has let go of its lock and is about to end; where the machine is too busy for that, its child is not.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._keeper.wait(STOP_SECONDS)


@contextmanager
def use(data_dir: Path, kinds: tuple[Kind, ...] = tuple(Kind), *, fast: bool = False) -> Iterator[list[ServerInUse]]:
    """The named servers of a data directory, running and answering inside the block.

    Raises ServersUnavailable. `fast` counts only where this call starts them.
    """
    with ExitStack() as stack:
        servers = []
        if kinds:
            prepare_data_dir(data_dir)
        for kind in kinds:
            server = ServerInUse(Places(data_dir, kind), fast=fast)
            stack.callback(server.release)
            servers.append(server)
        for server in servers:
            server.wait()
        yield servers


def prepare_data_dir(data_dir: Path) -> None:
    """Make the data directory, closed to other accounts; raises ServersUnavailable where that cannot be."""
    try:
        fresh = not data_dir.exists()
        data_dir.mkdir(parents=True, exist_ok=True)
        if fresh:
            # Under root the servers' own account has to pass through.
            data_dir.chmod(0o711 if os.geteuid() == 0 else 0o700)
        for name in ("run", "logs"):
            (data_dir / name).mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        raise ServersUnavailable(f"The data directory {data_dir} cannot be used: {error.strerror}.") from error
