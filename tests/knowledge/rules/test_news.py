"""Who hears of what is done to a page."""

from __future__ import annotations

import pytest

from knowledge.rules.news import What, audience
from tests.factories import HARBOUR

pytestmark = pytest.mark.covers("PG-15")


def heard(what: What = What.SAVED, *, by: str | None = None, container: str = "HOME", **more: object) -> dict[str, str]:
    found = audience(what, company=HARBOUR, by=by, **{"containers": [container], "watchers": (), **more})  # type: ignore[arg-type]
    return {seat: " ".join(words) for seat, words in found.items()}


def test_watchers_hear_and_never_of_their_own_doing() -> None:
    assert heard(by="ada-marsh", watchers=["ada-marsh", "engineer-bot"]) == {"engineer-bot": "saved"}


def test_the_lead_of_a_space_hears_of_it_and_not_of_their_own() -> None:
    assert heard(container="ENG", by="ada-marsh") == {"lead-bot": "saved"}
    assert heard(container="ENG", by="lead-bot") == {}


def test_a_move_is_heard_by_the_leads_of_both_spaces() -> None:
    assert heard(What.MOVED, containers=["PROD", "ENG"]) == {"lead-bot": "moved", "product-bot": "moved"}


def test_a_mention_is_heard_once_and_says_so() -> None:
    told = heard(What.COMMENTED, watchers=["ada-marsh"], mentioned=["ada-marsh", "engineer-bot"])
    assert told == {"ada-marsh": "commented mentioned", "engineer-bot": "commented mentioned"}


def test_a_watcher_whose_seat_is_gone_is_left_out() -> None:
    assert heard(watchers=["nobody-any-more"]) == {}


@pytest.mark.parametrize("what", [What.SAVED, What.RENAMED, What.MOVED, What.TRASHED, What.RESTORED, What.PUBLISHED])
def test_edits_in_the_skills_container_notify_nobody(what: What) -> None:
    assert heard(what, container="TS", watchers=["ada-marsh"], mentioned=["ada-marsh"]) == {}


def test_a_comment_on_a_skill_is_ordinary_for_people_and_leaves_agents_out() -> None:
    assert heard(What.COMMENTED, container="TS", watchers=["ada-marsh", "engineer-bot"]) == {"ada-marsh": "commented"}


def test_of_a_draft_only_its_readers_hear() -> None:
    assert heard(watchers=["ada-marsh", "engineer-bot"], readers={"ada-marsh"}) == {"ada-marsh": "saved"}
