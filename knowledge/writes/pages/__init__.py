"""The writes of pages: one function a verb, each its own transaction.

Locks. A verb on one page holds its row. A verb that changes a tree or claims an address holds its container's lock
first (both of them for a move between containers, in the order of their keys); a create shares it. Nobody waits for
a container while holding a page, so no two verbs wait for each other.
"""

from knowledge.writes.pages.creating import create_page
from knowledge.writes.pages.moving import move_page
from knowledge.writes.pages.purging import purge_page
from knowledge.writes.pages.reviewing import approve_page, send_back_page
from knowledge.writes.pages.revising import revise_page
from knowledge.writes.pages.saving import edit_page, rename_page, restore_revision, save_page, set_labels
from knowledge.writes.pages.trash import Restored, restore_page, trash_page
from knowledge.writes.pages.watching import watch_page

__all__ = [
    "Restored",
    "approve_page",
    "create_page",
    "edit_page",
    "move_page",
    "purge_page",
    "rename_page",
    "restore_page",
    "restore_revision",
    "revise_page",
    "save_page",
    "send_back_page",
    "set_labels",
    "trash_page",
    "watch_page",
]
