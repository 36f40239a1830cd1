"""The company as every rule and read sees it: an immutable picture of one activated revision.

Owns seats, units, spaces, projects, servers and the questions asked of them. Built by
`company.rules.document.build_company`. Of secrets it holds the one that signs questions to the skill hook and the key
of the embeddings provider, hidden from reprs; the resolved skill variables are public by design.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Literal

from company.rules.actors import ActorKind, Permission


class Backend(StrEnum):
    """Where the company's knowledge lives."""

    NATIVE = "native"
    CONFLUENCE = "confluence"
    NONE = "none"


class SpaceKind(StrEnum):
    """Why a container exists."""

    UNIT = "unit"
    SEAT = "seat"
    ROOT = "root"
    SKILLS = "skills"


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A place in the company that a person or an agent holds.

    `servers` are the MCP servers whose tools reach the seat: every shared one for an agent, and those declared
    under `mcp_env` of the seat or of a unit above it.
    """

    name: str
    handle: str
    kind: ActorKind
    email: str = ""
    unit: str | None = None
    space: str | None = None
    project: str | None = None
    permissions: frozenset[Permission] = field(default_factory=frozenset)
    servers: frozenset[str] = field(default_factory=frozenset)
    sandbox: bool = False


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A part of the company: who leads it (a seat's handle), its space and project, and the unit above."""

    key: str
    name: str
    type: str = ""
    purpose: str = ""
    lead: str | None = None
    space: str | None = None
    project: str | None = None
    parent: str | None = None


@dataclass(frozen=True, kw_only=True)
class Space:
    """A declared container of pages. `led_by` is the handle of the seat that leads it, if any."""

    key: str
    name: str
    purpose: str
    kind: SpaceKind
    led_by: str | None = None

    @property
    def reserved(self) -> bool:
        """Whether agents are held back from it (the company's root and the skills container)."""
        return self.kind in (SpaceKind.ROOT, SpaceKind.SKILLS)


@dataclass(frozen=True, kw_only=True)
class Project:
    """A declared place for work items: a unit's or a seat's own. `led_by` is the seat that leads it, if any."""

    key: str
    name: str
    purpose: str
    kind: SpaceKind
    led_by: str | None = None


@dataclass(frozen=True, kw_only=True)
class Server:
    """An MCP server. `tools` are the names it serves, where the document knows them."""

    name: str
    shared: bool = True
    tools: tuple[str, ...] = ()


class UntrustedSkills(StrEnum):
    """What happens to a skill of a folder that is not trusted, where nobody is asked."""

    HOOK_REQUIRED = "hook_required"
    WARN = "warn"
    ALLOW = "allow"


@dataclass(frozen=True, kw_only=True)
class SkillRoot:
    """A folder of skills on the server."""

    path: str
    trusted: bool = False


@dataclass(frozen=True, kw_only=True)
class SkillHook:
    """Who is asked before a skill activates. The secret signs the question and never shows in a repr."""

    url: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class SkillGates:
    """The skill tool's folders, the earlier ones first, and what stands before an activation."""

    roots: tuple[SkillRoot, ...] = ()
    untrusted: UntrustedSkills = UntrustedSkills.HOOK_REQUIRED
    allow_without_hook: bool = False
    sensitive_patterns: tuple[str, ...] = ("**/.env/**", "**/secrets/**")
    hook: SkillHook | None = None


@dataclass(frozen=True, kw_only=True)
class ProviderSettings:
    """The document's `providers.embeddings`, its references resolved. The key never shows in a repr."""

    type: Literal["local", "openai"] = "local"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    max_input_tokens: int | None = None
    max_batch_tokens: int | None = None
    max_batch_inputs: int | None = None


