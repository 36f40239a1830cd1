"""Moving pages: the tree stays a tree, and a subtree stays together."""

from __future__ import annotations

import pytest

from company.models import AuditEntry, Change, Event
from company.rules.refusals import Code, Refused
from knowledge.models import FormerAddress, Page
from knowledge.reads.pages import get_page, list_pages, page_at
from knowledge.reads.shapes import MovedTo, PageRow
from knowledge.writes.pages import move_page, trash_page
from tests.factories import admin, agent, human
from tests.knowledge.pages import page, row, window

pytestmark = pytest.mark.usefixtures("harbour")


def titles(**asked: object) -> list[str]:
    listing = list_pages(actor=agent(), window=window(), **asked)  # type: ignore[arg-type]
    return [found.title for found in listing.results if isinstance(found, PageRow)]


@pytest.mark.covers("PG-08", "PG-11")
def test_a_page_is_filed_under_another_one_and_its_last_save_stays() -> None:
    parent, child = page("Parent"), page("Child")
    moved = move_page(actor=human(), page_id=child.id, parent_id=parent.id)
    assert moved.parent_id == parent.id
    assert [above.title for above in moved.ancestors] == ["Parent"]
    assert (moved.version, moved.saved_at, moved.saved_by) == (1, child.saved_at, child.saved_by)
    assert moved.updated_at > child.updated_at
    assert Event.objects.filter(type="page.moved").count() == 1


@pytest.mark.covers("PG-08")
def test_a_page_is_never_filed_under_itself_or_beneath_itself() -> None:
    top = page("Top")
    middle = page("Middle", parent_id=top.id)
    bottom = page("Bottom", parent_id=middle.id)
    for parent_id in (top.id, middle.id, bottom.id):
        with pytest.raises(Refused) as caught:
            move_page(actor=agent(), page_id=top.id, parent_id=parent_id)
        assert (caught.value.code, caught.value.problems[0].attr) == (Code.PARENT_INVALID, "parent_id")
    assert row(top.id).parent_id is None


@pytest.mark.covers("PG-08")
def test_a_parent_elsewhere_in_the_trash_or_nowhere_is_refused() -> None:
    moving, elsewhere, gone = page("Moving"), page("There", container="PROD"), page("Gone")
    trash_page(actor=agent(), page_id=gone.id)
    for parent_id in (elsewhere.id, gone.id, 10**12):
        with pytest.raises(Refused) as caught:
            move_page(actor=agent(), page_id=moving.id, parent_id=parent_id)
        assert caught.value.code is Code.PARENT_INVALID


@pytest.mark.covers("PG-09")
def test_another_container_takes_the_whole_subtree_and_the_old_addresses_lead_on() -> None:
    top = page("Top")
    child = page("Child", parent_id=top.id)
    grandchild = page("Grandchild", parent_id=child.id)
    dropped = page("Dropped", parent_id=child.id)
    trash_page(actor=agent(), page_id=dropped.id)
    buckets = dict(Page.objects.values_list("id", "search_bucket"))
    Change.objects.all().delete()
    moved = move_page(actor=agent(), page_id=top.id, parent_id=None, container="PROD")
    assert moved.address == "PROD/top"
    assert set(Page.objects.values_list("container", flat=True)) == {"PROD"}
    assert dict(Page.objects.values_list("id", "search_bucket")) == buckets
    changes = Change.objects.values_list("object_id", "container", "was_container")
    assert sorted(changes) == [(id_, "PROD", "ENG") for id_ in (top.id, child.id, grandchild.id, dropped.id)]
    assert page_at(actor=human(), container="ENG", title="grandchild") == MovedTo(
        page_id=grandchild.id, container="PROD", title="Grandchild"
    )
    assert not FormerAddress.objects.filter(page_id=dropped.id).exists()


@pytest.mark.covers("PG-09", "PG-03")
def test_a_clash_anywhere_in_the_subtree_refuses_the_whole_move() -> None:
    top = page("Top")
    page("Child", parent_id=top.id)
    there = page("CHILD", container="PROD")
    before = list(Page.objects.order_by("id").values())
    with pytest.raises(Refused) as caught:
        move_page(actor=agent(), page_id=top.id, parent_id=None, container="PROD")
    assert (caught.value.code, caught.value.extras) == (Code.TITLE_TAKEN, {"page_id": there.id})
    assert list(Page.objects.order_by("id").values()) == before
    assert not FormerAddress.objects.exists()


def test_a_page_moves_back_to_the_address_it_left() -> None:
    made = page("Top")
    move_page(actor=agent(), page_id=made.id, parent_id=None, container="PROD")
    assert move_page(actor=agent(), page_id=made.id, parent_id=None, container="ENG").address == "ENG/top"
    assert list(FormerAddress.objects.values_list("container", flat=True)) == ["PROD"]


def test_a_move_to_a_container_nobody_declares_is_refused() -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        move_page(actor=agent(), page_id=made.id, parent_id=None, container="LEGAL")
    assert caught.value.code is Code.UNKNOWN_CONTAINER


def test_a_move_to_where_the_page_stands_changes_nothing() -> None:
    made = page()
    assert move_page(actor=agent(), page_id=made.id, parent_id=None) == made
    assert AuditEntry.objects.count() == 1


@pytest.mark.covers("OU-01")
def test_siblings_stand_by_title_until_somebody_puts_them_in_an_order() -> None:
    a, b, c = page("A"), page("B"), page("C")
    move_page(actor=agent(), page_id=c.id, parent_id=None, before=a.id)
    assert titles(container="ENG", roots=True) == ["C", "A", "B"]
    page("0 newcomer")
    assert titles(container="ENG", roots=True) == ["C", "A", "B", "0 newcomer"]
    move_page(actor=agent(), page_id=b.id, parent_id=None, before=a.id)
    assert titles(container="ENG", roots=True) == ["C", "B", "A", "0 newcomer"]
    assert get_page(actor=agent(), page_id=a.id).updated_at == a.updated_at


def test_before_must_be_a_sibling() -> None:
    made, other = page("A"), page("B", container="PROD")
    for before in (made.id, other.id, 10**12):
        with pytest.raises(Refused) as caught:
            move_page(actor=agent(), page_id=made.id, parent_id=None, before=before)
        assert (caught.value.code, caught.value.problems[0].attr) == (Code.INVALID, "before")


@pytest.mark.covers("PG-20")
def test_an_agent_moves_nothing_to_the_root_and_a_person_does() -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        move_page(actor=agent(), page_id=made.id, parent_id=None, container="HOME")
    assert caught.value.code is Code.RESERVED_CONTAINER
    assert move_page(actor=human(), page_id=made.id, parent_id=None, container="HOME").container == "HOME"


@pytest.mark.covers("PG-20")
def test_moving_into_out_of_or_within_the_skills_container_needs_admin() -> None:
    plain, leaving = page("Plain"), page("Leaving", by=admin(), container="TS")
    staying, top = page("Staying", by=admin(), container="TS"), page("Top", by=admin(), container="TS")
    moves = ((plain.id, "TS", None), (leaving.id, "ENG", None), (staying.id, None, top.id))
    for page_id, container, parent_id in moves:
        with pytest.raises(Refused) as caught:
            move_page(actor=human(), page_id=page_id, container=container, parent_id=parent_id)
        assert caught.value.code is Code.FORBIDDEN
        with pytest.raises(Refused) as caught:
            move_page(actor=agent(), page_id=page_id, container=container, parent_id=parent_id)
        assert caught.value.code is Code.RESERVED_CONTAINER
        assert move_page(actor=admin(), page_id=page_id, container=container, parent_id=parent_id)
