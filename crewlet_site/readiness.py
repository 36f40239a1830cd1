"""What a process and its supervisor tell each other, over the pipes it was given.

The supervisor starts its processes at once, so that they load their code while the servers start and the database is
prepared. `wait_for_go` holds them until it is; `tell` says that one is up.
"""

from __future__ import annotations

import os


def wait_for_go() -> None:
    """Wait until the supervisor has prepared the database; returns at once where none has to be waited for."""
    pipe = os.environ.pop("CREWLET_GO_FD", None)
    if pipe:
        os.read(int(pipe), 1)  # it is never written to: the supervisor closes its end
        os.close(int(pipe))


def tell() -> None:
    """Say that this process is ready; does nothing where no supervisor listens."""
    pipe, name = os.environ.get("CREWLET_READY_FD"), os.environ.get("CREWLET_PROCESS")
    if pipe and name:
        os.write(int(pipe), f"{name}\n".encode())
