"""Builds the `Company` that rules and reads see from a validated document. Pure: the environment is handed in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from company.rules.actors import ActorKind, Permission
from company.rules.chart import (
    Backend,
    Company,
    ProviderSettings,
    Seat,
    Server,
    SkillGates,
    SkillHook,
    SkillRoot,
    Space,
    SpaceKind,
    Unit,
    UntrustedSkills,
)
from company.rules.document.checks import DEFAULT_SKILLS_CONTAINER, find_lead
from company.rules.document.outline import seats_of
from company.rules.document.references import resolve_references
from company.rules.document.schema import CompanyDocument, EmbeddingsSection, SeatSection, SkillsSection, UnitSection
from company.rules.document.slugs import slug_of

APPS_OF_AN_AGENT = frozenset({Permission.KNOWLEDGE, Permission.TRACKER})


def build_company(
    document: Mapping[str, Any], *, revision: int, activated_at: datetime, environ: Mapping[str, str]
) -> Company:
    """The company of a stored document, which `parse_document` accepted before.

    `${NAME}` references in what the company shows (skill variables, the dashboard's address, mail addresses) are
    resolved from `environ`; a skill variable that resolves to nothing is dropped, so that a skill shows its reference
    rather than a hole. Of secrets the skill hook's and the embeddings provider's are carried over.
    """
    parsed = CompanyDocument.model_validate(document)
    chart = _Chart(parsed, dict(document), environ)
    confluence = parsed.integrations.confluence is not None
    knowledge = parsed.knowledge
    skills = DEFAULT_SKILLS_CONTAINER if knowledge.skills_container is None else knowledge.skills_container
    return Company(
        revision=revision,
        activated_at=activated_at,
        name=parsed.name,
        mission=parsed.mission,
        vision=parsed.vision,
        policies=tuple(parsed.policies),
        timezone=parsed.timezone,
        backend=Backend(knowledge.backend or ("confluence" if confluence else "native")),
        scope=tuple(dict.fromkeys(knowledge.scope)),
        skills_container=skills or None,
        root_space=knowledge.root_space,
        vectors=parsed.providers.embeddings is not None if knowledge.vectors is None else knowledge.vectors,
        embeddings=_embeddings(parsed.providers.embeddings, environ),
        skills_review=knowledge.skills_review == "required",
        catalogue_budget_bytes=knowledge.catalogue_budget_bytes,
        skill_gates=_skill_gates(parsed.skills, environ),
        dashboard_base_url=resolve_references(parsed.integrations.dashboard_base_url, environ).rstrip("/"),
        skill_variables={
            name: value for name, text in parsed.skill_variables.items() if (value := resolve_references(text, environ))
        },
        seats=tuple(chart.seats),
        units=tuple(chart.units),
        spaces=(
            Space(key=knowledge.root_space, name=parsed.name, purpose=parsed.mission, kind=SpaceKind.ROOT),
            *((_skills_space(skills),) if skills else ()),
            *chart.spaces,
        ),
        servers=tuple(
            Server(name=server.name, shared=server.shared, tools=tuple(dict.fromkeys(server.tools)))
            for server in parsed.mcp_servers
        ),
    )


def _embeddings(section: EmbeddingsSection | None, environ: Mapping[str, str]) -> ProviderSettings | None:
    if section is None:
        return None
    return ProviderSettings(
        type=section.type,
        model=resolve_references(section.model, environ) if section.model else None,
        base_url=resolve_references(section.base_url, environ) if section.base_url else None,
        api_key=resolve_references(section.api_key, environ) if section.api_key else None,
        dimensions=section.dimensions,
        max_input_tokens=section.max_input_tokens,
        max_batch_tokens=section.max_batch_tokens,
        max_batch_inputs=section.max_batch_inputs,
    )


def _skill_gates(section: SkillsSection, environ: Mapping[str, str]) -> SkillGates:
    hook = section.hook
    return SkillGates(
        roots=tuple(
            SkillRoot(path=resolve_references(root.path, environ), trusted=root.trusted) for root in section.roots
        ),
        untrusted=UntrustedSkills(section.untrusted_project_skills),
        allow_without_hook=section.unsafe_allow_skill_without_hook,
        sensitive_patterns=tuple(section.sensitive_patterns),
        hook=SkillHook(url=resolve_references(hook.url, environ), secret=resolve_references(hook.secret, environ))
        if hook is not None
        else None,
    )


def _skills_space(key: str) -> Space:
    return Space(
        key=key,
        name="Tool skills",
        purpose="Instructions that reach every agent's turn. Administrators write them.",
        kind=SpaceKind.SKILLS,
    )


class _Chart:
    """Seats, units and their spaces, gathered on one walk down the units."""

    def __init__(self, parsed: CompanyDocument, document: dict[str, Any], environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.entries = seats_of(document)
        self.shared = frozenset(server.name for server in parsed.mcp_servers if server.shared)
        self.seats: list[Seat] = []
        self.units: list[Unit] = []
        self.spaces: list[Space] = []
        for role in parsed.roles:
            self._add_seat(role, unit=None, declared=frozenset())
        for unit in parsed.units:
            self._add_unit(unit, parent=None, declared=frozenset())

    def _add_unit(self, unit: UnitSection, *, parent: str | None, declared: frozenset[str]) -> None:
        key = unit.key or slug_of(unit.name)
        lead = find_lead(unit.lead, self.entries)[0].handle if unit.lead is not None else None
        self.units.append(
            Unit(
                key=key, name=unit.name, type=unit.type, purpose=unit.purpose, lead=lead,
                space=unit.space, project=unit.project, parent=parent,
            )
        )  # fmt: skip
        if unit.space is not None:
            self.spaces.append(
                Space(key=unit.space, name=unit.name, purpose=unit.purpose, kind=SpaceKind.UNIT, led_by=lead)
            )
        declared |= frozenset(unit.mcp_env)
        for role in unit.roles:
            self._add_seat(role, unit=key, declared=declared)
        for child in unit.children:
            self._add_unit(child, parent=key, declared=declared)

    def _add_seat(self, role: SeatSection, *, unit: str | None, declared: frozenset[str]) -> None:
        kind = ActorKind(role.kind)
        handle = role.handle or slug_of(role.name)
        default = APPS_OF_AN_AGENT if kind is ActorKind.AGENT else frozenset()
        servers = declared | frozenset(role.mcp_env)
        self.seats.append(
            Seat(
                name=role.name, handle=handle, kind=kind, email=resolve_references(role.email, self.environ), unit=unit,
                space=role.space, project=role.project,
                permissions=default if role.permissions is None else frozenset(map(Permission, role.permissions)),
                servers=servers | self.shared if kind is ActorKind.AGENT else servers,
                sandbox=role.sandbox.enabled,
            )
        )  # fmt: skip
        if role.space is not None:
            self.spaces.append(Space(key=role.space, name=role.name, purpose="", kind=SpaceKind.SEAT, led_by=handle))
