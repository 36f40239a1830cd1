"""The sync: what makes it read, what a failure costs, and what it says."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from structlog.testing import LogCapture

from company import live
from company.models.changes import Change, ChangeKind
from company.rules.chart import Backend, Company
from skills import registry
from skills.registry import source_of
from skills.registry.sources import Off, Readable, Resolution, Unreadable
from skills.registry.sync import LONGEST_RETRY, SILENCE, SkillSync
from skills.writes.sync import SyncReport
from tests.factories import HARBOUR
from tests.skills.texts import APage, PagesInMemory, skill_text


@dataclass(kw_only=True)
class World:
    """A sync with a clock that moves when it is told to, and a backend in memory."""

    clock: float = 1_000.0
    sources: dict[str, PagesInMemory] = field(default_factory=lambda: {"TS": PagesInMemory()})
    unreadable: str = ""
    reports: list[SyncReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sync = SkillSync(
            resolve=self.resolve,
            clock=lambda: self.clock,
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            report=self.reports.append,
        )

    @property
    def pages(self) -> PagesInMemory:
        return self.sources["TS"]

    def resolve(self, company: Company) -> Resolution:
        found = source_of(company)
        if found is None:
            return Off()
        if self.unreadable:
            return Unreadable(id=found, reason=self.unreadable)
        return Readable(
            id=found, source=self.sources.setdefault(found.container, PagesInMemory(container=found.container))
        )

    def after(self, seconds: float) -> float:
        self.clock += seconds
        return self.sync.run_pending()

    def apply(self, **changes: object) -> None:
        before = live.current()
        live.install(replace(before, revision=before.revision + 1, **changes))  # type: ignore[arg-type]
        self.sync.hear_company(before, live.current())
        self.sync.run_pending()


@pytest.fixture
def world() -> World:
    live.install(replace(HARBOUR, revision=1))
    made = World()
    made.pages.put(APage(id=1, body=skill_text("mcp:github")), APage(id=2, body="prose"))
    return made


def keys() -> list[str]:
    return list(registry.current().by_key)


def events(logged: LogCapture) -> list[str]:
    return [entry["event"] for entry in logged.entries if entry["log_level"] != "debug"]


@pytest.mark.covers("TS-05")
def test_it_walks_at_the_start_and_again_after_twelve_silent_minutes(world: World, logged: LogCapture) -> None:
    assert world.sync.run_pending() == SILENCE
    assert keys() == ["mcp:github"]
    assert logged.entries == [{"event": "tool_skills_synced", "log_level": "info", "skills": 1, "pages": 2}]
    world.after(SILENCE - 1)
    assert world.pages.walks == 1
    world.after(1)
    assert world.pages.walks == 2


@pytest.mark.covers("TS-06")
def test_an_unchanged_walk_changes_nothing_and_is_quiet(world: World, logged: LogCapture) -> None:
    world.sync.run_pending()
    held = registry.installed()
    world.sync.request_walk()
    world.sync.run_pending()
    assert registry.installed() is held
    assert [(entry["event"], entry["log_level"]) for entry in logged.entries[1:]] == [
        ("tool_skills_unchanged", "debug")
    ]


@pytest.mark.covers("TS-05")
def test_requests_coalesce_into_one_walk_and_a_walk_covers_the_pages_that_wait(world: World) -> None:
    for _ in range(5):
        world.sync.request_walk()
        world.sync.request_page(1)
    world.sync.run_pending()
    assert (world.pages.walks, world.pages.reads) == (1, 0)
    for page_id in range(60):
        world.sync.request_page(page_id)
    world.sync.run_pending()
    assert (world.pages.walks, world.pages.reads) == (2, 0)


@pytest.mark.covers("TS-05")
def test_a_page_that_changed_is_read_alone(world: World, logged: LogCapture) -> None:
    world.sync.run_pending()
    world.pages.put(APage(id=2, body=skill_text("tool:new", trigger="{tool: get_issue}"), version=2))
    world.sync.hear_pages([Change(kind=ChangeKind.PAGE, object_id=2, container="TS")])
    world.sync.run_pending()
    assert keys() == ["mcp:github", "tool:new"]
    assert (world.pages.walks, world.pages.reads) == (1, 1)
    assert logged.entries[-1] == {
        "event": "tool_skill_page_synced", "log_level": "info", "page_id": 2, "skills": 2, "pages": 2,
    }  # fmt: skip
    world.sync.request_page(2)
    world.sync.run_pending()
    assert logged.entries[-1]["event"] == "tool_skill_page_unchanged"
    assert logged.entries[-1]["log_level"] == "debug"


@pytest.mark.covers("TS-05")
@pytest.mark.parametrize(
    ("container", "was_container", "page_id", "reads"),
    [("TS", "", 7, 1), ("ENG", "TS", 7, 1), ("ENG", "", 1, 1), ("ENG", "", 7, 0)],
)
def test_only_changes_in_into_and_out_of_the_skills_container_are_read(
    world: World, container: str, was_container: str, page_id: int, reads: int
) -> None:
    world.sync.run_pending()
    change = Change(kind=ChangeKind.PAGE, object_id=page_id, container=container, was_container=was_container)
    world.sync.hear_pages([change])
    world.sync.run_pending()
    assert world.pages.reads == reads


@pytest.mark.covers("TS-06")
def test_a_failed_walk_replaces_nothing_and_is_repeated_ever_later(world: World, logged: LogCapture) -> None:
    world.sync.run_pending()
    world.pages.held.clear()
    world.pages.failing = True
    world.sync.request_walk()
    waits = [world.after(0)]
    for _ in range(8):
        waits.append(world.after(waits[-1]))
    assert waits == [5, 10, 20, 40, 80, 160, 320, LONGEST_RETRY, LONGEST_RETRY]
    assert keys() == ["mcp:github"]
    assert logged.entries[-1] == {
        "event": "tool_skill_sync_failed", "log_level": "error", "attempt": 9, "retry_in": 600.0,
        "error": "the wiki is away",
    }  # fmt: skip
    assert world.reports[-1].state == "failing"
    world.pages.failing = False
    assert world.after(LONGEST_RETRY) == SILENCE
    assert keys() == []
    assert logged.entries[-1]["event"] == "tool_skills_synced"
    assert logged.entries[-1]["recovered"] is True


@pytest.mark.covers("TS-06")
def test_a_recovery_is_told_even_where_nothing_changed(world: World, logged: LogCapture) -> None:
    world.sync.run_pending()
    world.pages.failing = True
    world.sync.request_walk()
    world.sync.run_pending()
    world.pages.failing = False
    world.after(5)
    assert events(logged)[-1] == "tool_skills_synced"


@pytest.mark.covers("TS-06")
def test_a_failed_read_of_a_page_becomes_a_walk_but_not_one_more_while_walks_fail(
    world: World, logged: LogCapture
) -> None:
    world.sync.run_pending()
    world.pages.failing = True
    world.sync.request_page(1)
    world.sync.run_pending()
    assert events(logged)[-2:] == ["tool_skill_page_read_failed", "tool_skill_sync_failed"]
    assert world.pages.walks == 2
    world.sync.request_page(1)
    world.sync.run_pending()
    assert world.pages.walks == 2
    assert keys() == ["mcp:github"]


@pytest.mark.covers("TS-06")
def test_an_apply_that_leaves_the_source_retries_a_failed_walk_at_once(world: World) -> None:
    world.pages.failing = True
    world.sync.run_pending()
    world.pages.failing = False
    world.apply(mission="Ferries on time")
    assert keys() == ["mcp:github"]


@pytest.mark.covers("TS-07")
def test_a_moved_source_retires_its_skills_and_walks_the_new_one(world: World, logged: LogCapture) -> None:
    world.sync.run_pending()
    world.sources["PLAY"] = PagesInMemory(container="PLAY")
    world.sources["PLAY"].put(APage(id=5, container="PLAY", body=skill_text("mcp:chat", trigger="{mcp_server: chat}")))
    world.apply(skills_container="PLAY")
    assert keys() == ["mcp:chat"]
    assert events(logged) == ["tool_skills_synced", "tool_skills_retired", "tool_skills_synced"]


@pytest.mark.covers("TS-07")
@pytest.mark.parametrize("change", [{"skills_container": None}, {"skills_container": ""}, {"backend": Backend.NONE}])
def test_turning_skills_off_retires_them_all_and_reads_nothing(
    world: World, logged: LogCapture, change: dict[str, object]
) -> None:
    world.sync.run_pending()
    world.apply(**change)
    assert keys() == []
    assert events(logged)[1:] == ["tool_skills_retired", "tool_skills_off"]
    world.after(SILENCE)
    assert world.pages.walks == 1
    assert events(logged)[1:] == ["tool_skills_retired", "tool_skills_off"]
    assert world.reports[-1].state == "off"


def test_a_source_that_cannot_be_read_says_why_and_is_walked_by_the_apply_that_mends_it(
    world: World, logged: LogCapture
) -> None:
    world.sync.run_pending()
    world.unreadable = "there is no token"
    world.apply(mission="a")
    assert keys() == ["mcp:github"]
    assert logged.entries[-1]["event"] == "tool_skill_source_unreadable"
    assert logged.entries[-1]["reason"] == "there is no token"
    world.unreadable = ""
    world.apply(mission="b")
    assert world.pages.walks == 2


@pytest.mark.covers("TS-01")
def test_a_broken_page_is_reported_once_with_reason_and_line_and_not_served(world: World, logged: LogCapture) -> None:
    world.pages.put(APage(id=3, body=skill_text("tool:x", phases="[plan]")))
    world.sync.run_pending()
    (report,) = [entry for entry in logged.entries if entry["event"] == "skill_page_undecodable"]
    assert report["page_id"] == 3
    assert report["log_level"] == "warning"
    assert report["reason"].startswith("line 4: phases[0]: There is no phase 'plan'.")
    world.pages.put(APage(id=4, body="prose"))
    world.sync.request_walk()
    world.sync.run_pending()
    assert events(logged).count("skill_page_undecodable") == 1
    assert "tool:x" not in keys()


@pytest.mark.covers("TS-04")
def test_a_key_that_stands_twice_names_both_pages(world: World, logged: LogCapture) -> None:
    world.pages.put(APage(id=3, body=skill_text("mcp:github")))
    world.sync.run_pending()
    (report,) = [entry for entry in logged.entries if entry["event"] == "skill_key_duplicated"]
    assert report == {
        "event": "skill_key_duplicated", "log_level": "warning", "key": "mcp:github", "served": 1, "shadowed": 3,
    }  # fmt: skip


@pytest.mark.covers("TS-09", "SV-01")
def test_triggers_and_variables_are_audited_after_every_change_and_every_apply(
    world: World, logged: LogCapture
) -> None:
    world.pages.put(
        APage(
            id=3, body=skill_text("a", trigger="{any_of: [{tool: get_issue}, {tool: gone}]}", body="See ${wiki_url}.")
        ),
        APage(id=4, body=skill_text("b", trigger="{mcp_server: wiki}")),
    )
    world.sync.run_pending()
    found = logged.entries[1:]
    assert found == [
        {
            "event": "skill_variable_unresolved",
            "log_level": "warning",
            "key": "a",
            "variable": "wiki_url",
            "field": "body",
        },
        {"event": "skill_trigger_partially_dangling", "log_level": "warning", "key": "a", "tools": ["gone"]},
        {"event": "skill_trigger_matches_nothing", "log_level": "info", "key": "b"},
    ]
    world.apply(mission="the same sources")
    assert logged.entries[4:] == found
    world.apply(skill_variables={"wiki_url": "https://wiki.harbour.example"})
    assert events(logged)[7:] == ["skill_trigger_partially_dangling", "skill_trigger_matches_nothing"]


@pytest.mark.covers("TS-05")
@pytest.mark.django_db
def test_a_thread_of_its_own_serves_what_it_is_asked_and_ends(world: World) -> None:
    walked = threading.Event()
    sync = SkillSync(resolve=world.resolve, report=lambda report: walked.set() if report.skills == 2 else None)
    sync.start(patience=10)
    assert keys() == ["mcp:github"]
    assert sync.has_tried
    world.pages.put(APage(id=3, body=skill_text("tool:new")))
    sync.request_walk()
    assert walked.wait(10)
    sync._report = lambda _report: None
    sync.stop()
