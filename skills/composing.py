"""The fields of a skill's front matter as a form shows them, and a form's answers back into the text. Pure.

What a writer leaves as it is stays byte for byte: only the value that changed is replaced, so comments, order, line
ends and fields nobody knows survive an edit. Refuses to guess: front matter too unusual to be changed in place is
left to whoever edits the text itself.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import yaml

from skills import frontmatter
from skills.frontmatter import Field, Parsed
from skills.tool_skills.rules.documents import MAX_SUMMARY_BYTES, PHASES, Kind


class Shape(StrEnum):
    """How a field is written in a form."""

    LINE = "line"
    TEXT = "text"
    CHOICES = "choices"
    FLAG = "flag"
    LINES = "lines"
    YAML = "yaml"


@dataclass(frozen=True, kw_only=True)
class FormField:
    """One field of a dialect's form. `most` is the most bytes it may have, where that is counted."""

    name: str
    shape: Shape
    label: str
    hint: str = ""
    required: bool = False
    most: int | None = None
    choices: tuple[str, ...] = ()
    absent: str = ""


FORMS: Mapping[Kind, tuple[FormField, ...]] = {
    Kind.TOOL_SKILL: (
        FormField(
            name="title", shape=Shape.LINE, label="Title", hint="Heads the body when it is loaded.", required=True
        ),
        FormField(
            name="key",
            shape=Shape.LINE,
            label="Key",
            hint="Such as mcp:github, tool:create_page or skill:mentions.",
            required=True,
        ),
        FormField(
            name="summary",
            shape=Shape.TEXT,
            label="Summary",
            hint="One or two sentences. Every catalogue that lists the skill carries them each turn.",
            required=True,
            most=MAX_SUMMARY_BYTES,
        ),
        FormField(
            name="trigger",
            shape=Shape.YAML,
            label="Offered with",
            hint="{mcp_server: github}, {tool: create_page}, or several under any_of or all_of.",
            required=True,
        ),
        FormField(name="phases", shape=Shape.CHOICES, label="Phases", required=True, choices=PHASES),
        FormField(
            name="required",
            shape=Shape.FLAG,
            label="Hold its tools back until it has been read",
            absent="true",
        ),
    ),
    Kind.PROMPT_SKILL: (
        FormField(name="name", shape=Shape.LINE, label="Name", required=True),
        FormField(name="description", shape=Shape.TEXT, label="Description", required=True),
        FormField(
            name="triggers",
            shape=Shape.LINES,
            label="Triggers",
            hint="One a line: words a message has to say.",
        ),
        FormField(name="tools", shape=Shape.YAML, label="Tools", hint="Definitions handed to the harness, in YAML."),
    ),
    Kind.AGENT_SKILL: (
        FormField(
            name="name",
            shape=Shape.LINE,
            label="Name",
            hint="Lower case letters, digits and single dashes, such as release-notes.",
            required=True,
        ),
        FormField(
            name="description",
            shape=Shape.TEXT,
            label="Description",
            hint="What it does and when to use it; all a model sees before it loads the skill.",
            required=True,
        ),
        FormField(name="license", shape=Shape.LINE, label="License"),
        FormField(name="allowed-tools", shape=Shape.LINE, label="Allowed tools", hint="Such as Read, Bash(git log:*)."),
    ),
}

