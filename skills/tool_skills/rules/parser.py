"""Reads the text of a page into a verdict, with every problem's field and line. Pure; never raises.

The rules are those of the contract's section 3, the order that of the page: a writer sees everything that is wrong
at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from company.rules.refusals import Code
from skills.frontmatter import Broken, Field, Parsed, Problem, Reading, Unfenced, parse, size_of
from skills.tool_skills.rules import triggers
from skills.tool_skills.rules.documents import (
    KEY,
    MAX_BODY_BYTES,
    MAX_KEY_LENGTH,
    MAX_SUMMARY_BYTES,
    MAX_TITLE_BYTES,
    Kind,
    OrdinaryPage,
    OtherDialect,
    Phase,
    ToolSkill,
    Undecodable,
    Verdict,
    on_one_line,
    strip_blank_lines,
)

FIELDS = ("key", "trigger", "phases", "title", "summary", "required")
OTHER_DIALECTS_FIELDS = ("name", "description", "triggers", "tools")
MISSPELT_WITHIN = 2

_TRIGGER_LINE = re.compile(r"^trigger:", re.MULTILINE)
_KEY_LINE = re.compile(r"^key:", re.MULTILINE)
_PHASES_LINE = re.compile(r"^phases:", re.MULTILINE)
_PHASE_NAMES = ", ".join(phase.value for phase in Phase)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How many bytes of summary and body a text has, whether or not it is a skill."""

    summary: int
    body: int


def read_page(text: str) -> Verdict:
    """What the text of a page is."""
    return read_reading(parse(text))


def read_reading(reading: Reading) -> Verdict:
    """What a page is whose front matter has been read."""
    match reading:
        case Unfenced():
            return OrdinaryPage()
        case Broken():
            return Undecodable(problems=reading.problems) if _declares_in_words(reading.raw) else OrdinaryPage()
        case Parsed() if _is_tool_skill(reading.fields):
            return _read_skill(reading)
        case Parsed():
            return _other_dialect(reading.fields) or OrdinaryPage()


def sizes_of(text: str) -> Sizes:
    """The bytes `skill-validate` counts, as they would be counted if the text were a skill.

    What a model sees of a skill before it loads it is the summary of a tool skill, and of the others the description.
    """
    reading = parse(text)
    fields = reading.fields if isinstance(reading, Parsed) else {}
    summary = fields.get("summary") or fields.get("description")
    written = summary.text if summary is not None and summary.text is not None else ""
    return Sizes(summary=size_of(strip_blank_lines(written)), body=size_of(strip_blank_lines(reading.body)))


def _declares_in_words(raw: str) -> bool:
    """Whether front matter that cannot be read means to be a tool skill's."""
    if _TRIGGER_LINE.search(raw):
        return True
    return bool(_KEY_LINE.search(raw) and _PHASES_LINE.search(raw))


def _is_tool_skill(fields: Mapping[str, Field]) -> bool:
    """It declares a trigger, or has a skill's key and phases and nothing that makes it another dialect's."""
    if "trigger" in fields:
        return True
    return "key" in fields and "phases" in fields and _other_dialect(fields) is None


def _other_dialect(fields: Mapping[str, Field]) -> OtherDialect | None:
    if "description" not in fields or "name" not in fields:
        return None
    kind = Kind.PROMPT_SKILL if "triggers" in fields or "tools" in fields else Kind.AGENT_SKILL
    return OtherDialect(kind=kind, name=fields["name"].text or "")


def _read_skill(page: Parsed) -> ToolSkill | Undecodable:
    problems: list[Problem] = []
    fields = page.fields
    key = _read_key(fields.get("key"), problems)
    trigger = None
    if "trigger" in fields:
        trigger = triggers.read_trigger(fields["trigger"], path="trigger", problems=problems)
    else:
        problems.append(_missing("trigger", f"Say what the skill is for: one of {', '.join(triggers.OPERATORS)}."))
    phases = _read_phases(fields.get("phases"), problems)
    title = _read_title(fields.get("title"), problems)
    summary = _read_summary(fields.get("summary"), problems)
    required = _read_required(fields.get("required"), problems)
    extra = tuple(_read_others(fields, problems))
    body = _read_body(page, problems)
    if (
        problems
        or key is None
        or trigger is None
        or phases is None
        or title is None
        or summary is None
        or required is None
        or body is None
    ):
        in_order = sorted(problems, key=lambda problem: (problem.line is None, problem.line or 0))
        return Undecodable(problems=tuple(in_order), key=key)
    return ToolSkill(
        key=key,
        trigger=trigger,
        phases=phases,
        title=title,
        summary=summary,
        required=required,
        body=body,
        extra=extra,
    )


def _missing(name: str, detail: str, line: int | None = None) -> Problem:
    return Problem(code=Code.REQUIRED, detail=detail, field=name, line=line)


def _read_text(field: Field | None, name: str, detail: str, problems: list[Problem]) -> str | None:
    """A field that is text and not empty; None with the problem appended."""
    if field is None:
        problems.append(_missing(name, detail))
    elif isinstance(field.value, str) and field.value.strip():
        return field.value
    elif field.value is None or isinstance(field.value, str):
        problems.append(_missing(name, detail, field.line))
    else:
        wrong = f"'{name}' is text. Put quotes around a value YAML takes for something else."
        problems.append(Problem(code=Code.INVALID, detail=wrong, field=name, line=field.line))
    return None


