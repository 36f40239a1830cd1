"""What skills cost each seat: counted on the catalogue a session gets, and said at every door alike."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from company.rules.refusals import Code, Refused
from skills.reads.costs import cost_of, costs
from skills.tool_skills.rules.documents import Phase
from skills.writes.sessions import open_session
from tests.factories import admin, agent, human, install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.served import GITHUB, HINT, MENTIONS, NOTES, serve
from tests.skills.texts import skill_text

LONG = "Open small pull requests and link the work item they belong to, so that reviewers find it."


@pytest.fixture
def harbour(db: None) -> None:
    install_company()
    serve(GITHUB, MENTIONS, HINT, NOTES)


@pytest.mark.covers("HS-06")
def test_a_seat_pays_the_bytes_of_the_catalogue_its_session_gets(harbour: None) -> None:
    paid = {seat.handle: seat.by_phase for seat in costs(actor=human()).seats}
    assert set(paid) == {"engineer-bot", "product-bot", "lead-bot"}, "people have no prompt"
    for phase in Phase:
        session = open_session(
            actor=agent(), phase=phase.value, tools=["load_tool_skill", "post_message"], servers=["github", "chat"]
        )
        assert paid["engineer-bot"][phase].text == session.catalogue
        assert paid["engineer-bot"][phase].size == len(session.catalogue.encode())
    assert paid["product-bot"][Phase.SUBAGENT].size == 0


@pytest.mark.covers("HS-06")
def test_the_skills_that_weigh_most_come_first_and_their_lines_make_up_the_catalogues(harbour: None) -> None:
    found = costs(actor=human())
    assert [(one.key, one.catalogues) for one in found.skills] == [
        ("mcp:github", 4), ("skill:mentions", 3), ("skill:hint", 4),
    ]  # fmt: skip
    lines = sum(line.size for seat in found.seats for one in seat.by_phase.values() for line in one.lines)
    assert sum(one.total for one in found.skills) == lines
    assert cost_of(actor=human(), key="mcp:github").size == len(
        "- mcp:github (required — load before use): Open small pull requests and link the work item.\n".encode()
    )
    with pytest.raises(Refused) as refused:
        cost_of(actor=human(), key="mcp:gone")
    assert refused.value.code is Code.NOT_FOUND


def test_a_skill_that_reaches_no_seat_costs_nothing(harbour: None) -> None:
    serve(skill_text(trigger="{mcp_server: nowhere}"))
    one = cost_of(actor=admin(), key="mcp:github")
    assert (one.size, one.catalogues, one.total, one.left_out) == (0, 0, 0, 0)


def test_the_figures_follow_an_edit_and_a_new_document(harbour: None) -> None:
    before = costs(actor=human())
    assert costs(actor=human()).seats is before.seats, "worked out once"
    serve(GITHUB.replace("small", "very small"))
    edited = costs(actor=human())
    assert edited.seats[0].by_phase[Phase.SUBAGENT].size == before.seats[0].by_phase[Phase.SUBAGENT].size + 5
    install_company(catalogue_budget_bytes=1)
    assert costs(actor=human()).seats[0].by_phase[Phase.EXECUTE].is_over


@pytest.mark.covers("HS-06")
def test_the_rest_door_says_what_each_seat_pays_and_what_the_limit_did(
    db: None, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    install_company(catalogue_budget_bytes=300)
    serve(skill_text(summary=LONG), *(skill_text(f"skill:{name}", summary=LONG, required="false") for name in "abc"))
    door = Door(token_for(seat="engineer-bot"))
    with django_assert_max_num_queries(3):
        found = door.get("skill-costs")
    phases = {one["phase"]: one for one in found["seats"][0]["phases"]}
    assert found["seats"][0]["seat"] == "engineer-bot"
    assert found["limit"] == 300
    assert phases["execute"]["state"] == "shortened"
    assert phases["execute"]["bytes"] <= 300 < phases["execute"]["whole_bytes"]
    assert phases["execute"]["shortened"] == ["mcp:github", "skill:a", "skill:b", "skill:c"]
    assert (phases["review"]["state"], phases["review"]["bytes"]) == ("within", 0)
    assert found["skills"][0]["key"] == "mcp:github"
    assert found["agent_skills"]["bytes"] == 0
    outsider = Door(token_for(holder=person("grace"), name="outsider"))
    assert outsider.ask("GET", "skill-costs", expect=403)["errors"][0]["code"] == "forbidden"
