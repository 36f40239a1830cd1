"""A real deployment for tests that notice what an operator, a browser or an agent notices."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY_SECONDS = 120


def until(condition: Callable[[], bool], seconds: float = 60) -> float:
    """Wait for a condition; returns how long it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass in time"
        time.sleep(0.02)
    return time.monotonic() - began


def clean_environment(**changes: str) -> dict[str, str]:
    """The environment of somebody who has set nothing of ours, with `changes`."""
    ours = ("CREWLET_", "DATABASE_URL", "REDIS_URL", "DJANGO_", "PYTEST_", "COV_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


def crewlet(
    *words: str, data_dir: Path, stdin: str = "", environment: Mapping[str, str] | None = None, seconds: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run one command of the command line to its end."""
    return subprocess.run(
        [sys.executable, "-m", "crewlet_site.cli", *words, "--data-dir", str(data_dir)],
        check=False, cwd=ROOT, env=environment or clean_environment(), input=stdin, text=True, capture_output=True,
        timeout=seconds,
    )  # fmt: skip


class Deployment:
    """A running `crewlet up`."""

    def __init__(self, data_dir: Path, *words: str, environment: Mapping[str, str] | None = None) -> None:
        self.data_dir = data_dir
        self._environment = environment or clean_environment()
        self.lines: list[str] = []
        self._words: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crewlet_site.cli", "up", "--port", "0", "--data-dir", str(data_dir), *words],
            cwd=ROOT, env=dict(self._environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._readers = [
            threading.Thread(target=self.lines.extend, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._words.extend, args=(self.process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def wait_until_ready(self) -> None:
        """Wait for the line that says so."""
        until(lambda: self._said("Crewlet is ready at") or self.process.poll() is not None, READY_SECONDS)
        assert self._said("Crewlet is ready at"), f"it ended: {self.terminal}"

    @property
    def terminal(self) -> str:
        """What was logged to the terminal."""
        return "".join(self._words)

    @property
    def url(self) -> str:
        """Its address."""
        return self._after("Crewlet is ready at ")

    @property
    def sign_in_link(self) -> str:
        """The one-time link it printed."""
        until(lambda: self._said("Sign in once at"))
        return self._after("Sign in once at ")

    def crewlet(self, *words: str, stdin: str = "") -> str:
        """Run a command against it; returns what it printed. Fails where the command fails."""
        done = crewlet(*words, data_dir=self.data_dir, stdin=stdin, environment=self._environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def processes(self) -> list[str]:
        """The command lines of every process that belongs to it."""
        return processes_of(self.data_dir)

    def interrupt(self) -> int:
        """Ctrl-C; returns the exit code once it has ended."""
        return self.end(signal.SIGINT)

    def end(self, signum: signal.Signals) -> int:
        """End it by a signal; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signum)
        code = self.process.wait(60)
        for reader in self._readers:
            reader.join(10)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def _said(self, beginning: str) -> bool:
        return any(line.startswith(beginning) for line in self.lines)

    def _after(self, beginning: str) -> str:
        return next(line.removeprefix(beginning).strip() for line in self.lines if line.startswith(beginning))


@contextmanager
def data_directory() -> Iterator[Path]:
    """A place for a data directory, gone after the block.

    Not among pytest's temporary folders: each run of pytest closes those to other accounts when it starts, and the
    servers of a deployment under root run as another account.
    """
    with tempfile.TemporaryDirectory(prefix="crewlet-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def processes_of(data_dir: Path) -> list[str]:
    """The command lines of processes that have to do with a data directory, this one and its tests aside."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
            ours = str(data_dir) in line or process.environ().get("CREWLET_DATA_DIR") == str(data_dir)
        except psutil.Error:
            continue
        if ours and process.pid != os.getpid():
            found.append(line)
    return found


@contextmanager
def running(data_dir: Path, *words: str, environment: Mapping[str, str] | None = None) -> Iterator[Deployment]:
    """A deployment that is ready inside the block and gone after it."""
    deployment = Deployment(data_dir, *words, environment=environment)
    try:
        deployment.wait_until_ready()
        yield deployment
    finally:
        deployment.end(signal.SIGINT)