def _read_key(field: Field | None, problems: list[Problem]) -> str | None:
    detail = "A skill has a key, such as 'mcp:github', 'tool:create_page' or 'skill:mentions'."
    key = _read_text(field, "key", detail, problems)
    if field is None or key is None:
        return None
    if len(key) > MAX_KEY_LENGTH:
        too_long = f"A key has at most {MAX_KEY_LENGTH} characters; this one has {len(key)}."
        problems.append(Problem(code=Code.TOO_LONG, detail=too_long, field="key", line=field.line))
        return None
    if KEY.fullmatch(key) is None:
        wrong = (
            "A key begins with a letter or a digit and goes on with letters, digits, colons, dots, underscores "
            "and dashes, without white space."
        )
        problems.append(Problem(code=Code.INVALID, detail=wrong, field="key", line=field.line))
        return None
    return key


def _read_phases(field: Field | None, problems: list[Problem]) -> tuple[Phase, ...] | None:
    detail = f"Say in which phases the skill is shown: a list of one or more of {_PHASE_NAMES}."
    if field is None or field.value is None or field.value == []:
        problems.append(_missing("phases", detail, field.line if field else None))
        return None
    if field.items is None:
        wrong = f"'phases' is a list, such as [execute]: one or more of {_PHASE_NAMES}."
        problems.append(Problem(code=Code.INVALID, detail=wrong, field="phases", line=field.line))
        return None
    found: list[Phase] = []
    before = len(problems)
    for index, item in enumerate(field.items):
        if isinstance(item.value, str) and item.value in list(Phase):
            found.append(Phase(item.value))
        else:
            unknown = f"There is no phase '{item.text}'." if item.text else "A phase is a word."
            problems.append(
                Problem(
                    code=Code.INVALID,
                    detail=f"{unknown} The phases are {_PHASE_NAMES}.",
                    field=f"phases[{index}]",
                    line=item.line,
                )
            )
    return tuple(dict.fromkeys(found)) if len(problems) == before else None


def _read_title(field: Field | None, problems: list[Problem]) -> str | None:
    text = _read_text(field, "title", "A skill has a title, which heads its body when it is loaded.", problems)
    if field is None or text is None:
        return None
    title = on_one_line(text)
    if size_of(title) > MAX_TITLE_BYTES:
        too_long = f"A title has at most {MAX_TITLE_BYTES} bytes of UTF-8; this one has {size_of(title)}."
        problems.append(Problem(code=Code.TOO_LONG, detail=too_long, field="title", line=field.line))
        return None
    if any(unicodedata.category(character) == "Cc" for character in title):
        wrong = "A title holds no control characters."
        problems.append(Problem(code=Code.INVALID, detail=wrong, field="title", line=field.line))
        return None
    return title


def _read_summary(field: Field | None, problems: list[Problem]) -> str | None:
    detail = "A skill has a summary: one or two sentences that stand in every catalogue it is listed in."
    text = _read_text(field, "summary", detail, problems)
    if field is None or text is None:
        return None
    summary = strip_blank_lines(text)
    if size_of(summary) > MAX_SUMMARY_BYTES:
        too_long = (
            f"A summary has at most {MAX_SUMMARY_BYTES} bytes of UTF-8; this one has {size_of(summary)}. "
            "Move detail into the body."
        )
        problems.append(Problem(code=Code.TOO_LONG, detail=too_long, field="summary", line=field.line))
        return None
    return summary


def _read_required(field: Field | None, problems: list[Problem]) -> bool | None:
    if field is None:
        return True
    if isinstance(field.value, bool):
        return field.value
    wrong = "'required' is true or false, without quotes; leave it out for true."
    problems.append(Problem(code=Code.INVALID, detail=wrong, field="required", line=field.line))
    return None


def _read_body(page: Parsed, problems: list[Problem]) -> str | None:
    body = strip_blank_lines(page.body)
    if not body:
        detail = "A skill has a body after its front matter: the practices themselves."
        problems.append(_missing("body", detail, page.body_line))
        return None
    if size_of(body) > MAX_BODY_BYTES:
        too_long = (
            f"A body has at most {MAX_BODY_BYTES} bytes of UTF-8; this one has {size_of(body)}. "
            "Split the skill in two with narrower triggers."
        )
        problems.append(Problem(code=Code.TOO_LONG, detail=too_long, field="body", line=page.body_line))
        return None
    return body


def _read_others(fields: Mapping[str, Field], problems: list[Problem]) -> Iterator[str]:
    """The names of unknown keys; one that is nearly a known one is a misspelling and a problem."""
    for name, field in fields.items():
        if name in FIELDS:
            continue
        meant = None if name in OTHER_DIALECTS_FIELDS else nearest_field(name)
        if meant is None:
            yield name
        else:
            detail = f"There is no field '{name}'. Did you mean '{meant}'?"
            problems.append(Problem(code=Code.UNKNOWN_FIELD, detail=detail, field=name, line=field.line))


def nearest_field(word: str) -> str | None:
    """The known field that `word` misspells, if it is within two edits of one; capitals count for nothing."""
    distances = ((Levenshtein.distance(word.lower(), name, score_cutoff=MISSPELT_WITHIN), name) for name in FIELDS)
    distance, name = min(distances)
    return name if distance <= MISSPELT_WITHIN else None
