"""`config` at the REST door."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml
from django.test import Client

from company.models import Revision
from tests.company.documents import HARBOUR
from tests.company.doors import administrator, bearer, codes
from tests.factories import token_for

pytestmark = pytest.mark.django_db

YAML = "application/yaml"
CONFIG = "/api/v1/config"


@pytest.fixture
def root() -> Client:
    return administrator()


def put(client: Client, text: str = HARBOUR, *, kind: str = YAML, **headers: str) -> Any:
    return client.put(CONFIG, data=text, content_type=kind, headers=headers)


@pytest.mark.covers("CO-02", "AP-01")
def test_a_document_is_put_read_and_changed_by_its_etag(root: Client) -> None:
    first = put(root, **{"X-Summary": "Anchors%20aweigh %E2%9A%93"})

    assert first.status_code == 200, first.content
    body = first.json()
    assert set(body) == {"id", "summary", "author", "created_at", "ignored"}
    assert body["summary"] == "Anchors aweigh ⚓"
    assert body["author"] == {"name": "root", "kind": "operator"}
    assert first["ETag"] == f'"{body["id"]}"'

    read = root.get(CONFIG, headers={"Accept": "application/json"})
    assert read.json() == yaml.safe_load(HARBOUR)
    assert read["ETag"] == first["ETag"]
    text = root.get(CONFIG, headers={"Accept": YAML})
    assert (text.content.decode(), text["Content-Type"]) == (HARBOUR, "application/yaml; charset=utf-8")

    second = put(root, json.dumps(read.json()), kind="application/json", **{"If-Match": first["ETag"]})
    assert second.status_code == 200
    assert second["ETag"] != first["ETag"]


@pytest.mark.covers("CO-02")
def test_writing_on_an_old_base_or_none_is_refused(root: Client) -> None:
    first = put(root)
    second = put(root, **{"If-Match": first["ETag"]})

    stale = put(root, **{"If-Match": first["ETag"]})
    assert (stale.status_code, codes(stale)) == (412, ["revision_advanced"])
    assert stale.json()["current_revision"] == second.json()["id"]
    assert put(root, **{"If-Match": '"seven"'}).status_code == 412
    bare = put(root)
    assert (bare.status_code, codes(bare)) == (428, ["required"])
    assert put(root, **{"If-Match": "*"}).status_code == 200
    assert Revision.objects.count() == 3


@pytest.mark.covers("CO-02", "CO-06")
def test_every_problem_of_a_document_is_answered_with_its_path(root: Client) -> None:
    refused = put(root, "units: [{name: E, space: eng}]\nknowledge: {vectors: true}\n")

    assert refused.status_code == 422
    assert [(error["code"], error["attr"]) for error in refused.json()["errors"]] == [
        ("config_invalid", "name"),
        ("config_invalid", "units.0.space"),
        ("config_invalid", "knowledge.vectors"),
    ]
    assert not Revision.objects.exists()


@pytest.mark.parametrize(
    ("text", "kind", "status", "code"),
    [
        (b"name: \xff", YAML, 400, "invalid"),
        (b"", YAML, 422, "config_invalid"),
        (b"{", "application/json", 422, "config_invalid"),
        (b"name: A", "application/xml", 415, "invalid"),
        (b"name: " + b"A" * 1_048_577, YAML, 400, "too_long"),
    ],
)
def test_a_body_that_is_no_document_is_refused(root: Client, text: bytes, kind: str, status: int, code: str) -> None:
    refused = root.put(CONFIG, data=text, content_type=kind)

    assert (refused.status_code, codes(refused)) == (status, [code])
    assert not Revision.objects.exists()


def test_a_refusal_is_json_even_where_yaml_was_asked_for(root: Client) -> None:
    refused = root.get(CONFIG, headers={"Accept": YAML})

    assert (refused.status_code, refused["Content-Type"], codes(refused)) == (404, "application/json", ["not_found"])
    assert root.get(CONFIG, headers={"Accept": "image/png"}).status_code == 406
    assert codes(root.post(CONFIG)) == ["invalid"]


@pytest.mark.covers("CO-03")
def test_secrets_are_never_answered(root: Client) -> None:
    first = put(root, HARBOUR + "extensions: {api_key: anchor-chain}\n").json()
    second = put(root, HARBOUR, **{"If-Match": f'"{first["id"]}"'}).json()

    for path in (CONFIG, f"{CONFIG}/revisions/{first['id']}", f"{CONFIG}/revisions/{second['id']}/diff"):
        for kind in ("application/json", YAML):
            if kind == YAML and path.endswith("diff"):
                continue
            answer = root.get(path, headers={"Accept": kind})
            assert answer.status_code == 200
            assert b"anchor-chain" not in answer.content
    assert "${GITHUB_TOKEN}" in root.get(CONFIG, headers={"Accept": YAML}).content.decode()


@pytest.mark.covers("CO-02")
def test_revisions_are_listed_read_compared_and_reverted_to(root: Client) -> None:
    first = put(root).json()
    second = put(root, HARBOUR.replace("mission:", "vision:"), **{"If-Match": "*"}).json()

    listed = root.get(f"{CONFIG}/revisions", {"limit": 1}).json()
    assert ([row["id"] for row in listed["results"]], listed["total"]) == ([second["id"]], 2)
    rest = root.get(f"{CONFIG}/revisions", {"limit": 1, "after": listed["after"]}).json()
    assert ([row["id"] for row in rest["results"]], rest["after"]) == ([first["id"]], None)
    assert set(rest["results"][0]) == {"id", "summary", "author", "created_at"}

    diff = root.get(f"{CONFIG}/revisions/{second['id']}/diff", {"against": first["id"]}).json()
    changed = [(line["op"], line["text"][:7]) for hunk in diff["hunks"] for line in hunk["lines"] if line["op"] != " "]
    assert (diff["from"], diff["to"], changed) == (first["id"], second["id"], [("-", "mission"), ("+", "vision:")])
    assert codes(root.get(f"{CONFIG}/revisions/{second['id']}/diff", {"against": "x"})) == ["invalid"]

    stale = root.post(f"{CONFIG}/revisions/{first['id']}/revert", headers={"If-Match": f'"{first["id"]}"'})
    assert stale.status_code == 412
    reverted = root.post(f"{CONFIG}/revisions/{first['id']}/revert")
    assert reverted.status_code == 200
    assert root.get(CONFIG).json() == yaml.safe_load(HARBOUR)
    assert codes(root.get(f"{CONFIG}/revisions/999999")) == ["not_found"]


@pytest.mark.covers("CO-09")
def test_whoever_does_not_administer_neither_reads_nor_writes_the_document() -> None:
    put(administrator())
    service = bearer(token_for(name="service", scopes=frozenset()))

    assert codes(Client().get(CONFIG)) == ["not_authenticated"]
    assert codes(put(Client())) == ["not_authenticated"]
    assert codes(service.get(CONFIG)) == ["scope_missing"]
    assert codes(put(service)) == ["scope_missing"]


def test_the_documents_json_schema_is_served_and_holds_for_the_examples(root: Client) -> None:
    schema = root.get(f"{CONFIG}/schema").json()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert not list(validator.iter_errors(yaml.safe_load(HARBOUR)))
    assert list(validator.iter_errors({"units": 3}))
    for shape in (schema, *schema["$defs"].values()):
        for name, field in shape["properties"].items():
            assert field.get("description") or "$ref" in field, name
