"""People: who has a login, what they hold, how they get in, and what shuts them out."""

from __future__ import annotations

from typing import Any

import pytest

from company.models import AuditEntry, Person, SignInLink, Token
from company.reads.actors import actor_of_person, actor_of_secret
from company.reads.people import list_people
from company.rules.actors import Actor, ActorKind, Door, Permission, Scope
from company.rules.refusals import Code, Refused
from company.rules.windows import Window
from company.writes.people import (
    Given,
    change_person,
    create_person,
    create_sign_in_link,
    first_sign_in_secret,
    set_password,
)
from company.writes.sessions import sign_in_by_link
from tests.company.test_sessions import browser
from tests.factories import HARBOUR, admin, agent, human, install_company, person, token_for

pytestmark = pytest.mark.django_db


def refusal(write: Any, **arguments: Any) -> Refused:
    people = Person.objects.count()
    audit = AuditEntry.objects.count()
    with pytest.raises(Refused) as raised:
        write(**{"actor": admin(), **arguments})
    assert (Person.objects.count(), AuditEntry.objects.count()) == (people, audit)
    return raised.value


@pytest.mark.covers("CO-08", "CO-10", "PG-23")
def test_a_person_who_holds_a_seat_writes_as_the_seat_and_others_under_their_login() -> None:
    install_company()
    seated = create_person(actor=admin(), login="Ada", seat="ada-marsh", password="tide and timber")
    visitor = create_person(actor=admin(), login="visitor", permissions=["tracker"])

    ada, guest = (actor_of_person(one, door=Door.FORM) for one in (seated, visitor))

    assert (ada.author.name, ada.author.kind, ada.credential) == ("ada-marsh", ActorKind.HUMAN, "login:ada")
    assert (guest.author.name, guest.author.kind) == ("visitor", ActorKind.OPERATOR)
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.verb, entry.target_id, entry.detail["seat"]) == ("create_person", str(seated.pk), "ada-marsh")
    assert "tide" not in str(list(AuditEntry.objects.values()))


@pytest.mark.covers("CO-09", "CO-04")
def test_a_persons_permissions_are_theirs_and_the_seats_and_follow_the_document_at_once() -> None:
    install_company()
    ada = person("ada", seat="ada-marsh", permissions=["tracker"])
    assert actor_of_person(ada, door=Door.FORM).permissions == {Permission.TRACKER, Permission.KNOWLEDGE}

    install_company(seats=tuple(seat for seat in HARBOUR.seats if seat.handle != "ada-marsh"))

    assert actor_of_person(ada, door=Door.FORM).permissions == {Permission.TRACKER}
    assert actor_of_person(ada, door=Door.FORM).author.kind is ActorKind.OPERATOR


@pytest.mark.parametrize(
    ("arguments", "attr"),
    [
        ({"login": ""}, "login"),
        ({"login": "a b"}, "login"),
        ({"login": "a\x00b"}, "login"),
        ({"login": "x" * 151}, "login"),
        ({"login": "TAKEN"}, "login"),
        ({"login": "build server"}, "login"),
        ({"login": "robot"}, "login"),
        ({"login": "ada", "seat": "nobody"}, "seat"),
        ({"login": "ada", "seat": "engineer-bot"}, "seat"),
        ({"login": "ada", "seat": "ada-marsh"}, "seat"),
        ({"login": "ada", "permissions": ["wiki"]}, "permissions"),
        ({"login": "ada", "password": "short"}, "password"),
        ({"login": "ada", "password": "password123"}, "password"),
        ({"login": "ada", "password": "x" * 4097}, "password"),
        ({"login": "ada", "name": "x" * 256}, "name"),
        ({"login": "ada", "name": "a\nb"}, "name"),
    ],
)
def test_a_person_who_cannot_be_is_refused_at_the_field(arguments: dict[str, Any], attr: str) -> None:
    install_company()
    person("taken", seat="ada-marsh")
    token_for(name="robot")

    assert refusal(create_person, **arguments).problems[0].attr == attr


@pytest.mark.covers("CO-09")
@pytest.mark.parametrize(
    ("actor", "code"),
    [
        (agent(), Code.FORBIDDEN),
        (human(), Code.FORBIDDEN),
        (admin(scopes=frozenset({Scope.WRITE})), Code.SCOPE_MISSING),
    ],
)
def test_only_administrators_write_people(actor: Actor, code: Code) -> None:
    somebody = person("somebody")

    assert refusal(create_person, actor=actor, login="ada").code is code
    assert refusal(change_person, actor=actor, person_id=somebody.pk, active=False).code is code
    assert refusal(set_password, actor=actor, person_id=somebody.pk, password="tide and timber").code is code
    assert refusal(create_sign_in_link, actor=actor, person_id=somebody.pk).code is code


