"""Applying the company document: one revision an apply, nothing changed by a refusal, and one winner of two."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoCaptureOnCommitCallbacks

from company import live
from company.models import AuditEntry, Change, Event, Revision
from company.reads.documents import active_document, diff_revisions, get_revision, list_revisions
from company.rules.actors import Actor, Permission, Scope
from company.rules.refusals import Code, Refused
from company.rules.windows import Window
from company.signals import document_applied
from company.writes.document import apply_document, revert_document
from tests.company.documents import HARBOUR
from tests.factories import admin, agent, human

pytestmark = pytest.mark.django_db


def refusal(**arguments: Any) -> Refused:
    with pytest.raises(Refused) as raised:
        apply_document(**{"actor": admin(), "source": HARBOUR, **arguments})
    return raised.value


@pytest.mark.covers("CO-02", "CO-04", "PG-23")
def test_an_apply_is_a_revision_an_audit_row_an_event_and_a_change(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        revision = apply_document(actor=admin(), source=HARBOUR, summary=" The first one ")

    assert (revision.source, revision.summary, revision.author_name) == (HARBOUR, "The first one", "root")
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.operator_id, entry.version_before, entry.version_after) == (
        "apply_document", "login:root", None, revision.pk,
    )  # fmt: skip
    assert Event.objects.values_list("type", "payload").get() == ("config.applied", {"revision": revision.pk})
    assert Change.objects.values_list("kind", "object_id").get() == ("document", revision.pk)
    assert live.current().revision == revision.pk
    assert live.current().name == "Harbour"


@pytest.mark.covers("CO-02")
def test_a_document_with_problems_changes_nothing() -> None:
    refused = refusal(source="name: ''\nunits: [{name: E, space: eng}]\n")

    assert refused.code is Code.CONFIG_INVALID
    assert [problem.attr for problem in refused.problems] == ["name", "units.0.space"]
    assert not Revision.objects.exists()
    assert not AuditEntry.objects.exists()
    assert not Change.objects.exists()


@pytest.mark.covers("CO-02")
def test_a_later_apply_names_the_revision_it_was_written_on() -> None:
    first = apply_document(actor=admin(), source=HARBOUR)

    missing = refusal()
    assert (missing.code, missing.status) == (Code.REQUIRED, 428)
    second = apply_document(actor=admin(), source=HARBOUR, if_match=first.pk)
    stale = refusal(if_match=first.pk)
    assert (stale.code, stale.status) == (Code.REVISION_ADVANCED, 412)
    assert stale.extras == {"current_revision": second.pk}
    assert Revision.objects.count() == 2


def test_a_base_where_no_document_is_in_force_is_refused() -> None:
    assert refusal(if_match=4).extras == {"current_revision": None}


@pytest.mark.parametrize("summary", ["x" * 257, "two\nlines", "\x00"])
def test_a_summary_is_one_short_line(summary: str) -> None:
    refused = refusal(summary=summary)

    assert refused.problems[0].attr == "summary"
    assert not Revision.objects.exists()


@pytest.mark.covers("CO-09")
@pytest.mark.parametrize(
    ("actor", "code"),
    [
        (agent(), Code.FORBIDDEN),
        (replace(agent(), permissions=frozenset(Permission)), Code.FORBIDDEN),
        (human("ada-marsh", Permission.KNOWLEDGE, Permission.TRACKER), Code.FORBIDDEN),
        (admin(scopes=frozenset({Scope.READ, Scope.WRITE})), Code.SCOPE_MISSING),
    ],
)
def test_only_an_administrator_with_the_scope_applies(actor: Actor, code: Code) -> None:
    assert refusal(actor=actor).code is code


def test_what_a_receiver_raises_undoes_the_apply() -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("no")

    document_applied.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            apply_document(actor=admin(), source=HARBOUR)
    finally:
        document_applied.disconnect(fail)

    assert not Revision.objects.exists()


def test_a_literal_secret_is_stored_shown_as_stars_and_kept_by_a_write_of_stars() -> None:
    first = apply_document(actor=admin(), source=HARBOUR + "extensions: {token: anchor}\n")
    view = active_document(actor=admin())

    assert view.document["extensions"] == {"token": "***"}
    assert "anchor" not in view.source
    second = apply_document(actor=admin(), source=view.source, if_match=first.pk)
    assert second.document["extensions"] == {"token": "anchor"}
    assert "anchor" not in str(diff_revisions(actor=admin(), revision_id=second.pk))


@pytest.mark.covers("CO-02")
def test_revisions_are_listed_read_diffed_and_reverted_to() -> None:
    first = apply_document(actor=admin(), source=HARBOUR, summary="one")
    second = apply_document(
        actor=admin("second"), source=HARBOUR.replace("name: Harbour", "name: Harbor"), if_match=first.pk
    )

    rows = list_revisions(actor=admin(), window=Window(limit=1))
    assert ([row.id for row in rows.results], rows.total) == ([second.pk], 2)
    rest = list_revisions(actor=admin(), window=Window(after=(second.pk,)))
    assert ([row.id for row in rest.results], rest.after) == ([first.pk], None)

    diff = diff_revisions(actor=admin(), revision_id=second.pk)
    assert [(line.op, line.text) for hunk in diff.hunks for line in hunk.lines if line.op != " "] == [
        ("-", "name: Harbour"),
        ("+", "name: Harbor"),
    ]
    assert diff_revisions(actor=admin(), revision_id=first.pk).from_id is None

    third = revert_document(actor=admin(), revision_id=first.pk)
    assert (third.source, third.summary) == (HARBOUR, f"Reverted to revision {first.pk}")
    assert get_revision(actor=admin(), revision_id=third.pk).active
    assert not diff_revisions(actor=admin(), revision_id=third.pk, against=first.pk).hunks


@pytest.mark.parametrize("revision_id", [0, -1, 999_999_999, 2**70])
def test_a_revision_that_never_was_is_not_found(revision_id: int) -> None:
    for read in (get_revision, diff_revisions, revert_document):
        with pytest.raises(Refused) as raised:
            read(actor=admin(), revision_id=revision_id)
        assert raised.value.code is Code.NOT_FOUND


@pytest.mark.covers("CO-09")
def test_only_an_administrator_reads_the_document() -> None:
    apply_document(actor=admin(), source=HARBOUR)

    for read in (
        lambda: active_document(actor=human()),
        lambda: list_revisions(actor=human(), window=Window()),
        lambda: get_revision(actor=human(), revision_id=1),
        lambda: diff_revisions(actor=human(), revision_id=1),
    ):
        with pytest.raises(Refused) as raised:
            read()
        assert raised.value.code is Code.FORBIDDEN


@pytest.mark.covers("CO-02")
@pytest.mark.django_db(transaction=True)
def test_of_two_applies_on_one_base_one_wins() -> None:
    base = apply_document(actor=admin(), source=HARBOUR)
    outcomes: list[str] = []
    gate = threading.Barrier(2)

    def apply(name: str) -> None:
        try:
            gate.wait(timeout=10)
            apply_document(actor=admin(name), source=HARBOUR, summary=name, if_match=base.pk)
            outcomes.append("applied")
        except Refused as refused:
            outcomes.append(refused.code.value)
        finally:
            connection.close()

    threads = [threading.Thread(target=apply, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)

    assert sorted(outcomes) == ["applied", "revision_advanced"]
    assert Revision.objects.count() == 2
