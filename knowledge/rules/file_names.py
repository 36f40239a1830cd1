"""Names for files made of titles, which every file system takes and no two of a folder share. Pure."""

from __future__ import annotations

import unicodedata

NAME_BYTES = 80
"""A few levels of such names stay below the 260 characters that some systems allow a whole path."""

_NEVER = frozenset('<>:"/\\|?*')
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10)),
     *(f"{port}{n}" for port in ("com", "lpt") for n in "¹²³")}
)  # fmt: skip


def safe_stem(title: str) -> str:
    """A title as a file's name without its ending: what no system takes becomes a dash, a device's name gets a mark."""
    normal = unicodedata.normalize("NFC", title)
    shown = "".join("-" if c in _NEVER or unicodedata.category(c)[0] == "C" else c for c in normal)
    shown = " ".join(shown.split()).lstrip(".")
    cut = shown.encode()[:NAME_BYTES].decode("utf-8", "ignore").strip(" .")
    if cut.partition(".")[0].strip().casefold() in _DEVICES:
        cut = f"_{cut}"
    return cut or "_"


def fold_name(name: str) -> str:
    """What two names share that a file system without case would take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Names:
    """Hands out the names of one folder, each once."""

    def __init__(self, *reserved: str) -> None:
        self._taken = {fold_name(name) for name in reserved}

    def take(self, stem: str, ending: str = "") -> str:
        """`stem`, with a number from the second one on, such that neither it nor it with `ending` is taken."""
        number, name = 1, stem
        while fold_name(name) in self._taken or fold_name(name + ending) in self._taken:
            number += 1
            name = f"{stem} ({number})"
        self._taken |= {fold_name(name), fold_name(name + ending)}
        return name