def test_a_person_is_changed_and_only_what_is_given_changes() -> None:
    install_company()
    ada = person("ada", permissions=["knowledge"])

    change_person(actor=admin(), person_id=ada.pk, seat=Given(value="ada-marsh"))
    change_person(actor=admin(), person_id=ada.pk, name="Ada of the Marsh")
    ada.refresh_from_db()
    assert (ada.name, ada.seat, ada.permissions, ada.is_active) == (
        "Ada of the Marsh", "ada-marsh", ["knowledge"], True,
    )  # fmt: skip
    change_person(actor=admin(), person_id=ada.pk, seat=Given(value=None), permissions=[])
    ada.refresh_from_db()
    assert (ada.seat, ada.permissions) == (None, [])


@pytest.mark.covers("CO-08")
def test_deactivating_ends_tokens_links_and_sessions_for_good() -> None:
    person("root", permissions=["admin"])
    ada = person("ada")
    secret = token_for(holder=ada)
    link = create_sign_in_link(actor=admin(), person_id=ada.pk)

    change_person(actor=admin(), person_id=ada.pk, active=False)
    change_person(actor=admin(), person_id=ada.pk, active=True)

    with pytest.raises(Refused):
        actor_of_secret(secret, door=Door.REST)
    with pytest.raises(Refused):
        sign_in_by_link(browser(), secret=link)
    hash_before = ada.get_session_auth_hash()
    ada.refresh_from_db()
    assert ada.get_session_auth_hash() != hash_before
    assert Token.objects.get().revoked_at is not None


def test_the_last_administrator_stays_one() -> None:
    root = person("root", permissions=["admin"])

    assert refusal(change_person, person_id=root.pk, permissions=[]).problems[0].attr == "permissions"
    assert refusal(change_person, person_id=root.pk, active=False).problems[0].attr == "active"
    second = person("second", permissions=["admin"])
    change_person(actor=admin(), person_id=root.pk, active=False)
    assert refusal(change_person, person_id=second.pk, permissions=["tracker"]).code is Code.INVALID


def test_ones_own_password_needs_the_current_one_and_five_wrong_ones_are_enough() -> None:
    ada = person("ada")
    own = actor_of_person(ada, door=Door.FORM)
    new = "tide and timber"

    assert refusal(set_password, actor=own, person_id=ada.pk, password=new).code is Code.REQUIRED
    for _ in range(5):
        wrong = refusal(set_password, actor=own, person_id=ada.pk, password=new, current="wrong")
        assert wrong.code is Code.FORBIDDEN
    late = refusal(set_password, actor=own, person_id=ada.pk, password=new, current="a long password")
    assert late.code is Code.RATE_LIMITED
    ben = person("ben")
    set_password(actor=actor_of_person(ben, door=Door.FORM), person_id=ben.pk, password=new, current="a long password")
    ben.refresh_from_db()
    assert ben.check_password(new)


def test_whoever_came_by_a_link_sets_a_first_password() -> None:
    ada = create_person(actor=admin(), login="ada")

    set_password(actor=actor_of_person(ada, door=Door.FORM), person_id=ada.pk, password="tide and timber")

    ada.refresh_from_db()
    assert ada.check_password("tide and timber")


@pytest.mark.covers("OP-01")
def test_a_fresh_site_offers_its_first_administrator_one_link_until_somebody_signed_in() -> None:
    old = first_sign_in_secret()
    secret = first_sign_in_secret()
    assert old is not None
    assert secret is not None
    assert SignInLink.objects.count() == 1

    with pytest.raises(Refused):
        sign_in_by_link(browser(), secret=old)
    came_in = sign_in_by_link(browser(), secret=secret)
    assert (came_in.login, came_in.permissions) == ("admin", ["admin"])
    assert first_sign_in_secret() is None


def test_people_are_listed_in_windows_with_a_fixed_number_of_queries(django_assert_num_queries: Any) -> None:
    for number in range(5):
        person(f"person{number}")

    with django_assert_num_queries(2):
        page = list_people(actor=admin(), window=Window(limit=2))

    assert ([row.login for row in page.results], page.total) == (["person0", "person1"], 5)
    assert page.after is not None
