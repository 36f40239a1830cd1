"""The registry: what every page of the skills container holds, and the key catalogue derived from it.

One immutable `Registry` a process, swapped whole. `from_pages` and `apply_page` are pure: any sequence of single pages
ends where a walk of the same container ends. The sync thread (`skills.tool_skills.sync`) is the only caller of
`install`; everybody else reads `current()`, without a lock and without a query.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

from company import live
from company.rules.chart import Backend, Company
from skills.tool_skills.rules.catalogue import is_listed, surface_in
from skills.tool_skills.rules.documents import Phase, ToolSkill, Undecodable, Verdict
from skills.tool_skills.rules.guard import covers_call
from skills.tool_skills.rules.parser import read_page
from skills.tool_skills.rules.triggers import Surface, matches


class PageText(Protocol):
    """What the registry needs of a page, whichever backend it comes from."""

    @property
    def id(self) -> int: ...
    @property
    def container(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def body(self) -> str: ...
    @property
    def published(self) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class SourceId:
    """Which place the skills are read from."""

    backend: Backend
    container: str


def source_of(company: Company) -> SourceId | None:
    """Where the company keeps its tool skills, or None where it keeps none."""
    if company.backend is Backend.NONE or not company.skills_container:
        return None
    return SourceId(backend=company.backend, container=company.skills_container)


@dataclass(frozen=True, kw_only=True)
class HeldPage:
    """One page of the container and what it was read as. `digest` tells whether its text has changed."""

    page_id: int
    version: int
    title: str
    digest: bytes
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class ServedSkill:
    """A skill that answers to its key, and the page it is read from."""

    skill: ToolSkill
    page_id: int
    page_version: int
    page_title: str


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A page that declares a key another page, with a lower id, is served under."""

    key: str
    served: int
    shadowed: int


@dataclass(frozen=True, kw_only=True)
class Registry:
    """What one container holds. `source` is None before the first walk and while skills are off."""

    source: SourceId | None = None
    pages: Mapping[int, HeldPage] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def by_key(self) -> Mapping[str, ServedSkill]:
        """The skills that are served, in order of their keys."""
        found: dict[str, ServedSkill] = {}
        for page in self._skill_pages:
            skill = page.verdict
            if isinstance(skill, ToolSkill) and skill.key not in found:
                found[skill.key] = ServedSkill(
                    skill=skill, page_id=page.page_id, page_version=page.version, page_title=page.title
                )
        return {key: found[key] for key in sorted(found)}

    @cached_property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """Pages that wait for the key another one is served under."""
        return tuple(
            Duplicate(key=page.verdict.key, served=self.by_key[page.verdict.key].page_id, shadowed=page.page_id)
            for page in self._skill_pages
            if isinstance(page.verdict, ToolSkill) and self.by_key[page.verdict.key].page_id != page.page_id
        )

    @cached_property
    def undecodable(self) -> tuple[HeldPage, ...]:
        """Pages that declare a trigger and cannot be read, lower ids first."""
        return tuple(page for _, page in sorted(self.pages.items()) if isinstance(page.verdict, Undecodable))

    def listed(self, *, phase: Phase, surface: Surface) -> tuple[ServedSkill, ...]:
        """The skills a phase's catalogue lists on a surface, in order of their keys."""
        seen = surface_in(phase, surface)
        candidates = self._naming(tools=seen.tools, servers=seen.servers)
        return tuple(
            served
            for served in sorted(candidates.values(), key=lambda one: one.skill.key)
            if is_listed(served.skill, phase=phase, surface=surface)
        )

    def covering(self, *, tool: str, servers: tuple[str, ...], phase: Phase) -> tuple[ServedSkill, ...]:
        """The required skills of a phase that cover a call, in order of their keys, whatever a session's surface is."""
        candidates = self._naming(tools=(tool,), servers=servers)
        return tuple(
            served
            for served in sorted(candidates.values(), key=lambda one: one.skill.key)
            if served.skill.required
            and phase in served.skill.phases
            and covers_call(served.skill, tool=tool, servers=servers)
        )

    def holding_back(
        self, *, tool: str, servers: tuple[str, ...], phase: Phase, surface: Surface
    ) -> tuple[ServedSkill, ...]:
        """The required skills of a session's catalogue that cover a call, read or not, in order of their keys."""
        covering = self.covering(tool=tool, servers=servers, phase=phase)
        return tuple(served for served in covering if matches(served.skill.trigger, surface))

    @cached_property
    def _skill_pages(self) -> tuple[HeldPage, ...]:
        return tuple(page for _, page in sorted(self.pages.items()) if isinstance(page.verdict, ToolSkill))

    @cached_property
    def _by_tool(self) -> Mapping[str, tuple[ServedSkill, ...]]:
        return _index(self.by_key.values(), lambda skill: skill.covers.tools)

    @cached_property
    def _by_server(self) -> Mapping[str, tuple[ServedSkill, ...]]:
        return _index(self.by_key.values(), lambda skill: skill.covers.servers)

    def _naming(self, *, tools: Iterable[str], servers: Iterable[str]) -> dict[str, ServedSkill]:
        """The skills whose triggers name one of these: a trigger fires on no surface that holds none of its names."""
        found: dict[str, ServedSkill] = {}
        for index, names in ((self._by_tool, tools), (self._by_server, servers)):
            for name in names:
                for served in index.get(name, ()):
                    found[served.skill.key] = served
        return found


