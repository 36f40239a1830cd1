"""Tokens and proofs: whose they are, how wide, how they end, and that their secrets are shown once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from company.models import AuditEntry, Person, Token
from company.reads.actors import actor_of_person, actor_of_secret
from company.reads.people import list_tokens
from company.rules.actors import Actor, ActorKind, Door, Permission, Scope
from company.rules.refusals import Code, Refused
from company.rules.windows import Window
from company.writes.proofs import prove_identity
from company.writes.tokens import create_token, revoke_token
from tests.factories import admin, agent, install_company, person, token_for

pytestmark = pytest.mark.django_db

READ, WRITE = frozenset({Scope.READ}), frozenset({Scope.READ, Scope.WRITE})


def of(somebody: Person, **changes: Any) -> Actor:
    secret = token_for(holder=somebody, **changes)
    return actor_of_secret(secret, door=Door.REST)[0]


def refusal(**arguments: Any) -> Refused:
    tokens = Token.objects.count()
    with pytest.raises(Refused) as raised:
        create_token(**{"actor": admin(), "name": "new", "scopes": ["read"], **arguments})
    assert Token.objects.count() == tokens
    assert not AuditEntry.objects.exists()
    return raised.value


@pytest.mark.covers("CO-08")
def test_a_seats_token_acts_as_the_seat_and_its_secret_is_kept_nowhere() -> None:
    install_company()

    token, secret = create_token(actor=admin(), name="main job", seat="engineer-bot", scopes=["write", "read"])

    actor, _ = actor_of_secret(secret, door=Door.MCP)
    assert (actor.author.name, actor.author.kind, actor.seat) == ("engineer-bot", ActorKind.AGENT, "engineer-bot")
    assert actor.scopes == WRITE
    assert secret.startswith("crewlet_")
    assert secret not in str(list(Token.objects.values())) + str(list(AuditEntry.objects.values()))
    assert token.scopes == ["read", "write"]


@pytest.mark.covers("CO-08", "CO-10")
def test_a_service_token_is_bound_to_nobody_and_writes_under_its_name() -> None:
    _, secret = create_token(actor=admin(), name="importer", service=True, scopes=["read", "write"])

    actor, token = actor_of_secret(secret, door=Door.REST)
    assert (token.person, token.seat) == (None, None)
    assert (actor.author.name, actor.author.kind) == ("importer", ActorKind.OPERATOR)
    assert not actor.is_admin


def test_a_persons_token_is_their_own_and_so_is_that_of_the_seat_they_hold() -> None:
    install_company()
    ada = person("ada", seat="ada-marsh")

    mine, _ = create_token(actor=of(ada), name="laptop", scopes=["read"])
    seated, _ = create_token(actor=of(ada), name="desk", seat="ada-marsh", scopes=["read"])

    assert (mine.person, mine.seat) == (ada, None)
    assert (seated.person, seated.seat) == (ada, None)


@pytest.mark.covers("CO-09")
def test_a_token_mints_none_wider_than_itself() -> None:
    ada = person("ada", permissions=["admin"])

    wider = refusal(actor=of(ada, scopes=WRITE), scopes=["read", "admin"])
    assert (wider.code, wider.problems[0].attr) == (Code.SCOPE_MISSING, "scopes")
    assert refusal(actor=of(ada, scopes=READ)).code is Code.SCOPE_MISSING
    assert refusal(actor=of(ada, scopes=WRITE), service=True).code is Code.SCOPE_MISSING


@pytest.mark.covers("CO-09")
@pytest.mark.parametrize("arguments", [{"seat": "engineer-bot"}, {"login": "ben"}, {"service": True}])
def test_somebody_elses_token_needs_an_administrator(arguments: dict[str, Any]) -> None:
    install_company()
    person("ben")

    assert refusal(actor=of(person("ada", permissions=["knowledge"])), **arguments).code is Code.FORBIDDEN


@pytest.mark.covers("CO-09")
def test_an_agent_makes_lists_and_ends_no_tokens() -> None:
    assert refusal(actor=agent()).code is Code.FORBIDDEN
    for act in (
        lambda: list_tokens(actor=agent(), window=Window()),
        lambda: revoke_token(actor=agent(), token_id=1),
    ):
        with pytest.raises(Refused) as raised:
            act()
        assert raised.value.code is Code.FORBIDDEN


@pytest.mark.parametrize(
    ("arguments", "code", "attr"),
    [
        ({"name": " "}, Code.REQUIRED, "name"),
        ({"name": "x" * 151}, Code.TOO_LONG, "name"),
        ({"name": "a\x00"}, Code.INVALID, "name"),
        ({"name": "Ada", "service": True}, Code.INVALID, "name"),
        ({"scopes": []}, Code.REQUIRED, "scopes"),
        ({"scopes": ["root"]}, Code.INVALID, "scopes"),
        ({"seat": "nobody"}, Code.INVALID, "seat"),
        ({"seat": "engineer-bot", "service": True}, Code.INVALID, "seat"),
        ({"login": "nobody"}, Code.INVALID, "login"),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, Code.INVALID, "expires_at"),
    ],
)
def test_a_token_that_cannot_be_is_refused_at_the_field(arguments: dict[str, Any], code: Code, attr: str) -> None:
    install_company()
    person("ada")

    refused = refusal(**arguments)

    assert (refused.code, refused.problems[0].attr) == (code, attr)


@pytest.mark.covers("CO-08")
def test_an_expired_token_is_told_apart_from_an_unknown_one() -> None:
    secret = token_for(name="old")
    Token.objects.update(expires_at=timezone.now())

    codes = []
    for known in (secret, "unknown", "\x00"):
        with pytest.raises(Refused) as raised:
            actor_of_secret(known, door=Door.REST)
        codes.append(raised.value.code)
    assert codes == [Code.TOKEN_EXPIRED, Code.NOT_AUTHENTICATED, Code.NOT_AUTHENTICATED]


@pytest.mark.covers("CO-08")
def test_a_revoked_token_ends_at_once_and_leaves_the_list() -> None:
    token, secret = create_token(actor=admin(), name="importer", service=True, scopes=["read"])

    revoke_token(actor=admin(), token_id=token.pk)

    with pytest.raises(Refused) as raised:
        actor_of_secret(secret, door=Door.REST)
    assert raised.value.code is Code.NOT_AUTHENTICATED
    assert list_tokens(actor=admin(), window=Window()).total == 0
    with pytest.raises(Refused) as again:
        revoke_token(actor=admin(), token_id=token.pk)
    assert again.value.code is Code.NOT_FOUND


@pytest.mark.covers("CO-09")
def test_a_person_sees_and_ends_their_own_tokens_only() -> None:
    ada, ben = person("ada"), person("ben")
    token_for(holder=ben, name="bens")
    actor = of(ada, name="adas")

    assert [row.name for row in list_tokens(actor=actor, window=Window()).results] == ["adas"]
    with pytest.raises(Refused) as raised:
        revoke_token(actor=actor, token_id=Token.objects.get(name="bens").pk)
    assert raised.value.code is Code.NOT_FOUND
    revoke_token(actor=actor, token_id=Token.objects.get(name="adas").pk)


@pytest.mark.covers("CO-11")
def test_a_proof_binds_the_one_credential_that_gave_it() -> None:
    ada = person("ada")
    first, second = token_for(holder=ada, name="first"), token_for(holder=ada, name="second")

    until = prove_identity(actor=actor_of_secret(first, door=Door.REST)[0], password="a long password")

    assert timedelta(minutes=14) < until - timezone.now() <= timedelta(minutes=15)
    assert actor_of_secret(first, door=Door.REST)[0].proven_until == until
    assert actor_of_secret(second, door=Door.REST)[0].proven_until is None


@pytest.mark.covers("CO-11")
def test_a_wrong_proof_is_forbidden_and_the_sixth_has_to_wait() -> None:
    actor = actor_of_person(person("ada"), door=Door.REST)
    codes = []
    for _ in range(6):
        with pytest.raises(Refused) as raised:
            prove_identity(actor=actor, password="wrong")
        codes.append(raised.value.code)

    assert codes == [Code.FORBIDDEN] * 5 + [Code.RATE_LIMITED]


@pytest.mark.covers("CO-11")
def test_agents_and_services_have_no_proof() -> None:
    install_company()
    service = actor_of_secret(token_for(name="importer"), door=Door.REST)[0]
    seated = actor_of_secret(token_for(seat="engineer-bot"), door=Door.REST)[0]

    for actor in (service, seated, agent()):
        with pytest.raises(Refused) as raised:
            prove_identity(actor=actor, password="a long password")
        assert raised.value.code is Code.FORBIDDEN


def test_a_service_named_like_a_person_borrows_nothing_of_theirs() -> None:
    person("ada", permissions=["admin"])
    actor = actor_of_secret(token_for(name="ada", scopes=WRITE), door=Door.REST)[0]

    assert Permission.ADMIN not in actor.permissions
    assert refusal(actor=actor).code is Code.SCOPE_MISSING
