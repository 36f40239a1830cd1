"""Where the pages of an export lie, and how their links are written there. Pure.

A page is `Title.md`; what lies beneath it is in the folder `Title`, and its files are in `Title/_files`. Everything
follows from titles and the order of pages, nothing from ids, so that another deployment with the same pages exports
the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname, relpath
from urllib.parse import quote

from knowledge.rules.file_names import Names, safe_stem
from knowledge.rules.importing.links import Form, Reference, rewrite
from knowledge.rules.links import resolve_link

MANIFEST = "crewlet.json"
FILES = "_files"

_PAGE = re.compile(r"^/knowledge/pages/(\d{1,18})(#.*)?$")
_BREAKS_A_TARGET = re.compile(r"[\s()<>\\]")
_FILE = re.compile(r"^/(?:api/v1/)?attachments/(\d{1,18})$")


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A page as far as its place in an export needs it."""

    id: int
    parent_id: int | None
    title: str
    address: str
    position: int


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a page lies: its file, and the folder of what belongs to it."""

    id: int
    path: str
    folder: str


def places(leaves: Iterable[Leaf], *, top: str) -> list[Place]:
    """The place of each page beneath the folder `top`, parents before children and siblings in their order.

    A page whose parent is not among them stands at the top.
    """
    known = {leaf.id: leaf for leaf in leaves}
    levels: dict[int | None, list[Leaf]] = {}
    for leaf in known.values():
        levels.setdefault(leaf.parent_id if leaf.parent_id in known else None, []).append(leaf)
    found: list[Place] = []
    stack: list[tuple[str, int | None]] = [(top, None)]
    while stack:
        folder, parent = stack.pop()
        names = Names(FILES)
        beneath: list[tuple[str, int | None]] = []
        for leaf in sorted(levels.get(parent, ()), key=lambda leaf: (leaf.position, leaf.address)):
            name = names.take(safe_stem(leaf.title), ".md")
            found.append(Place(id=leaf.id, path=f"{folder}/{name}.md", folder=f"{folder}/{name}"))
            if leaf.id in levels:
                beneath.append((f"{folder}/{name}", leaf.id))
        stack += reversed(beneath)
    return found


def file_places(files: Sequence[tuple[int, str]], *, folder: str) -> dict[int, str]:
    """The path of each file (id, name) of a page in the page's folder, by id."""
    names = Names()
    found: dict[int, str] = {}
    for file_id, name in files:
        stem, dot, ending = name.rpartition(".")
        if not dot or not stem or len(ending) > 8:
            stem, ending = name, ""
        suffix = f".{safe_stem(ending)}" if ending else ""
        found[file_id] = f"{folder}/{FILES}/{names.take(safe_stem(stem), suffix)}{suffix}"
    return found


def aim_at_files(
    body: str,
    *,
    at: str,
    pages: Mapping[int, str],
    files: Mapping[int, str],
    elsewhere: Callable[[int], str | None],
    base_urls: Sequence[str] = (),
) -> str:
    """The body of the page at the path `at`, its links to exported pages and files written as relative paths.

    A link to a page that is not exported names its address instead, which `elsewhere` answers, because its id means
    another page in another deployment. Every other link stays as it is.
    """

    def replace(reference: Reference) -> str | None:
        if reference.form in (Form.WIKI, Form.EMBED):
            return None
        aimed = resolve_link(reference.target, base_urls=base_urls) or ""
        if file := _FILE.match(aimed):
            path = files.get(int(file[1]))
            return None if path is None else _relative(path, at)
        if page := _PAGE.match(aimed):
            fragment = (page[2] or "").replace("#h-", "#", 1)
            if (path := pages.get(int(page[1]))) is not None:
                return f"{_relative(path, at)}{_written(fragment)}"
            if (address := elsewhere(int(page[1]))) is not None:
                return f"/knowledge/at/{address}{_written(fragment)}"
        return None

    return rewrite(body, replace)


def _relative(path: str, at: str) -> str:
    return quote(relpath(path, dirname(at)), safe="/")


def _written(fragment: str) -> str:
    """A fragment as it may stand in a link's target."""
    return _BREAKS_A_TARGET.sub(lambda match: quote(match[0]), fragment)
