"""What becomes of the files of a tree: which page is under which, what each is called, where its links lead. Pure.

Folders become pages. The page of the folder `guides` is the file `guides.md` beside it, else `index.md` or
`README.md` in it, else a file in it of the folder's own name, else an empty page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename, dirname, join, normpath
from urllib.parse import unquote

from company.rules.refusals import Refused
from knowledge.rules.importing.links import Form, Reference, rewrite
from knowledge.rules.markdown import Anchors
from knowledge.rules.titles import clean_title, fold

_INDEX = ("index", "readme")
_NUMBERS = 10_000
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.\-]*:")
_SIZE = re.compile(r"^\d+(x\d+)?$")


@dataclass(frozen=True, kw_only=True)
class Node:
    """A page to be: a file, or a folder without one (its path ends in `/`). `folder` is what lies beneath it."""

    path: str
    parent: str | None
    folder: str

    @property
    def is_folder(self) -> bool:
        """Whether no file stands behind it."""
        return self.path.endswith("/")


def outline(paths: Iterable[str], *, own: bool = False) -> list[Node]:
    """The pages of markdown files at these paths, parents before what lies beneath them.

    In an export of this app's `own`, index files mean nothing: `README.md` is the page that is called so.
    """
    files = sorted(set(paths))
    known = set(files)
    folders: dict[str, list[str]] = {}
    for path in files:
        folder = dirname(path)
        folders.setdefault(folder, []).append(path)
        while folder:
            folder = dirname(folder)
            folders.setdefault(folder, [])
    page_of: dict[str, str] = {}
    for folder, inside in folders.items():
        if folder:
            page_of[folder] = _page_of(folder, inside, known, own=own) or f"{folder}/"
    stands_for = {path: folder for folder, path in page_of.items()}
    nodes = [Node(path=path, parent=_above(folder, page_of), folder=folder) for folder, path in page_of.items()]
    nodes += [
        Node(path=path, parent=page_of.get(dirname(path)), folder=_stem(path))
        for path in files
        if path not in stands_for
    ]
    return sorted(nodes, key=lambda node: (node.folder.count("/"), node.folder, node.path))


def _above(folder: str, page_of: Mapping[str, str]) -> str | None:
    return page_of.get(dirname(folder))


def _page_of(folder: str, inside: Sequence[str], known: Collection[str], *, own: bool) -> str | None:
    if f"{folder}.md" in known:
        return f"{folder}.md"
    if own:
        return None
    by_stem = {basename(_stem(path)).casefold(): path for path in reversed(inside)}
    for stem in (*_INDEX, basename(folder).casefold()):
        if stem in by_stem:
            return by_stem[stem]
    return None


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a page would like to be called: by what its file says, and by its place where that cannot be."""

    path: str
    said: str
    by_name: str
    parent: str | None = None
    kept: str | None = None
    """The title it has already, where it was brought in before and its file still says the same."""


@dataclass(frozen=True, kw_only=True)
class Named:
    """A page's title, what was repaired for it, or why it can have none."""

    title: str
    repairs: tuple[str, ...] = ()
    refused: str | None = None


def name_of(node: Node) -> str:
    """What a page is called by its place: its file's name, or its folder's where it is the page of one."""
    return basename(node.folder)


def entitle(wishes: Sequence[Wish], *, taken: Collection[str]) -> dict[str, Named]:
    """A title for each page, no two alike and none of the addresses that are `taken`, in the order of the wishes.

    A title that somebody has is made longer by the title of the page above, then by a number, and said to be.
    """
    used = set(taken)
    found: dict[str, Named] = {}
    for wish in wishes:
        if wish.kept is not None:
            found[wish.path] = Named(title=wish.kept)
            used.add(fold(wish.kept))
    for wish in wishes:
        if wish.path not in found:
            above = found[wish.parent].title if wish.parent in found else ""
            named = _entitle(wish, above=above, used=used)
            found[wish.path] = named
            if named.refused is None:
                used.add(fold(named.title))
    return found


def _entitle(wish: Wish, *, above: str, used: Collection[str]) -> Named:
    repairs: list[str] = []
    bases: list[str] = []
    if wish.said:
        title, problem = _clean(wish.said)
        if problem is None:
            bases.append(title)
        else:
            repairs.append(f"its title cannot be taken ({problem}), so it is called by its name")
    title, problem = _clean(wish.by_name)
    if problem is None:
        bases.append(title)
    elif not bases:
        return Named(title="", refused=problem)
    if fold(bases[0]) not in used:
        return Named(title=bases[0], repairs=tuple(repairs))
    for base in bases:
        for more in (*([above] if above else []), *range(2, _NUMBERS)):
            other, problem = _clean(f"{base} ({more})")
            if problem is None and fold(other) not in used:
                repairs.append(f"'{bases[0]}' is taken, so it is called '{other}'")
                return Named(title=other, repairs=tuple(repairs))
            if problem is not None and more != above:
                break
    return Named(title="", refused=f"'{bases[0]}' and every title made of it are taken")


def _clean(title: str) -> tuple[str, str | None]:
    try:
        return clean_title(title), None
    except Refused as refused:
        return "", refused.detail


@dataclass(frozen=True, kw_only=True)
class Signposts:
    """Where the names of a tree lead: pages by path and by name, and the paths of the files that are no pages."""

    pages: Mapping[str, str]
    files: Mapping[str, str]
    notes: Mapping[str, Sequence[str]]
    others: Mapping[str, Sequence[str]]


