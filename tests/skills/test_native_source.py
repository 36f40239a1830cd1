"""Skills from the product's own pages: a saved page is served as soon as the process hears of it."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from company.follower import Follower
from knowledge.models import Page
from knowledge.writes.pages import create_page, move_page, restore_page, save_page, trash_page
from skills import registry
from skills.registry.sync import SkillSync
from tests.factories import admin, install_company
from tests.skills.texts import skill_text


def keys() -> list[str]:
    return list(registry.current().by_key)


class AProcess:
    """A process's follower and sync, each stepped by hand."""

    def __init__(self) -> None:
        self.follower = Follower()
        self.sync = SkillSync(report=lambda _report: None)
        self.sync.listen_to(self.follower)
        self.follower.step()
        self.sync.run_pending()

    def hears(self) -> list[str]:
        self.follower.step()
        self.sync.run_pending()
        return keys()


@pytest.mark.covers("TS-05", "TS-08")
@pytest.mark.django_db(transaction=True)
def test_a_page_is_served_edited_trashed_restored_and_moved_as_the_log_tells_of_it() -> None:
    install_company()
    process = AProcess()
    page = create_page(actor=admin(), container="TS", title="GitHub", body=skill_text("mcp:github"))
    assert process.hears() == ["mcp:github"]
    page = save_page(actor=admin(), page_id=page.id, base_version=page.version, body=skill_text("mcp:forge"))
    assert process.hears() == ["mcp:forge"]
    trash_page(actor=admin(), page_id=page.id)
    assert process.hears() == []
    restore_page(actor=admin(), page_id=page.id)
    assert process.hears() == ["mcp:forge"]
    move_page(actor=admin(), page_id=page.id, container="ENG", parent_id=None)
    assert process.hears() == []
    move_page(actor=admin(), page_id=page.id, container="TS", parent_id=None)
    assert process.hears() == ["mcp:forge"]


@pytest.mark.covers("TS-06")
@pytest.mark.django_db
def test_a_walk_of_a_thousand_pages_is_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    install_company()
    page = create_page(actor=admin(), container="TS", title="First", body=skill_text("tool:0"))
    row = Page.objects.get(pk=page.id)
    rows = []
    for n in range(1, 1_000):
        row.pk, row.title, row.address, row.body = None, f"Page {n}", f"page {n}", skill_text(f"tool:{n}")
        rows.append(Page(**{field.attname: getattr(row, field.attname) for field in Page._meta.concrete_fields}))
    Page.objects.bulk_create(rows)
    sync = SkillSync(report=lambda _report: None)
    with django_assert_num_queries(1):
        sync.run_pending()
    assert len(keys()) == 1_000
    held = registry.installed()
    sync.request_walk()
    with django_assert_num_queries(1):
        sync.run_pending()
    assert registry.installed() is held
