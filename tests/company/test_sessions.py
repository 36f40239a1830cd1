"""Signing in, staying signed in, and what ends it."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from company.models import AttemptCount, AuditEntry, SignInLink
from company.reads.actors import digest_of
from company.rules.refusals import Code, Refused
from company.views.identity import actor_of_browser, safe_next, signed_in
from company.writes.sessions import sign_in, sign_in_by_link, sign_out
from tests.factories import person

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


def browser(path: str = "/", *, address: str = "192.0.2.1", **headers: str) -> HttpRequest:
    request = RequestFactory().get(path, REMOTE_ADDR=address, headers=headers)
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    request.user = AnonymousUser()
    return request


def refused(request: HttpRequest, login: str, password: str) -> Refused:
    with pytest.raises(Refused) as raised:
        sign_in(request, login=login, password=password)
    return raised.value


@pytest.mark.covers("CO-08", "CO-11")
def test_signing_in_starts_a_fresh_session_that_counts_as_proven() -> None:
    ada = person("ada")
    request = browser()
    request.session["left"] = "by somebody before"
    request.session.create()
    before = request.session.session_key

    assert sign_in(request, login=" ADA ", password=PASSWORD) == ada

    assert request.session.session_key != before
    actor = actor_of_browser(request)
    assert actor.credential == "login:ada"
    assert actor.proven_until is not None
    assert timedelta(minutes=14) < actor.proven_until - timezone.now() <= timedelta(minutes=15)
    assert AuditEntry.objects.get().verb == "sign_in"


@pytest.mark.parametrize(
    ("login", "password"), [("ada", "wrong"), ("nobody", PASSWORD), ("", ""), ("a\x00da", "x"), ("gone", PASSWORD)]
)
def test_a_wrong_pair_is_told_in_one_sentence_whichever_half_is_wrong(login: str, password: str) -> None:
    person("ada")
    gone = person("gone")
    gone.is_active = False
    gone.save()
    request = browser()

    answer = refused(request, login, password)

    assert (answer.code, answer.detail) == (
        Code.NOT_AUTHENTICATED,
        "Login and password do not fit together. Try again.",
    )
    assert request.session.is_empty()


@pytest.mark.covers("OP-05")
def test_after_five_wrong_passwords_even_the_right_one_has_to_wait() -> None:
    person("ada")
    for _ in range(5):
        assert refused(browser(), "ada", "wrong").code is Code.NOT_AUTHENTICATED

    answer = refused(browser(), "ada", PASSWORD)

    assert answer.code is Code.RATE_LIMITED
    assert answer.retry_after is not None
    assert 0 < answer.retry_after <= 15 * 60
    assert sign_in(browser(address="192.0.2.2"), login="ada", password=PASSWORD)


def test_a_right_password_gives_the_attempts_back() -> None:
    person("ada")
    for _ in range(3):
        for _ in range(4):
            refused(browser(), "ada", "wrong")
        sign_in(browser(), login="ada", password=PASSWORD)

    assert AttemptCount.objects.get(subject="sign-in@192.0.2.1").attempts == 12


def test_waiting_the_window_out_lets_one_try_again() -> None:
    person("ada")
    for _ in range(5):
        refused(browser(), "ada", "wrong")
    AttemptCount.objects.update(ends_at=timezone.now())

    assert sign_in(browser(), login="ada", password=PASSWORD)


def link_for(login: str, *, expires_in: timedelta = timedelta(hours=1)) -> str:
    secret = f"link-of-{login}"
    SignInLink.objects.create(person=person(login), digest=digest_of(secret), expires_at=timezone.now() + expires_in)
    return secret


def test_a_link_signs_in_once() -> None:
    secret = link_for("ada")

    assert sign_in_by_link(browser(), secret=secret).login == "ada"
    with pytest.raises(Refused) as raised:
        sign_in_by_link(browser(), secret=secret)
    assert raised.value.code is Code.NOT_AUTHENTICATED


@pytest.mark.parametrize("secret", ["link-of-nobody", "", "\x00"])
def test_a_link_nobody_made_signs_nobody_in(secret: str) -> None:
    with pytest.raises(Refused):
        sign_in_by_link(browser(), secret=secret)


def test_an_old_link_signs_nobody_in() -> None:
    secret = link_for("ada", expires_in=timedelta(seconds=-1))

    with pytest.raises(Refused):
        sign_in_by_link(browser(), secret=secret)


def test_signing_out_ends_the_session() -> None:
    person("ada")
    request = browser()
    sign_in(request, login="ada", password=PASSWORD)

    sign_out(request)

    assert request.session.is_empty()
    with pytest.raises(Refused):
        actor_of_browser(request)


def test_a_new_password_ends_the_sessions_of_the_old_one() -> None:
    ada = person("ada")
    request = browser()
    sign_in(request, login="ada", password=PASSWORD)
    ada.set_password("another long password")
    ada.save()

    assert not get_user(request).is_authenticated


@signed_in
def screen(request: HttpRequest) -> HttpResponse:
    return HttpResponse("the screen")


def test_a_screen_sends_nobody_to_sign_in_and_back() -> None:
    answer = screen(browser("/search?q=tide"))

    assert (answer.status_code, answer["Location"]) == (302, "/sign-in?next=%2Fsearch%3Fq%3Dtide")


def test_a_fragment_sends_the_whole_screen_to_sign_in() -> None:
    answer = screen(browser("/rows", **{"HX-Request": "true", "HX-Current-URL": "http://testserver/knowledge/ENG"}))

    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/sign-in?next=%2Fknowledge%2FENG")


@pytest.mark.parametrize(
    ("wanted", "where"),
    [
        ("/search?q=a", "/search?q=a"),
        ("https://elsewhere.example/", "/knowledge"),
        ("//elsewhere.example/", "/knowledge"),
        ("/\\elsewhere.example", "/knowledge"),
        ("javascript:alert(1)", "/knowledge"),
        ("", "/knowledge"),
    ],
)
def test_next_leads_nowhere_but_to_this_site(wanted: str, where: str) -> None:
    request = RequestFactory().get("/sign-in", {"next": wanted})

    assert safe_next(request) == where
