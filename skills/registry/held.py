"""The pages of one container as an immutable picture, and who answers to which key or name. Pure.

`from_pages` and `apply_page` make pictures out of pages: any sequence of single pages ends where a walk of the same
container ends, because everything about keys and names is derived from the pages held.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Protocol, TypeVar

from company.rules.chart import Backend, Company
from skills.folders.validation import Accepted, Skill
from skills.frontmatter import Problem
from skills.prompts.documents import PromptSkill
from skills.prompts.matching import Matcher
from skills.registry.dialects import FOLDER_LABEL, BrokenReading, Readings, read_dialects
from skills.tool_skills.rules.catalogue import is_listed, surface_in
from skills.tool_skills.rules.documents import Kind, Phase, ToolSkill
from skills.tool_skills.rules.guard import covers_call
from skills.tool_skills.rules.triggers import Surface, matches

Served = TypeVar("Served")


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
    @property
    def labels(self) -> Sequence[str]: ...


@dataclass(frozen=True, kw_only=True)
class SourceId:
    """Which place the skills are read from."""

    backend: Backend
    container: str


def source_of(company: Company) -> SourceId | None:
    """Where the company keeps its skills, or None where it keeps none."""
    if company.backend is Backend.NONE or not company.skills_container:
        return None
    return SourceId(backend=company.backend, container=company.skills_container)


@dataclass(frozen=True, kw_only=True)
class HeldPage:
    """One page of the container and what it was read as. `digest` is the SHA-256 of its text, `size` the bytes of it.

    `in_folder` tells a page that the library took in as a skill folder.
    """

    page_id: int
    version: int
    title: str
    digest: str
    size: int
    in_folder: bool
    readings: Readings


@dataclass(frozen=True, kw_only=True)
class ServedSkill:
    """A tool skill that answers to its key, and the page it is read from."""

    skill: ToolSkill
    page_id: int
    page_version: int
    page_title: str


@dataclass(frozen=True, kw_only=True)
class ServedPrompt:
    """A prompt skill that answers to its name, and the page it is read from."""

    skill: PromptSkill
    page: HeldPage


@dataclass(frozen=True, kw_only=True)
class ServedFolder:
    """An agent skill of the library that answers to its name, without its body, and the page that is its SKILL.md."""

    skill: Skill
    warnings: tuple[Problem, ...]
    page: HeldPage


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A page that declares a key or name another page, with a lower id, is served under."""

    kind: Kind
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
        """The tool skills that are served, in order of their keys."""
        return _sorted(
            (
                skill.key,
                ServedSkill(skill=skill, page_id=page.page_id, page_version=page.version, page_title=page.title),
            )
            for page in self._in_order
            if isinstance(skill := page.readings.tool, ToolSkill)
        )

    @cached_property
    def prompts(self) -> Mapping[str, ServedPrompt]:
        """The prompt skills that are served, in order of their names."""
        return _sorted(
            (skill.name, ServedPrompt(skill=skill, page=page))
            for page in self._in_order
            if isinstance(skill := page.readings.prompt, PromptSkill)
        )

    @cached_property
    def folders(self) -> Mapping[str, ServedFolder]:
        """The agent skills that are served, in order of their names."""
        return _sorted(
            (checked.skill.name, ServedFolder(skill=checked.skill, warnings=checked.warnings, page=page))
            for page in self._in_order
            if isinstance(checked := page.readings.folder, Accepted)
        )

    @cached_property
    def matcher(self) -> Matcher:
        """What finds the prompt skills a message triggers; the same one for as long as no trigger changes."""
        return _matcher_of(tuple((name, served.skill.triggers) for name, served in self.prompts.items()))

    @cached_property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """Pages that wait for the key or name another one is served under, lower ids first."""
        found: list[Duplicate] = []
        for page in self._in_order:
            for kind, key, served in self._answering(page):
                if served != page.page_id:
                    found.append(Duplicate(kind=kind, key=key, served=served, shadowed=page.page_id))
        return tuple(found)

    @cached_property
    def broken(self) -> tuple[tuple[HeldPage, BrokenReading], ...]:
        """Pages that are meant as a skill and cannot be read as one, lower ids first."""
        return tuple((page, reading) for page in self._in_order for reading in page.readings.broken())

    def names_of(self, page_id: int) -> tuple[tuple[Kind, str], ...]:
        """The keys and names a page is served under, each with its dialect."""
        page = self.pages.get(page_id)
        if page is None:
            return ()
        return tuple((kind, key) for kind, key, served in self._answering(page) if served == page_id)

    def prepare(self) -> None:
        """Derive what requests ask, so that the thread which installs the registry pays for it and no request does."""
        self.by_key, self.prompts, self.folders, self.matcher  # noqa: B018
        self._by_tool, self._by_server  # noqa: B018

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
    def _in_order(self) -> tuple[HeldPage, ...]:
        """The pages by id: of two that declare one name, the first is served."""
        return tuple(page for _, page in sorted(self.pages.items()))

    def _answering(self, page: HeldPage) -> Iterator[tuple[Kind, str, int]]:
        """Each key or name a page declares, with the page that is served under it."""
        readings = page.readings
        if isinstance(readings.tool, ToolSkill):
            yield Kind.TOOL_SKILL, readings.tool.key, self.by_key[readings.tool.key].page_id
        if isinstance(readings.prompt, PromptSkill):
            yield Kind.PROMPT_SKILL, readings.prompt.name, self.prompts[readings.prompt.name].page.page_id
        if isinstance(readings.folder, Accepted):
            name = readings.folder.skill.name
            yield Kind.AGENT_SKILL, name, self.folders[name].page.page_id

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
    text = page.body.encode("utf-8", "surrogatepass")
    digest, in_folder = hashlib.sha256(text).hexdigest(), FOLDER_LABEL in page.labels
    unchanged = before is not None and before.digest == digest and before.in_folder is in_folder
    return HeldPage(
        page_id=page.id,
        version=page.version,
        title=page.title,
        digest=digest,
        size=len(text),
        in_folder=in_folder,
        readings=before.readings if before is not None and unchanged else read_dialects(page.body, in_folder=in_folder),
    )


def _sorted(declared: Iterable[tuple[str, Served]]) -> Mapping[str, Served]:
    """Whoever comes first under a name, in order of the names."""
    found: dict[str, Served] = {}
    for name, served in declared:
        found.setdefault(name, served)
    return MappingProxyType({name: found[name] for name in sorted(found)})


@lru_cache(maxsize=2)
def _matcher_of(triggers: tuple[tuple[str, tuple[str, ...]], ...]) -> Matcher:
    return Matcher(triggers)