_PLAIN = re.compile(r"[A-Za-z][\w ./()-]*", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Unwritable:
    """The text cannot be changed field by field; `reason` says what to do instead."""

    reason: str


def values_of(text: str, kind: Kind) -> dict[str, str] | None:
    """What a form shows for the fields of a text, or None where its front matter cannot be read."""
    reading = frontmatter.parse(text)
    if not isinstance(reading, Parsed):
        return None
    return {field.name: _shown(reading, field) for field in FORMS[kind]}


def compose(text: str, kind: Kind, values: Mapping[str, str], *, body: str) -> str | Unwritable:
    """`text` with the values of a form and the body in place; `text` itself where nothing differs."""
    reading = frontmatter.parse(text)
    if not isinstance(reading, Parsed):
        return Unwritable(reason="The front matter cannot be read, so it is put right in the text itself.")
    raw = reading.raw
    end = "\r\n" if "\r\n" in raw else "\n"
    changes: list[tuple[int, int, str]] = []
    added: list[str] = []
    for field in FORMS[kind]:
        value = values.get(field.name, "").replace("\r\n", "\n").strip()
        if value == _shown(reading, field):
            continue
        entry = reading.fields.get(field.name)
        if entry is None:
            added.append(f"{field.name}:{_written(field, value, end)}{end}")
        elif not value and not field.required and field.shape is not Shape.FLAG:
            changes.append((*_lines_of(raw, field.name, entry), ""))
        else:
            start, stop = entry.span
            while start > 0 and raw[start - 1] in " \t":
                start -= 1
            changes.append((start, stop, _written(field, value, end)))
    for start, stop, new in sorted(changes, reverse=True):
        raw = raw[:start] + new + raw[stop:]
    raw += "".join(added)
    begins = text.index(reading.raw, text.index("---") + 3) if reading.raw else _after_fence(text)
    after = begins + len(reading.raw)
    made = text[:begins] + raw + text[after : len(text) - len(reading.body)] + body
    return (
        made
        if _keeps_the_rest(reading, made, kind)
        else Unwritable(
            reason="This front matter is written in a way that cannot be changed field by field. Edit the text itself."
        )
    )


def _after_fence(text: str) -> int:
    return text.index("\n", text.index("---")) + 1


def _shown(reading: Parsed, field: FormField) -> str:
    entry = reading.fields.get(field.name)
    if entry is None or entry.value is None:
        return field.absent
    if field.shape is Shape.YAML:
        line = reading.raw.rfind("\n", 0, entry.span[0]) + 1
        lead = reading.raw[line : entry.span[0]]
        indent = " " * len(lead) if not lead.strip() else ""
        return textwrap.dedent(indent + entry.source.replace("\r\n", "\n")).strip()
    if entry.items is not None:
        parts = [item.text or "" for item in entry.items]
        return (", " if field.shape is Shape.LINE else "\n").join(parts)
    if isinstance(entry.value, bool):
        return "true" if entry.value else "false"
    return (entry.text or "").strip()


def _written(field: FormField, value: str, end: str) -> str:
    """A value as YAML behind the colon of its field."""
    if field.shape is Shape.FLAG:
        return f" {value}"
    if field.shape in (Shape.CHOICES, Shape.LINES):
        parts = [part.strip() for part in value.split("\n") if part.strip()]
        return f" [{', '.join(_scalar(part) for part in parts)}]"
    if field.shape is Shape.YAML:
        if "\n" not in value and value[:1] in "{[":
            return f" {value}"
        return end + end.join(f"  {line}" for line in value.split("\n"))
    return f" {_scalar(value)}"


def _scalar(value: str) -> str:
    if _PLAIN.fullmatch(value) and value == value.strip() and yaml.safe_load(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _lines_of(raw: str, name: str, entry: Field) -> tuple[int, int]:
    """The lines a field and its value take."""
    start = raw.rfind("\n", 0, raw.rfind(name, 0, entry.span[0] + 1)) + 1
    stop = raw.find("\n", entry.span[1])
    return start, len(raw) if stop < 0 else stop + 1


def _keeps_the_rest(before: Parsed, made: str, kind: Kind) -> bool:
    """Whether a text that reads at all says of every field a form does not show what it said before."""
    after = frontmatter.parse(made)
    if not isinstance(after, Parsed):
        return True  # what was typed is at fault, and the check of the text says where
    shown = {field.name for field in FORMS[kind]}
    return {name: value for name, value in before.values.items() if name not in shown} == {
        name: value for name, value in after.values.items() if name not in shown
    }
