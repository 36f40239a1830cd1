"""Reading pages: levels of an outline, counts that keep their word, and nothing a reader may not see."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.writes.document import apply_document
from knowledge.models import Container, Page, PageStatus
from knowledge.reads.containers import get_container, list_containers
from knowledge.reads.pages import get_page, list_pages, list_revisions, open_branch, page_at
from knowledge.reads.shapes import PageRow
from knowledge.reads.sources import pages_of, source_page
from knowledge.reads.visibility import with_status
from knowledge.rules.authority import ground_of, may_see, standing_of
from knowledge.writes.containers import sync_containers
from knowledge.writes.pages import move_page, rename_page, save_page, trash_page
from knowledge.writes.pages.holding import author_of
from tests.factories import HARBOUR, admin, agent, human, install_company
from tests.knowledge.pages import page, window

pytestmark = pytest.mark.usefixtures("harbour")


def walk(limit: int, **asked: object) -> list[PageRow]:
    """Every row of a listing, window by window."""
    rows: list[PageRow] = []
    after = None
    while True:
        listing = list_pages(actor=agent(), window=window(limit, after), **asked)  # type: ignore[arg-type]
        rows += listing.results
        after = listing.after
        if after is None:
            assert listing.total == len(rows)
            return rows


@pytest.mark.covers("OU-01")
@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_windows_of_any_size_show_every_page_once_in_order(limit: int) -> None:
    parent = page("Zebra")
    titles = ["beta", "Alpha", "gamma", "Delta"]
    for title in titles:
        page(title, parent_id=parent.id)
    page("Elsewhere", container="PROD")
    found = [row.title for row in walk(limit, parent=parent.id)]
    assert found == ["Alpha", "beta", "Delta", "gamma"]
    assert [row.container for row in walk(limit)] == ["ENG"] * 5 + ["PROD"]
    assert [row.title for row in walk(limit, container="ENG", roots=True)] == ["Zebra"]


@pytest.mark.covers("OU-01")
def test_a_page_created_between_two_windows_moves_nobody() -> None:
    for title in ("A", "C", "E", "G"):
        page(title)
    first = list_pages(actor=agent(), window=window(2), container="ENG", roots=True)
    page("B")
    page("F")
    rest = list_pages(actor=agent(), window=window(10, first.after), container="ENG", roots=True)
    assert [row.title for row in first.results] == ["A", "C"]
    assert [row.title for row in rest.results] == ["E", "F", "G"]


@pytest.mark.covers("OU-02")
def test_a_row_counts_the_children_the_same_listing_would_show() -> None:
    parent = page("Parent")
    kept, fallen = page("Kept", parent_id=parent.id, labels=["ops"]), page("Fallen", parent_id=parent.id)
    page("Draft", parent_id=parent.id, status=PageStatus.DRAFT)
    trash_page(actor=agent(), page_id=fallen.id)

    def counted(actor: Actor, **asked: object) -> tuple[int, int]:
        row = next(
            row
            for row in list_pages(actor=actor, window=window(), container="ENG").results
            if row.id == parent.id
        )  # fmt: skip
        return row.children, list_pages(actor=actor, window=window(), parent=parent.id).total

    assert counted(agent()) == (2, 2)
    assert counted(human()) == (1, 1)
    assert get_page(actor=human(), page_id=parent.id).children == 1
    labelled = list_pages(actor=agent(), window=window(), parent=parent.id, label="ops")
    assert [row.id for row in labelled.results] == [kept.id]
    trash_page(actor=agent(), page_id=kept.id)
    assert counted(human()) == (0, 0)


@pytest.mark.covers("OU-03")
def test_a_level_costs_the_same_queries_whatever_it_holds() -> None:
    parent = page("Parent")

    def queries(**asked: object) -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            list_pages(actor=human(), window=window(), **asked)  # type: ignore[arg-type]
        return len(captured)

    levels = ({"container": "ENG", "roots": True}, {"parent": parent.id}, {"container": "ENG"}, {"label": "ops"})
    small = [queries(**level) for level in levels]
    for number in range(30):
        above = page(f"Page {number}", parent_id=parent.id, labels=["ops"])
        page(f"Leaf {number}", parent_id=above.id)
    assert [queries(**level) for level in levels] == [2, 3, 3, 3]
    assert max(small) <= 3


@pytest.mark.covers("OU-03")
def test_a_deep_link_opens_the_branch_down_to_its_page() -> None:
    way = [page("Level 0")]
    for depth in range(1, 40):
        way.append(page(f"Level {depth}", parent_id=way[-1].id))
    branch = open_branch(actor=human(), page_id=way[-1].id)
    assert (branch.container, branch.ids) == ("ENG", tuple(step.id for step in way))
    with CaptureQueriesContext(connection) as captured:
        deep = get_page(actor=human(), page_id=way[-1].id)
    assert [above.title for above in deep.ancestors] == [f"Level {depth}" for depth in range(39)]
    assert len(captured) == 2


@pytest.mark.covers("PG-10")
def test_a_page_is_a_folder_while_its_body_is_empty() -> None:
    made = page(body="")
    assert made.is_folder
    assert list_pages(actor=agent(), window=window()).results[0].is_folder
    assert not save_page(actor=agent(), page_id=made.id, base_version=1, body="Text").is_folder
    assert save_page(actor=agent(), page_id=made.id, base_version=2, body="").is_folder


def test_an_ancestor_that_is_somebodys_draft_is_not_shown_to_others() -> None:
    draft = page("Secret plan", status=PageStatus.DRAFT)
    child = page("Child", parent_id=draft.id)
    assert [above.title for above in get_page(actor=agent(), page_id=child.id).ancestors] == ["Secret plan"]
    assert get_page(actor=human(), page_id=child.id).ancestors == ()
    rows = list_pages(actor=human(), window=window(), container="ENG").results
    assert [(row.title, row.ancestors) for row in rows] == [("Child", ())]
    with pytest.raises(Refused) as caught:
        list_pages(actor=human(), window=window(), parent=draft.id)
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.covers("PG-12")
def test_the_condition_on_a_queryset_and_the_rule_agree_about_every_page_and_reader() -> None:
    authors = [(agent(), "ENG"), (human(), "ADA"), (human(), "ENG"), (admin(), "TS"), (agent(), "PROD")]
    for number, ((author, container), status, fallen) in enumerate(
        itertools.product(authors, (PageStatus.DRAFT, PageStatus.PUBLISHED), (True, False))
    ):
        made = page(f"Page {number}", by=author, container=container, status=status)
        if fallen:
            trash_page(actor=author, page_id=made.id)
    readers = [agent(), agent("lead-bot"), agent("product-bot"), human(), admin(), human("root")]
    for reader in readers:
        for asked in (None, *PageStatus):
            shown = set(
                Page.objects.filter(with_status(asked, actor=reader, company=HARBOUR)).values_list("pk", flat=True)
            )
            expected = {
                found.pk
                for found in Page.objects.all()
                if (found.status == asked if asked else found.status != PageStatus.TRASHED)
                and may_see(
                    actor=reader,
                    ground=ground_of(HARBOUR, found.container),
                    standing=standing_of(
                        actor=reader, company=HARBOUR, container=found.container, author=author_of(found)
                    ),
                    draft=found.status == PageStatus.DRAFT,
                    trashed=found.status == PageStatus.TRASHED,
                )
            }
            assert shown == expected, (reader.author.name, asked)


def test_a_former_address_of_a_page_one_may_not_see_is_not_found() -> None:
    made = page("Old name")
    rename_page(actor=agent(), page_id=made.id, title="New name")
    trash_page(actor=agent(), page_id=made.id)
    for reader in (agent(), human()):
        with pytest.raises(Refused) as caught:
            page_at(actor=reader, container="ENG", title="Old name")
        assert caught.value.code is Code.NOT_FOUND


def test_the_filters_of_a_listing_narrow_together() -> None:
    made = page("Runbook", labels=["ops", "prod"])
    page("Other", labels=["ops"])
    page("Runbook", container="PROD", labels=["ops"])
    found = list_pages(actor=agent(), window=window(), container="ENG", label="ops", title="RUNBOOK ")
    assert [row.id for row in found.results] == [made.id]
    assert list_pages(actor=agent(), window=window(), container="NOPE").total == 0


def test_revisions_are_read_in_windows_newest_first() -> None:
    made = page(body="0")
    for number in range(1, 5):
        save_page(actor=agent(), page_id=made.id, base_version=number, body=str(number))
    first = list_revisions(actor=human(), page_id=made.id, window=parse_window("2", None, width=1))
    rest = list_revisions(actor=human(), page_id=made.id, window=parse_window("9", first.after, width=1))
    assert [row.version for row in (*first.results, *rest.results)] == [5, 4, 3, 2, 1]
    assert (first.total, rest.after) == (5, None)


def test_the_engine_reads_the_living_pages_of_a_container_and_any_page_by_id() -> None:
    made, draft = page("One"), page("Two", status=PageStatus.DRAFT)
    gone = page("Three")
    trash_page(actor=agent(), page_id=gone.id)
    page("There", container="PROD")
    assert [(source.id, source.published) for source in pages_of("ENG")] == [(made.id, True), (draft.id, False)]
    source = source_page(made.id)
    assert source is not None
    assert (source.body, source.version, source.container) == ("Ship it.", 1, "ENG")
    trashed = source_page(gone.id)
    assert trashed is not None
    assert not trashed.published
    assert source_page(10**12) is None


@pytest.mark.covers("CO-05")
def test_containers_are_written_once_and_follow_the_revision_activated_last(harbour: object) -> None:
    company = live.current()
    sync_containers(company)
    assert sorted(Container.objects.values_list("key", flat=True)) == ["ADA", "ENG", "HOME", "PROD", "TS"]
    with CaptureQueriesContext(connection) as captured:
        sync_containers(company)
    assert not [query for query in captured if query["sql"].startswith(("INSERT", "UPDATE"))]
    spaces = tuple(replace(space, name="Platform") if space.key == "ENG" else space for space in company.spaces)
    earlier = replace(company, spaces=spaces, activated_at=company.activated_at - timedelta(hours=1))
    sync_containers(earlier)
    assert get_container(actor=agent(), key="ENG").name == "Engineering"
    sync_containers(replace(earlier, activated_at=company.activated_at + timedelta(hours=1)))
    assert get_container(actor=agent(), key="ENG").name == "Platform"


@pytest.mark.covers("CO-05")
def test_an_apply_of_the_document_writes_its_containers() -> None:
    source = "name: Harbour\nknowledge: {root_space: HOME}\nunits: [{name: Quay, space: QUAY, purpose: Moors boats}]\n"
    apply_document(actor=admin(), source=source, if_match=live.current().revision)
    quay = get_container(actor=admin(), key="QUAY")
    assert (quay.name, quay.purpose, quay.kind) == ("Quay", "Moors boats", "unit")
    assert list(Container.objects.values_list("key", flat=True)) == ["HOME", "QUAY", "TS"]


@pytest.mark.covers("CO-05")
def test_a_space_that_is_no_longer_declared_stays_listed_while_it_holds_pages() -> None:
    sync_containers(live.current())
    page()
    install_company(replace(HARBOUR, spaces=tuple(space for space in HARBOUR.spaces if space.key == "HOME")))
    assert [row.key for row in list_containers(actor=agent())] == ["ENG", "HOME"]
    with pytest.raises(Refused) as caught:
        page("Another")
    assert caught.value.code is Code.UNKNOWN_CONTAINER


def test_a_container_counts_the_pages_its_reader_sees() -> None:
    sync_containers(live.current())
    page("Published")
    page("Draft", status=PageStatus.DRAFT)
    fallen = page("Fallen")
    trash_page(actor=agent(), page_id=fallen.id)
    assert get_container(actor=agent(), key="ENG").pages == 2
    assert get_container(actor=human(), key="ENG").pages == 1
    with CaptureQueriesContext(connection) as captured:
        list_containers(actor=human())
    assert len(captured) == 2


def test_a_page_moved_below_another_shows_its_trail_in_every_listing() -> None:
    top, below = page("Top"), page("Below")
    move_page(actor=agent(), page_id=below.id, parent_id=top.id)
    rows = list_pages(actor=agent(), window=window(), title="below").results
    assert [(above.id, above.title) for above in rows[0].ancestors] == [(top.id, "Top")]
