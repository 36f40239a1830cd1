"""A child that does not outlive its parent, also where the parent is killed without a word."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
# Loaded beforehand: between fork and exec nothing may be looked up.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def ending_with_parent(signum: signal.Signals) -> Callable[[], None] | None:
    """A `preexec_fn` by which the kernel sends the child `signum` when the thread that started it ends.

    Linux has this; None elsewhere, where a killed parent's servers are found and ended by the next start.
    Only for a parent that starts its children from its main thread.
    """
    if _libc is None:
        return None
    parent = os.getpid()
    prctl = _libc.prctl

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signum), 0, 0, 0)
        if os.getppid() != parent:  # it ended in between
            os._exit(1)

    return bind
