"""Intervals that differ a little each time, so that many who began together do not stay together. Pure."""

from __future__ import annotations

import hashlib


def jittered(seconds: float, spread: float, draw: float) -> float:
    """An interval of `seconds`, shorter or longer by up to the share `spread`; `draw` from 0 to 1 says where in it."""
    if not 0 <= draw <= 1 or not 0 <= spread < 1 or seconds <= 0:
        raise ValueError("an interval is positive, its spread a share below 1, and a draw lies between 0 and 1")
    return seconds * (1 - spread + 2 * spread * draw)


def draw_of(moment: float) -> float:
    """A draw that looks random and is the same each time it is asked for the same moment."""
    digest = hashlib.sha256(repr(moment).encode()).digest()
    return int.from_bytes(digest[:6]) / (2**48 - 1)
