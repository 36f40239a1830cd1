"""How a process tells its supervisor that it is up: its name, as a line on the pipe it was given."""

from __future__ import annotations

import os


def tell() -> None:
    """Say that this process is ready; does nothing where no supervisor listens."""
    pipe, name = os.environ.get("CREWLET_READY_FD"), os.environ.get("CREWLET_PROCESS")
    if pipe and name:
        os.write(int(pipe), f"{name}\n".encode())
