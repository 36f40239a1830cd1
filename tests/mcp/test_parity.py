"""Writes of pages over three doors: the form, REST and MCP refuse the same with the same code, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from company.models import AuditEntry, Token
from company.rules.refusals import STATUS, Code
from knowledge.models import Comment, Page
from knowledge.writes.comments import add_comment
from knowledge.writes.pages import save_page, trash_page
from tests.company.doors import bearer
from tests.factories import admin, agent, human, person, token_for
from tests.knowledge.pages import page
from tests.mcp.doors import OPERATOR, Assistant, Site

pytestmark = pytest.mark.covers("AP-02", "CO-09")

API = "/api/v1"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One refusal: how each door is asked for it, and the code that all of them answer. `{name}` is a page's id."""

    code: Code
    form: tuple[str, Mapping[str, Any]]
    rest: tuple[str, str, Mapping[str, Any]]
    tool: tuple[str, Mapping[str, Any]]


CASES = {
    "create: unknown space": Case(
        code=Code.UNKNOWN_CONTAINER,
        form=("/knowledge/new", {"title": "New", "body": "text", "container": "NOPE"}),
        rest=("POST", "/pages", {"title": "New", "body": "text", "container": "NOPE"}),
        tool=("write_page", {"title": "New", "body": "text", "container": "NOPE"}),
    ),
    "create: title taken": Case(
        code=Code.TITLE_TAKEN,
        form=("/knowledge/new", {"title": "theirs", "body": "text", "container": "ENG"}),
        rest=("POST", "/pages", {"title": "theirs", "body": "text", "container": "ENG"}),
        tool=("write_page", {"title": "theirs", "body": "text", "container": "ENG"}),
    ),
    "create: in the skills container": Case(
        code=Code.FORBIDDEN,
        form=("/knowledge/new", {"title": "New", "body": "text", "container": "TS"}),
        rest=("POST", "/pages", {"title": "New", "body": "text", "container": "TS"}),
        tool=("write_page", {"title": "New", "body": "text", "container": "TS"}),
    ),
    "save: stale base": Case(
        code=Code.STALE_VERSION,
        form=("/knowledge/pages/{theirs}/edit", {"title": "Theirs", "body": "late", "base_version": "1"}),
        rest=("PATCH", "/pages/{theirs}", {"body": "late", "base_version": 1}),
        tool=("save_page", {"page": "{theirs}", "body": "late", "base_version": 1}),
    ),
    "save: in the skills container": Case(
        code=Code.FORBIDDEN,
        form=("/knowledge/pages/{skill}/edit", {"title": "Skill", "body": "late", "base_version": "1"}),
        rest=("PATCH", "/pages/{skill}", {"body": "late", "base_version": 1}),
        tool=("save_page", {"page": "{skill}", "body": "late", "base_version": 1}),
    ),
    "rename: not one's own": Case(
        code=Code.FORBIDDEN,
        form=("/knowledge/pages/{theirs}/rename", {"title": "Mine"}),
        rest=("PATCH", "/pages/{theirs}", {"title": "Mine"}),
        tool=("rename_page", {"page": "{theirs}", "title": "Mine"}),
    ),
    "move: under itself": Case(
        code=Code.PARENT_INVALID,
        form=("/knowledge/pages/{theirs}/place", {"parent": "{theirs}"}),
        rest=("POST", "/pages/{theirs}/move", {"parent_id": "{theirs}"}),
        tool=("move_page", {"page": "{theirs}", "parent": "{theirs}"}),
    ),
    "trash: not one's own": Case(
        code=Code.FORBIDDEN,
        form=("/knowledge/pages/{theirs}/trash", {}),
        rest=("POST", "/pages/{theirs}/trash", {}),
        tool=("trash_page", {"page": "{theirs}"}),
    ),
    "restore: a title taken meanwhile": Case(
        code=Code.TITLE_TAKEN,
        form=("/knowledge/pages/{gone}/restore", {}),
        rest=("POST", "/pages/{gone}/restore", {}),
        tool=("restore_page", {"page": "{gone}"}),
    ),
    "purge: no administrator": Case(
        code=Code.FORBIDDEN,
        form=("/knowledge/pages/{gone}/purge", {"reason": "Wrong", "password": "a long password"}),
        rest=("POST", "/pages/{gone}/purge", {"reason": "Wrong"}),
        tool=("purge_page", {"page": "{gone}", "reason": "Wrong"}),
    ),
    "comment: nothing said": Case(
        code=Code.REQUIRED,
        form=("/knowledge/pages/{theirs}/comments", {"body": ""}),
        rest=("POST", "/pages/{theirs}/comments", {"body": ""}),
        tool=("comment_on_page", {"page": "{theirs}", "body": ""}),
    ),
    "comment: somebody else's": Case(
        code=Code.FORBIDDEN,
        form=("/knowledge/comments/{remark}/edit", {"body": "Never mind"}),
        rest=("PATCH", "/comments/{remark}", {"body": "Never mind"}),
        tool=("comment_on_page", {"page": "{theirs}", "body": "Never mind", "edit": "{remark}"}),
    ),
}


