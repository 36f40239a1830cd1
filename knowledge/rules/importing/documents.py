"""A page as a markdown file: its front matter and its text, written so that reading it back gives the same. Pure.

Files of this app's own making always begin with a front matter, and all that follows it is the body, to the byte.
Files of others may begin with one: its title, labels or tags, and aliases are understood. It leaves the text only
where all it says was understood, so that nothing somebody wrote gets lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from markdown_it import MarkdownIt

FRONT_MATTER_BYTES = 64 * 1024
_FENCED = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_OURS = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}# +([^\n]+?)[ \t]*#*[ \t]*\r?$|^ {0,3}(?:```|~~~)", re.MULTILINE)
_UNDERSTOOD = frozenset({"title", "labels", "tags", "tag"})


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """A file of a page, as its front matter lists it: the file in the page's folder, and what it is called there."""

    file: str
    name: str
    path: str = ""
    executable: bool = False


@dataclass(frozen=True, kw_only=True)
class PageDocument:
    """What a markdown file says: its text, and whatever of title, labels and the rest it gives."""

    body: str
    title: str = ""
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    draft: bool = False
    order: int = 0
    files: tuple[FileEntry, ...] = ()
    notes: tuple[str, ...] = field(default=())


def write_document(document: PageDocument) -> str:
    """The file of a page. The same page gives the same text."""
    lines = ["---", f"title: {_quoted(document.title)}"]
    if document.labels:
        lines.append(f"labels: [{', '.join(_quoted(label) for label in document.labels)}]")
    if document.draft:
        lines.append("status: draft")
    if document.order:
        lines.append(f"order: {document.order}")
    if document.files:
        lines.append("files:")
        lines += [f"  - {_entry(entry)}" for entry in document.files]
    return "\n".join([*lines, "---", document.body])


def _entry(entry: FileEntry) -> str:
    said = {"file": entry.file}
    if entry.name != entry.file:
        said["name"] = entry.name
    if entry.path:
        said["path"] = entry.path
    words = [f"{key}: {_quoted(value)}" for key, value in said.items()]
    return "{" + ", ".join([*words, *(["executable: true"] if entry.executable else [])]) + "}"


def _quoted(text: str) -> str:
    """A text in quotes that YAML reads back: JSON's quotes, with whatever shows nothing as its number."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in plain)


def read_own(text: str) -> PageDocument:
    """A file that `write_document` wrote; raises ValueError for one that has no front matter or another one."""
    match = _OURS.match(text)
    if match is None:
        raise ValueError("it does not begin with the front matter of an exported page")
    said = _mapping(match[1])
    if said is None or not isinstance(said.get("title"), str):
        raise ValueError("its front matter has no title")
    order = said.get("order", "0")
    if not isinstance(order, str) or not re.fullmatch(r"-?\d{1,9}", order):
        raise ValueError("'order' in its front matter is no number")
    return PageDocument(
        body=text[match.end() :],
        title=str(said["title"]),
        labels=tuple(_texts(said.get("labels", []))),
        draft=said.get("status") == "draft",
        order=int(order),
        files=tuple(_files(said.get("files", []))),
    )


def read_foreign(text: str) -> PageDocument:
    """A markdown file from anywhere. Its title is that of its front matter, else of its first heading, else empty."""
    body, notes = text, []
    if body.startswith("\ufeff"):
        body = body[1:]
        notes.append("the byte order mark at its beginning was left out")
    said: Mapping[str, Any] | None = {}
    match = _FENCED.match(body)
    if match is not None:
        said = _mapping(match[1])
        if said is None:
            notes.append("its front matter is no YAML mapping and was left as text")
        elif not set(said) - _UNDERSTOOD:
            body = body[match.end() :]
    said = said or {}
    title = said.get("title")
    begin = match.end() if match is not None and body is text else 0
    return PageDocument(
        body=body,
        title=title.strip() if isinstance(title, str) and title.strip() else first_heading(body, begin),
        labels=tuple(_labels(said)),
        aliases=tuple(_texts(said.get("aliases", said.get("alias", [])))),
        notes=tuple(notes),
    )


def first_heading(body: str, begin: int = 0) -> str:
    """The words of the first heading of the first level before any code; empty where there is none."""
    match = _HEADING.search(body, begin)
    if match is None or match[1] is None:
        return ""
    return " ".join(_words(match[1]).split())


def _words(inline: str) -> str:
    if not re.search(r"[\\`*_\[\]<>&!]", inline) or len(inline) > 4_096:
        return inline
    tokens = MarkdownIt("commonmark", {"html": False}).parseInline(inline)
    return "".join(
        child.content
        for token in tokens
        for child in token.children or ()
        if child.type in ("text", "code_inline", "text_special")
    )


def _labels(said: Mapping[str, Any]) -> list[str]:
    given: list[str] = []
    for key in ("labels", "tags", "tag"):
        value = said.get(key, [])
        given += re.split(r"[,\s]+", value) if isinstance(value, str) else _texts(value)
    return list(dict.fromkeys(label.strip().lstrip("#") for label in given if label.strip().lstrip("#")))


def _files(value: object) -> list[FileEntry]:
    found = []
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("file"), str):
            file = entry["file"]
            found.append(
                FileEntry(
                    file=file,
                    name=str(entry.get("name", file)),
                    path=str(entry.get("path", "")),
                    executable=entry.get("executable") == "true",
                )
            )
    return found


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [item for item in value if isinstance(item, str)] if isinstance(value, Sequence) else []


def _mapping(source: str) -> Mapping[str, Any] | None:
    """A front matter as a mapping of texts; None for anything that is none."""
    if len(source) > FRONT_MATTER_BYTES:
        return None
    if not source.strip():
        return {}
    try:
        # an alias stands for another place, which is how a few lines become gigabytes
        if "*" in source and any(isinstance(it, yaml.AliasEvent) for it in yaml.parse(source, Loader=yaml.CBaseLoader)):
            return None
        said = yaml.load(source, Loader=yaml.CBaseLoader)  # noqa: S506 (it makes texts of scalars and nothing else)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if not isinstance(said, dict) or not all(isinstance(key, str) for key in said):
        return None
    return said
