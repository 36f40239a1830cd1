"""The library at the MCP door: skill folders as prompts, as resources, and as entries of the Skills extension.

Addresses are `skill://<name>/<path>`: SKILL.md and every other file of the folder by its path, and `_manifest`, which
lists them with their digests for clients that know resources alone.
"""

from __future__ import annotations

import json
import mimetypes
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, decode_cursor, encode_cursor, parse_window
from skills.folders import Answer, Kind
from skills.folders.codes import SKILL_FILE
from skills.folders.validation import Skill
from skills.reads.library import CURSOR_WIDTH, LibrarySkill, file_of, get_library_skill, list_library, served_library
from skills.writes.activation import activate_once

SCHEME = "skill"
MANIFEST = "_manifest"
TEXT = "text/markdown"
PER_PAGE = 200
"""Entries in one answer: the whole library of most companies, and an answer a client can still hold."""
FREE_ARGUMENTS = "arguments"
"""The argument of a prompt whose skill declares none: what stands for $ARGUMENTS."""


@dataclass(frozen=True, kw_only=True)
class PromptArgument:
    """An argument of a prompt."""

    name: str
    description: str
    required: bool


@dataclass(frozen=True, kw_only=True)
class SkillPrompt:
    """A skill as a prompt that a person picks."""

    name: str
    description: str
    arguments: tuple[PromptArgument, ...]


@dataclass(frozen=True, kw_only=True)
class SkillFile:
    """The bytes of one file, as text where they are text."""

    uri: str
    media_type: str
    data: bytes


Named = TypeVar("Named", SkillPrompt, Skill)


def list_prompts(*, actor: Actor, cursor: str | None = None) -> Listing[SkillPrompt]:
    """A window of the skills people may activate, by name. No query."""
    return _window(
        [
            SkillPrompt(name=skill.name, description=skill.description, arguments=tuple(_arguments(skill)))
            for served in served_library(actor=actor)
            if (skill := served.skill).user_invocable
        ],
        cursor,
    )


def get_prompt(*, actor: Actor, name: str, arguments: Mapping[str, str] | None) -> Answer:
    """The skill's text, its placeholders filled; a Failed or NotFound answer is the caller's to tell."""
    given: object = dict(arguments) if arguments else None
    declared = next((served.skill.arguments for served in served_library(actor=actor) if served.skill.name == name), ())
    if given is not None and not declared and set(arguments or {}) == {FREE_ARGUMENTS}:
        given = (arguments or {})[FREE_ARGUMENTS]
    answer = activate_once(actor=actor, name=name, arguments=given)
    if answer.kind in (Kind.ERROR, Kind.NOT_FOUND):
        raise Refused(Code.NOT_FOUND if answer.kind is Kind.NOT_FOUND else Code.INVALID, answer.output, attr="name")
    return answer


def list_entries(*, actor: Actor, cursor: str | None = None) -> Listing[dict[str, Any]]:
    """A window of the skills as the extension lists them, by name. Two queries."""
    window = parse_window(str(PER_PAGE), cursor, width=CURSOR_WIDTH)
    listing = list_library(actor=actor, window=window)
    entries = tuple(_entry(skill) for skill in listing.results)
    return Listing(results=entries, total=listing.total, after=listing.after)


def get_entry(*, actor: Actor, uri: str) -> dict[str, Any]:
    """One skill by the address of its SKILL.md; `not_found` for any other address."""
    name, path = parse_uri(uri)
    if path != SKILL_FILE:
        raise _no_such(uri)
    return _entry(get_library_skill(actor=actor, name=name).skill)


def list_documents(*, actor: Actor, cursor: str | None = None) -> Listing[Skill]:
    """A window of the skills, whose SKILL.md each is listed as a resource, by name. No query."""
    return _window([served.skill for served in served_library(actor=actor)], cursor)


def read_file(*, actor: Actor, uri: str) -> SkillFile:
    """One file of a skill, or its manifest; `not_found` for an address that leads to none."""
    name, path = parse_uri(uri)
    if path == MANIFEST:
        skill = get_library_skill(actor=actor, name=name).skill
        return SkillFile(uri=uri, media_type="application/json", data=json.dumps(_manifest(skill)).encode())
    file = file_of(actor=actor, name=name, path=path)
    return SkillFile(uri=uri, media_type=_media_type(path), data=file.data)


def uri_of(name: str, path: str = SKILL_FILE) -> str:
    """The address of a file of a skill."""
    return f"{SCHEME}://{name}/{quote(path, safe='/')}"


def parse_uri(uri: str) -> tuple[str, str]:
    """The skill and the path of an address; `not_found` for what is none."""
    parts = urlsplit(uri)
    path = unquote(parts.path).lstrip("/")
    if parts.scheme != SCHEME or not parts.netloc or not path or "\x00" in path:
        raise _no_such(uri)
    return parts.netloc, path


def _window(named: Sequence[Named], cursor: str | None) -> Listing[Named]:
    """The part of a list, sorted by name, that comes after the name a cursor holds."""
    start = bisect_right(named, str(decode_cursor(cursor, width=1)[0]), key=lambda one: one.name) if cursor else 0
    shown = tuple(named[start : start + PER_PAGE])
    more = start + PER_PAGE < len(named)
    return Listing(results=shown, total=len(named), after=encode_cursor((shown[-1].name,)) if more else None)


def _no_such(uri: str) -> Refused:
    return Refused(
        Code.NOT_FOUND, f"Nothing is served at '{uri[:300]}'. List the resources to see what is.", attr="uri"
    )


def _arguments(skill: Skill) -> Iterator[PromptArgument]:
    for argument in skill.arguments:
        yield PromptArgument(name=argument.name, description=argument.description, required=argument.required)
    if not skill.arguments:
        hint = skill.argument_hint or "What to do it with, as one text."
        yield PromptArgument(name=FREE_ARGUMENTS, description=hint, required=False)


def _entry(skill: LibrarySkill) -> dict[str, Any]:
    return {
        "uri": uri_of(skill.name),
        "frontmatter": _verbatim(skill.served.skill),
        "resources": [
            {"uri": uri_of(skill.name, file.path), "digest": f"sha256:{file.sha256}", "size": file.size}
            for file in skill.files
        ],
    }


def _verbatim(skill: Skill) -> dict[str, Any]:
    """The front matter as it is written, save where the extension wants text and a number was written."""
    written = dict(skill.written)
    for field in ("name", "description", "license", "compatibility"):
        if field in written and not isinstance(written[field], str):
            written[field] = skill.frontmatter[field]
    return written


def _manifest(skill: LibrarySkill) -> dict[str, Any]:
    files = [{"path": file.path, "size": file.size, "hash": f"sha256:{file.sha256}"} for file in skill.files]
    return {"skill": skill.name, "files": files}


def _media_type(path: str) -> str:
    if path.endswith(".md"):
        return TEXT
    return mimetypes.guess_type(path)[0] or "application/octet-stream"