@dataclass(frozen=True, kw_only=True)
class Company:
    """One activated revision. `revision` is 0 and everything empty before the first document."""

    revision: int = 0
    activated_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    name: str = ""
    mission: str = ""
    vision: str = ""
    policies: tuple[str, ...] = ()
    timezone: str = "UTC"
    backend: Backend = Backend.NATIVE
    scope: tuple[str, ...] = ()
    skills_container: str | None = "TS"
    root_space: str | None = None
    vectors: bool = False
    embeddings: ProviderSettings | None = None
    skills_review: bool = False
    catalogue_budget_bytes: int = 0
    skill_gates: SkillGates = field(default_factory=SkillGates)
    dashboard_base_url: str = ""
    skill_variables: dict[str, str] = field(default_factory=dict)
    seats: tuple[Seat, ...] = ()
    units: tuple[Unit, ...] = ()
    spaces: tuple[Space, ...] = ()
    servers: tuple[Server, ...] = ()

    @cached_property
    def seat_by_handle(self) -> dict[str, Seat]:
        """Seats by handle."""
        return {seat.handle: seat for seat in self.seats}

    @cached_property
    def handles(self) -> frozenset[str]:
        """The handles of all seats."""
        return frozenset(self.seat_by_handle)

    @cached_property
    def unit_by_key(self) -> dict[str, Unit]:
        """Units by key."""
        return {unit.key: unit for unit in self.units}

    @cached_property
    def space_by_key(self) -> dict[str, Space]:
        """Declared spaces by key."""
        return {space.key: space for space in self.spaces}

    @cached_property
    def projects(self) -> tuple[Project, ...]:
        """The declared projects: those of units, then those of seats, in the document's order."""
        of_units = (
            Project(key=unit.project, name=unit.name, purpose=unit.purpose, kind=SpaceKind.UNIT, led_by=unit.lead)
            for unit in self.units
            if unit.project
        )
        of_seats = (
            Project(key=seat.project, name=seat.name, purpose="", kind=SpaceKind.SEAT, led_by=seat.handle)
            for seat in self.seats
            if seat.project
        )
        return (*of_units, *of_seats)

    @cached_property
    def project_by_key(self) -> dict[str, Project]:
        """Declared projects by key."""
        return {project.key: project for project in self.projects}

    @cached_property
    def server_by_name(self) -> dict[str, Server]:
        """Servers by name."""
        return {server.name: server for server in self.servers}

    @cached_property
    def servers_by_tool(self) -> dict[str, tuple[str, ...]]:
        """The declared servers that list a tool, by the tool's name, in the document's order."""
        found: dict[str, tuple[str, ...]] = {}
        for server in self.servers:
            for tool in server.tools:
                found[tool] = (*found.get(tool, ()), server.name)
        return found

    def home_of(self, handle: str | None) -> str | None:
        """The space a page without a container lands in: the seat's own, else the nearest unit's above it."""
        seat = self.seat_by_handle.get(handle or "")
        if seat is None:
            return None
        if seat.space:
            return seat.space
        for unit in self.units_above(seat):
            if unit.space:
                return unit.space
        return None

    def units_above(self, seat: Seat) -> tuple[Unit, ...]:
        """The seat's unit and those above it, innermost first."""
        chain: list[Unit] = []
        key = seat.unit
        while key is not None:
            unit = self.unit_by_key[key]
            chain.append(unit)
            key = unit.parent
        return tuple(chain)

    def project_of(self, handle: str | None) -> str | None:
        """The project a seat files in when it names none: its own, else the nearest unit's above it."""
        seat = self.seat_by_handle.get(handle or "")
        if seat is None:
            return None
        if seat.project:
            return seat.project
        return next((unit.project for unit in self.units_above(seat) if unit.project), None)

    def leads_project(self, handle: str | None, project: str) -> bool:
        """Whether the seat `handle` leads a project: its unit's lead does, and a seat its own."""
        found = self.project_by_key.get(project)
        return handle is not None and found is not None and found.led_by == handle

    def leads(self, handle: str | None, container: str) -> bool:
        """Whether the seat `handle` leads a container: its unit's lead does, and a seat its own space."""
        space = self.space_by_key.get(container)
        return handle is not None and space is not None and space.led_by == handle


NO_COMPANY = Company()
