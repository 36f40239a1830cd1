"""What a process and its supervisor tell each other, over the pipes it was given.

The supervisor starts its processes at once, so that they load their code while the servers start and the database is
prepared. `wait_for_go` holds them until it is; `tell` says that one is up; `when_all_are_up` is for what can wait until
everything is, and would only hold up the others before.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable


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


def when_all_are_up(work: Callable[[], object]) -> None:
    """Do `work` in the running event loop once the supervisor has said that the site is ready; at once where nobody
    says so, or it was said before this process started."""
    pipe = os.environ.pop("CREWLET_ALL_UP_FD", None)
    if not pipe:
        work()
        return
    loop, number = asyncio.get_running_loop(), int(pipe)

    def begin() -> None:  # as in `wait_for_go`, the supervisor closes its end
        loop.remove_reader(number)
        os.close(number)
        work()

    loop.add_reader(number, begin)
