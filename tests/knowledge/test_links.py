"""Links between pages: kept by the saves, listed for whoever may see their source, marked where they lead nowhere."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from company.rules.actors import Actor
from company.rules.windows import Window
from knowledge.models import Page, PageLink, PageStatus
from knowledge.reads.links import gone_among, list_backlinks
from knowledge.reads.titles import pages_titled
from knowledge.rules.edits import Edit, EditMode
from knowledge.rules.links import LINKS_RULE
from knowledge.rules.markdown import Gone
from knowledge.writes.links import find_links_again
from knowledge.writes.pages import (
    edit_page,
    move_page,
    purge_page,
    rename_page,
    restore_page,
    restore_revision,
    save_page,
    trash_page,
)
from tests.factories import admin, agent, human
from tests.knowledge.pages import page, proven_admin
from tests.knowledge.sizes import copies

pytestmark = [pytest.mark.usefixtures("harbour"), pytest.mark.covers("PG-18")]


def linked_from(page_id: int, *, by: Actor | None = None) -> list[str]:
    listing = list_backlinks(actor=by or human(), page_id=page_id, origins=(), window=Window())
    assert listing.total == len(listing.results)
    return [link.title for link in listing.results]


def test_a_page_is_linked_from_whatever_links_to_it_as_of_the_last_save() -> None:
    target = page("Target")
    source = page("Source", f"See [it](/pages/{target.id}).")
    assert linked_from(target.id) == ["Source"]
    edit_page(
        actor=agent(), page_id=source.id, edit=Edit(mode=EditMode.APPEND, text=f"\n\n[again](#/pages/{target.id})")
    )
    assert linked_from(target.id) == ["Source"]
    save_page(actor=agent(), page_id=source.id, base_version=2, body="No link.")
    assert linked_from(target.id) == []
    restore_revision(actor=agent(), page_id=source.id, version=1, base_version=3)
    assert linked_from(target.id) == ["Source"]


def test_a_link_of_a_page_to_itself_is_no_backlink() -> None:
    target = page("Target")
    save_page(actor=agent(), page_id=target.id, base_version=1, body=f"[me](/pages/{target.id})")
    assert linked_from(target.id) == []


@pytest.mark.covers("PG-04")
def test_renaming_or_moving_either_end_breaks_nothing() -> None:
    target, source = page("Target"), page("Source", "")
    save_page(actor=agent(), page_id=source.id, base_version=1, body=f"[it](/pages/{target.id})")
    rename_page(actor=agent(), page_id=target.id, title="Renamed")
    rename_page(actor=agent(), page_id=source.id, title="Other source")
    move_page(actor=agent(), page_id=source.id, container="PROD", parent_id=None)
    assert linked_from(target.id) == ["Other source"]
    assert gone_among([target.id], actor=human()) == {}


def test_a_source_in_the_trash_drops_out_and_returns() -> None:
    target = page("Target")
    source = page("Source", f"[it](/pages/{target.id})")
    trash_page(actor=agent(), page_id=source.id)
    assert linked_from(target.id, by=admin()) == []
    restore_page(actor=agent(), page_id=source.id)
    assert linked_from(target.id) == ["Source"]
    trash_page(actor=agent(), page_id=source.id)
    purge_page(actor=proven_admin(), page_id=source.id, reason="old")
    assert not PageLink.objects.filter(target=target.id).exists()


def test_a_draft_links_for_nobody_but_those_who_see_it() -> None:
    target = page("Target")
    page("Draft", f"[it](/pages/{target.id})", status=PageStatus.DRAFT)
    assert linked_from(target.id, by=agent()) == ["Draft"]
    assert linked_from(target.id) == []


def test_a_link_to_a_page_in_the_trash_or_to_none_is_known_in_one_query() -> None:
    living, trashed, draft = page("Living"), page("Trashed"), page("Draft", status=PageStatus.DRAFT)
    trash_page(actor=agent(), page_id=trashed.id)
    with CaptureQueriesContext(connection) as queries:
        gone = gone_among([living.id, trashed.id, draft.id, 987_654], actor=human())
    assert len(queries) == 1
    assert gone == {trashed.id: Gone.TRASH, draft.id: Gone.NOWHERE, 987_654: Gone.NOWHERE}
    with CaptureQueriesContext(connection) as queries:
        assert gone_among([], actor=human()) == {}
    assert len(queries) == 0


def test_a_refused_save_leaves_the_links_as_they_were() -> None:
    target = page("Target")
    source = page("Source", f"[it](/pages/{target.id})")
    save_page(actor=agent(), page_id=source.id, base_version=1, body=f"[it](/pages/{target.id})!")
    with pytest.raises(Exception, match="version"):
        save_page(actor=agent(), page_id=source.id, base_version=1, body="")
    assert linked_from(target.id) == ["Source"]


def test_a_newer_rule_reads_the_pages_again_that_an_older_one_read() -> None:
    target = page("Target")
    sources = [page(f"Source {n}", f"[it](/pages/{target.id})") for n in range(3)]
    PageLink.objects.all().delete()
    Page.objects.filter(pk__in=[source.id for source in sources[:2]]).update(links_rule=LINKS_RULE - 1)
    assert find_links_again(step=1) == 2
    assert linked_from(target.id) == ["Source 0", "Source 1"]
    assert find_links_again() == 0
    assert Page.objects.get(pk=sources[0].id).version == 1


def test_a_body_with_thousands_of_links_keeps_each_page_once() -> None:
    body = "\n\n".join(f"[x](/pages/{1_000_000 + n % 5_000})" for n in range(10_000))
    source = page("Source", body)
    assert PageLink.objects.filter(source_id=source.id).count() == 5_000
    save_page(actor=agent(), page_id=source.id, base_version=1, body=body.replace("1000001", "2000001"))
    assert PageLink.objects.filter(source_id=source.id).count() == 5_000


# --- what an editor offers ---------------------------------------------------------------------------------------


def offered(words: str, near: str = "", *, by: Actor | None = None) -> list[str]:
    return [row.title for row in pages_titled(actor=by or human(), words=words, near=near)]


def test_pages_are_offered_by_parts_of_their_title_the_closest_first() -> None:
    for title in ("Tide tables", "Reading the tide", "Tide"):
        page(title)
    page("The tide at sea", container="PROD")
    assert offered("tide") == ["Tide", "Tide tables", "Reading the tide", "The tide at sea"]
    assert offered("TIDE the", near="PROD") == ["The tide at sea", "Reading the tide"]
    assert offered("nothing like it") == []
    assert offered("%") == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("run", True),
        ("book dep", True),
        ("deploy/run", True),
        ("eploy", False),
        ("'deploy':* | zzz", False),
        ("deploy & !x", False),
        ("\\'", False),
        ("de", True),  # two letters: only where the title begins
        ("ru", False),
        ("山道", True),
        ("道", True),
        ("été", True),
    ],
)
def test_what_is_typed_is_the_beginning_of_words_and_never_a_query(words: str, found: bool) -> None:
    page("Deploy/Run-book: 登山道 d'été")
    assert bool(offered(words)) is found


def test_among_very_many_pages_titles_are_looked_up_by_an_index_in_a_constant_number_of_queries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    copies(2_000, title="Tide report {}")
    draft = page("Tide draft", status=PageStatus.DRAFT)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE knowledge_page")
    for words, queries in (("tide rep 17", 2), ("ti", 2), (str(draft.id), 1), ("", 4)):
        with django_assert_num_queries(queries):
            assert draft.title not in offered(words, near="ENG")
    with CaptureQueriesContext(connection) as asked:
        assert len(offered("report 1999")) == 1
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {asked.captured_queries[0]['sql']}")
        plan = " ".join(line for (line,) in cursor.fetchall())
    assert "pages_by_title_words" in plan
    assert "pages_by_how_titles_begin" in plan
    assert "Seq Scan on knowledge_page" not in plan


def test_a_page_is_offered_by_its_number_too() -> None:
    made = page("Berths")
    assert offered(str(made.id)) == ["Berths"]


def test_without_words_the_pages_saved_last_in_the_space_come_first() -> None:
    page("Elsewhere", container="PROD")
    page("First")
    page("Second")
    assert offered("", near="ENG") == ["Second", "First", "Elsewhere"]


def test_nothing_is_offered_that_the_actor_does_not_see() -> None:
    page("Tide draft", status=PageStatus.DRAFT)
    gone = page("Tide gone")
    trash_page(actor=agent(), page_id=gone.id)
    assert offered("tide") == []
    assert offered("tide", by=agent()) == ["Tide draft"]
    assert offered("a\x00b") == []