class _Names(Protocol):
    def __call__(self, skill: ToolSkill, /) -> frozenset[str]: ...


def _index(skills: Iterable[ServedSkill], names: _Names) -> Mapping[str, tuple[ServedSkill, ...]]:
    found: defaultdict[str, list[ServedSkill]] = defaultdict(list)
    for served in skills:
        for name in names(served.skill):
            found[name].append(served)
    return {name: tuple(named) for name, named in found.items()}


EMPTY = Registry()


def from_pages(source: SourceId, pages: Iterable[PageText], *, known: Registry = EMPTY) -> Registry:
    """The registry of a whole container.

    `known` saves reading a page again whose text has not changed; it never decides what the answer is. The same
    registry comes back where nothing at all has changed.
    """
    before = known.pages if known.source == source else {}
    held = {page.id: _hold(page, before.get(page.id)) for page in pages if _is_admitted(page, source)}
    if known.source == source and held == before:
        return known
    return Registry(source=source, pages=MappingProxyType(held))


def apply_page(registry: Registry, *, page_id: int, page: PageText | None) -> Registry:
    """The registry after one page was read again; None for a page that is gone.

    A page that has left the container, is a draft or stands in the trash is dropped. The same registry comes back where
    nothing has changed, and from one that has no source.
    """
    if registry.source is None:
        return registry
    before = registry.pages.get(page_id)
    after = _hold(page, before) if page is not None and _is_admitted(page, registry.source) else None
    if after == before:
        return registry
    pages = {held_id: held for held_id, held in registry.pages.items() if held_id != page_id}
    if after is not None:
        pages[page_id] = after
    return Registry(source=registry.source, pages=MappingProxyType(pages))


def changed_pages(before: Registry, after: Registry) -> Iterator[int]:
    """The pages that two registries hold differently."""
    for page_id in before.pages.keys() | after.pages.keys():
        if before.pages.get(page_id) != after.pages.get(page_id):
            yield page_id


def _is_admitted(page: PageText, source: SourceId) -> bool:
    return page.published and page.container == source.container


def _hold(page: PageText, before: HeldPage | None) -> HeldPage:
    digest = hashlib.blake2b(page.body.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    verdict = before.verdict if before is not None and before.digest == digest else read_page(page.body)
    return HeldPage(page_id=page.id, version=page.version, title=page.title, digest=digest, verdict=verdict)


_current: Registry = EMPTY


def current() -> Registry:
    """The registry this process serves now: empty from the moment the company names another source or none."""
    registry = _current
    return registry if registry.source == source_of(live.current()) else EMPTY


def installed() -> Registry:
    """The registry as the sync left it, whatever the company names by now. For the sync, and for what reports on it."""
    return _current


def install(registry: Registry) -> Registry:
    """Serve another registry; answers the one before. For the sync thread, and for tests."""
    global _current
    registry.by_key  # noqa: B018 (derived here, by the thread that installs it, not by the first request)
    registry._by_tool, registry._by_server  # noqa: B018, SLF001
    before, _current = _current, registry
    return before
