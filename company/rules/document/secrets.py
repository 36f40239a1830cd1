"""Literal secrets of a document: which values are secret, how they are shown, and how a `***` is read back. Pure.

A secret ought to be a `${NAME}` reference, which is shown as it is. One that stands in the document itself is shown as
`***`, and a document written with `***` keeps the value stored at that place. A place is found by the seat's handle,
the unit's key or the server's name rather than by its number in a list, so that secrets stay with their owner when
others are added before it. Comments are shown as they are: they are prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import yaml

from company.rules.document.references import REFERENCE
from company.rules.document.slugs import slug_of
from company.rules.document.text import Loaded, Path, dotted, dump_yaml, load_text
from company.rules.refusals import Code, Problem, Refused

MASK = "***"

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:tokens?|secrets?|passwords?|passphrase|api_?keys?|(?:private|access|signing|secret)_key"
    r"|credentials?|authorization|cookie)$"
)
_SECRET_SECTIONS = frozenset({"mcp_env", "env", "headers"})
_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|-")
_ADDRESS_WITH_PASSWORD = re.compile(r"://[^/\s@]+:[^/\s@]+@")


@dataclass(frozen=True, kw_only=True)
class _Leaf:
    """A scalar of a document: its path, its place among its owners, its value, and whether its name says secret."""

    path: Path
    place: Path
    value: Any
    named_secret: bool

    @property
    def is_secret(self) -> bool:
        """Whether the value must not be shown: a literal under a secret's name, or an address with a password."""
        if self.value is None or isinstance(self.value, bool) or self.value == "":
            return False
        if isinstance(self.value, str):
            if REFERENCE.fullmatch(self.value):
                return False
            return self.named_secret or _ADDRESS_WITH_PASSWORD.search(self.value) is not None
        return self.named_secret and not str(self.path[-1]).endswith("tokens")  # a number of tokens is a limit


def mask(data: Any) -> Any:
    """A copy of a document's data with `***` for each literal secret."""
    return _replaced(data, {leaf.path: MASK for leaf in _leaves(data) if leaf.is_secret})


def mask_source(text: str) -> str:
    """A stored document's text with `***` for each literal secret; its comments and layout stay as they were."""
    loaded = load_text(text)
    hidden = [leaf.path for leaf in _leaves(loaded.data) if leaf.is_secret]
    if not hidden:
        return text
    shown = _respelt(text, loaded, dict.fromkeys(hidden, MASK))
    if load_text(shown).data != mask(loaded.data):  # never show what was not understood
        return dump_yaml(mask(loaded.data))
    return shown


def restore(loaded: Loaded, text: str, stored: Any) -> tuple[Loaded, str]:
    """What was written, with each `***` replaced by the secret `stored` (the active document, or None) has there.

    Raises `config_invalid` naming each `***` for which nothing is stored.
    """
    kept = {leaf.place: leaf.value for leaf in _leaves(stored) if leaf.is_secret}
    found: dict[Path, Any] = {}
    problems: list[Problem] = []
    for leaf in _leaves(loaded.data):
        if leaf.value != MASK:
            continue
        if leaf.place in kept:
            found[leaf.path] = kept[leaf.place]
        elif leaf.named_secret:
            problems.append(
                Problem(
                    code=Code.CONFIG_INVALID,
                    detail="'***' keeps a stored secret, and none is stored here. Write a ${NAME} reference.",
                    attr=dotted(leaf.path),
                )
            )
    if problems:
        raise Refused.of(tuple(problems))
    if not found:
        return loaded, text
    restored = replace(loaded, data=_replaced(loaded.data, found))
    return restored, text if loaded.is_json else _respelt(text, loaded, found)


def _respelt(text: str, loaded: Loaded, values: dict[Path, Any]) -> str:
    """A text with the scalars at some paths written anew."""
    for path in sorted(values, key=lambda path: loaded.scalars[path].start, reverse=True):
        span = loaded.scalars[path]
        block = text[span.start : span.end]
        tail = "\n" if block.endswith("\n") else ""  # a block scalar's span reaches over its line's end
        text = text[: span.start] + _spelt(values[path]) + tail + text[span.end :]
    return text


def _spelt(value: Any) -> str:
    if isinstance(value, str):
        spelt: str = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=10_000_000)
        return spelt.strip()
    return json.dumps(value)


def _replaced(data: Any, values: dict[Path, Any], path: Path = ()) -> Any:
    if path in values:
        return values[path]
    if isinstance(data, dict):
        return {key: _replaced(inner, values, (*path, key)) for key, inner in data.items()}
    if isinstance(data, list):
        return [_replaced(inner, values, (*path, at)) for at, inner in enumerate(data)]
    return data


def _leaves(data: Any, path: Path = (), place: Path = (), *, named: bool = False) -> Iterator[_Leaf]:
    if isinstance(data, dict):
        for key, inner in data.items():
            secret = named or key in _SECRET_SECTIONS or _says_secret(key)
            yield from _leaves(inner, (*path, key), (*place, key), named=secret)
    elif isinstance(data, list):
        for at, inner in enumerate(data):
            yield from _leaves(inner, (*path, at), _place_of(data, at, place), named=named)
    else:
        yield _Leaf(path=path, place=place, value=data, named_secret=named)


def _says_secret(key: str) -> bool:
    return _SECRET_NAME.search(_WORD_BOUNDARY.sub("_", key).lower()) is not None


def _place_of(items: list[Any], at: int, place: Path) -> Path:
    """The place of a list's item: a seat's by handle and a unit's by key wherever they stand, others by their name
    where that is theirs alone, else by number."""
    item = items[at]
    section = place[-1] if place else ""
    if isinstance(item, dict):
        name = item.get("name")
        if section == "roles" and isinstance(name, str):
            return ("@seat", str(item.get("handle") or slug_of(name)))
        if section in ("units", "children") and isinstance(name, str):
            return ("@unit", str(item.get("key") or slug_of(name)))
        if isinstance(name, str) and sum(isinstance(one, dict) and one.get("name") == name for one in items) == 1:
            return (*place, f"@{name}")
    return (*place, at)
