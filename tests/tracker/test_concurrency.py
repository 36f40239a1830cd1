"""Writers that meet: real threads, real transactions, keys that never repeat."""

from __future__ import annotations

from functools import partial

import pytest

from company.rules.refusals import Code, Refused
from tests.factories import agent
from tests.threads import at_once
from tests.tracker.items import item, proven_admin, row, save
from tracker.models import Item, ItemRelation
from tracker.reads.shapes import ItemView
from tracker.writes.items import purge_item, relate_item, trash_item

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("harbour")]


@pytest.mark.slow
@pytest.mark.covers("TK-01")
def test_of_fifty_filed_at_once_each_has_a_key_of_its_own_and_none_is_left_out() -> None:
    outcomes = at_once([partial(item, f"Item {number}") for number in range(50)])
    keys = [outcome.key for outcome in outcomes if isinstance(outcome, ItemView)]
    assert sorted(keys, key=lambda key: int(key.removeprefix("ENG-"))) == [f"ENG-{number}" for number in range(1, 51)]
    last = item("One more")
    assert last.key == "ENG-51"
    trash_item(actor=agent(), key=last.key)
    purge_item(actor=proven_admin(), key=last.key, reason="filed twice")
    assert item("After it").key == "ENG-52"


@pytest.mark.covers("TK-01")
def test_of_saves_on_one_base_exactly_one_wins() -> None:
    made = item(description="round 0")
    outcomes = at_once(
        [partial(save, made.key, description=f"writer {number}", base_version=1) for number in range(12)]
    )
    winners = [outcome for outcome in outcomes if isinstance(outcome, ItemView)]
    refused = [outcome.code for outcome in outcomes if isinstance(outcome, Refused)]
    assert (len(winners), refused) == (1, [Code.STALE_VERSION] * 11)
    assert row(made.key).description == winners[0].description


@pytest.mark.covers("TK-01")
def test_two_that_would_block_each_other_at_once_end_as_one_relation() -> None:
    one, two = item("One"), item("Two")
    outcomes = at_once([
        partial(relate_item, actor=agent(), key=one.key, relation="blocks", other=two.key),
        partial(relate_item, actor=agent(), key=two.key, relation="blocks", other=one.key),
    ])  # fmt: skip
    assert len([outcome for outcome in outcomes if isinstance(outcome, ItemView)]) == 1
    assert [outcome.code for outcome in outcomes if isinstance(outcome, Refused)] == [Code.INVALID]
    assert ItemRelation.objects.count() == 1


@pytest.mark.covers("TK-01")
def test_two_put_under_each_other_at_once_make_no_circle() -> None:
    one, two = item("One"), item("Two")
    outcomes = at_once([partial(save, one.key, parent=two.key), partial(save, two.key, parent=one.key)])
    assert [outcome.code for outcome in outcomes if isinstance(outcome, Refused)] == [Code.PARENT_INVALID]
    assert Item.objects.exclude(parent=None).count() == 1
