"""Makes what tests need: a company in force, people, tokens and the actors behind them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from company import live
from company.models.credentials import Person, Token
from company.models.revisions import Revision
from company.reads.actors import digest_of
from company.rules.actors import ALL_SCOPES, Actor, ActorKind, Author, Door, Permission, Scope
from company.rules.chart import Company, Seat, Server, Space, SpaceKind, Unit

BOTH = frozenset({Permission.KNOWLEDGE, Permission.TRACKER})

HARBOUR = Company(
    name="Harbour",
    root_space="HOME",
    skills_container="TS",
    dashboard_base_url="https://harbour.example",
    skill_variables={"docs_url": "https://docs.harbour.example"},
    seats=(
        Seat(name="Engineer Bot", handle="engineer-bot", kind=ActorKind.AGENT, unit="engineering", permissions=BOTH,
             servers=frozenset({"github", "chat"})),
        Seat(name="Product Bot", handle="product-bot", kind=ActorKind.AGENT, unit="product", permissions=BOTH,
             servers=frozenset({"chat"})),
        Seat(name="Lead Bot", handle="lead-bot", kind=ActorKind.AGENT, unit="engineering", permissions=BOTH,
             servers=frozenset({"github", "chat"})),
        Seat(name="Ada Marsh", handle="ada-marsh", kind=ActorKind.HUMAN, unit="engineering", space="ADA",
             permissions=frozenset({Permission.KNOWLEDGE})),
    ),
    units=(
        Unit(key="engineering", name="Engineering", lead="lead-bot", space="ENG", project="ENG"),
        Unit(key="product", name="Product", lead="product-bot", space="PROD", project="PROD"),
    ),
    spaces=(
        Space(key="HOME", name="Harbour", purpose="", kind=SpaceKind.ROOT),
        Space(key="TS", name="Tool skills", purpose="", kind=SpaceKind.SKILLS),
        Space(key="ENG", name="Engineering", purpose="", kind=SpaceKind.UNIT, led_by="lead-bot"),
        Space(key="PROD", name="Product", purpose="", kind=SpaceKind.UNIT, led_by="product-bot"),
        Space(key="ADA", name="Ada Marsh", purpose="", kind=SpaceKind.SEAT, led_by="ada-marsh"),
    ),
    servers=(
        Server(name="github", shared=False, tools=("create_pull_request", "get_issue")),
        Server(name="chat", shared=True, tools=("post_message",)),
    ),
)  # fmt: skip


def install_company(company: Company = HARBOUR, **changes: Any) -> Company:
    """Put a company in force, as an apply would, without going through the document. Needs the database."""
    revision = Revision.objects.create(
        source="", document={}, author_name="tests", author_kind="operator", credential="tests"
    )
    installed = replace(company, revision=revision.pk, activated_at=revision.created_at, **changes)
    live.install(installed)
    return installed


def person(login: str = "ada", *, permissions: list[str] | None = None, seat: str | None = None) -> Person:
    """Somebody who can sign in with the password 'a long password'."""
    made = Person(login=login, name=login.title(), permissions=permissions or [], seat=seat)
    made.set_password("a long password")
    made.save()
    return made


def token_for(
    *, seat: str | None = None, holder: Person | None = None, scopes: frozenset[Scope] = ALL_SCOPES, name: str = "tests"
) -> str:
    """A living token's secret."""
    secret = f"crewlet_test_{Token.objects.count()}_{name}"
    Token.objects.create(
        name=name, digest=digest_of(secret), seat=seat, person=holder, scopes=sorted(scopes), created_by="tests"
    )
    return secret


def agent(handle: str = "engineer-bot", **changes: Any) -> Actor:
    """The agent that holds a seat."""
    return Actor(
        author=Author(name=handle, kind=ActorKind.AGENT), credential="token:1", door=Door.REST, seat=handle,
        permissions=BOTH, **changes,
    )  # fmt: skip


def human(handle: str = "ada-marsh", *permissions: Permission, **changes: Any) -> Actor:
    """A person who holds a seat; with the knowledge app unless other permissions are given."""
    return Actor(
        author=Author(name=handle, kind=ActorKind.HUMAN), credential=f"login:{handle}", door=Door.FORM, seat=handle,
        login=handle, permissions=frozenset(permissions) or frozenset({Permission.KNOWLEDGE}), **changes,
    )  # fmt: skip


def admin(login: str = "root", **changes: Any) -> Actor:
    """An administrator who holds no seat."""
    return Actor(
        author=Author(name=login, kind=ActorKind.OPERATOR), credential=f"login:{login}", door=Door.FORM, login=login,
        permissions=frozenset({Permission.ADMIN}), **changes,
    )  # fmt: skip
