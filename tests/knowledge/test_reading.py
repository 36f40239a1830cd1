"""What seats read: recorded from every door, counted by company day, shown, and what nobody reads."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from company import live
from company.models.records import Event
from company.rules.occasions import Occasion
from company.rules.refusals import Code, Refused
from knowledge.models import Page, PageReading
from knowledge.reads.readers import list_unread, readers_of
from knowledge.tasks import forget_old_readings_now
from knowledge.writes.containers import sync_containers
from knowledge.writes.pages import purge_page, trash_page
from knowledge.writes.reading import PageRead, Via, clipped, open_page, record_read
from tests.factories import admin, agent, human, install_company, person, token_for
from tests.knowledge.pages import page, proven_admin, window

pytestmark = pytest.mark.usefixtures("harbour")


def client(secret: str) -> APIClient:
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return made


def counted() -> list[tuple[int, str, str, int]]:
    return list(PageReading.objects.order_by("page_id", "seat", "via").values_list("page_id", "seat", "via", "count"))


@pytest.mark.covers("RD-01")
def test_a_page_an_agent_reads_at_the_rest_door_is_one_event_with_its_turn(db: None) -> None:
    made = page("Tariffs")
    engineer = client(token_for(seat="engineer-bot"))
    told: dict[str, Any] = {"HTTP_CREWLET_TURN": "t-81", "HTTP_CREWLET_PHASE": "execute", "HTTP_CREWLET_WORK": "ENG-12"}
    assert engineer.get(f"/api/v1/pages/{made.id}", **told).status_code == 200
    assert engineer.get("/api/v1/pages/at/ENG/tariffs").status_code == 200
    first, second = Event.objects.filter(type="knowledge_read").order_by("pk")
    assert first.seat == "engineer-bot"
    assert first.payload == {
        "seat": "engineer-bot", "role": "Engineer Bot", "turn_id": "t-81", "work_key": "ENG-12", "phase": "execute",
        "via": "get_page", "backend": "native", "query": "",
        "pages": [{"id": made.id, "container": "ENG", "title": "Tariffs", "rank": 1}],
    }  # fmt: skip
    assert (second.payload["turn_id"], second.payload["phase"]) == (None, None)
    assert counted() == [(made.id, "engineer-bot", "get_page", 2)]


@pytest.mark.covers("RD-01")
def test_nothing_is_recorded_for_nothing_nor_for_what_people_and_services_read(db: None) -> None:
    made = page()
    ada = client(token_for(holder=person("ada", permissions=["knowledge"], seat="ada-marsh")))
    assert ada.get(f"/api/v1/pages/{made.id}").status_code == 200
    assert client(token_for(name="service")).get(f"/api/v1/pages/{made.id}").status_code == 200
    engineer = client(token_for(seat="engineer-bot", name="engineer"))
    assert engineer.get("/api/v1/pages/987654").status_code == 404
    assert engineer.get("/api/v1/pages").status_code == 200
    for reader in (human(), admin()):
        open_page(actor=reader, page_id=made.id)
    record_read(seat="engineer-bot", via=Via.SEARCH, pages=[], query="nothing")
    assert not Event.objects.filter(type="knowledge_read").exists()
    assert counted() == []


def test_an_occasion_that_is_no_name_is_refused(db: None) -> None:
    engineer = client(token_for(seat="engineer-bot"))
    answer = engineer.get(f"/api/v1/pages/{page().id}", HTTP_CREWLET_TURN="x" * 201)
    assert (answer.status_code, answer.json()["errors"][0]["code"], answer.json()["limit"]) == (400, "too_long", 200)
    assert counted() == []


@pytest.mark.covers("RD-01")
@pytest.mark.parametrize("query", ["a" * 200, "ж" * 100, "", "“" * 66])
def test_a_query_within_200_bytes_is_kept_whole(query: str) -> None:
    assert clipped(query) == query


@pytest.mark.covers("RD-01")
@pytest.mark.parametrize("query", ["a" * 201, "ж" * 300, "a" + "“" * 300, "x" + "🛥" * 99])
def test_a_longer_one_is_cut_on_the_border_of_a_character_and_says_so(query: str) -> None:
    kept = clipped(query)
    assert len(kept.encode()) <= 200
    assert kept.endswith("…")
    assert query.startswith(kept.removesuffix("…"))


@pytest.mark.covers("RD-02")
def test_reads_are_counted_for_the_day_it_is_where_the_company_is(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    install_company(timezone="Pacific/Auckland")
    made = page()
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 1, 11, 30, tzinfo=UTC))
    open_page(actor=agent(), page_id=made.id, occasion=Occasion(turn_id="t-1"))
    assert PageReading.objects.get().day == date(2026, 3, 2)
    read = readers_of(actor=agent(), page_id=made.id, days=1)
    assert (read.since, read.until) == (date(2026, 3, 2), date(2026, 3, 2))
    assert [(each.handle, each.role, each.via, each.count, each.last_turn_id) for each in read.readers] == [
        ("engineer-bot", "Engineer Bot", "get_page", 1, "t-1")
    ]


@pytest.mark.covers("RD-02")
def test_a_page_tells_who_read_it_over_as_many_days_as_are_asked_for(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made = page()
    now, today = timezone.now(), timezone.now().date()
    for days_ago, seat, via, count in (
        (0, "engineer-bot", "get_page", 2), (3, "engineer-bot", "get_page", 1), (3, "gone-bot", "search", 4),
        (29, "lead-bot", "search", 1), (30, "product-bot", "search", 1),
    ):  # fmt: skip
        PageReading.objects.create(
            page_id=made.id, seat=seat, via=via, day=today - timedelta(days=days_ago), count=count,
            last_at=now - timedelta(days=days_ago), last_turn_id=f"t-{days_ago}",
            last_query="tariff" if via == "search" else "",
        )  # fmt: skip
    engineer = client(token_for(seat="engineer-bot"))
    body = engineer.get(f"/api/v1/pages/{made.id}/reads").json()
    assert (body["days"], body["until"], body["since"]) == (30, str(today), str(today - timedelta(days=29)))
    assert [(each["handle"], each["role"], each["via"], each["count"]) for each in body["readers"]] == [
        ("engineer-bot", "Engineer Bot", "get_page", 3),
        ("gone-bot", "gone-bot", "search", 4),
        ("lead-bot", "Lead Bot", "search", 1),
    ]
    assert (body["readers"][0]["last_turn_id"], body["readers"][1]["last_query"]) == ("t-0", "tariff")
    assert body["readers_total"] == 3
    assert [each["handle"] for each in engineer.get(f"/api/v1/pages/{made.id}/reads?days=1").json()["readers"]] == [
        "engineer-bot"
    ]
    with django_assert_num_queries(2):
        readers_of(actor=agent(), page_id=made.id)


@pytest.mark.parametrize(("days", "code"), [("0", "invalid"), ("x", "invalid"), ("31", "too_long")])
def test_other_spans_than_1_to_30_days_are_refused(db: None, days: str, code: str) -> None:
    engineer, made = client(token_for(seat="engineer-bot")), page()
    answer = engineer.get(f"/api/v1/pages/{made.id}/reads?days={days}")
    assert answer.json()["errors"][0]["code"] == code
    with pytest.raises(Refused) as refused:
        readers_of(actor=agent(), page_id=987_654)
    assert refused.value.code is Code.NOT_FOUND


@pytest.mark.covers("RD-02")
def test_a_space_lists_what_nobody_read_in_90_days(db: None) -> None:
    sync_containers(live.current())
    old, read, once, new = (page(title) for title in ("Old", "Read", "Read once", "New"))
    page("Folder", "")
    lost = page("Lost")
    trash_page(actor=agent(), page_id=lost.id)
    Page.objects.exclude(pk=new.id).update(created_at=timezone.now() - timedelta(days=91))
    open_page(actor=agent(), page_id=read.id)
    open_page(actor=human(), page_id=old.id)
    open_page(actor=agent(), page_id=once.id)
    PageReading.objects.filter(page_id=once.id).update(day=timezone.now().date() - timedelta(days=90))
    listing = list_unread(actor=human(), container="ENG", window=window(1))
    assert ([row.id for row in listing.results], listing.total) == ([old.id], 2)
    rest = list_unread(actor=human(), container="ENG", window=window(1, listing.after))
    assert ([row.id for row in rest.results], rest.after) == ([once.id], None)
    with pytest.raises(Refused) as refused:
        list_unread(actor=human(), container="NOPE", window=window())
    assert refused.value.code is Code.NOT_FOUND


def test_what_is_counted_of_a_page_goes_with_it(db: None) -> None:
    made = page()
    open_page(actor=agent(), page_id=made.id)
    trash_page(actor=agent(), page_id=made.id)
    purge_page(actor=proven_admin(), page_id=made.id, reason="Wrong")
    assert counted() == []


@pytest.mark.parametrize(("days_ago", "left"), [(400, 1), (401, 0)])
def test_a_year_and_a_month_of_it_is_kept(db: None, days_ago: int, left: int) -> None:
    made = page()
    open_page(actor=agent(), page_id=made.id)
    PageReading.objects.update(day=timezone.now().date() - timedelta(days=days_ago))
    forget_old_readings_now()
    assert len(counted()) == left


def test_a_read_of_many_pages_counts_each_in_two_statements(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    shown = [PageRead(id=number, container="ENG", title=f"Page {number}", rank=number) for number in range(1, 51)]
    with django_assert_num_queries(2):
        record_read(seat="engineer-bot", via=Via.SEARCH, pages=shown, query="ferry")
    record_read(seat="engineer-bot", via=Via.SEARCH, pages=shown[:1], query="boat")
    assert counted()[0] == (1, "engineer-bot", "search", 2)
    assert len(counted()) == 50
    assert live.current().seat_by_handle["engineer-bot"].name == "Engineer Bot"
