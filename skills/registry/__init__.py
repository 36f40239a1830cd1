"""The registry: every skill this process serves, of all three dialects, read from the pages of one container.

`dialects` says what a page is, `held` keeps pages and derives who answers to which key or name, `findings` what is
wrong with them. `sources` reads pages from a knowledge backend, and `sync` is the thread that keeps the registry true:
the only caller of `install`. Everybody else reads `current()`, without a lock and without a query.
"""

from skills.registry.held import (
    EMPTY,
    Duplicate,
    HeldPage,
    PageText,
    Registry,
    ServedFolder,
    ServedPrompt,
    ServedSkill,
    SourceId,
    apply_page,
    from_pages,
    source_of,
)
from skills.registry.serving import current, install, installed, on_install

__all__ = [
    "EMPTY",
    "Duplicate",
    "HeldPage",
    "PageText",
    "Registry",
    "ServedFolder",
    "ServedPrompt",
    "ServedSkill",
    "SourceId",
    "apply_page",
    "current",
    "from_pages",
    "install",
    "installed",
    "on_install",
    "source_of",
]
