"""Texts of skill pages for tests, and a source of pages that needs no database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from skills.registry import PageText
from skills.tool_skills.rules.documents import ToolSkill, Undecodable
from skills.tool_skills.rules.parser import read_page


def skill_text(
    key: str = "mcp:github",
    *,
    trigger: str = "{mcp_server: github}",
    phases: str = "[execute, subagent]",
    title: str = "Working with GitHub",
    summary: str = "Open small pull requests and link the work item.",
    required: str | None = None,
    body: str = "Keep a pull request small.\n",
    more: str = "",
) -> str:
    """The text of a tool skill; every part can be replaced by what is to be tried."""
    lines = [f"key: {key}", f"trigger: {trigger}", f"phases: {phases}", f"title: {title}", f"summary: {summary}"]
    if required is not None:
        lines.append(f"required: {required}")
    return "---\n" + "\n".join(lines) + f"\n{more}---\n\n{body}"


def skill_of(text: str) -> ToolSkill:
    """The skill a text is; fails where it is none."""
    verdict = read_page(text)
    assert isinstance(verdict, ToolSkill), verdict
    return verdict


def broken_of(text: str) -> Undecodable:
    """What is wrong with a text that declares a trigger; fails where nothing is."""
    verdict = read_page(text)
    assert isinstance(verdict, Undecodable), verdict
    return verdict


@dataclass(frozen=True, kw_only=True)
class APage:
    """A page as a backend would answer it."""

    id: int
    body: str
    container: str = "TS"
    version: int = 1
    title: str = "A page"
    published: bool = True
    labels: tuple[str, ...] = ()


@dataclass(kw_only=True)
class PagesInMemory:
    """A backend that holds its pages in a dict, counts what it is asked and fails on demand."""

    container: str = "TS"
    held: dict[int, APage] = field(default_factory=dict)
    failing: bool = False
    walks: int = 0
    reads: int = 0

    def put(self, *pages: APage) -> None:
        self.held.update({page.id: page for page in pages})

    def pages(self) -> Iterable[PageText]:
        self.walks += 1
        for page in self.held.values():
            if page.container == self.container:
                yield page
        if self.failing:  # late, as a backend that breaks off in the middle of a listing does
            raise ConnectionError("the wiki is away")

    def page(self, page_id: int) -> PageText | None:
        self.reads += 1
        if self.failing:
            raise ConnectionError("the wiki is away")
        return self.held.get(page_id)
