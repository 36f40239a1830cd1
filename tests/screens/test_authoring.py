"""Writing skills in a form: it refuses as the REST door checks, and changes no byte nobody touched."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from knowledge.models import Page
from knowledge.writes.pages import create_page, save_page
from skills.composing import FORMS, compose, values_of
from skills.frontmatter import parse
from skills.registry.dialects import read_dialects
from skills.tool_skills.rules.documents import Kind, ToolSkill
from skills.views.words import DIALECTS
from tests.factories import admin
from tests.skills.served import DEPLOY, GITHUB, NOTES, serve

pytestmark = pytest.mark.django_db

FORM = {
    "title": "Berths", "key": "tool:create_pull_request", "summary": "Ask before: \"you\" moor.",
    "trigger": "any_of:\n  - tool: create_pull_request\n  - mcp_server: chat", "phases": ["execute", "review"],
    "required": "true", "body": "Ask first.\r\n",
}  # fmt: skip
ODD = (
    "---\r\n# why\r\nzone: [north]   # kept\r\nkey: tool:odd\r\ntrigger: {tool: odd}\r\nphases:\r\n  - execute\r\n"
    "title: 'Odd'\r\nsummary: >\r\n  Folded\r\n  text.\r\n---\r\n\r\nBody.\r\n"
)


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.parametrize("text", [GITHUB, ODD, DEPLOY, NOTES])
def test_a_form_that_changes_nothing_changes_no_byte(text: str) -> None:
    kind = read_dialects(text).kind
    values = values_of(text, kind)
    assert values is not None
    assert compose(text, kind, values, body=parse(text).body) == text


def test_one_changed_field_leaves_every_other_byte_alone() -> None:
    values = values_of(ODD, Kind.TOOL_SKILL)
    assert values is not None
    made = compose(ODD, Kind.TOOL_SKILL, {**values, "title": "Less: odd"}, body=parse(ODD).body)
    assert made == ODD.replace("'Odd'", '"Less: odd"')


@pytest.mark.parametrize("kind", list(FORMS))
def test_a_field_that_is_emptied_goes_and_the_rest_stays(kind: Kind) -> None:
    text = {Kind.TOOL_SKILL: GITHUB, Kind.PROMPT_SKILL: DEPLOY, Kind.AGENT_SKILL: NOTES}[kind]
    values = values_of(text, kind)
    assert values is not None
    made = compose(text, kind, {**values, **{one.name: "" for one in FORMS[kind] if not one.required}}, body="B")
    assert isinstance(made, str)
    assert made.endswith("---\nB")


@pytest.mark.covers("UI-04", "TS-01")
def test_a_skill_is_authored_in_fields_and_reads_as_it_was_typed(root: Client) -> None:
    answer = root.post("/skills/new?dialect=tool_skill", FORM)
    assert answer.status_code == 302, text_of(answer)
    page = Page.objects.get(title="Berths")
    skill = read_dialects(page.body).tool
    assert isinstance(skill, ToolSkill), page.body
    assert (skill.summary, skill.body, skill.phases) == ('Ask before: "you" moor.', "Ask first.", ("execute", "review"))
    assert page.container == "TS"


@pytest.mark.parametrize("dialect", [Kind.TOOL_SKILL, Kind.AGENT_SKILL])
def test_a_form_left_empty_says_of_each_field_it_needs_that_it_is_to_be_filled_in(root: Client, dialect: Kind) -> None:
    answer = root.post(f"/skills/new?dialect={dialect.value}", {"body": "Text."})
    assert answer.status_code == 400
    shown = text_of(answer)
    for needed in (one for one in FORMS[dialect] if one.required):
        assert f"'{needed.label}' is empty; without it this is no {DIALECTS[dialect]}. Fill it in." in shown
    assert not Page.objects.exists()


@pytest.mark.covers("UI-04")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", "has blanks"),
        ("summary", "x" * 241),
        ("phases", []),
        ("trigger", "{toll: x}"),
        ("title", ""),
        ("body", ""),
    ],
)
def test_a_problem_stands_under_its_field_in_the_words_of_skill_validate(root: Client, field: str, value: Any) -> None:
    answer = root.post("/skills/new?dialect=tool_skill", {**FORM, field: value})
    assert answer.status_code == 400
    made = re.search(r"The text this makes</summary><pre[^>]*>(.*?)</pre>", answer.content.decode(), re.DOTALL)
    assert made is not None
    rest = root.post("/api/v1/skill-validate", {"text": unescape(made[1])}, content_type="application/json").json()
    told = re.search(rf'id="told-{field}">(.*?)</div>', answer.content.decode(), re.DOTALL)
    assert told is not None
    assert rest["problems"][0]["detail"] in unescape(told[1])
    assert not Page.objects.filter(title="Berths").exists()
    checked = root.post(
        "/skills/check", {**FORM, field: value, "dialect": "tool_skill"}, headers={"HX-Request": "true"}
    )
    assert rest["problems"][0]["detail"] in text_of(checked), "and while it is typed"


@pytest.mark.covers("UI-04")
def test_the_form_says_which_seats_would_see_the_skill(root: Client) -> None:
    form = {**FORM, "trigger": "{mcp_server: github}", "dialect": "tool_skill"}
    shown = " ".join(re.sub(r"<[^>]+>", " ", text_of(root.post("/skills/check", form))).split())
    assert "execute, review Engineer Bot" in shown
    assert "no Product Bot" in shown
    assert "Ada Marsh" not in shown


def test_an_edit_in_fields_is_refused_on_a_stale_base_as_rest_refuses_it(root: Client) -> None:
    page = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    save_page(actor=admin(), page_id=page.id, base_version=1, body=GITHUB + "More.\n")
    form = {**FORM, "base_version": "1", "message": ""}
    answer = root.post(f"/skills/pages/{page.id}/edit", form)
    rest = root.patch(f"/api/v1/pages/{page.id}", {"body": "x", "base_version": 1}, content_type="application/json")
    assert answer.status_code == rest.status_code == 409
    shown = text_of(answer)
    assert "Two edits met" in shown
    assert 'name="base_version" value="2"' in shown
    together = shown.split('name="body"')[1]
    assert "Ask first." in together, "what was typed is kept"
    assert "More." in together, "and what somebody else saved"
    assert Page.objects.get(pk=page.id).version == 2


def test_only_administrators_write_skills_by_form_and_by_rest_alike(ada: Client) -> None:
    form = ada.post("/skills/new?dialect=tool_skill", FORM)
    rest = ada.post("/api/v1/pages", {"title": "x", "body": "", "container": "TS"}, content_type="application/json")
    assert form.status_code == rest.status_code == 403
    assert rest.json()["errors"][0]["detail"] in text_of(form)
    assert ada.get("/skills/new").status_code == 403
    page = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    assert ada.get(f"/skills/pages/{page.id}/edit").status_code == 403


def test_a_served_skill_is_edited_by_its_name_and_keeps_its_body(root: Client) -> None:
    page = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    serve(GITHUB)
    shown = text_of(root.get(f"/skills/pages/{page.id}/edit"))
    assert "Keep a pull request small. See ${docs_url}." in shown
    assert 'value="mcp:github"' in shown
    assert root.get("/skills/tool%3Anone/edit").status_code == 404


def test_fields_and_text_change_into_each_other_and_keep_what_was_typed(root: Client) -> None:
    page = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    address = f"/skills/pages/{page.id}/edit"
    as_text = text_of(root.post(address, {**FORM, "base_version": "1", "message": "Why", "as": "text"}))
    assert 'title: "Berths"' in as_text or "title: Berths" in as_text
    assert f'action="/knowledge/pages/{page.id}/edit"' in as_text
    assert 'value="Why"' in as_text
    typed = GITHUB.replace("Keep a pull request small.", "Typed and not saved.")
    as_fields = text_of(root.post(address, {"body": typed, "base_version": "1", "message": "Why", "as": "fields"}))
    assert "Typed and not saved." in as_fields
    assert 'value="tool:create_pull_request"' not in as_fields
    assert 'value="mcp:github"' in as_fields
    broken = root.post(address, {"body": "---\nkey: [\n---\nText", "base_version": "1", "as": "fields"})
    assert broken.status_code == 400
    assert "key: [" in text_of(broken), "what cannot be shown as fields stays as text"
    assert Page.objects.get(pk=page.id).version == 1, "none of it saves"
