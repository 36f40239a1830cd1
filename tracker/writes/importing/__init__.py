"""Bringing items in from a file."""

from tracker.writes.importing.files import ROWS_A_BATCH, import_items, import_steps

__all__ = ["ROWS_A_BATCH", "import_items", "import_steps"]
