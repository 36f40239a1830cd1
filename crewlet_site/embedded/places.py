"""Where the files of an embedded deployment are, and the URLs by which its servers are reached."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

SOCKET_PATH_MAX = 103
"""Bytes a socket's path may have: 104 with its final NUL where it is shortest (macOS), 108 on Linux."""


class Kind(StrEnum):
    """The two servers."""

    POSTGRES = "postgres"
    VALKEY = "valkey"


SOCKET_NAMES = {Kind.POSTGRES: ".s.PGSQL.5432", Kind.VALKEY: "valkey.sock"}


@dataclass(frozen=True)
class Places:
    """The places of one server in one data directory (an absolute path)."""

    data_dir: Path
    kind: Kind

    @property
    def home(self) -> Path:
        """The server's own files."""
        return self.data_dir / self.kind

    @property
    def socket_dir(self) -> Path:
        """Where its socket is: among its files, or in the machine's temporary folder where that path is too long."""
        if len(os.fsencode(self.home / SOCKET_NAMES[self.kind])) <= SOCKET_PATH_MAX:
            return self.home
        return self.short_dir / self.kind

    @property
    def short_dir(self) -> Path:
        """The folder that holds the sockets of a data directory whose path is too long for them."""
        digest = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"crewlet-{os.geteuid()}-{digest}"

    @property
    def socket(self) -> Path:
        """Its socket."""
        return self.socket_dir / SOCKET_NAMES[self.kind]

    @property
    def users_lock(self) -> Path:
        """Held shared by everybody who uses the server; the keeper takes it alone before it stops the server."""
        return self.data_dir / "run" / f"{self.kind}.users"

    @property
    def keeper_lock(self) -> Path:
        """Held by the keeper for as long as it lives."""
        return self.data_dir / "run" / f"{self.kind}.keeper"

    @property
    def complaint(self) -> Path:
        """What the keeper said when it could not start the server."""
        return self.data_dir / "run" / f"{self.kind}.failed"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.data_dir / "logs" / f"{self.kind}.jsonl"

    @property
    def url(self) -> str:
        """How Django reaches the server."""
        if self.kind is Kind.POSTGRES:
            return f"postgresql://postgres@/crewlet?host={quote(str(self.socket_dir), safe='/')}"
        return f"unix://{quote(str(self.socket), safe='/')}?db=0"


def embedded_kinds() -> tuple[Kind, ...]:
    """The servers the environment does not name, with their URLs put there for Django to find."""
    variables = {Kind.POSTGRES: "DATABASE_URL", Kind.VALKEY: "REDIS_URL"}
    return tuple(kind for kind in Kind if not os.environ.get(variables[kind]))


def name_servers(data_dir: Path) -> tuple[Kind, ...]:
    """Put the URLs of the embedded servers into the environment; returns which servers those are."""
    kinds = embedded_kinds()
    if Kind.POSTGRES in kinds:
        os.environ["DATABASE_URL"] = Places(data_dir, Kind.POSTGRES).url
    if Kind.VALKEY in kinds:
        os.environ["REDIS_URL"] = Places(data_dir, Kind.VALKEY).url
    return kinds
