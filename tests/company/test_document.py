"""The company document: what is read from it, what is refused, and the company it becomes."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from company.rules.actors import ActorKind, Permission
from company.rules.chart import Backend, Company, SpaceKind
from company.rules.document import build_company, parse_document
from company.rules.document.slugs import slug_of
from company.rules.refusals import Code, Refused
from tests.company.documents import HARBOUR
from tests.data import data_file


def built(text: str, **environ: str) -> Company:
    parsed = parse_document(text)
    return build_company(parsed.data, revision=3, activated_at=datetime(2026, 1, 1, tzinfo=UTC), environ=environ)


def problems(text: str) -> dict[str | None, str]:
    with pytest.raises(Refused) as raised:
        parse_document(text)
    assert {problem.code for problem in raised.value.problems} == {Code.CONFIG_INVALID}
    assert raised.value.status == 422
    return {problem.attr: problem.detail for problem in raised.value.problems}


@pytest.mark.covers("CO-01")
def test_a_document_describes_the_whole_company() -> None:
    company = built(HARBOUR, CHAT_URL="https://chat.harbour.example")

    assert (company.name, company.timezone, company.revision) == ("Harbour", "Europe/Helsinki", 3)
    assert company.policies == ("Write decisions down.",)
    assert company.dashboard_base_url == "https://crewlet.harbour.example"
    assert [unit.key for unit in company.units] == ["engineering", "ferries", "product"]
    assert company.unit_by_key["ferries"].parent == "engineering"
    assert company.unit_by_key["engineering"].lead == "lead-bot"
    assert company.seat_by_handle["engineer-bot"].sandbox
    assert company.servers_by_tool["post_message"] == ("chat",)
    assert {space.key: (space.kind, space.led_by) for space in company.spaces} == {
        "HOME": (SpaceKind.ROOT, None),
        "TS": (SpaceKind.SKILLS, None),
        "ENG": (SpaceKind.UNIT, "lead-bot"),
        "PROD": (SpaceKind.UNIT, "product-bot"),
        "ADA": (SpaceKind.SEAT, "ada-marsh"),
    }
    assert company.home_of("timetable-bot") == "ENG"


@pytest.mark.covers("CO-01")
def test_a_real_users_document_applies_and_says_what_it_ignores() -> None:
    parsed = parse_document(data_file("crewlet-examples/nimbus.company.yaml").read_text())
    company = built(parsed.source, PLANE_URL="https://plane.nimbus.example")

    assert {"token_budget", "turn_engine", "learning", "scheduling", "providers.sandbox"} <= set(parsed.ignored)
    assert parsed.data["learning"]["reflect"]["enabled"] is True
    assert company.seat_by_handle["agent-swe"].servers == {"plane", "mattermost", "gitlab", "tavily"}
    assert company.seat_by_handle["jane-founder"].kind is ActorKind.HUMAN
    assert company.unit_by_key["core"].lead == "agent-cto"
    assert company.skill_variables["plane_base_url"] == "https://plane.nimbus.example"


@pytest.mark.covers("CO-01")
def test_unknown_keys_inside_known_sections_are_kept_and_named() -> None:
    parsed = parse_document("name: Harbour\ngoals: [x]\nunits:\n- name: E\n  roles:\n  - {name: A, goal: sail}\n")

    assert parsed.ignored == ("goals", "units.0.roles.0.goal")
    assert parsed.data["units"][0]["roles"][0]["goal"] == "sail"


def test_json_is_read_as_well_and_kept_as_yaml() -> None:
    parsed = parse_document(json.dumps({"name": "Harbour", "roles": [{"name": "Łódź Bot"}]}))

    assert parsed.source == "name: Harbour\nroles:\n- name: Łódź Bot\n"


@pytest.mark.covers("CO-03")
def test_references_resolve_when_the_company_is_built_and_never_in_what_is_stored() -> None:
    parsed = parse_document(HARBOUR)

    assert parsed.data["skill_variables"]["chat_url"] == "${CHAT_URL}"
    assert built(HARBOUR, CHAT_URL="https://chat").skill_variables["chat_url"] == "https://chat"


@pytest.mark.covers("CO-03")
def test_a_skill_variable_that_resolves_to_nothing_is_dropped() -> None:
    assert set(built(HARBOUR).skill_variables) == {"docs_url"}


@pytest.mark.covers("CO-09")
def test_an_agent_holds_both_apps_and_a_human_none_unless_the_document_says_otherwise() -> None:
    company = built(HARBOUR + "  - {name: Ops, roles: [{name: Guest, kind: human}, {name: Mute, permissions: []}]}\n")

    assert company.seat_by_handle["lead-bot"].permissions == {Permission.KNOWLEDGE, Permission.TRACKER}
    assert company.seat_by_handle["timetable-bot"].permissions == {Permission.KNOWLEDGE}
    assert company.seat_by_handle["guest"].permissions == frozenset()
    assert company.seat_by_handle["mute"].permissions == frozenset()
    assert company.seat_by_handle["ada-marsh"].permissions == {Permission.KNOWLEDGE}


def test_shared_servers_reach_every_agent_and_others_whoever_declares_them() -> None:
    company = built(HARBOUR)

    assert company.seat_by_handle["engineer-bot"].servers == {"github", "chat"}
    assert company.seat_by_handle["timetable-bot"].servers == {"github", "chat"}
    assert company.seat_by_handle["product-bot"].servers == {"chat"}
    assert company.seat_by_handle["ada-marsh"].servers == {"github"}
    assert company.seat_by_handle["mara-quay"].servers == frozenset()


@pytest.mark.covers("CO-07")
@pytest.mark.parametrize(
    ("sections", "backend"),
    [
        ("", Backend.NATIVE),
        ("integrations: {confluence: {url: x}}", Backend.CONFLUENCE),
        ("knowledge: {backend: none}", Backend.NONE),
        ("knowledge: {backend: confluence}\nintegrations: {confluence: {url: x}}", Backend.CONFLUENCE),
    ],
)
def test_an_absent_backend_derives_from_the_integrations(sections: str, backend: Backend) -> None:
    assert built(f"name: Harbour\n{sections}\n").backend is backend


@pytest.mark.parametrize(
    ("sections", "on"),
    [
        ("", False),
        ("providers: {embeddings: {type: local}}", True),
        ("providers: {embeddings: {type: local}}\nknowledge: {vectors: false}", False),
        ("providers: {embeddings: {type: local}}\nknowledge: {vectors: on}", True),
    ],
)
def test_vectors_derive_from_the_embeddings_provider(sections: str, on: bool) -> None:
    assert built(f"name: Harbour\n{sections}\n").vectors is on


@pytest.mark.parametrize(
    ("knowledge", "container"), [("{}", "TS"), ("{skills_container: SK}", "SK"), ("{skills_container: ''}", None)]
)
def test_the_skills_container_is_absent_named_or_off(knowledge: str, container: str | None) -> None:
    company = built(f"name: Harbour\nknowledge: {knowledge}\n")

    assert company.skills_container == container
    assert [s.key for s in company.spaces if s.kind is SpaceKind.SKILLS] == ([container] if container else [])


def test_an_unquoted_off_is_a_word_and_no_boolean() -> None:
    assert not built("name: Harbour\nknowledge: {skills_review: off}\n").skills_review
    assert built("name: Harbour\nknowledge: {skills_review: required}\n").skills_review


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Agent CTO", "agent-cto"),
        ("Łucja Żak-Ørsted", "lucja-zak-orsted"),
        ("  R&D / Ops  ", "r-d-ops"),
        ("田中 太郎", "田中-太郎"),
        ("हिन्दी", "हिन्दी"),
        ("İstanbul", "istanbul"),
        ("O’Brien", "obrien"),
        ("!!!", ""),
        ("x" * 400, "x" * 150),
    ],
)
def test_a_handle_is_made_of_a_name_in_any_script(name: str, slug: str) -> None:
    assert slug_of(name) == slug


REFUSED = {
    "native backend beside Confluence": (
        "knowledge: {backend: native}\nintegrations: {confluence: {url: x}}", "knowledge.backend"),
    "Confluence backend without Confluence": ("knowledge: {backend: confluence}", "knowledge.backend"),
    "a backend nobody knows": ("knowledge: {backend: wiki}", "knowledge.backend"),
    "a scope with nothing to search": ("knowledge: {backend: none, scope: [ENG]}", "knowledge.scope"),
    "vectors without a provider": ("knowledge: {vectors: true}", "knowledge.vectors"),
    "a variable that is no identifier": ("skill_variables: {base-url: x}", "skill_variables.base-url"),
    "the reserved variable": ("skill_variables: {crewlet_base_url: x}", "skill_variables.crewlet_base_url"),
    "a variable that is no text": ("skill_variables: {port: 80}", "skill_variables.port"),
    "a handle twice": ("roles: [{name: A}, {name: B, handle: a}]", "roles.1.handle"),
    "a handle twice but for its case": ("roles: [{name: A}, {name: B, handle: A}]", "roles.1.handle"),
    "a handle with a blank": ("roles: [{name: A, handle: a b}]", "roles.0.handle"),
    "a name that makes no handle": ("roles: [{name: '!!'}]", "roles.0.handle"),
    "a unit key twice": ("units: [{name: E}, {name: F, children: [{name: e}]}]", "units.1.children.0.key"),
    "a lead that is no seat": ("units: [{name: E, lead: Nobody}]", "units.0.lead"),
    "a lead two seats are called": (
        "roles: [{name: A, handle: x}, {name: A, handle: y}]\nunits: [{name: E, lead: A}]", "units.0.lead"),
    "a space in lower case": ("units: [{name: E, space: eng}]", "units.0.space"),
    "a space key too long": ("units: [{name: E, space: ABCDEFGHIJK}]", "units.0.space"),
    "a space key that is a number": ("units: [{name: E, space: 12}]", "units.0.space"),
    "a project in lower case": ("units: [{name: E, project: eng}]", "units.0.project"),
    "a bad container in the scope": ("knowledge: {scope: [eng]}", "knowledge.scope.0"),
    "a bad skills container": ("knowledge: {skills_container: ts}", "knowledge.skills_container"),
    "an empty root space": ("knowledge: {root_space: ''}", "knowledge.root_space"),
    "a space twice": ("roles: [{name: A, space: ENG}]\nunits: [{name: E, space: ENG}]", "roles.0.space"),
    "a project twice": ("units: [{name: E, project: ENG}, {name: F, project: ENG}]", "units.1.project"),
    "a space that is the default root": ("units: [{name: E, space: HOME}]", "units.0.space"),
    "a space that is the named root": ("knowledge: {root_space: TOP}\nunits: [{name: E, space: TOP}]", "units.0.space"),
    "a space that is the default skills container": ("roles: [{name: A, space: TS}]", "roles.0.space"),
    "one key for root and skills": (
        "knowledge: {root_space: AA, skills_container: AA}", "knowledge.skills_container"),
    "a server twice": ("mcp_servers: [{name: a}, {name: a}]", "mcp_servers.1.name"),
    "a zone nobody knows": ("timezone: Europe/Atlantis", "timezone"),
    "a zone that leaves its folder": ("timezone: ../../etc/passwd", "timezone"),
    "an app nobody knows": ("roles: [{name: A, permissions: [wiki]}]", "roles.0.permissions.0"),
    "a kind nobody knows": ("roles: [{name: A, kind: robot}]", "roles.0.kind"),
    "a seat without a name": ("roles: [{handle: a}]", "roles.0.name"),
    "a section that is a list": ("knowledge: [a]", "knowledge"),
    "a seat that is a word": ("roles: [a]", "roles.0"),
    "a number in quotes": ("budgets: {day: '5'}", "budgets.day"),
    "a budget below nothing": ("budgets: {day: -1}", "budgets.day"),
}  # fmt: skip


@pytest.mark.covers("CO-06")
@pytest.mark.parametrize(("sections", "path"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_hold_together_is_refused_at_its_path(sections: str, path: str) -> None:
    assert list(problems(f"name: Harbour\n{sections}\n")) == [path]


def test_every_problem_is_told_with_its_line() -> None:
    found = problems("units:\n- name: E\n  space: eng\n  lead: Nobody\nknowledge: {vectors: true}\n")

    assert list(found) == ["name", "units.0.space", "knowledge.vectors", "units.0.lead"]
    assert found["units.0.space"].endswith("(line 3)")
    assert found["units.0.lead"].endswith("(line 4)")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name: A\nname: B\n", "given twice"),
        ("name: &a A\nmission: *a\n", "alias"),
        ("name: !!str A\n", "tag"),
        ("name: !python/name:os.system A\n", "tag"),
        ("name: [A\n", "not YAML"),
        ("name: A\n---\nname: B\n", "second YAML document"),
        ("name: A\n? [a, b]\n: c\n", "key is a text"),
        ('name: "A\\0"\n', "NUL"),
        ("name: A\nx: 1e999\n", "too large"),
        ("- A\n", "mapping"),
        ("", "mapping"),
        ("name: A\nx: " + "[" * 100, "nested"),
        ("name: A\nkey: ***\n", "in quotes"),
        ("name: A\n\x07", "character"),
        ('{"name": "A", "name": "B"}', "given twice"),
        ('{"name": "A", "x": NaN}', "NaN"),
        ('{"name": "A", "x": 1e999}', "too large"),
        ('{"name": "\\ud800"}', "surrogate"),
        ('{"x":' * 5_000, "nested"),
        ('{"x":' * 100 + "1" + "}" * 100, "nested"),
        ('{"name": "A", "x": ' + "9" * 5_000 + "}", "digits"),
    ],
)
def test_text_that_cannot_be_read_safely_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    assert sentence in " ".join(problems(text).values())


def test_a_document_of_more_than_a_megabyte_is_too_long() -> None:
    with pytest.raises(Refused) as raised:
        parse_document("name: Harbour\nmission: " + "x" * 1_048_576)

    assert raised.value.code is Code.TOO_LONG
    assert raised.value.extras == {"limit": 1_048_576}
