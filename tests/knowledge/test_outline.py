"""Outlines at size: windows in both directions, deep links into long levels, and levels that read no body."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from company.rules.refusals import Code, Refused
from company.rules.windows import decode_cursor
from knowledge.models import Page
from knowledge.reads.levels import CURSOR_WIDTH
from knowledge.reads.outline import LEAD, At, LevelWindow, level_window
from knowledge.reads.pages import list_pages
from knowledge.rules.edits import make_edit
from knowledge.rules.excerpts import excerpt_of
from knowledge.writes.pages import (
    edit_page,
    move_page,
    rename_page,
    restore_page,
    restore_revision,
    save_page,
    trash_page,
)
from tests.factories import agent, human
from tests.knowledge.pages import page, row, window
from tests.knowledge.sizes import copies

pytestmark = pytest.mark.usefixtures("harbour")


def after(shown: LevelWindow) -> At:
    assert shown.later is not None
    return At(after=decode_cursor(shown.later, width=CURSOR_WIDTH))


def before(shown: LevelWindow) -> At:
    assert shown.earlier is not None
    return At(before=decode_cursor(shown.earlier, width=CURSOR_WIDTH))


def titles(shown: LevelWindow) -> list[str]:
    return [one.title for one in shown.rows]


@pytest.mark.covers("OU-01", "OU-03")
def test_a_deep_link_into_a_long_level_opens_the_window_that_holds_its_page_and_goes_on_either_way() -> None:
    parent = page("Archive")
    made = copies(1_200, title="Entry {:04}", parent_id=parent.id)
    shown = level_window(actor=human(), parent=parent.id, at=At(around=made[900]), limit=500)
    assert (titles(shown)[0], titles(shown)[-1], shown.total) == (f"Entry {900 - LEAD:04}", "Entry 1199", 1_200)
    assert shown.later is None
    earlier = level_window(actor=human(), parent=parent.id, at=before(shown), limit=500)
    assert (titles(earlier)[0], titles(earlier)[-1]) == ("Entry 0350", "Entry 0849")
    first = level_window(actor=human(), parent=parent.id, at=before(earlier), limit=500)
    assert (titles(first)[0], titles(first)[-1], first.earlier) == ("Entry 0000", "Entry 0349", None)


@pytest.mark.covers("OU-01")
def test_a_page_that_the_first_window_reaches_opens_at_the_top() -> None:
    parent = page("Archive")
    made = copies(20, title="Entry {:04}", parent_id=parent.id)
    shown = level_window(actor=human(), parent=parent.id, at=At(around=made[9]), limit=10)
    assert (titles(shown)[0], shown.earlier) == ("Entry 0000", None)
    assert titles(level_window(actor=human(), parent=parent.id, at=after(shown), limit=10))[0] == "Entry 0010"
    elsewhere = page("Elsewhere")
    stray = level_window(actor=human(), parent=parent.id, at=At(around=elsewhere.id), limit=10)
    assert titles(stray)[0] == "Entry 0000"


@pytest.mark.covers("OU-01")
def test_a_page_created_between_two_windows_is_missed_by_neither_direction() -> None:
    parent = page("Archive")
    made = copies(200, title="Entry {:04}", parent_id=parent.id)
    shown = level_window(actor=human(), parent=parent.id, at=At(around=made[150]), limit=100)
    page("Entry 0001 and a half", parent_id=parent.id)
    earlier = level_window(actor=human(), parent=parent.id, at=before(shown), limit=500)
    assert titles(earlier)[:3] == ["Entry 0000", "Entry 0001", "Entry 0001 and a half"]
    assert titles(earlier)[-1] == "Entry 0099"


@pytest.mark.covers("OU-03")
@pytest.mark.parametrize(("depth", "queries"), [(0, 3), (1, 4)])
def test_a_level_costs_the_same_queries_at_any_size_and_reads_no_body(depth: int, queries: int) -> None:
    above = page("Top")
    for number in range(depth):
        above = page(f"Level {number}", parent_id=above.id)
    counts = []
    for size in (3, 700):
        made = copies(size, title=f"Of {size} {{:04}}", parent_id=above.id, body="Text. " * 500)
        with CaptureQueriesContext(connection) as plain:
            level_window(actor=human(), parent=above.id)
        with CaptureQueriesContext(connection) as around:
            level_window(actor=human(), parent=above.id, at=At(around=made[-1]), limit=3)
        counts.append((len(plain), len(around)))
        assert not any('"body"' in query["sql"] for query in (*plain, *around))
    assert counts[0][0] == counts[1][0] == queries
    assert max(most for _, most in counts) <= queries + 3
    with CaptureQueriesContext(connection) as listed:
        list_pages(actor=human(), parent=above.id, window=window(500))
    assert not any('"body"' in query["sql"] for query in listed)


@pytest.mark.covers("OU-01")
def test_a_level_under_a_page_nobody_shows_is_not_found() -> None:
    with pytest.raises(Refused) as caught:
        level_window(actor=human(), parent=987_654)
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.covers("PG-10")
def test_every_write_of_a_body_keeps_the_excerpt_and_whether_it_is_a_folder() -> None:
    def kept(page_id: int) -> bool:
        stored = row(page_id)
        return stored.excerpt == excerpt_of(stored.body) and stored.is_folder == (stored.body == "")

    made = page("Runbook", body="# First\n\n**bold** text")
    assert (row(made.id).excerpt, row(made.id).is_folder) == ("First bold text", False)
    save_page(actor=agent(), page_id=made.id, base_version=1, body="")
    assert (row(made.id).excerpt, row(made.id).is_folder) == ("", True)
    edit_page(actor=agent(), page_id=made.id, edit=make_edit(mode="append", text="More *text*"))
    assert row(made.id).excerpt == "More text"
    rename_page(actor=agent(), page_id=made.id, title="Other")
    restore_revision(actor=agent(), page_id=made.id, version=1, base_version=row(made.id).version)
    assert row(made.id).excerpt == "First bold text"
    move_page(actor=agent(), page_id=made.id, parent_id=page("Above").id)
    trash_page(actor=agent(), page_id=made.id)
    restore_page(actor=agent(), page_id=made.id, title="Third")
    assert kept(made.id)
    assert Page.objects.filter(excerpt="").exclude(body="").count() == 0
