"""Many hands on the same items: cards, circles, keys of requests, and what is left when something goes away."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.test import Client

from company.models.records import AuditEntry
from company.rules.refusals import Code, Refused
from tests.company.doors import bearer, codes
from tests.factories import agent, token_for
from tests.threads import at_once
from tests.tracker.items import item, proven_admin, row, save
from tracker.models import Item, ItemRelation
from tracker.reads.shapes import ItemView
from tracker.writes.items import move_item, purge_item, relate_item, restore_item, trash_item

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("harbour")]


@pytest.fixture
def engineer(harbour: object) -> Client:
    """The engineer agent over REST."""
    return bearer(token_for(seat="engineer-bot"))


@pytest.mark.slow
@pytest.mark.covers("TK-01")
def test_of_fifty_who_move_one_card_from_where_it_was_one_does_and_the_others_hear_so() -> None:
    made = item("Holds do not expire")
    columns = ["in_progress", "in_review", "done", "cancelled", "closed"]
    outcomes = at_once([partial(save, made.key, status=columns[number % 5], base_version=1) for number in range(50)])
    now = row(made.key)
    assert now.version == 2
    assert AuditEntry.objects.filter(verb="save_item").count() == 1
    for number, outcome in enumerate(outcomes):
        if isinstance(outcome, ItemView):  # one moved it, and whoever wanted the same finds it there
            assert (outcome.status, outcome.version) == (columns[number % 5], 2) == (now.status, 2)
        else:
            assert isinstance(outcome, Refused)
            assert (outcome.code, outcome.extras) == (Code.STALE_VERSION, {"current_version": 2})


@pytest.mark.slow
@pytest.mark.covers("TK-01")
def test_fifty_moves_without_a_base_are_each_made_and_each_recorded() -> None:
    made = item("Holds do not expire")
    outcomes = at_once(
        [partial(save, made.key, status=("todo", "in_progress")[number % 2]) for number in range(40)]
        + [partial(move_item, actor=agent(), key=made.key, project=("ENG", "PROD")[number % 2]) for number in range(10)]
    )
    assert all(isinstance(outcome, ItemView) for outcome in outcomes)
    now = row(made.key)
    assert now.key == "ENG-1"
    assert AuditEntry.objects.filter(verb__in=["save_item", "move_item"]).count() == now.version - 1


@pytest.mark.covers("TK-01")
@pytest.mark.parametrize("relation", ["blocks", "duplicates"])
def test_a_ring_that_is_closed_from_every_side_at_once_stays_open_at_one(relation: str) -> None:
    keys = [item(f"Item {number}").key for number in range(8)]
    outcomes = at_once([
        partial(relate_item, actor=agent(), key=key, relation=relation, other=keys[(number + 1) % 8])
        for number, key in enumerate(keys)
    ])  # fmt: skip
    assert [outcome.code for outcome in outcomes if isinstance(outcome, Refused)] == [Code.INVALID]
    assert ItemRelation.objects.count() == 7


@pytest.mark.covers("TK-01")
def test_a_ring_of_parents_stays_open_at_one() -> None:
    keys = [item(f"Item {number}").key for number in range(8)]
    outcomes = at_once([partial(save, key, parent=keys[(number + 1) % 8]) for number, key in enumerate(keys)])
    assert [outcome.code for outcome in outcomes if isinstance(outcome, Refused)] == [Code.PARENT_INVALID]
    assert Item.objects.exclude(parent=None).count() == 7


@pytest.mark.covers("TK-01")
def test_what_blocks_others_blocks_nobody_from_the_trash_and_again_once_it_is_back(engineer: Client) -> None:
    blocker, waiting = item("Blocker"), item("Waiting")
    relate_item(actor=agent(), key=blocker.key, relation="blocks", other=waiting.key)

    def seen() -> tuple[bool, list[str], int]:
        told: dict[str, Any] = engineer.get(f"/api/v1/items/{waiting.key}").json()
        listed = engineer.get("/api/v1/items?q=Waiting").json()["results"][0]
        assert listed["is_blocked"] == told["is_blocked"]
        return told["is_blocked"], [one["key"] for one in told["relations"]], told["version"]

    assert seen() == (True, [blocker.key], 1)
    trash_item(actor=agent(), key=blocker.key)
    assert seen() == (False, [], 1)
    with pytest.raises(Refused) as refused:  # nor can what cannot be seen be closed to a ring in secret
        relate_item(actor=agent(), key=waiting.key, relation="blocks", other=blocker.key)
    assert refused.value.code is Code.INVALID
    restore_item(actor=agent(), key=blocker.key)
    assert seen() == (True, [blocker.key], 1)
    trash_item(actor=agent(), key=blocker.key)
    purge_item(actor=proven_admin(), key=blocker.key, reason="twice")
    assert seen() == (False, [], 1)


@pytest.mark.covers("TK-01")
def test_the_key_of_a_purged_item_leads_nowhere_and_is_nobodys_again(engineer: Client) -> None:
    gone, other = item("Gone"), item("Other")
    trash_item(actor=agent(), key=gone.key)
    purge_item(actor=proven_admin(), key=gone.key, reason="wrong")
    here = f"/api/v1/items/{gone.key}"
    for answer in (
        engineer.get(here),
        engineer.get(f"{here}/activity"),
        engineer.get(f"{here}/revisions"),
        engineer.patch(here, {"status": "done"}, content_type="application/json"),
        engineer.post(f"{here}/comments", {"body": "x"}, content_type="application/json"),
        engineer.post(f"{here}/restore", {}, content_type="application/json"),
        engineer.post(f"{here}/move", {"project": "PROD"}, content_type="application/json"),
    ):
        assert (answer.status_code, codes(answer)) == (404, ["not_found"])
    parent = engineer.patch(f"/api/v1/items/{other.key}", {"parent": gone.key}, content_type="application/json")
    assert codes(parent) == ["parent_invalid"]
    assert item("Next").key == "ENG-3"


@pytest.mark.covers("TK-01")
def test_a_request_with_a_used_key_brings_nothing_back_and_is_answered_once(engineer: Client) -> None:
    def file(title: str) -> Any:
        return engineer.post(
            "/api/v1/items", {"project": "ENG", "title": title}, content_type="application/json",
            headers={"Idempotency-Key": "one"},
        )  # fmt: skip

    answers = at_once([partial(file, "Once") for _ in range(8)])
    told = [answer.json()["key"] for answer in answers if not isinstance(answer, Exception)]
    assert told == ["ENG-1"] * 8
    assert Item.objects.count() == 1
    assert codes(file("Twice")) == ["idempotency_mismatch"]
    trash_item(actor=agent(), key="ENG-1")
    purge_item(actor=proven_admin(), key="ENG-1", reason="wrong")
    late = file("Once")
    assert (late.status_code, codes(late)) == (404, ["not_found"])
    assert not Item.objects.exists()
