"""The writes of items: one function a verb, each its own transaction.

Locks. A verb on one item holds its row. What hangs items together (a parent, a relation) holds one lock for all of
them first, because whether it closes a circle is a question about every item; then the rows, in the order of their ids.
"""

from tracker.writes.items.creating import create_item
from tracker.writes.items.moving import move_item
from tracker.writes.items.purging import purge_item
from tracker.writes.items.relating import relate_item, unrelate_item
from tracker.writes.items.saving import restore_description, save_item
from tracker.writes.items.trash import restore_item, trash_item
from tracker.writes.items.watching import watch_item

__all__ = [
    "create_item",
    "move_item",
    "purge_item",
    "relate_item",
    "restore_description",
    "restore_item",
    "save_item",
    "trash_item",
    "unrelate_item",
    "watch_item",
]
