"""How a list of items is laid out."""

from __future__ import annotations

from enum import StrEnum


class Layout(StrEnum):
    """Where a saved view opens."""

    LIST = "list"
    BOARD = "board"
