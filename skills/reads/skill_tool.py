"""The skill tool as the server offers it: folders the company document names, before the library.

A root of the document goes before the library as an earlier root goes before a later one, so that a project can put a
skill of its own in place of the shared one; the catalogue entry says what it shadows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.chart import Company, SkillGates
from company.rules.permissions import require_app
from knowledge.reads.sources import folder_files, source_page
from skills import registry
from skills.budget import Catalogue
from skills.folders import (
    Accepted,
    Discovery,
    FilesystemSkillRegistry,
    LoadedSkill,
    Policy,
    SkillEntry,
    SkillRegistry,
    Unreadable,
    Untrusted,
    catalogue,
    check_text,
    resources,
)
from skills.folders.callback import HttpHook
from skills.folders.registry import Memo, same_front_matter
from skills.registry import ServedFolder

_seen: Memo = {}
"""What this process found in the folders, so that a call reads only what has changed since the last one."""


def directory_of(name: str) -> str:
    """Where a skill of the library is found: the address that answers its files."""
    return f"/api/v1/library/{name}"


@dataclass(frozen=True, kw_only=True)
class LibraryRegistry:
    """The library as the skill tool sees it: discovered from memory, loaded from its page."""

    root_index: int = 0

    @property
    def roots(self) -> tuple[Path, ...]:
        """None: nothing here lies on a disk."""
        return ()

    def discover(self) -> Discovery:
        """Every agent skill the registry serves."""
        return Discovery.of(entries=list(self.entries()))

    def entries(self) -> Iterator[SkillEntry]:
        """The entries by name."""
        for name, served in registry.current().folders.items():
            yield SkillEntry(skill=served.skill, dir=directory_of(name), root_index=self.root_index)

    def load(self, entry: SkillEntry) -> LoadedSkill | Unreadable:
        """A skill with its body as its page has it now; one whose front matter has changed meanwhile is not served."""
        served = registry.current().folders.get(entry.name)
        skill = body_of(served) if served is not None else None
        if skill is None or not same_front_matter(skill.skill, entry.skill):
            return Unreadable(detail="its page changed at this moment; call again")
        return skill


def body_of(served: ServedFolder) -> LoadedSkill | None:
    """A skill of the library with its body and resources; None where its page no longer is that skill."""
    page = source_page(served.page.page_id)
    if page is None or not page.published or page.container != live.current().skills_container:
        return None
    checked = check_text(page.body, folder=served.skill.name)
    if not isinstance(checked, Accepted):
        return None
    paths = [file.path for file in folder_files([page.id]).get(page.id, ())]
    return LoadedSkill(skill=checked.skill, resources=resources.of_names(paths))


class ServedRegistry:
    """The document's roots, then the library."""

    def __init__(self, gates: SkillGates) -> None:
        paths = [_path(root.path) for root in gates.roots]
        self._problems = tuple(
            f"The skill root '{path}' is no absolute folder." for path in paths if not path.is_absolute()
        )
        self._folders = FilesystemSkillRegistry([path for path in paths if path.is_absolute()], memo=_seen)
        self._library = LibraryRegistry(root_index=len(self._folders.roots))

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders on this machine."""
        return self._folders.roots

    def discover(self) -> Discovery:
        """Every skill of both, the folders' before the library's."""
        found = self._folders.discover()
        return Discovery.of(
            entries=[*found.entries, *self._library.entries()],
            broken=found.broken,
            root_problems=(*self._problems, *found.root_problems),
        )

    def load(self, entry: SkillEntry) -> LoadedSkill | Unreadable:
        """One skill from wherever it lies."""
        return self._library.load(entry) if entry.root is None else self._folders.load(entry)


@dataclass(frozen=True, kw_only=True)
class ServedTool:
    """What one call of the tool is judged by: the skills there are at this moment, and what stands before them."""

    registry: SkillRegistry
    discovery: Discovery
    policy: Policy


def served_tool(company: Company) -> ServedTool:
    """The tool in a company. Reads the folders; no query."""
    served = ServedRegistry(company.skill_gates)
    return ServedTool(registry=served, discovery=served.discover(), policy=policy_of(company.skill_gates))


def policy_of(gates: SkillGates) -> Policy:
    """What the document lets skills do."""
    return Policy(
        hook=HttpHook(url=gates.hook.url, secret=gates.hook.secret) if gates.hook is not None else None,
        unsafe_allow_skill_without_hook=gates.allow_without_hook,
        trusted_roots=tuple(path for root in gates.roots if root.trusted and (path := _path(root.path)).is_absolute()),
        untrusted_project_skills=Untrusted(gates.untrusted.value),
        sensitive_patterns=gates.sensitive_patterns,
    )


def skill_catalogue(*, actor: Actor) -> str:
    """The skills a model may activate, as it reads them: names and descriptions, never a body."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    return composed_catalogue(live.current()).text


def composed_catalogue(company: Company) -> Catalogue:
    """The same with what the company's budget did to it."""
    return catalogue_of(served_tool(company), company)


def catalogue_of(tool: ServedTool, company: Company) -> Catalogue:
    """The catalogue of one call's tool."""
    entries = catalogue.listed(tool.discovery, registry=tool.registry, policy=tool.policy)
    return catalogue.compose(entries, limit=company.catalogue_budget_bytes)


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # `~somebody` whom this machine does not know: no absolute folder, and said so
        return Path(text)
