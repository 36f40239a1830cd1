"""The contract's table of who may do what, row by row and column by column."""

from __future__ import annotations

from dataclasses import replace

import pytest

from company.rules.actors import Actor, Permission, Scope
from company.rules.refusals import Code, Refused
from knowledge.rules.authority import Act, Ground, Standing, ground_of, may_see, require_act, standing_of
from tests.factories import HARBOUR, admin, agent, human

YES = None
FORBIDDEN, RESERVED = Code.FORBIDDEN, Code.RESERVED_CONTAINER
NOBODY, OWNER, LEAD = Standing(), Standing(owns=True), Standing(leads=True)

# act, ground: agent seat, person with the app, lead of the container, admin
TABLE = [
    (Act.READ, Ground.ORDINARY, YES, YES, YES, YES),
    (Act.READ, Ground.ROOT, YES, YES, YES, YES),
    (Act.READ, Ground.SKILLS, YES, YES, YES, YES),
    (Act.COMMENT, Ground.ORDINARY, YES, YES, YES, YES),
    (Act.COMMENT, Ground.ROOT, YES, YES, YES, YES),
    (Act.COMMENT, Ground.SKILLS, RESERVED, YES, YES, YES),
    (Act.CREATE, Ground.ORDINARY, YES, YES, YES, YES),
    (Act.CREATE, Ground.ROOT, RESERVED, YES, YES, YES),
    (Act.CREATE, Ground.SKILLS, RESERVED, FORBIDDEN, FORBIDDEN, YES),
    (Act.SAVE, Ground.ORDINARY, YES, YES, YES, YES),
    (Act.SAVE, Ground.ROOT, YES, YES, YES, YES),
    (Act.SAVE, Ground.SKILLS, RESERVED, FORBIDDEN, FORBIDDEN, YES),
    (Act.LABEL, Ground.ORDINARY, YES, YES, YES, YES),
    (Act.LABEL, Ground.ROOT, YES, YES, YES, YES),
    (Act.LABEL, Ground.SKILLS, RESERVED, FORBIDDEN, FORBIDDEN, YES),
    (Act.MOVE, Ground.ORDINARY, YES, YES, YES, YES),
    (Act.MOVE, Ground.ROOT, YES, YES, YES, YES),
    (Act.MOVE, Ground.SKILLS, RESERVED, FORBIDDEN, FORBIDDEN, YES),
    *[
        row
        for act in (Act.RENAME, Act.TRASH, Act.RESTORE)
        for row in (
            (act, Ground.ORDINARY, FORBIDDEN, FORBIDDEN, YES, YES),
            (act, Ground.ROOT, FORBIDDEN, FORBIDDEN, YES, YES),
            (act, Ground.SKILLS, RESERVED, FORBIDDEN, FORBIDDEN, YES),
        )
    ],
    *[(Act.PURGE, ground, FORBIDDEN, FORBIDDEN, FORBIDDEN, YES) for ground in Ground],
]


def verdict(act: Act, *, actor: Actor, ground: Ground = Ground.ORDINARY, standing: Standing = NOBODY) -> Code | None:
    try:
        require_act(act, actor=actor, ground=ground, standing=standing)
    except Refused as refused:
        return refused.code
    return None


@pytest.mark.covers("PG-20", "PG-21")
@pytest.mark.parametrize(("act", "ground", "seat", "with_app", "lead", "administrator"), TABLE)
def test_the_table_of_the_contract(
    act: Act, ground: Ground, seat: Code | None, with_app: Code | None, lead: Code | None, administrator: Code | None
) -> None:
    assert verdict(act, actor=agent(), ground=ground) is seat
    assert verdict(act, actor=human(), ground=ground) is with_app
    assert verdict(act, actor=human(), ground=ground, standing=LEAD) is lead
    assert verdict(act, actor=admin(), ground=ground) is administrator


def test_the_table_leaves_no_act_and_no_ground_out() -> None:
    assert {(row[0], row[1]) for row in TABLE} == {(act, ground) for act in Act for ground in Ground}


@pytest.mark.covers("PG-21")
@pytest.mark.parametrize("act", [Act.RENAME, Act.TRASH, Act.RESTORE])
def test_a_pages_creator_tidies_it_but_not_in_the_skills_container(act: Act) -> None:
    for actor in (agent(), human()):
        assert verdict(act, actor=actor, standing=OWNER) is YES
        assert verdict(act, actor=actor, standing=OWNER, ground=Ground.ROOT) is YES
    assert verdict(act, actor=human(), standing=OWNER, ground=Ground.SKILLS) is FORBIDDEN
    assert verdict(act, actor=agent(), standing=OWNER, ground=Ground.SKILLS) is RESERVED


@pytest.mark.covers("PG-21")
def test_an_agent_never_purges_whatever_its_seat_says() -> None:
    assert verdict(Act.PURGE, actor=replace(agent(), permissions=frozenset(Permission))) is FORBIDDEN


@pytest.mark.parametrize("act", [act for act in Act if act is not Act.PURGE])
def test_without_the_app_everything_is_forbidden(act: Act) -> None:
    assert verdict(act, actor=human("ada-marsh", Permission.TRACKER), standing=LEAD) is FORBIDDEN


@pytest.mark.parametrize("act", list(Act))
def test_a_scope_only_ever_narrows(act: Act) -> None:
    reader = replace(admin(), scopes=frozenset({Scope.READ}))
    writer = replace(admin(), scopes=frozenset({Scope.WRITE}))
    assert verdict(act, actor=reader) is (YES if act is Act.READ else Code.SCOPE_MISSING)
    assert verdict(act, actor=writer) is (Code.SCOPE_MISSING if act is Act.PURGE else YES)


def test_the_ground_is_read_off_the_document() -> None:
    assert ground_of(HARBOUR, "TS") is Ground.SKILLS
    assert ground_of(HARBOUR, "HOME") is Ground.ROOT
    assert ground_of(HARBOUR, "ENG") is Ground.ORDINARY
    assert ground_of(replace(HARBOUR, skills_container=None, root_space=None), "TS") is Ground.ORDINARY


@pytest.mark.covers("PG-21")
def test_a_lead_is_found_through_the_unit_whose_space_it_is_and_a_seat_leads_its_own() -> None:
    def leads(actor: Actor, container: str) -> bool:
        return standing_of(actor=actor, company=HARBOUR, container=container).leads

    assert leads(agent("lead-bot"), "ENG")
    assert not leads(agent("lead-bot"), "PROD")
    assert leads(human("ada-marsh"), "ADA")
    assert not leads(agent("engineer-bot"), "ENG")
    assert not leads(admin(), "ENG")


def test_a_creator_is_known_by_name_and_kind() -> None:
    standing = standing_of(actor=agent(), company=HARBOUR, container="ENG", author=human("engineer-bot").author)
    assert not standing.owns


@pytest.mark.covers("PG-12")
@pytest.mark.parametrize(("draft", "trashed"), [(True, False), (False, True), (True, True)])
def test_a_draft_and_a_trashed_page_are_its_authors_its_leads_and_an_admins(draft: bool, trashed: bool) -> None:
    def sees(actor: Actor, standing: Standing, ground: Ground = Ground.ORDINARY) -> bool:
        return may_see(actor=actor, ground=ground, standing=standing, draft=draft, trashed=trashed)

    assert not sees(human(), NOBODY)
    assert sees(human(), OWNER)
    assert sees(agent(), LEAD)
    assert sees(admin(), NOBODY)
    assert sees(human(), OWNER, Ground.SKILLS) is not trashed
