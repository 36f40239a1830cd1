"""`crewlet run`: one process of a deployment in the foreground, for machines and containers that each hold one.

What `up` does for its children is done here for the one: the database is brought to the code's migrations (of several
that start at once one does it, the others wait), the socket is bound, and signals end it in its own time.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from pathlib import Path

import structlog
from django.core.exceptions import ImproperlyConfigured

from crewlet_site import logs
from crewlet_site.embedded import servers
from crewlet_site.environment import read_environment

ROLES = ("web", "indexer", "worker", "beat")
USUAL_PORT = 8000
PATIENCE = 120.0
"""Seconds for which a start waits for the database: containers of one deployment start in any order."""

log = structlog.get_logger(__name__)


def run(role: str, *, data_dir: Path, host: str, port: int) -> int:
    """Be the process of a role until SIGTERM; returns its exit code.

    Raises ImproperlyConfigured where a setting is missing or the address cannot be listened on.
    """
    for name in ("DATABASE_URL", "REDIS_URL"):
        if not os.environ.get(name):
            raise ImproperlyConfigured(f"{name} is not set. `run` is for servers of your own; `up` brings its own.")
    servers.prepare_data_dir(data_dir)
    read_environment()
    name = f"{role}-{socket.gethostname()}" + (f"-{port}" if role == "web" and port != USUAL_PORT else "")
    os.environ["CREWLET_PROCESS"] = name
    if role == "web":
        os.environ["CREWLET_SOCKET"] = str(_listen(host, port).detach())
    logs.configure(process=name, data_dir=data_dir)
    _prepare()
    from crewlet_site import child

    return child.main(name)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
        raise ImproperlyConfigured(f"Port {port} of {host} {reason}. Choose another one with --port.") from error
    listening.listen(2048)
    return listening


def _prepare() -> None:
    """Wait for the database, and migrate it."""
    import django
    from django.db import OperationalError, connections

    django.setup()
    from crewlet_site import preparation

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            preparation.migrate()
            return
        except OperationalError as error:
            line = logs.Redactor(os.environ).text(str(error)).strip().splitlines() or ["it did not say why"]
            if time.monotonic() > deadline:
                raise ImproperlyConfigured(f"The database cannot be reached: {line[0]}") from error
            log.warning("waiting_for_the_database", error=line[0])
            time.sleep(2)
        finally:
            connections.close_all()
            connections["default"].close_pool()  # type: ignore[attr-defined]  # Postgres has one
