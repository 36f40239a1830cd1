"""Every write of items over three doors: the form, REST and MCP refuse the same with the same code, and change nothing.

MCP has tools for filing, changing, relating and commenting. Everything else about an item is a person's or a script's,
so its cases name no tool, and `test_the_tools_of_items_are_those_of_the_cases` holds that none is forgotten here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from company import live
from company.models import AuditEntry, Person, Token
from company.rules.refusals import STATUS, Code, Refused
from crewlet_site import cli
from knowledge.models import Comment
from tests.company.doors import bearer
from tests.factories import agent, person, token_for
from tests.mcp.doors import OPERATOR, Assistant, Site
from tests.mcp.test_parity import filled
from tests.tracker.items import ada, item, save
from tracker.mcp.items import TOOLS
from tracker.models import Item, ItemRelation, ItemRevision, SavedView
from tracker.rules.filters import Filters
from tracker.writes.comments import comment_item
from tracker.writes.items import relate_item, trash_item
from tracker.writes.projects import sync_projects
from tracker.writes.views import save_view

pytestmark = pytest.mark.covers("AP-02", "CO-09", "TK-01")

API = "/api/v1"
LONG = "ä" * 200
"""A title of 400 bytes."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One refusal: how each door is asked for it, and the code all of them answer.

    `{key}` is the agent's item, `{gone}` one in the trash, `{remark}` a comment and `{view}` a view of somebody else's.
    A form that answers with more than the sentence says in `shows` what it says instead.
    """

    code: Code
    form: tuple[str, Mapping[str, Any]]
    rest: tuple[str, str, Mapping[str, Any]]
    tool: tuple[str, Mapping[str, Any]] | None = None
    shows: str = ""


def of_field(name: str, value: str, *, given: Any = None, code: Code = Code.INVALID) -> Case:
    """A field of an item that is refused beside the item, over REST and over MCP."""
    given = value if given is None else given
    return Case(
        code=code,
        form=("/tracker/items/{key}/fields", {name: value, f"was_{name}": "-"}),
        rest=("PATCH", "/items/{key}", {name: given}),
        tool=("update_work_item", {"item": "{key}", name: given}),
    )


CASES = {
    "create: a project nobody declares": Case(
        code=Code.UNKNOWN_PROJECT,
        form=("/tracker/new", {"title": "New", "project": "NOPE"}),
        rest=("POST", "/items", {"title": "New", "project": "NOPE"}),
        tool=("create_work_item", {"title": "New", "project": "NOPE"}),
    ),
    "create: a title over its limit": Case(
        code=Code.TOO_LONG,
        form=("/tracker/new", {"title": LONG, "project": "ENG"}),
        rest=("POST", "/items", {"title": LONG, "project": "ENG"}),
        tool=("create_work_item", {"title": LONG, "project": "ENG"}),
    ),
    "create: a title that shows nothing": Case(
        code=Code.INVALID,
        form=("/tracker/quick", {"title": "\u200f\u200b", "project": "ENG"}),
        rest=("POST", "/items", {"title": "\u200f\u200b", "project": "ENG"}),
        tool=("create_work_item", {"title": "\u200f\u200b", "project": "ENG"}),
    ),
    "save: a title over its limit": Case(
        code=Code.TOO_LONG,
        form=("/tracker/items/{key}/edit", {"title": LONG, "had_title": "Theirs", "body": "new", "base_version": "2"}),
        rest=("PATCH", "/items/{key}", {"title": LONG, "description": "new", "base_version": 2}),
        tool=("update_work_item", {"item": "{key}", "title": LONG, "description": "new", "base_version": 2}),
    ),
    "save: a description on a stale base": Case(
        code=Code.STALE_VERSION,
        form=("/tracker/items/{key}/edit", {"title": "Theirs", "body": "late", "base_version": "1"}),
        rest=("PATCH", "/items/{key}", {"description": "late", "base_version": 1}),
        tool=("update_work_item", {"item": "{key}", "description": "late", "base_version": 1}),
        shows="Two edits met",
    ),
    "save: a description over its limit": Case(
        code=Code.TOO_LONG,
        form=("/tracker/items/{key}/edit", {"title": "Theirs", "body": "x" * 32_769, "base_version": "2"}),
        rest=("PATCH", "/items/{key}", {"description": "x" * 32_769, "base_version": 2}),
        tool=("update_work_item", {"item": "{key}", "description": "x" * 32_769, "base_version": 2}),
    ),
    "save: an item in the trash": Case(
        code=Code.TRASHED,
        form=("/tracker/items/{gone}/status", {"status": "done"}),
        rest=("PATCH", "/items/{gone}", {"status": "done"}),
        tool=("update_work_item", {"item": "{gone}", "status": "done"}),
    ),
    "save: an item that is not there": Case(
        code=Code.NOT_FOUND,
        form=("/tracker/items/ENG-999/fields", {"status": "done"}),
        rest=("PATCH", "/items/ENG-999", {"status": "done"}),
        tool=("update_work_item", {"item": "ENG-999", "status": "done"}),
    ),
    "status, moved on a board": Case(
        code=Code.INVALID,
        form=("/tracker/items/{key}/status", {"status": "doing"}),
        rest=("PATCH", "/items/{key}", {"status": "doing"}),
        tool=("update_work_item", {"item": "{key}", "status": "doing"}),
    ),
    "status": of_field("status", "doing"),
    "type": of_field("type", "chore-ish"),
    "priority": of_field("priority", "p0"),
    "assignee": of_field("assignee", "nobody-at-all"),
    "due": of_field("due", "tomorrow"),
    "labels": of_field("labels", "x" * 65, given=["x" * 65], code=Code.TOO_LONG),
    "parent: itself": of_field("parent", "{key}", code=Code.PARENT_INVALID),
    "parent: one that is not there": of_field("parent", "ENG-999", code=Code.PARENT_INVALID),
    "comment: nothing said": Case(
        code=Code.REQUIRED,
        form=("/tracker/items/{key}/comments", {"body": ""}),
        rest=("POST", "/items/{key}/comments", {"body": ""}),
        tool=("comment_on_work_item", {"item": "{key}", "body": ""}),
    ),
    "comment: an item in the trash": Case(
        code=Code.TRASHED,
        form=("/tracker/items/{gone}/comments", {"body": "late"}),
        rest=("POST", "/items/{gone}/comments", {"body": "late"}),
        tool=("comment_on_work_item", {"item": "{gone}", "body": "late"}),
    ),
    "comment: somebody else's": Case(
        code=Code.FORBIDDEN,
        form=("/tracker/comments/{remark}/edit", {"body": "Never mind"}),
        rest=("PATCH", "/comments/{remark}", {"body": "Never mind"}),
        tool=("comment_on_work_item", {"item": "{key}", "body": "Never mind", "edit": "{remark}"}),
    ),
    "comment: taking somebody else's away": Case(
        code=Code.FORBIDDEN,
        form=("/tracker/comments/{remark}/remove", {}),
        rest=("DELETE", "/comments/{remark}", {}),
    ),
    "description: a version it never had": Case(
        code=Code.NOT_FOUND,
        form=("/tracker/items/{key}/history/9/restore", {"base_version": "2"}),
        rest=("POST", "/items/{key}/revisions/9/restore", {"base_version": 2}),
    ),
    "move: a project nobody declares": Case(
        code=Code.UNKNOWN_PROJECT,
        form=("/tracker/items/{key}/move", {"project": "NOPE"}),
        rest=("POST", "/items/{key}/move", {"project": "NOPE"}),
    ),
    "relate: to itself": Case(
        code=Code.INVALID,
        form=("/tracker/items/{key}/relations", {"relation": "blocks", "other": "{key}"}),
        rest=("PUT", "/items/{key}/relations", {"relation": "blocks", "key": "{key}"}),
        tool=("update_work_item", {"item": "{key}", "relation": "blocks", "other": "{key}"}),
    ),
    "relate: in a circle": Case(
        code=Code.INVALID,
        form=("/tracker/items/{key}/relations", {"relation": "blocked_by", "other": "{other}"}),
        rest=("PUT", "/items/{key}/relations", {"relation": "blocked_by", "key": "{other}"}),
        tool=("update_work_item", {"item": "{key}", "relation": "blocked_by", "other": "{other}"}),
    ),
    "unrelate: an item that is not there": Case(
        code=Code.INVALID,
        form=("/tracker/items/{key}/relations", {"relation": "blocks", "other": "ENG-999", "remove": "1"}),
        rest=("DELETE", "/items/{key}/relations", {"relation": "blocks", "key": "ENG-999"}),
        tool=("update_work_item", {"item": "{key}", "relation": "blocks", "other": "ENG-999", "remove": True}),
    ),
    "watch: an item in the trash": Case(
        code=Code.TRASHED,
        form=("/tracker/items/{gone}/watch", {"on": "1"}),
        rest=("POST", "/items/{gone}/watch", {"on": True}),
    ),
    "trash: not one's own": Case(
        code=Code.FORBIDDEN,
        form=("/tracker/items/{key}/trash", {}),
        rest=("POST", "/items/{key}/trash", {}),
    ),
    "restore: one that is not in the trash": Case(
        code=Code.FORBIDDEN,
        form=("/tracker/items/{key}/restore", {}),
        rest=("POST", "/items/{key}/restore", {}),
    ),
    "purge: no administrator": Case(
        code=Code.FORBIDDEN,
        form=("/tracker/items/{gone}/purge", {"reason": "Wrong", "password": "a long password"}),
        rest=("POST", "/items/{gone}/purge", {"reason": "Wrong"}),
    ),
    "view: a name that shows nothing": Case(
        code=Code.INVALID,
        form=("/tracker/views", {"name": "\u200b", "query": ""}),
        rest=("POST", "/item-views", {"name": "\u200b"}),
    ),
    "view: somebody else's": Case(
        code=Code.FORBIDDEN,
        form=("/tracker/views/{view}/drop", {}),
        rest=("DELETE", "/item-views/{view}", {}),
    ),
}
NAMES = {"key": "ENG-1", "other": "ENG-2", "gone": "ENG-3"}


def everything() -> list[Any]:
    """All that a write would leave behind."""
    return [
        *(list(kind.objects.order_by("pk").values()) for kind in (Item, ItemRelation, ItemRevision, SavedView)),
        list(Comment.objects.order_by("pk").values_list("pk", "body")),
        AuditEntry.objects.filter(target_kind__in=["item", "view", "comment"]).count(),
    ]


@pytest.fixture
def names(site: Site) -> dict[str, Any]:
    """An agent's item at version 2 with a remark, which blocks another one; Ada's in the trash; a shared view."""
    sync_projects(live.current())
    item("Theirs", description="text")
    save("ENG-1", description="newer", base_version=1)
    item("Other")
    relate_item(actor=agent(), key="ENG-1", relation="relates", other="ENG-2")
    relate_item(actor=agent(), key="ENG-1", relation="blocks", other="ENG-2")
    item("Gone", by=ada())
    trash_item(actor=ada(), key="ENG-3")
    remark = comment_item(actor=agent(), key="ENG-1", body="Mind the tide.")
    view = save_view(actor=agent(), name="Open", filters=Filters(), shared=True)
    return {**NAMES, "remark": remark.id, "view": view.id}


@pytest.fixture
def mia(names: dict[str, Any]) -> Person:
    """A person with both apps who holds the seat ada-marsh."""
    return person("mia", permissions=["knowledge", "tracker"], seat="ada-marsh")


def test_each_write_of_items_refuses_the_same_by_form_rest_and_mcp_and_changes_nothing(
    site: Site, names: dict[str, Any], mia: Person
) -> None:
    browser = Client()
    browser.force_login(mia)
    secret = token_for(holder=mia)
    rest = bearer(secret)
    faults = []
    with site.assistant(secret, OPERATOR) as assistant:
        for name, case in CASES.items():
            before = everything()
            address, typed = case.form
            shown = browser.post(filled(address, names), filled(typed, names))
            method, path, body = case.rest
            answer = rest.generic(
                method, f"{API}{filled(path, names)}", json.dumps(filled(body, names, numbers=True)),
                content_type="application/json",
            )  # fmt: skip
            problem = answer.json()["errors"][0]
            text = unescape(shown.content.decode())
            if (problem["code"], answer.status_code, shown.status_code) != (case.code, *[STATUS[case.code]] * 2):
                faults.append(f"{name}: REST {answer.status_code} {problem}, form {shown.status_code}")
            if (case.shows or problem["detail"]) not in text:
                faults.append(f"{name}: the form does not say why")
            if case.tool is not None:
                tool, arguments = case.tool
                said = assistant.call(tool, **filled(arguments, names, numbers=True))
                if not said.failed or said.code != case.code or problem["detail"] not in said.text:
                    faults.append(f"{name}: MCP {said.text}")
            if everything() != before:
                faults.append(f"{name}: something was changed")
    assert faults == [], "\n".join(faults)


def test_the_tools_of_items_are_those_of_the_cases() -> None:
    tried = {case.tool[0] for case in CASES.values() if case.tool is not None}
    assert tried == {tool.name for tool in TOOLS if not tool.reads_only}


def test_a_purge_without_a_proof_is_refused_by_form_and_over_rest_and_mcp_has_no_purge_of_items(
    operator: Assistant, names: dict[str, Any]
) -> None:
    Token.objects.update(proven_until=None)
    browser = Client()
    browser.force_login(Person.objects.get(login="root"))
    before = everything()
    root = bearer(token_for(holder=Person.objects.get(login="root"), name="again"))
    answer = root.post(f"{API}/items/ENG-3/purge", {"reason": "x"}, content_type="application/json")
    shown = browser.post("/tracker/items/ENG-3/purge", {"reason": "x"})
    assert answer.json()["errors"][0]["code"] == "proof_required"
    assert answer.status_code == shown.status_code == 403
    assert answer.json()["errors"][0]["detail"] in unescape(shown.content.decode())
    assert not [tool for tool in operator.tools() if "purge" in tool and "item" in tool]
    assert everything() == before


def test_a_file_is_refused_alike_by_the_form_and_the_command_and_no_token_imports(
    names: dict[str, Any], mia: Person, tmp_path: Path, operator: Assistant
) -> None:
    """A file comes from a person who looks at the report, so neither REST nor MCP has a door for it."""
    browser = Client()
    browser.force_login(mia)
    before = everything()
    for project, data, code in (
        ("NOPE", b"title\nx\n", Code.UNKNOWN_PROJECT),
        ("ENG", b"name\nx\n", Code.INVALID),
        ("ENG", b"title\n\xff\n", Code.INVALID),
    ):
        shown = browser.post("/tracker/import", {"file": SimpleUploadedFile("b.csv", data), "project": project})
        file = tmp_path / "b.csv"
        file.write_bytes(data)
        parsed = cli.parser().parse_args(["tracker", "import", str(file), "--project", project])
        with pytest.raises(Refused) as refused:
            parsed.run(parsed)
        assert refused.value.code is code
        assert shown.status_code == STATUS[code]
        assert refused.value.detail in unescape(shown.content.decode())
    assert everything() == before
    assert not [tool for tool in operator.tools() if "import" in tool]
    lee = Client()
    lee.force_login(person("lee", permissions=["knowledge"]))
    refusal = lee.post("/tracker/import", {"file": SimpleUploadedFile("b.csv", b"title\nx\n"), "project": "ENG"})
    assert (refusal.status_code, everything()) == (403, before)
