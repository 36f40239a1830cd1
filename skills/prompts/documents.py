"""What a prompt skill is: name, description, triggers, tools and a body. Pure.

The tools are definitions for a harness; nothing here or anywhere in the server runs their commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from company.rules.refusals import Code
from skills import frontmatter
from skills.frontmatter import Field, Parsed, Problem, Value

MAX_NAME = 128
"""Characters: the length a tool skill's key may have (contract §3), so that every skill's name fits one column."""
MAX_TRIGGER = 200
"""Characters. It also bounds how many triggers can end in one place of a message, and with it the time of a match."""

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Use with `fullmatch`: what every provider of models accepts as the name of a tool."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, kw_only=True)
class ContributedTool:
    """A tool a prompt skill hands to the harness: how to call it, never run by the server."""

    name: str
    description: str
    command: str
    schema: Mapping[str, Value]

    def as_dict(self) -> dict[str, Value]:
        return {
            "name": self.name,
            "description": self.description,
            "command": self.command,
            "schema": dict(self.schema),
        }


@dataclass(frozen=True, kw_only=True)
class PromptSkill:
    """A prompt skill that may be served. Without triggers it is listed and never comes by itself."""

    name: str
    description: str
    triggers: tuple[str, ...] = ()
    tools: tuple[ContributedTool, ...] = ()
    body: str = ""

    def as_dict(self) -> dict[str, Value]:
        """The skill as `GET /api/skills` lists it."""
        return {
            "name": self.name,
            "description": self.description,
            "triggers": list(self.triggers),
            "tools": [tool.name for tool in self.tools],
        }

    def as_detail(self) -> dict[str, Value]:
        """The skill whole: its tools as definitions, and what it says."""
        return {**self.as_dict(), "tools": [tool.as_dict() for tool in self.tools], "body": self.body}


@dataclass(frozen=True, kw_only=True)
class Undecodable:
    """A prompt skill that may not be served, with everything that is wrong (never empty)."""

    problems: tuple[Problem, ...]


def is_prompt_skill(fields: Mapping[str, Field]) -> bool:
    """Whether front matter is meant as a prompt skill: name, description and triggers or tools, and no `trigger`."""
    return (
        "name" in fields
        and "description" in fields
        and ("triggers" in fields or "tools" in fields)
        and "trigger" not in fields
    )


def read_prompt_skill(page: Parsed) -> PromptSkill | Undecodable:
    """The prompt skill a page holds, or every problem of it with field and line."""
    return _Reader(page=page).read()


@dataclass(kw_only=True)
class _Reader:
    """One pass over one page."""

    page: Parsed
    problems: list[Problem] = field(default_factory=list)

    def read(self) -> PromptSkill | Undecodable:
        skill = PromptSkill(
            name=self.line_of_text("name", maximum=MAX_NAME),
            description=self.line_of_text("description"),
            triggers=self.triggers(),
            tools=self.tools(),
            body=self.page.body,
        )
        return Undecodable(problems=tuple(self.problems)) if self.problems else skill

    def line_of_text(self, key: str, *, maximum: int | None = None) -> str:
        """A required field of one line; folded and block text becomes one line."""
        entry = self.page.fields.get(key)
        if entry is None or entry.value is None or entry.text == "":
            self.problem(Code.REQUIRED, key, entry, f"'{key}' is required. Write it in the front matter.")
            return ""
        if entry.text is None:
            self.problem(Code.INVALID, key, entry, f"'{key}' is a list or a mapping; it has to be text on one line.")
            return ""
        text = " ".join(entry.text.split())
        if not text:
            self.problem(Code.REQUIRED, key, entry, f"'{key}' is empty. Write it in the front matter.")
        elif _CONTROL.search(text):
            self.problem(Code.INVALID, key, entry, f"'{key}' holds a control character. Remove it.")
        elif maximum is not None and len(text) > maximum:
            detail = f"'{key}' has {len(text)} characters; at most {maximum} are allowed. Shorten it."
            self.problem(Code.TOO_LONG, key, entry, detail)
        return text

    def triggers(self) -> tuple[str, ...]:
        entry = self.page.fields.get("triggers")
        if entry is None or entry.value is None:
            return ()
        if entry.items is None:
            self.problem(Code.INVALID, "triggers", entry, "'triggers' is a list. Write one trigger a line, after '- '.")
            return ()
        triggers: list[str] = []
        for position, item in enumerate(entry.items):
            path = frontmatter.join_path("triggers", position)
            if not item.is_text or item.text is None:
                said = " ".join(item.source.split())[:80] or "nothing"
                detail = f"The trigger {said} is not text to YAML. Put it in quotes."
                self.problem(Code.INVALID, path, item, detail)
            elif not item.text.strip():
                self.problem(
                    Code.INVALID, path, item, "A trigger is empty: it would come with every message. Remove it."
                )
            elif len(item.text) > MAX_TRIGGER:
                detail = f"The trigger has {len(item.text)} characters; at most {MAX_TRIGGER} are allowed. Shorten it."
                self.problem(Code.TOO_LONG, path, item, detail)
            else:
                triggers.append(item.text)
        return tuple(triggers)

    def tools(self) -> tuple[ContributedTool, ...]:
        entry = self.page.fields.get("tools")
        if entry is None or entry.value is None:
            return ()
        if entry.items is None:
            detail = "'tools' is a list. Write each tool after '- ', with name, description, command and schema."
            self.problem(Code.INVALID, "tools", entry, detail)
            return ()
        tools: dict[str, ContributedTool] = {}
        for position, item in enumerate(entry.items):
            path = frontmatter.join_path("tools", position)
            if item.entries is None:
                detail = f"'{path}' is not a tool. Write name, description, command and schema below each other."
                self.problem(Code.INVALID, path, item, detail)
                continue
            tool = self.tool(item.entries, item=item, path=path)
            if tool.name in tools:
                detail = f"A tool named '{tool.name}' stands here a second time. Keep one of them."
                self.problem(Code.INVALID, f"{path}.name", item.entries.get("name", item), detail)
            tools[tool.name] = tool
        return tuple(tools.values())

    def tool(self, parts: Mapping[str, Field], *, item: Field, path: str) -> ContributedTool:
        texts: dict[str, str] = {}
        for key in ("name", "description", "command"):
            part = parts.get(key)
            if part is None or part.value is None:
                self.problem(Code.REQUIRED, f"{path}.{key}", part or item, f"'{path}.{key}' is required. Write it.")
            elif part.text is None or not part.is_text or not part.text.strip():
                self.problem(Code.INVALID, f"{path}.{key}", part, f"'{path}.{key}' is text. Put it in quotes.")
            else:
                texts[key] = part.text.strip()
        name = texts.get("name", "")
        if name and not _TOOL_NAME.fullmatch(name):
            detail = f"'{name[:80]}' is no tool name: up to 64 letters a-z, digits, '_' and '-'."
            self.problem(Code.INVALID, f"{path}.name", parts["name"], detail)
        schema = parts.get("schema")
        if schema is not None and schema.value is not None and schema.entries is None:
            self.problem(Code.INVALID, f"{path}.schema", schema, f"'{path}.schema' is a mapping: a JSON schema.")
        return ContributedTool(
            name=name,
            description=texts.get("description", ""),
            command=texts.get("command", ""),
            schema=schema.value if schema is not None and isinstance(schema.value, dict) else {},
        )

    def problem(self, code: Code, path: str, entry: Field | None, detail: str) -> None:
        self.problems.append(Problem(code=code, field=path, line=entry.line if entry else 1, detail=detail))
