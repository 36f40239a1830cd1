"""What a SKILL.md must say: the Agent Skills open specification and the few fields this product adds. Pure.

`check_text` reports every violation with its field and line, not the first one alone. A field it does not know is kept
and told as a warning: authors write for several harnesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from company.rules.refusals import Code
from skills import frontmatter
from skills.folders.arguments import ARGUMENT_NAME, Argument
from skills.folders.codes import (
    MAX_ARGUMENT_HINT,
    MAX_COMPATIBILITY,
    MAX_DESCRIPTION,
    MAX_NAME,
    NAME,
    ErrorCode,
)
from skills.folders.tools_field import Unbalanced, split_tools
from skills.frontmatter import Field, Parsed, Problem, Reading, Value

OPEN_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The fields of the Agent Skills open specification."""
ADDED_FIELDS = ("version", "argument-hint", "disable-model-invocation", "user-invocable", "arguments")
"""The fields this product reads beside them (contract §4)."""
DEFERRED_FIELDS = ("context", "agent", "hooks", "model", "effort", "paths", "shell", "when_to_use")
"""Fields of other harnesses that are kept and have no effect here."""

_SEMVER = re.compile(
    r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?",
)
_LOOSE_VERSION = re.compile(r"[vV]?[0-9]{1,9}(?:\.[0-9]{1,9}){0,3}(?:[-+][0-9A-Za-z.+-]+)?")


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A SKILL.md that may be used.

    `frontmatter` is what the model and the harness see: every field of the file, the known ones in the type this
    product reads them as, so that no digit of `version: 1.10` is lost. `written` is the same as any reader of YAML has
    it, for protocols that carry it on unread. `body` is exact.
    """

    name: str
    description: str
    version: str | None = None
    argument_hint: str | None = None
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    allowed_tools: tuple[str, ...] = ()
    disable_model_invocation: bool = False
    user_invocable: bool = True
    arguments: tuple[Argument, ...] = ()
    frontmatter: Mapping[str, Value] = field(default_factory=dict)
    written: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""

    @cached_property
    def line(self) -> str:
        """The description on one line, as every catalogue has it."""
        return " ".join(self.description.split())


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """A SKILL.md that may be used, and what its author may want to know all the same."""

    skill: Skill
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """A SKILL.md that may not be used, with everything that is wrong (never empty).

    `code` is what activating it answers; `name` what the file calls itself, where it can be told.
    """

    code: ErrorCode
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...] = ()
    name: str | None = None


Checked: TypeAlias = Accepted | Rejected


def check_file(data: bytes, *, folder: str | None) -> Checked:
    """Check a SKILL.md as it stands on disk. `folder` is the name of its folder, None where it has none."""
    text = frontmatter.decode(data)
    if isinstance(text, Problem):
        return Rejected(code=ErrorCode.INVALID_FRONTMATTER, problems=(text,))
    return check_text(text, folder=folder)


def check_text(text: str, *, folder: str | None) -> Checked:
    """Check the text of a SKILL.md. Never raises."""
    return check_reading(frontmatter.parse(text), folder=folder)


def check_reading(reading: Reading, *, folder: str | None) -> Checked:
    """Check a SKILL.md whose front matter has been read."""
    if isinstance(reading, frontmatter.Unfenced):
        detail = "The file has no front matter. Begin it with '---', the fields 'name' and 'description', and '---'."
        problem = Problem(code=Code.REQUIRED, field="frontmatter", line=1, detail=detail)
        return Rejected(code=ErrorCode.INVALID_FRONTMATTER, problems=(problem,))
    if isinstance(reading, frontmatter.Broken):
        return Rejected(code=ErrorCode.INVALID_FRONTMATTER, problems=reading.problems)
    return _Check(reading=reading).run(folder=folder)


@dataclass(kw_only=True)
class _Check:
    """One pass over the fields of one file."""

    reading: Parsed
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def run(self, *, folder: str | None) -> Checked:
        name = self.name()
        description = self.text("description", required=True, maximum=MAX_DESCRIPTION)
        skill = Skill(
            name=name or "",
            description=description or "",
            version=self.version(),
            argument_hint=self.argument_hint(),
            license=self.text("license"),
            compatibility=self.text("compatibility", maximum=MAX_COMPATIBILITY),
            metadata=self.metadata(),
            allowed_tools=self.allowed_tools(),
            disable_model_invocation=self.flag("disable-model-invocation", default=False),
            user_invocable=self.flag("user-invocable", default=True),
            arguments=self.arguments(),
            body=self.reading.body,
        )
        self.warn_of_other_fields()
        if not self.reading.body.strip():
            self.warn("body", Code.REQUIRED, "The body is empty: activating the skill tells nothing.", line=None)
        code = ErrorCode.INVALID_FRONTMATTER
        if folder is not None and name is not None and name != folder:
            if not self.problems:
                code = ErrorCode.NAME_MISMATCH
            detail = f"The name '{name}' is not the name of its folder '{folder[:200]}'. Rename one of them."
            self.problem("name", Code.INVALID, detail)
        if self.problems:
            problems = tuple(sorted(self.problems, key=lambda problem: problem.line or 0))
            return Rejected(code=code, problems=problems, warnings=tuple(self.warnings), name=name)
        return Accepted(
            skill=_with_frontmatter(skill, self.reading.fields),
            warnings=tuple(sorted(self.warnings, key=lambda problem: problem.line or 0)),
        )

    def name(self) -> str | None:
        name = self.text("name", required=True)
        if name is None:
            return None
        if len(name) > MAX_NAME:
            self.problem("name", Code.TOO_LONG, f"The name has {len(name)} characters; at most {MAX_NAME} are allowed.")
            return None
        if not NAME.fullmatch(name):
            detail = f"The name '{name}' is not kebab case: lower-case letters a-z, digits, and single hyphens between."
            self.problem("name", Code.INVALID, detail)
            return None
        return name

    def text(self, key: str, *, required: bool = False, maximum: int | None = None) -> str | None:
        """A field that holds text, stripped. A number or a date is taken as the author wrote it."""
        entry = self.reading.fields.get(key)
        if entry is None or (entry.value is None and required):
            if required:
                line = entry.line if entry else 1
                self.problem(key, Code.REQUIRED, f"'{key}' is required. Write it in the front matter.", line=line)
            return None
        if entry.text is None:
            self.problem(key, Code.INVALID, f"'{key}' is a list or a mapping; it has to be text. Put it in quotes.")
            return None
        text = entry.text.strip()
        if not text:
            code = Code.REQUIRED if required else Code.INVALID
            self.problem(key, code, f"'{key}' is empty. Write it{'' if required else ' or leave it out'}.")
            return None
        if maximum is not None and len(text) > maximum:
            detail = f"'{key}' has {len(text)} characters; at most {maximum} are allowed. Shorten it."
            self.problem(key, Code.TOO_LONG, detail)
            return None
        return text

    def version(self) -> str | None:
        version = self.text("version")
        if version is None or _SEMVER.fullmatch(version):
            return version
        if not _LOOSE_VERSION.fullmatch(version):
            detail = f"'{version[:64]}' is no version. Write three numbers, such as 1.2.0."
            self.problem("version", Code.INVALID, detail)
        else:
            detail = f"'{version}' is kept as written; a semantic version has three numbers, such as 1.2.0."
            self.warn("version", Code.INVALID, detail)
        return version

    def argument_hint(self) -> str | None:
        entry = self.reading.fields.get("argument-hint")
        if entry is None:
            return None
        if entry.text is not None:
            return self.text("argument-hint", maximum=MAX_ARGUMENT_HINT)
        # `argument-hint: [issue-number]` is a list to YAML and a hint to everybody who writes it.
        self.warn("argument-hint", Code.INVALID, "The hint is read as the text it is; put it in quotes to say so.")
        if len(entry.source) > MAX_ARGUMENT_HINT:
            detail = f"'argument-hint' has {len(entry.source)} characters; at most {MAX_ARGUMENT_HINT} are allowed."
            self.problem("argument-hint", Code.TOO_LONG, detail)
        return entry.source

    def metadata(self) -> dict[str, str]:
        entry = self.reading.fields.get("metadata")
        if entry is None:
            return {}
        if entry.value is None:
            self.warn("metadata", Code.INVALID, "'metadata' is empty. Leave it out.")
            return {}
        if entry.entries is None:
            self.problem(
                "metadata", Code.INVALID, "'metadata' holds fields of text. Write each as 'key: value' below it."
            )
            return {}
        texts: dict[str, str] = {}
        for key, value in entry.entries.items():
            path = frontmatter.join_path("metadata", key)
            if value.text is None:
                detail = f"'{path}' is a list or a mapping; metadata holds text. Write it on one line, in quotes."
                self.problem(path, Code.INVALID, detail, line=value.line)
            else:
                texts[key] = value.text
        return texts

    def allowed_tools(self) -> tuple[str, ...]:
        key = "allowed-tools"
        entry = self.reading.fields.get(key)
        if entry is None:
            return ()
        if entry.value is None:
            self.warn(key, Code.INVALID, f"'{key}' is empty: the skill declares no tool. Leave it out.")
            return ()
        parts = [(key, entry)] if entry.items is None else [(f"{key}[{n}]", item) for n, item in enumerate(entry.items)]
        tools: list[str] = []
        for path, part in parts:
            if part.text is None or not part.is_text:
                detail = f"'{path}' is not the name of a tool. Write names, divided by commas or one a line."
                self.problem(path, Code.INVALID, detail, line=part.line)
                continue
            split = split_tools(part.text)
            if isinstance(split, Unbalanced):
                detail = f"A parenthesis in '{split.entry[:80]}' has no partner. Close it; the tools are not guessed."
                self.problem(path, Code.INVALID, detail, line=part.line)
            else:
                tools.extend(split)
        return tuple(tools)

    def flag(self, key: str, *, default: bool) -> bool:
        entry = self.reading.fields.get(key)
        if entry is None:
            return default
        if isinstance(entry.value, bool):
            return entry.value
        if entry.is_text and entry.text is not None and entry.text.strip().lower() in ("true", "false"):
            self.warn(
                key, Code.INVALID, f"'{key}' is text; it is read as {entry.text.strip().lower()}. Drop the quotes."
            )
            return entry.text.strip().lower() == "true"
        self.problem(key, Code.INVALID, f"'{key}' is true or false.")
        return default

    def arguments(self) -> tuple[Argument, ...]:
        entry = self.reading.fields.get("arguments")
        if entry is None or entry.value is None:
            return ()
        if entry.entries is None:
            detail = "'arguments' is a mapping from a name to its type, whether it is required, and its description."
            self.problem("arguments", Code.INVALID, detail)
            return ()
        return tuple(self.argument(name, value) for name, value in entry.entries.items())

    def argument(self, name: str, entry: Field) -> Argument:
        path = frontmatter.join_path("arguments", name)
        if not ARGUMENT_NAME.fullmatch(name):
            detail = (
                f"'{name[:64]}' cannot stand in '${{…}}'. Begin with a letter; go on with letters, digits, '_' or '-'."
            )
            self.problem(path, Code.INVALID, detail, line=entry.line)
        if entry.value is None:
            return Argument(name=name)
        if entry.entries is None:
            detail = f"'{path}' is a mapping of 'type', 'required' and 'description'."
            self.problem(path, Code.INVALID, detail, line=entry.line)
            return Argument(name=name)
        parts = entry.entries
        for key, value in parts.items():
            if key not in ("type", "required", "description"):
                detail = f"'{path}.{key}' has no meaning here; an argument has 'type', 'required' and 'description'."
                self.warn(f"{path}.{key}", Code.UNKNOWN_FIELD, detail, line=value.line)
            elif key == "required" and not isinstance(value.value, bool):
                self.problem(f"{path}.required", Code.INVALID, f"'{path}.required' is true or false.", line=value.line)
            elif key != "required" and not value.is_text:
                self.problem(f"{path}.{key}", Code.INVALID, f"'{path}.{key}' is text.", line=value.line)
        kind = parts["type"].text if "type" in parts else None
        if kind is not None and kind != "string":
            detail = f"Values of '{path}' are text whatever 'type' says; '{kind[:32]}' is kept for the harness."
            self.warn(f"{path}.type", Code.INVALID, detail, line=parts["type"].line)
        return Argument(
            name=name,
            type=kind or "string",
            required="required" in parts and parts["required"].value is True,
            description=(parts["description"].text or "").strip() if "description" in parts else "",
        )

    def warn_of_other_fields(self) -> None:
        known = OPEN_FIELDS + ADDED_FIELDS
        for key in self.reading.fields:
            if key in OPEN_FIELDS:
                continue
            if key in known or key in DEFERRED_FIELDS:
                what = "is read here" if key in known else "is kept without effect"
                detail = f"'{key}' is no field of the open specification; it {what}, and other harnesses may refuse it."
            else:
                near = [name for name in known if _near(key, name)]
                detail = f"'{key[:64]}' is no field of the open specification; it is kept without effect."
                if near:
                    detail += f" Did you mean '{near[0]}'?"
            self.warn(key, Code.UNKNOWN_FIELD, detail)

    def problem(self, path: str, code: Code, detail: str, *, line: int | None = None) -> None:
        self.problems.append(Problem(code=code, field=path, line=line or self.line_of(path), detail=detail))

    def warn(self, path: str, code: Code, detail: str, *, line: int | None = None) -> None:
        self.warnings.append(Problem(code=code, field=path, line=line or self.line_of(path), detail=detail))

    def line_of(self, path: str) -> int | None:
        entry = self.reading.fields.get(path)
        return entry.line if entry else None


def _near(key: str, name: str) -> bool:
    """Whether a field's name looks like a slip of a known one (`allowed_tools`, `Description`)."""
    return Levenshtein.distance(key.casefold(), name, score_cutoff=2) <= 2


def _with_frontmatter(skill: Skill, fields: Mapping[str, Field]) -> Skill:
    """The skill with the front matter it shows: each field of the file, known ones as they are read."""
    readings: Mapping[str, Callable[[], Value]] = {
        "name": lambda: skill.name,
        "description": lambda: skill.description,
        "version": lambda: skill.version,
        "argument-hint": lambda: skill.argument_hint,
        "license": lambda: skill.license,
        "compatibility": lambda: skill.compatibility,
        "metadata": lambda: dict(skill.metadata),
        "allowed-tools": lambda: list(skill.allowed_tools),
        "disable-model-invocation": lambda: skill.disable_model_invocation,
        "user-invocable": lambda: skill.user_invocable,
    }

    def shown() -> Iterator[tuple[str, Value]]:
        for key, entry in fields.items():
            yield key, readings[key]() if key in readings else entry.value

    return replace(skill, frontmatter=dict(shown()), written={key: entry.plain for key, entry in fields.items()})
