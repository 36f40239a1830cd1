"""Locks on files. The kernel drops them when their holder ends, however it ends, so no lock can be stale."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FileLock:
    """One holder's handle on a lock file. Locks of two handles in one process exclude each other too."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def share(self) -> None:
        """Hold it together with others; waits while somebody holds it alone."""
        fcntl.flock(self._fd, fcntl.LOCK_SH)

    def take(self) -> None:
        """Hold it alone; waits for everybody else."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)

    def try_share(self) -> bool:
        """Hold it together with others, unless somebody holds it alone."""
        return self._try(fcntl.LOCK_SH)

    def try_take(self) -> bool:
        """Hold it alone, unless somebody holds it. A shared hold of this handle may be lost in a failed attempt."""
        return self._try(fcntl.LOCK_EX)

    def release(self) -> None:
        """Let go; the handle can be used again."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go for good."""
        os.close(self._fd)

    def _try(self, how: int) -> bool:
        try:
            fcntl.flock(self._fd, how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def is_held(path: Path) -> bool:
    """Whether somebody holds a lock file alone at this moment."""
    lock = FileLock(path)
    try:
        return not lock.try_share()
    finally:
        lock.close()
