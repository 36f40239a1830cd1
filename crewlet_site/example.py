"""Fills an empty deployment with Harbour, the example company, through the same writes everybody uses.

The document first, then the tool skills, the pages, whose links from file to file become links by page id, and the
items. A load that was interrupted goes on where it stopped: two audit entries say where it began and ended. Refuses
nothing: an example that does not load is a fault of ours, and raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from django.db import transaction

from company import live
from company.models.records import AuditEntry
from company.models.revisions import Revision
from company.reads.revisions import latest_id
from company.rules.actors import engine_actor
from company.rules.refusals import Code, Refused
from company.writes.document import apply_document
from company.writes.ledger import Target, record
from crewlet_site.example_pages import EXAMPLES, LINK_TO_FILE, read_pages, with_links
from knowledge.reads.pages import page_at
from knowledge.reads.shapes import PageView
from knowledge.writes.pages import create_page, save_page
from skills.tool_skills.rules.documents import ToolSkill
from skills.tool_skills.rules.parser import read_page
from skills.writes.publishing import held_now, page_with_key, publish_skill
from tracker.writes.importing import import_items

ACTOR = engine_actor("crewlet")
_BEGUN, _LOADED = "example.begun", "example.loaded"


def is_wanted() -> bool:
    """Whether the example is to be loaded: nothing was ever applied here, or a load of it was interrupted.

    Once somebody has applied a document of their own, it is not.
    """
    newest = Revision.objects.order_by("-pk").values_list("credential", flat=True).first()
    if newest is None:
        return True
    verbs = set(AuditEntry.objects.filter(verb__in=(_BEGUN, _LOADED)).values_list("verb", flat=True))
    return newest == ACTOR.credential and verbs == {_BEGUN}


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
    _load_items(progress)
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
        if view.version == 1 and LINK_TO_FILE.search(view.body):
            save_page(
                actor=ACTOR,
                page_id=view.id,
                base_version=view.version,
                body=with_links(page, _ids(there)),
                message="Links to the pages made since",
            )
    progress(f"{len(pages)} pages are in their spaces.")


def _load_items(progress: Callable[[str], None]) -> None:
    """File the items that are not there, each project's from its file; an import knows its rows again."""
    filed = 0
    for file in sorted((EXAMPLES / "items").glob("*.csv")):
        report = import_items(actor=ACTOR, data=file.read_bytes(), source=f"example/{file.name}", project=file.stem)
        if report.telling:
            raise ValueError(f"{file}:{report.telling[0].line}: {report.telling[0].reason}")
        filed += len(report.lines)
    progress(f"{filed} items are filed in their projects.")


def _ids(views: Mapping[PurePosixPath, PageView]) -> dict[PurePosixPath, int]:
    return {path: view.id for path, view in views.items()}


def _load_skills(progress: Callable[[str], None]) -> None:
    """Publish the skills whose keys no page has."""
    held = held_now()
    files = sorted((EXAMPLES / "tool-skills").glob("*.md"))
    for file in files:
        text = file.read_text(encoding="utf-8")
        skill = read_page(text)
        if not isinstance(skill, ToolSkill):
            raise TypeError(f"{file} holds no tool skill")
        if page_with_key(held, skill.key) is None:
            publish_skill(actor=ACTOR, skill=skill, text=text, held=held)
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
