"""Fills an empty deployment with Harbour, the example company, through the same writes everybody uses.

Owns the reading of `examples/`: the document, the tool skills, and a tree of pages whose first folder is the container,
whose deeper folders are parent pages, and whose first `# heading` is the title. Links from file to file become links by
page id. Refuses nothing: an example that does not load is a fault of ours, and raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.db import transaction

from company import live
from company.models.records import AuditEntry
from company.reads.revisions import latest_id
from company.rules.actors import engine_actor
from company.rules.refusals import Code, Refused
from company.writes.document import apply_document
from company.writes.ledger import Target, record
from crewlet_site.environment import ROOT
from knowledge.reads.pages import page_at
from knowledge.reads.shapes import PageView
from knowledge.writes.pages import create_page, save_page
from skills.tool_skills.rules.documents import ToolSkill
from skills.tool_skills.rules.parser import read_page

EXAMPLES = ROOT / "examples"
ACTOR = engine_actor("example")
_BEGUN, _LOADED = "example.begun", "example.loaded"

_TITLE = re.compile(r"\A# (.+)\n+")
_LINK_TO_FILE = re.compile(r"\]\(((?:\.\./)*[\w./-]+(?:\.md|/))\)")


def is_wanted() -> bool:
    """Whether the example is to be loaded: nothing was ever applied here, or a load of it was interrupted."""
    if not latest_id():
        return True
    verbs = set(AuditEntry.objects.filter(verb__in=(_BEGUN, _LOADED)).values_list("verb", flat=True))
    return verbs == {_BEGUN}


def load_example(*, progress: Callable[[str], None] = lambda _: None) -> None:
    """Apply the document, publish the skills, create the pages; `progress` is told each step in words.

    What is there already stays as it is, so that this may be called again.
    """
    if not latest_id():
        with transaction.atomic():
            _note(_BEGUN)
            apply_document(
                actor=ACTOR,
                source=(EXAMPLES / "company.yaml").read_text(encoding="utf-8"),
                summary="Harbour, the example company",
            )
        progress("Harbour, the example company, is in force.")
    else:
        live.current_for_write()
    _load_skills(progress)
    _load_pages(progress)
    with transaction.atomic():
        _note(_LOADED)


def _note(verb: str) -> None:
    record(actor=ACTOR, verb=verb, target=Target(kind="example", id="harbour"))


def _load_pages(progress: Callable[[str], None]) -> None:
    """Create the pages that are not there. A page that links to one that came after it is saved once more."""
    pages = read_pages()
    there = {page.path: view for page in pages if (view := _at(page.container, page.title)) is not None}
    for page in pages:
        if page.path not in there:
            there[page.path] = create_page(
                actor=ACTOR,
                container=page.container,
                title=page.title,
                body=with_links(page, _ids(there)),
                parent_id=there[page.parent].id if page.parent is not None else None,
            )
    for page in pages:
        view = there[page.path]
        if view.version == 1 and _LINK_TO_FILE.search(view.body):
            save_page(
                actor=ACTOR,
                page_id=view.id,
                base_version=view.version,
                body=with_links(page, _ids(there)),
                message="Links to the pages made since",
            )
    progress(f"{len(pages)} pages are in their spaces.")


def _ids(views: Mapping[PurePosixPath, PageView]) -> dict[PurePosixPath, int]:
    return {path: view.id for path, view in views.items()}


def _load_skills(progress: Callable[[str], None]) -> None:
    """Publish the skills whose pages are not there, each under its own title."""
    container = live.current().skills_container
    if container is None:  # the document was changed before the example was whole
        return
    files = sorted((EXAMPLES / "tool-skills").glob("*.md"))
    for file in files:
        text = file.read_text(encoding="utf-8")
        skill = read_page(text)
        if not isinstance(skill, ToolSkill):
            raise TypeError(f"{file} holds no tool skill")
        if _at(container, skill.title) is None:
            create_page(actor=ACTOR, container=container, title=skill.title, body=text)
    progress(f"{len(files)} tool skills are published.")


def _at(container: str, title: str) -> PageView | None:
    """The page of that address, if there is one."""
    try:
        found = page_at(actor=ACTOR, container=container, title=title)
    except Refused as refused:
        if refused.problems[0].code is Code.NOT_FOUND:
            return None
        raise
    return found if isinstance(found, PageView) else None


@dataclass(frozen=True, kw_only=True)
class ExamplePage:
    """A page as `examples/pages` has it. `path` names it within the tree; `parent` is the path of the page above."""

    path: PurePosixPath
    container: str
    title: str
    body: str
    parent: PurePosixPath | None


def read_pages(root: Path = EXAMPLES / "pages") -> list[ExamplePage]:
    """Every page under `root`, parents before children; a folder without a page of its own name is an empty page."""
    pages: list[ExamplePage] = []
    for path in sorted(root.rglob("*")):
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if len(relative.parts) == 1 or (path.is_file() and path.suffix != ".md"):
            continue
        if path.is_dir():
            if path.with_suffix(".md").exists():
                continue
            title, body = relative.name.replace("-", " ").capitalize(), ""
        else:
            title, body = _titled(path)
        pages.append(
            ExamplePage(
                path=relative.with_suffix(""),
                container=relative.parts[0],
                title=title,
                body=body,
                parent=relative.parent if len(relative.parts) > 2 else None,
            )
        )
    return sorted(pages, key=lambda page: (page.path.parts[0] != "HOME", len(page.path.parts), page.path))


def _titled(path: Path) -> tuple[str, str]:
    """Title and body of a file; the heading that is the title is not said twice. Raises ValueError without one."""
    text = path.read_text(encoding="utf-8")
    heading = _TITLE.match(text)
    if heading is None:
        raise ValueError(f"{path} has no '# title' on its first line")
    return heading[1].strip(), text[heading.end() :]


def with_links(page: ExamplePage, ids: Mapping[PurePosixPath, int]) -> str:
    """The body with every link to a file or folder of the tree turned into a link to that page, where it has an id."""

    def by_id(link: re.Match[str]) -> str:
        target = _within(page.path.parent, link[1])
        return f"](/knowledge/pages/{ids[target]})" if target in ids else link[0]

    return _LINK_TO_FILE.sub(by_id, page.body)


def _within(folder: PurePosixPath, link: str) -> PurePosixPath:
    """The path in the tree that a relative link written in `folder` leads to."""
    parts = list(folder.parts)
    for part in PurePosixPath(link).with_suffix("").parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return PurePosixPath(*parts)
