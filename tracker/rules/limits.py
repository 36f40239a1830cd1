"""The limits of items (contract, sections 6 and 8). What is over one is refused and told the limit, never cut."""

from __future__ import annotations

TITLE_BYTES = 256
DESCRIPTION_BYTES = 32 * 1024
LABELS = 40
LABEL_BYTES = 64
WATCHERS = 64
VIEW_NAME_BYTES = 64
VIEW_QUERY_BYTES = 2_048
VIEWS = 50
RELATIONS = 200
"""How many relations one item has at most, so that its screen and its answer stay whole."""
PARENTS = 32
"""How many items stand above one another at most."""
