"""Every skill of every dialect in one list for the screens: what is served, whom it reached, and what is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from skills import registry
from skills.reads.usage import Reach, reach_of_pages
from skills.registry import Registry
from skills.registry.findings import Finding, FindingKind, findings, variables_in_force
from skills.tool_skills.rules.documents import Kind, Phase, on_one_line
from skills.tool_skills.rules.triggers import Trigger
from skills.tool_skills.rules.variables import render

OFTEN_BLOCKED = 5
"""So many blocks within the days shown, and at least as many as loads: models reach for the tool before the skill."""


class Flag(StrEnum):
    """What the list of skills points out."""

    NEVER_OFFERED = "never_offered"
    NEVER_LOADED = "never_loaded"
    OFTEN_BLOCKED = "often_blocked"


def flags_of(seats: Sequence[Reach]) -> tuple[Flag, ...]:
    """What is worth a look in what the seats made of a skill."""
    offered = sum(reach.offered for reach in seats)
    loaded = sum(reach.loaded for reach in seats)
    blocked = sum(reach.blocked for reach in seats)
    found: list[Flag] = []
    if not offered:
        found.append(Flag.NEVER_OFFERED)
    elif not loaded:
        found.append(Flag.NEVER_LOADED)
    if blocked >= OFTEN_BLOCKED and blocked >= loaded:
        found.append(Flag.OFTEN_BLOCKED)
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Shelved:
    """A skill that is served: its name (a tool skill's key), its words as agents get them, and whom it reached.

    `trigger` is a tool skill's, `triggers` are a prompt skill's. `findings` are what is wrong with it although it is
    served. Use is counted for tool skills, so the others have no flags.
    """

    dialect: Kind
    name: str
    title: str
    summary: str
    page_id: int
    version: int
    phases: tuple[Phase, ...] = ()
    required: bool = False
    trigger: Trigger | None = None
    triggers: tuple[str, ...] = ()
    seats: Sequence[Reach] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def offered(self) -> int:
        """How often its summary was shown."""
        return sum(reach.offered for reach in self.seats)

    @property
    def loaded(self) -> int:
        """How often its body was read."""
        return sum(reach.loaded for reach in self.seats)

    @property
    def blocked(self) -> int:
        """How often a call was held back for it."""
        return sum(reach.blocked for reach in self.seats)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What is worth a look. One that reaches no seat is not told besides that nobody was offered it."""
        if self.dialect is not Kind.TOOL_SKILL:
            return ()
        told = flags_of(self.seats)
        if any(finding.kind is FindingKind.MATCHES_NOTHING for finding in self.findings):
            return tuple(flag for flag in told if flag is not Flag.NEVER_OFFERED)
        return told


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the list is narrowed to; None or empty for no narrowing. `flag` may be a finding's kind too."""

    dialect: Kind | None = None
    phase: Phase | None = None
    flag: Flag | FindingKind | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """The skills that pass, how many there are in all, and of those how many of each dialect."""

    shown: tuple[Shelved, ...]
    total: int
    by_dialect: Mapping[Kind, int]


@dataclass(frozen=True, kw_only=True)
class PageFindings:
    """Everything of one kind that is wrong with one page."""

    page_id: int
    title: str
    findings: tuple[Finding, ...]
    served_title: str = ""


@dataclass(frozen=True, kw_only=True)
class FindingGroup:
    """The pages that have something of one kind wrong with them."""

    kind: FindingKind
    pages: tuple[PageFindings, ...]


def shelf(*, actor: Actor, wanted: Wanted) -> Shelf:
    """The skills that are served and pass, by name, then dialect. One query, for their use."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    held = registry.current()
    found = sorted(_all(held), key=lambda one: (one.name.casefold(), list(Kind).index(one.dialect)))
    reached = reach_of_pages(one.page_id for one in found if one.dialect is Kind.TOOL_SKILL)
    wrong: defaultdict[tuple[Kind, int], list[Finding]] = defaultdict(list)
    for finding in findings(held, live.current()):
        wrong[finding.dialect, finding.page_id].append(finding)
    whole = [
        _with(one, seats=reached.get(one.page_id, ()), wrong=tuple(wrong.get((one.dialect, one.page_id), ())))
        for one in found
    ]
    by_dialect: dict[Kind, int] = {
        kind: sum(one.dialect is kind for one in whole) for kind in Kind if kind is not Kind.PAGE
    }
    shown = tuple(one for one in whole if _passes(one, wanted))
    return Shelf(shown=shown, total=len(whole), by_dialect=by_dialect)


def on_the_shelf(*, actor: Actor, dialect: Kind, name: str) -> Shelved:
    """One skill that is served under a name in a dialect; `not_found` where there is none. One query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    held = registry.current()
    for one in _all(held):
        if one.dialect is dialect and one.name == name:
            wrong = findings(held, live.current())
            mine = tuple(each for each in wrong if each.dialect is dialect and each.key == name)
            return _with(one, seats=reach_of_pages([one.page_id]).get(one.page_id, ()), wrong=mine)
    raise Refused(Code.NOT_FOUND, f"No skill is served as '{name}'.")


def dialects_of(*, actor: Actor, name: str) -> tuple[Kind, ...]:
    """The dialects in which somebody is served under a name. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    held = registry.current()
    places = ((Kind.TOOL_SKILL, held.by_key), (Kind.PROMPT_SKILL, held.prompts), (Kind.AGENT_SKILL, held.folders))
    return tuple(kind for kind, served in places if name in served)


def grouped_findings(*, actor: Actor) -> tuple[FindingGroup, ...]:
    """Everything that is wrong, by kind, then by page, each page once a kind. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    held = registry.current()
    found = findings(held, live.current())
    groups: list[FindingGroup] = []
    for kind in FindingKind:
        of_kind = [finding for finding in found if finding.kind is kind]
        pages = tuple(
            _page_findings(held, page_id, tuple(own)) for page_id, own in groupby(of_kind, key=lambda one: one.page_id)
        )
        if pages:
            groups.append(FindingGroup(kind=kind, pages=pages))
    return tuple(groups)


def _page_findings(held: Registry, page_id: int, own: tuple[Finding, ...]) -> PageFindings:
    served = held.pages.get(own[0].served) if own[0].served is not None else None
    return PageFindings(
        page_id=page_id, title=held.pages[page_id].title, findings=own, served_title=served.title if served else ""
    )


def _all(held: Registry) -> Iterator[Shelved]:
    variables = variables_in_force(live.current())
    for key, served in held.by_key.items():
        skill = served.skill
        yield Shelved(
            dialect=Kind.TOOL_SKILL,
            name=key,
            title=render(skill.title, variables),
            summary=on_one_line(render(skill.summary, variables)),
            page_id=served.page_id,
            version=served.page_version,
            phases=skill.phases,
            required=skill.required,
            trigger=skill.trigger,
        )
    for name, prompt in held.prompts.items():
        yield Shelved(
            dialect=Kind.PROMPT_SKILL,
            name=name,
            title=name,
            summary=on_one_line(prompt.skill.description),
            page_id=prompt.page.page_id,
            version=prompt.page.version,
            triggers=prompt.skill.triggers,
        )
    for name, folder in held.folders.items():
        yield Shelved(
            dialect=Kind.AGENT_SKILL,
            name=name,
            title=name,
            summary=on_one_line(folder.skill.description),
            page_id=folder.page.page_id,
            version=folder.page.version,
        )


def _with(one: Shelved, *, seats: Sequence[Reach], wrong: tuple[Finding, ...]) -> Shelved:
    return replace(one, seats=seats if one.dialect is Kind.TOOL_SKILL else (), findings=wrong)


def _passes(one: Shelved, wanted: Wanted) -> bool:
    if wanted.dialect is not None and one.dialect is not wanted.dialect:
        return False
    if wanted.phase is not None and wanted.phase not in one.phases:
        return False
    if isinstance(wanted.flag, Flag) and wanted.flag not in one.flags:
        return False
    if isinstance(wanted.flag, FindingKind) and not any(finding.kind is wanted.flag for finding in one.findings):
        return False
    words = wanted.text.casefold().split()
    text = " ".join((one.name, one.title, one.summary, *one.triggers)).casefold()
    return all(word in text for word in words)
