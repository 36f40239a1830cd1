"""Imports that were asked for at a form or over REST: begun once, worked on once, taken up again, and accounted for."""

from __future__ import annotations

import io
import threading
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from company.models import AuditEntry, Person, Token
from company.reads.actors import actor_of_person
from company.rules.actors import Actor, Door, Scope
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.writes import locks
from crewlet_site.environment import storage_of
from knowledge import files, tasks
from knowledge.exchange import runs
from knowledge.exchange.runs import run_import
from knowledge.models import ImportRun, ImportState, Page
from knowledge.reads.import_runs import get_import, imports_to_take_up, list_imports
from knowledge.rules.importing import uploads
from knowledge.writes import import_runs
from knowledge.writes.containers import sync_containers
from knowledge.writes.contents import sweep_files
from knowledge.writes.import_runs import MOST_ATTEMPTS, begin_import, forget_imports
from tests.factories import agent, human, person, token_for
from tests.knowledge.pages import page
from tests.threads import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.covers("PG-22")]

VAULT: dict[str, str | bytes] = {
    "Tides.md": "# Tides\n\nSee [[Berths]] and ![[gauge.png]].\n",
    "Harbour/Berths.md": "Back to [[Tides]].\n",
    "Harbour/gauge.png": b"\x89PNG\r\n\x1a\n" + bytes(24),
    "bad.md": b"\xff\xfe no text",
    ".obsidian/app.json": "{}",
}


