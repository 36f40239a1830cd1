"""The example company is loaded by the ordinary writes, whole, once, and again where it was interrupted."""

from __future__ import annotations

import re

import pytest

from company import live
from company.models.revisions import Revision
from company.writes.document import apply_document
from crewlet_site.example import is_wanted, load_example
from crewlet_site.example_pages import EXAMPLES, read_pages
from knowledge.models import Page
from knowledge.writes.pages import create_page
from skills import registry
from skills.registry.findings import findings
from skills.registry.sync import SkillSync
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.triggers import Surface
from tests import factories
from tracker.models import Item

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def dashboard_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `./crewlet up` puts into the environment."""
    monkeypatch.setenv("CREWLET_DASHBOARD_URL", "http://127.0.0.1:8000")


def _served() -> registry.Registry:
    sync = SkillSync(report=lambda _: None)
    sync.run_pending()
    return registry.current()


@pytest.mark.covers("OP-01")
def test_an_empty_deployment_is_given_a_company_its_skills_its_pages_and_its_items() -> None:
    assert is_wanted()
    said: list[str] = []
    load_example(progress=said.append)
    assert live.current().name == "Harbour"
    assert not is_wanted()
    assert Page.objects.exclude(container="TS").count() == len(read_pages())
    assert set(Page.objects.values_list("container", flat=True)) == {"HOME", "TS", "ENG", "OPS", "CARE"}
    assert set(Item.objects.values_list("project", flat=True)) == {"ENG", "OPS", "CARE"}
    assert len(said) == 4


@pytest.mark.covers("TS-01", "TS-02", "TS-09")
def test_all_ten_tool_skills_of_the_example_are_served_and_nothing_is_reported() -> None:
    load_example()
    served = _served()
    assert len(served.by_key) == len(list((EXAMPLES / "tool-skills").glob("*.md"))) == 10
    assert findings(served, live.current()) == ()


def test_the_example_shows_a_skill_that_gates_one_that_advises_and_one_for_review() -> None:
    load_example()
    skills = [served.skill for served in _served().by_key.values()]
    assert {skill.required for skill in skills} == {True, False}
    assert {phase for skill in skills for phase in skill.phases} == set(Phase)
    review = _served().listed(phase=Phase.REVIEW, surface=Surface(servers=frozenset({"github"})))
    assert [served.skill.key for served in review] == ["skill:weighing_changes"]


def test_pages_of_the_example_link_to_each_other_by_id() -> None:
    load_example()
    bodies = Page.objects.exclude(container="TS").values_list("body", flat=True)
    linked = {int(page_id) for body in bodies for page_id in re.findall(r"\]\(/knowledge/pages/(\d+)\)", body)}
    assert linked
    assert set(Page.objects.filter(pk__in=linked).values_list("pk", flat=True)) == linked
    assert not [body for body in bodies if re.search(r"\]\([^)]*\.md\)", body)]


def test_a_folder_of_the_example_is_the_parent_of_what_is_in_it() -> None:
    load_example()
    assert Page.objects.get(container="ENG", title="Card payments fail").parent == Page.objects.get(title="Runbooks")
    assert Page.objects.get(title="Runbooks").body == ""


def test_loading_the_example_again_changes_nothing() -> None:
    load_example()
    before = list(Page.objects.order_by("pk").values_list("pk", "version", "body"))
    load_example()
    assert list(Page.objects.order_by("pk").values_list("pk", "version", "body")) == before
    assert Revision.objects.count() == 1


@pytest.mark.parametrize(("room", "after"), [("skills.writes.publishing", 4), ("crewlet_site.example", 7)])
def test_a_load_that_was_interrupted_goes_on_where_it_stopped(
    room: str, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))

    def failing(**arguments: object) -> object:
        if next(calls) == after:
            raise ConnectionError("the machine went away")
        return create_page(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(f"{room}.create_page", failing)
    with pytest.raises(ConnectionError):
        load_example()
    assert is_wanted()
    load_example()
    assert not is_wanted()
    assert Page.objects.count() == len(read_pages()) + 10
    assert not [body for body in Page.objects.values_list("body", flat=True) if re.search(r"\]\([^)]*\.md\)", body)]


def test_a_company_of_ones_own_is_never_given_the_example() -> None:
    apply_document(actor=factories.admin(), source="name: Ours")
    assert not is_wanted()


def test_an_interrupted_load_ends_for_good_when_another_document_is_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(**_: object) -> None:
        raise ConnectionError("the machine went away")

    monkeypatch.setattr("crewlet_site.example.create_page", failing)
    with pytest.raises(ConnectionError):
        load_example()
    assert is_wanted()
    apply_document(actor=factories.admin(), source="name: Ours", if_match=Revision.objects.latest("pk").pk)
    assert not is_wanted()
