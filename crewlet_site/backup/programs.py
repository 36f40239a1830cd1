"""pg_dump and pg_restore: which one fits the server, and how each is told where the database is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from crewlet_site.embedded.places import Kind
from crewlet_site.embedded.programs import program

_VARIABLES = {
    "host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY",
    "channel_binding": "PGCHANNELBINDING", "options": "PGOPTIONS",
}  # fmt: skip


def client_program(name: str) -> str:
    """The path of pg_dump or pg_restore, of a version that understands the server; raises ImproperlyConfigured without.

    A client reads servers of its own version and older ones. The one that comes with the embedded server is taken
    where it is new enough, else the one on the PATH.
    """
    server = connection.pg_version // 10_000  # type: ignore[attr-defined]  # Postgres' own connections have one
    own = program(Kind.POSTGRES).parent / name
    found = [own] if own.exists() else []
    if on_path := shutil.which(name):
        found.append(Path(on_path))
    for one in found:
        if _major(one) >= server:
            return str(one)
    raise ImproperlyConfigured(f"The database is a Postgres {server}. Install its {name}, and put it on the PATH.")


def _major(path: Path) -> int:
    said = subprocess.run([path, "--version"], check=False, capture_output=True, text=True)  # noqa: S603 (asks its version)
    number = re.search(r"\) (\d+)", said.stdout)
    return int(number[1]) if number else 0


@contextmanager
def alone() -> Iterator[psycopg.Cursor[Any]]:
    """A cursor of the only connection this process has to the database: the pool lets go of its own."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # Postgres has one
    with psycopg.connect(**_told(), autocommit=True) as own, own.cursor() as cursor:
        yield cursor


def client_environment() -> dict[str, str]:
    """Where the database is, for a client; by the environment, because a command line is everybody's to read."""
    told = {_VARIABLES[name]: value for name, value in _told().items()}
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | told


def _told() -> dict[str, Any]:
    given: dict[str, Any] = connection.get_connection_params()
    return {name: str(value) for name, value in given.items() if name in _VARIABLES and value}
