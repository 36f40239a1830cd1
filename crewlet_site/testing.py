"""`crewlet test` and `crewlet check`: what a machine can hold against a change, in one command.

The servers of a run are made for it, in a temporary data directory with every safeguard against a crash turned off,
unless DATABASE_URL or REDIS_URL name others.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crewlet_site.embedded import places, servers

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("format", [sys.executable, "-m", "ruff", "format", "--check", "--quiet", "."]),
    ("style", [sys.executable, "-m", "ruff", "check", "--quiet", "."]),
    ("writes", [sys.executable, "-m", "crewlet_site.checks.writes"]),
    ("imports", [str(BIN / "lint-imports")]),
    ("migrations", [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]),
    ("types", [sys.executable, "-m", "mypy", "--no-error-summary", "."]),
)
WORKERS = "2"


def run(pytest_arguments: Sequence[str]) -> int:
    """Run the checks and all tests, or pytest alone with the arguments given; returns the exit code."""
    # A shell that starts this in the background has it ignored, and the programs under test with it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _fetch_examples()
    with _servers():
        if pytest_arguments:
            return _pytest(pytest_arguments)
        checked = _check()
        # `loadgroup` keeps the tests that share one running deployment in one worker.
        tested = _pytest(["-n", WORKERS, "--dist", "loadgroup", "-q", "--durations", "5"])
        return checked or tested


def run_checks() -> int:
    """Run the checks alone; returns the exit code."""
    with _servers():
        return _check()


@contextmanager
def _servers() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="crewlet-test-", ignore_cleanup_errors=True) as folder:
        data_dir = Path(folder)
        os.environ["CREWLET_DATA_DIR"] = folder
        kinds = places.name_servers(data_dir)
        servers.prepare_data_dir(data_dir)
        with servers.use(data_dir, kinds, fast=True):
            yield


def _check() -> int:
    failed = []
    for name, words in CHECKS:
        began = time.monotonic()
        print(f"{name:<11}", end="", flush=True)  # noqa: T201 (this is the command line)
        done = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True)  # noqa: S603 (fixed words)
        verdict = "passed" if done.returncode == 0 else "FAILED"
        print(f"{verdict} in {time.monotonic() - began:.1f} s", flush=True)  # noqa: T201
        if done.returncode != 0:
            failed.append(name)
            print((done.stdout + done.stderr).rstrip(), flush=True)  # noqa: T201
    return 1 if failed else 0


def _fetch_examples() -> None:
    """What tests need and no wheel carries. It says so itself where it cannot, and their test says it again."""
    subprocess.run([sys.executable, "-m", "tests.commonmark"], check=False, cwd=ROOT)


def _pytest(arguments: Sequence[str]) -> int:
    words = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(words, check=False, cwd=ROOT).returncode  # noqa: S603 (the developer's own arguments)