@pytest.fixture(autouse=True)
def kept_here(tmp_path: Path, settings: Settings, harbour: Company) -> Path:
    """A folder of its own for uploads and attachments, and the rows of the company's spaces."""
    sync_containers(harbour)
    kept = tmp_path / "attachments"
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=kept)}
    return kept


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runs that workers were asked for."""
    told: list[int] = []
    monkeypatch.setattr(tasks.run_import_now, "delay", told.append)
    monkeypatch.setattr(import_runs, "_tell_workers", told.append)
    return told


@pytest.fixture
def ada() -> Actor:
    """A person who can sign in, as the worker finds her again."""
    return actor_of_person(person("ada", permissions=["knowledge"], seat="ada-marsh"), door=Door.FORM)


def zipped(texts: dict[str, str | bytes] | None = None) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in (VAULT if texts is None else texts).items():
            archive.writestr(path, content)
    buffer.seek(0)
    return buffer


def begun(actor: Actor, content: io.BytesIO | None = None, **more: Any) -> int:
    values: dict[str, Any] = {"container": "ENG", "parent_id": None, "name": "vault.zip", **more}
    return begin_import(actor=actor, content=content or zipped(), **values).id


def kept_files(kept: Path) -> list[str]:
    return sorted(path.name for path in kept.rglob("*") if path.is_file())


def titles() -> set[str]:
    return set(Page.objects.values_list("title", flat=True))


def test_an_import_waits_is_worked_on_and_leaves_a_report_on_every_file(
    ada: Actor,
    kept_here: Path,
    asked: list[int],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    above = page("Notes", by=ada)
    with django_capture_on_commit_callbacks(execute=True):
        run_id = begun(ada, parent_id=above.id)
    assert asked == [run_id]
    assert get_import(actor=ada, run_id=run_id).state is ImportState.WAITING
    assert AuditEntry.objects.get(verb="begin_import").detail["file_name"] == "vault.zip"
    with django_capture_on_commit_callbacks(execute=True):
        assert run_import(run_id=run_id, container="ENG")
    done = get_import(actor=ada, run_id=run_id, with_report=True)
    assert done.state is ImportState.DONE
    assert done.report is not None
    assert {one["path"]: one["verdict"] for one in done.report["files"]} == {
        "Tides.md": "created", "Harbour/": "created", "Harbour/Berths.md": "created", "Harbour/gauge.png": "attached",
        "bad.md": "refused", ".obsidian/app.json": "skipped",
    }  # fmt: skip
    assert {"Tides", "Harbour", "Berths"} <= titles()
    assert Page.objects.get(title="Tides").parent_id == above.id
    assert Page.objects.get(title="Tides").author_name == "ada-marsh"
    upload = ImportRun.objects.get().sha256
    assert upload not in kept_files(kept_here), "the zip is let go; the picture is not"
    assert len(kept_files(kept_here)) == 1


def test_a_dry_run_tells_what_would_happen_and_writes_nothing(ada: Actor) -> None:
    run_id = begun(ada, dry_run=True)
    run_import(run_id=run_id, container="ENG")
    assert get_import(actor=ada, run_id=run_id).counts["created"] == 3
    assert titles() == set()


@pytest.mark.parametrize(
    ("who", "values", "code"),
    [
        (agent(), {"container": "TS"}, Code.RESERVED_CONTAINER),
        (human("ada-marsh", scopes=frozenset({Scope.READ})), {}, Code.SCOPE_MISSING),
        (human(), {"container": "NOWHERE"}, Code.UNKNOWN_CONTAINER),
        (human(), {"parent_id": 987_654}, Code.PARENT_INVALID),
        (human(), {"content": io.BytesIO(b"no zip")}, Code.INVALID),
        (human(), {"name": ".."}, Code.INVALID),
        (human(), {"source": "a" * 256}, Code.TOO_LONG),
    ],
)
def test_what_may_not_be_imported_is_refused_and_nothing_is_kept(
    kept_here: Path, asked: list[int], who: Actor, values: dict[str, Any], code: Code
) -> None:
    with pytest.raises(Refused) as refused:
        begun(who, **values)
    assert refused.value.code is code
    assert not ImportRun.objects.exists()
    assert not AuditEntry.objects.filter(verb="begin_import").exists()
    assert (kept_files(kept_here), asked) == ([], [])


def test_uploads_have_limits_and_so_has_how_many_wait(ada: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        begun(ada)
    with pytest.raises(Refused) as refused:
        begun(ada)
    assert refused.value.code is Code.RATE_LIMITED
    monkeypatch.setattr(uploads, "IMPORT_BYTES", 100)
    with pytest.raises(Refused) as refused:
        begun(human("bo-quay"))
    assert (refused.value.code, refused.value.extras) == (Code.TOO_LONG, {"limit": 100})
    monkeypatch.setattr(uploads, "IMPORT_BYTES", 100_000)
    monkeypatch.setattr(import_runs, "IMPORT_FILES", 3)
    with pytest.raises(Refused, match="more than 3 files"):
        begun(human("bo-quay"))


def test_the_sweep_leaves_an_upload_until_its_run_has_ended(
    ada: Actor, kept_here: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    run_id = begun(ada)
    assert sweep_files(now=timezone.now()) == 0
    with django_capture_on_commit_callbacks(execute=True):
        run_import(run_id=run_id, container="ENG")
    assert sweep_files(now=timezone.now()) == 0
    assert len(kept_files(kept_here)) == 1


def test_a_run_whose_worker_died_is_taken_up_again_and_makes_nothing_twice(
    ada: Actor, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(Exception):
        pass

    def dies(run_id: int, what: str, done: int, total: int) -> None:
        if what == "page" and done == 2:
            raise Died

    run_id = begun(ada)
    monkeypatch.setattr("knowledge.exchange.importing.space.BATCH_PAGES", 1)
    monkeypatch.setattr(runs, "TOLD_EVERY", 0)
    monkeypatch.setattr(runs, "note_import_progress", dies)
    with pytest.raises(Died):
        run_import(run_id=run_id, container="ENG")
    assert get_import(actor=ada, run_id=run_id).state is ImportState.RUNNING
    made = titles()
    assert 0 < len(made) < 3, "it died half way"
    monkeypatch.undo()
    monkeypatch.setattr(tasks.run_import_now, "delay", asked.append)
    tasks.take_up_imports_now()
    assert asked == [], "it was heard of a moment ago"
    ImportRun.objects.update(seen_at=timezone.now() - timedelta(minutes=2))
    tasks.take_up_imports_now()
    assert asked == [run_id]
    tasks.run_import_now(run_id)
    done = get_import(actor=ada, run_id=run_id)
    assert done.state is ImportState.DONE
    assert done.counts["created"] == 3 - len(made)
    assert Page.objects.count() == 3


def test_a_run_that_brings_its_worker_down_each_time_ends_as_failed(ada: Actor) -> None:
    run_id = begun(ada)
    ImportRun.objects.update(attempts=MOST_ATTEMPTS)
    assert run_import(run_id=run_id, container="ENG")
    failed = get_import(actor=ada, run_id=run_id)
    assert failed.state is ImportState.FAILED
    assert "broken off 5 times" in failed.reason
    assert imports_to_take_up(before=timezone.now()) == []


def test_a_run_fails_in_words_where_its_author_may_no_longer_do_it_or_the_upload_is_gone(ada: Actor) -> None:
    first, second = begun(ada), begun(ada)
    Person.objects.update(is_active=False)
    run_import(run_id=first, container="ENG")
    assert "can no longer sign in" in ImportRun.objects.get(pk=first).reason
    Person.objects.update(is_active=True)
    files.remove(ImportRun.objects.get(pk=second).sha256)
    run_import(run_id=second, container="ENG")
    assert "no longer there" in ImportRun.objects.get(pk=second).reason
    third = begun(ada)
    Person.objects.update(permissions=[], seat=None)
    run_import(run_id=third, container="ENG")
    assert "knowledge app" in ImportRun.objects.get(pk=third).reason
    assert titles() == set()


def test_a_token_that_was_revoked_imports_nothing_more(harbour: Company) -> None:
    token_for(seat="engineer-bot")
    token = Token.objects.get()
    run_id = begun(agent(), container="ENG")
    ImportRun.objects.update(credential=f"token:{token.pk}")
    Token.objects.update(revoked_at=timezone.now())
    run_import(run_id=run_id, container="ENG")
    assert "revoked" in ImportRun.objects.get(pk=run_id).reason


@pytest.mark.django_db(transaction=True)
def test_a_run_is_worked_on_once_however_many_workers_are_asked(ada: Actor) -> None:
    run_id = begun(ada)
    became = at_once([lambda: run_import(run_id=run_id, container="ENG")] * 3)
    assert True in became
    assert set(became) <= {True, False}
    row = ImportRun.objects.get()
    assert (row.state, row.attempts) == (ImportState.DONE, 1)
    assert Page.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_imports_into_one_space_follow_one_another(ada: Actor, asked: list[int]) -> None:
    first, second = begun(ada), begun(ada)
    asked.clear()
    held, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with locks.alone("knowledge.import:ENG"):
            held.set()
            enough.wait(60)
        connections.close_all()

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(60)
    tasks.run_import_now(second)
    assert ImportRun.objects.get(pk=second).state == ImportState.WAITING
    enough.set()
    other.join(60)
    tasks.run_import_now(first)
    assert asked == [second]


def test_a_run_is_its_authors_and_an_administrators_and_old_ones_are_forgotten(ada: Actor) -> None:
    run_id = begun(ada)
    with pytest.raises(Refused) as refused:
        get_import(actor=human("bo-quay"), run_id=run_id)
    assert refused.value.code is Code.NOT_FOUND
    assert list_imports(actor=human("bo-quay"), container="ENG", limit=5) == ()
    assert [one.id for one in list_imports(actor=ada, container="ENG", limit=5)] == [run_id]
    assert forget_imports(before=timezone.now()) == 0, "it has not ended"
    run_import(run_id=run_id, container="ENG")
    assert forget_imports(before=timezone.now()) == 1


@pytest.fixture
def signed_in(ada: Actor) -> Client:
    client = Client()
    client.force_login(Person.objects.get(login="ada"))
    return client


def rest(client: Client, data: bytes | None = None, *, key: str | None = None, **fields: Any) -> Any:
    file = SimpleUploadedFile("vault.zip", zipped().getvalue() if data is None else data)
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/api/v1/pages/import", {"file": file, "container": "ENG", **fields}, headers=headers)


def test_over_rest_an_import_is_begun_once_a_key_and_asked_about(signed_in: Client) -> None:
    data = zipped().getvalue()
    first = rest(signed_in, data, key="one", dry_run="true")
    again = rest(signed_in, data, key="one", dry_run="true")
    assert (first.status_code, first.json()["state"], first.json()["report"]) == (202, "waiting", None)
    assert again.json() == first.json()
    assert rest(signed_in, data, key="one").json()["errors"][0]["code"] == "idempotency_mismatch"
    run_id = first.json()["id"]
    assert ImportRun.objects.count() == 1
    assert first["Location"] == f"/api/v1/pages/imports/{run_id}"
    run_import(run_id=run_id, container="ENG")
    told = signed_in.get(first["Location"]).json()
    assert (told["state"], told["report"]["dry_run"], told["report"]["counts"]["refused"]) == ("done", True, 1)
    assert signed_in.get("/api/v1/pages/imports/987654").status_code == 404


def test_form_and_rest_refuse_the_same_with_the_same_words(signed_in: Client) -> None:
    for data, fields in (
        (b"no zip", {}),
        (None, {"parent": "987654", "parent_id": "987654"}),
        (None, {"source": "\x07"}),
    ):
        answers = []
        for name in ("form", "rest"):
            file = SimpleUploadedFile("vault.zip", zipped().getvalue() if data is None else data)
            if name == "form":
                form = {key: value for key, value in fields.items() if key != "parent_id"}
                answers.append(signed_in.post("/knowledge/ENG/import", {"file": file, **form}))
            else:
                more = {key: value for key, value in fields.items() if key != "parent"}
                answers.append(rest(signed_in, data, **more))
        form_answer, rest_answer = answers
        assert form_answer.status_code == rest_answer.status_code
        assert form_answer.status_code >= 400
        assert str(form_answer.context["refused"].detail) == rest_answer.json()["errors"][0]["detail"]
    assert signed_in.post("/knowledge/ENG/import", {}).status_code == 400
    assert not ImportRun.objects.exists()


def test_the_screen_of_a_run_costs_the_same_however_many_files_it_tells_of(
    signed_in: Client, ada: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    few = begun(ada)
    many = begun(ada, zipped({f"Berth {n:03}.md": "x" for n in range(120)}), name="many.zip")
    waiting = begun(ada, zipped({"a.md": "x"}))
    for run_id in (few, many):
        run_import(run_id=run_id, container="ENG")
    signed_in.get(f"/knowledge/imports/{few}")
    counted = []
    for run_id in (few, many, waiting):
        with django_assert_num_queries(4):
            counted.append(signed_in.get(f"/knowledge/imports/{run_id}").content.decode())
    assert "Berth 049.md" in counted[1]
    assert "Berth 050.md" not in counted[1]
    assert 'hx-trigger="every 2s"' in counted[2]
    assert 'hx-trigger="every 2s"' not in counted[1], "what has ended is not asked about"
    more = f"/knowledge/imports/{many}?verdict=created&from=50"
    fragment = signed_in.get(more, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert "Berth 099.md" in fragment
    assert "Berth 050.md" in signed_in.get(more).content.decode(), "without scripts it is a screen"
    assert signed_in.get(f"/knowledge/imports/{many}?verdict=odd").status_code == 400


def test_whoever_may_put_no_page_there_is_offered_no_import(signed_in: Client, harbour: Company) -> None:
    assert 'href="/knowledge/ENG/import"' in signed_in.get("/knowledge/ENG").content.decode()
    assert 'href="/knowledge/TS/import"' not in signed_in.get("/knowledge/TS").content.decode()
    assert signed_in.get("/knowledge/TS/import").status_code == 403
    assert rest(signed_in, container="TS").status_code == 403