def filled(value: Any, ids: Mapping[str, int], *, numbers: bool = False) -> Any:
    """A path or a body with ids in the places of names; in JSON a whole placeholder becomes a number."""
    if isinstance(value, Mapping):
        return {name: filled(inner, ids, numbers=numbers) for name, inner in value.items()}
    if not isinstance(value, str):
        return value
    if numbers and value.startswith("{"):
        return ids[value.strip("{}")]
    return value.format(**ids)


def everything() -> list[Any]:
    """All that a write would leave behind."""
    return [
        *Page.objects.order_by("pk").values_list("pk", "title", "body", "version", "status", "parent_id", "container"),
        *Comment.objects.order_by("pk").values_list("pk", "body"),
        AuditEntry.objects.filter(target_kind="page").count(),  # a password given in a form is a proof, and on record
    ]


@pytest.fixture
def ids(site: Site) -> dict[str, int]:
    """A page of an agent's at version 2 with a remark of theirs, one of Ada's in the trash, a page of skills."""
    theirs = page("Theirs", "text")
    save_page(actor=agent(), page_id=theirs.id, base_version=1, body="newer")
    gone = page("Gone", by=human())
    trash_page(actor=human(), page_id=gone.id)
    page("Gone")
    skill = page("Skill", "text", container="TS", by=admin())
    remark = add_comment(actor=agent(), page_id=theirs.id, body="Mind the tide.")
    return {"theirs": theirs.id, "gone": gone.id, "skill": skill.id, "remark": remark.id}


def test_form_rest_and_mcp_refuse_the_same_with_the_same_code_and_change_nothing(
    site: Site, ids: dict[str, int]
) -> None:
    ada = person("ada", permissions=["knowledge"], seat="ada-marsh")
    browser = Client()
    browser.force_login(ada)
    secret = token_for(holder=ada)
    rest = bearer(secret)
    with site.assistant(secret, OPERATOR) as assistant:
        for name, case in CASES.items():
            before = everything()
            address, typed = case.form
            shown = browser.post(filled(address, ids), filled(typed, ids))
            method, path, body = case.rest
            answer = rest.generic(
                method, f"{API}{filled(path, ids)}", json.dumps(filled(body, ids, numbers=True)),
                content_type="application/json",
            )  # fmt: skip
            said = _call(assistant, case, ids)
            assert answer.json()["errors"][0]["code"] == said == case.code, name
            assert answer.status_code == STATUS[case.code], name
            assert shown.status_code == STATUS[case.code], name
            assert everything() == before, name


def test_a_purge_without_a_proof_is_refused_at_each_door(site: Site, ids: dict[str, int]) -> None:
    secret = token_for(holder=person("root", permissions=["admin"]))
    Token.objects.update(proven_until=None)
    answer = bearer(secret).post(f"{API}/pages/{ids['gone']}/purge", {"reason": "x"}, content_type="application/json")
    with site.assistant(secret, OPERATOR) as assistant:
        assert assistant.refused("purge_page", page=ids["gone"], reason="x") == "proof_required"
    assert answer.json()["errors"][0]["code"] == "proof_required"
    assert Page.objects.filter(pk=ids["gone"]).exists()


def _call(assistant: Assistant, case: Case, ids: Mapping[str, int]) -> str:
    tool, arguments = case.tool
    return assistant.refused(tool, **filled(arguments, ids, numbers=True))
