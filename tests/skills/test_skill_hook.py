"""The permission hook over HTTP: signed, bounded, and closed unless it clearly says yes."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import time
from collections.abc import Iterator

import pytest

from skills.folders.callback import SIGNATURE, HookUnreachableError, HttpHook
from skills.folders.permission import Decision, HookRequest, Reason
from tests.skills.hooks import AHook, listening

pytestmark = pytest.mark.covers("HS-03")

REQUEST = HookRequest(
    name="release-notes",
    path="/srv/skills/release-notes",
    root_index=0,
    frontmatter={"name": "release-notes", "description": "Grüße"},
    allowed_tools=("Read",),
    reason=Reason.UNTRUSTED,
)


@pytest.fixture
def hook() -> Iterator[AHook]:
    with listening() as hook:
        yield hook


@pytest.mark.parametrize(
    ("body", "decision"),
    [
        (b'"allow"', Decision.ALLOW),
        (b"allow_once\n", Decision.ALLOW_ONCE),
        (b'{"decision": "allow"}', Decision.ALLOW),
        (b'{"decision": "deny", "why": "no"}', Decision.DENY),
        (b"ask", Decision.ASK),
    ],
)
def test_its_word_is_taken_as_text_or_as_json(hook: AHook, body: bytes, decision: Decision) -> None:
    hook.body = body
    assert HttpHook(url=hook.url)(REQUEST) is decision


def test_the_question_is_signed_and_says_what_is_to_be_decided(hook: AHook) -> None:
    HttpHook(url=hook.url, secret="harbour")(REQUEST)
    ((headers, body),) = hook.asked
    assert headers[SIGNATURE] == "sha256=" + hmac.new(b"harbour", body, hashlib.sha256).hexdigest()
    asked = json.loads(body)
    assert (asked["tool"], asked["action"], asked["path"]) == ("skill", "activate", "/srv/skills/release-notes")
    assert asked["always_patterns"] == ["Skill(name:release-notes)"]
    assert asked["metadata"]["reason"] == "untrusted_project_skill"
    assert "harbour" not in repr(HttpHook(url=hook.url, secret="harbour"))


@pytest.mark.parametrize(
    "body", [b"", b"yes", b"true", b"[]", b'{"answer": "allow"}', b"[" * 4_000, b"\xff", b"1" * 5_000]
)
def test_an_answer_that_is_no_decision_is_none(hook: AHook, body: bytes) -> None:
    hook.body = body
    with pytest.raises(HookUnreachableError):
        HttpHook(url=hook.url)(REQUEST)


@pytest.mark.parametrize("status", [302, 307, 403, 500])
def test_another_status_is_no_answer_and_no_redirect_is_followed(hook: AHook, status: int) -> None:
    hook.status, hook.headers = status, {"Location": hook.url}
    with pytest.raises(HookUnreachableError, match=str(status)):
        HttpHook(url=hook.url)(REQUEST)
    assert len(hook.asked) == 1


def test_a_late_answer_is_none(hook: AHook) -> None:
    hook.before = lambda: time.sleep(0.6)
    with pytest.raises(HookUnreachableError):
        HttpHook(url=hook.url, seconds=0.2)(REQUEST)


def _numbers_only(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
    """Addresses written as numbers resolve to themselves; the tests' own network asks nobody."""
    return [(None, None, None, "", (str(ipaddress.ip_address(host)), 0))]


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/x",
        "file:///etc/passwd",
        "http://",
        "nonsense",
        "",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/",
        "http://[fe80::1]/",
        "http://0.0.0.0:1/",
    ],
)
def test_an_address_no_hook_can_have_is_not_asked(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _numbers_only)
    with pytest.raises(HookUnreachableError):
        HttpHook(url=url, seconds=0.5)(REQUEST)


def test_a_proxy_of_the_environment_is_not_used(hook: AHook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert HttpHook(url=hook.url)(REQUEST) is Decision.ALLOW


def test_nobody_at_the_address_is_no_answer() -> None:
    with pytest.raises(HookUnreachableError, match="Connect"):
        HttpHook(url="http://127.0.0.1:1/")(REQUEST)
