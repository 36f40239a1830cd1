"""What the screens read: reach, flags, previews, and what a page's answer says of its skill."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from company import live
from company.rules.days import company_day
from company.rules.refusals import Code, Refused
from knowledge.reads import extras
from skills.models import SkillUsage, SyncState
from skills.reads.shelf import Flag, Wanted, shelf
from skills.reads.skills import get_skill
from skills.reads.sync import sync_states
from skills.tool_skills.rules.catalogue import previews_of
from skills.tool_skills.rules.documents import Phase
from skills.writes.sync import SyncReport, forget_process, note_sync_state
from tests.factories import admin, agent, human, install_company
from tests.skills.served import GITHUB, HINT, MENTIONS, serve
from tests.skills.texts import skill_text


@pytest.fixture
def harbour(db: None) -> None:
    install_company()
    serve(GITHUB, MENTIONS, HINT, skill_text("tool:quiet"))


def used(page_id: int, seat: str, *, days_ago: int = 0, offered: int = 0, loaded: int = 0, blocked: int = 0) -> None:
    now = timezone.now() - timedelta(days=days_ago)
    SkillUsage.objects.create(
        page_id=page_id, key=f"key-{days_ago}", seat=seat, day=company_day(live.current(), now), offered=offered,
        loaded=loaded, blocked=blocked, last_at=now,
    )  # fmt: skip


@pytest.mark.covers("US-01")
def test_the_list_shows_thirty_days_a_seat_and_flags_what_is_worth_a_look(harbour: None) -> None:
    used(1, "engineer-bot", offered=10, loaded=2, blocked=9)
    used(1, "engineer-bot", days_ago=29, offered=1)
    used(1, "engineer-bot", days_ago=30, offered=100)
    used(1, "lead-bot", offered=1, loaded=1)
    used(2, "lead-bot", offered=4)
    used(3, "lead-bot", offered=4, loaded=4, blocked=1)
    rows = {row.name: row for row in shelf(actor=human(), wanted=Wanted()).shown}
    reached = [(reach.seat, reach.offered, reach.loaded, reach.blocked) for reach in rows["mcp:github"].seats]
    assert reached == [("engineer-bot", 11, 2, 9), ("lead-bot", 1, 1, 0)]
    assert {key: row.flags for key, row in rows.items()} == {
        "mcp:github": (Flag.OFTEN_BLOCKED,),
        "skill:mentions": (Flag.NEVER_LOADED,),
        "skill:hint": (),
        "tool:quiet": (Flag.NEVER_OFFERED,),
    }


@pytest.mark.covers("CA-01")
def test_one_skill_shows_what_a_prompt_says_of_it_in_each_phase(harbour: None) -> None:
    skill = get_skill(actor=human(), key="skill:mentions").skill
    previews = dict(previews_of(skill, variables={}))
    assert previews[Phase.EXECUTE].endswith("- skill:mentions (required — load before use): Mention people by handle.")
    assert previews[Phase.REVIEW].endswith("- skill:mentions: Mention people by handle.")
    assert Phase.SUBAGENT not in previews


def test_a_page_of_the_skills_container_says_whom_its_skill_reached_and_others_say_nothing(harbour: None) -> None:
    used(1, "engineer-bot", offered=3, loaded=2)
    reached = extras.extras_of(page_id=1, container="TS")["skill_loaded_by"]
    assert isinstance(reached, list)
    reach = reached[0]
    assert {name: reach[name] for name in ("handle", "loaded", "offered")} == {
        "handle": "engineer-bot", "loaded": 2, "offered": 3,
    }  # fmt: skip
    assert extras.extras_of(page_id=9, container="TS")["skill_loaded_by"] == []
    assert "skill_loaded_by" not in extras.extras_of(page_id=1, container="ENG")


def test_a_process_reports_itself_and_is_forgotten_after_an_hour_of_silence(db: None) -> None:
    now = timezone.now()

    def report(process: str, minutes_ago: int) -> None:
        seen = now - timedelta(minutes=minutes_ago)
        note_sync_state(
            SyncReport(
                process=process, state="synced", skills=1, pages=2, attempt=0, detail="", walked_at=seen, seen_at=seen
            )
        )

    report("web-1", 90)
    report("web-2", 50)
    report("web-3", 0)
    report("web-3", 0)
    assert [row.process for row in sync_states(actor=admin())] == ["web-2", "web-3"]
    forget_process("web-3")
    assert SyncState.objects.get().process == "web-2"
    with pytest.raises(Refused) as refused:
        sync_states(actor=agent())
    assert refused.value.code is Code.FORBIDDEN