def signposts(nodes: Sequence[Node], *, files: Iterable[str], aliases: Mapping[str, Sequence[str]]) -> Signposts:
    """The signposts of a tree. Names are compared without case where no file has the very name."""
    pages: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for node in nodes:
        for name in (node.path, node.folder):
            pages[name] = node.path
            pages.setdefault(f"\x00{name.casefold()}", node.path)
        if not node.is_folder:
            by_name.setdefault(basename(_stem(node.path)).casefold(), []).append(node.path)
    for path, names in aliases.items():
        for alias in names:
            by_name.setdefault(alias.strip().casefold(), []).append(path)
    others: dict[str, str] = {}
    by_file: dict[str, list[str]] = {}
    for path in files:
        others[path] = path
        others.setdefault(f"\x00{path.casefold()}", path)
        by_file.setdefault(basename(path).casefold(), []).append(path)
    nearest = {name: sorted(paths, key=lambda path: (path.count("/"), path)) for name, paths in by_name.items()}
    closest = {name: sorted(paths, key=lambda path: (path.count("/"), path)) for name, paths in by_file.items()}
    return Signposts(pages=pages, files=others, notes=nearest, others=closest)


@dataclass(kw_only=True)
class Aimed:
    """A body whose links lead to pages and files of this deployment, and the names in it that led nowhere."""

    body: str
    lost: list[str] = field(default_factory=list)


def aim_at_pages(
    body: str,
    *,
    at: str,
    posts: Signposts,
    page_id: Callable[[str], int | None],
    file_id: Callable[[str], int | None],
    wiki: bool,
) -> Aimed:
    """The body of the file at the path `at` with its links to files of the tree turned into links by id.

    `page_id` and `file_id` answer the id for a path of the tree; what they answer None for stays as it is written.
    """
    aimed = Aimed(body=body)

    def replace(reference: Reference) -> str | None:
        if reference.form in (Form.WIKI, Form.EMBED):
            return _wiki(reference, at=at, posts=posts, page_id=page_id, file_id=file_id) if wiki else None
        target = reference.target
        if _SCHEME.match(target) or target.startswith(("#", "//")):
            return None
        name, hash_mark, fragment = target.partition("#")
        path = _path(unquote(name.partition("?")[0]), at)
        if path is None:
            return None
        new = _address(path, posts=posts, page_id=page_id, file_id=file_id)
        if new is None:
            if not name.startswith("/"):
                aimed.lost.append(target)
            return None
        # a fragment is part of the target that was found, and so is written well already
        raw = body[reference.start : reference.end].partition("#")[2]
        return f"{new}#{raw}" if hash_mark and fragment and "/pages/" in new else new

    aimed.body = rewrite(body, replace)
    return aimed


def _path(name: str, at: str) -> str | None:
    """The path in the tree that a link's target names; None for one that leads out of it."""
    path = normpath(name.lstrip("/") if name.startswith("/") else join(dirname(at), name))
    return None if path in (".", "..") or path.startswith("../") else path


def _address(
    path: str, *, posts: Signposts, page_id: Callable[[str], int | None], file_id: Callable[[str], int | None]
) -> str | None:
    for name in (path, f"{path}.md", f"\x00{path.casefold()}", f"\x00{path.casefold()}.md"):
        if (page := posts.pages.get(name)) is not None and (found := page_id(page)) is not None:
            return f"/knowledge/pages/{found}"
    for name in (path, f"\x00{path.casefold()}"):
        if (file := posts.files.get(name)) is not None and (found := file_id(file)) is not None:
            return f"/api/v1/attachments/{found}"
    return None


def _wiki(
    reference: Reference,
    *,
    at: str,
    posts: Signposts,
    page_id: Callable[[str], int | None],
    file_id: Callable[[str], int | None],
) -> str | None:
    name, _mark, heading = reference.target.partition("#")
    name = name.strip()
    fragment = "" if not heading or heading.startswith("^") else f"#{_anchor(heading)}"
    label = "" if _SIZE.match(reference.label) else reference.label
    if not name:
        return f"[{_escaped(label or heading)}]({fragment})" if fragment else None
    for path in (*_named(name, posts.notes), *_at_place(name, at, posts.pages)):
        if (found := page_id(path)) is not None:
            words = label or (f"{basename(name)}: {heading}" if heading else basename(name))
            return f"[{_escaped(words)}](/knowledge/pages/{found}{fragment})"
    for path in (*_named(name, posts.others), *_at_place(name, at, posts.files)):
        if (found := file_id(path)) is not None:
            shown = "!" if reference.form is Form.EMBED and _is_picture(path) else ""
            return f"{shown}[{_escaped(label or basename(name))}](/api/v1/attachments/{found})"
    return None


def _named(name: str, by_name: Mapping[str, Sequence[str]]) -> list[str]:
    """The paths a wiki link may mean, the nearest to the top first: by its last part, ending in all of it."""
    wanted = name.casefold().removesuffix(".md")
    found = by_name.get(basename(wanted), ())
    if "/" not in wanted:
        return list(found)
    return [path for path in found if f"/{path.casefold().removesuffix('.md')}".endswith(f"/{wanted}")]


def _at_place(name: str, at: str, known: Mapping[str, str]) -> list[str]:
    """The paths a wiki link may mean by its place in the tree."""
    path = _path(name, at)
    if path is None:
        return []
    keys = (path, f"{path}.md", f"\x00{path.casefold()}", f"\x00{path.casefold()}.md")
    return [known[key] for key in keys if key in known]


def _is_picture(path: str) -> bool:
    return path.casefold().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"))


def _anchor(heading: str) -> str:
    return Anchors().take(heading.rpartition("#")[2]).removeprefix("h-")


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\[]"})


def _escaped(words: str) -> str:
    return words.translate(_MARKS)
