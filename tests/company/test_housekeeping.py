"""What is forgotten, what is kept, and that no reader of the change log misses anything for it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from company.models import Change, FirstAnswer, SignInLink
from company.reads import changes
from company.reads.changes import ChangeReader
from company.writes import housekeeping
from company.writes.housekeeping import ANSWERS_KEPT, CHANGES_KEPT, LINKS_KEPT, forget_what_is_old
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)


def test_kept_answers_and_links_go_when_their_term_is_over() -> None:
    now = timezone.now()
    for key, age in (("old", ANSWERS_KEPT + timedelta(hours=1)), ("new", timedelta(hours=1))):
        kept = FirstAnswer.objects.create(
            credential="token:1", route="pages", key=key, fingerprint="", status=201, body="{}"
        )
        FirstAnswer.objects.filter(pk=kept.pk).update(created_at=now - age)
    ada = person()
    for digest, expires in (("a", now - LINKS_KEPT * 2), ("b", now - timedelta(hours=1)), ("c", now + LINKS_KEPT)):
        SignInLink.objects.create(person=ada, digest=digest, expires_at=expires)
    SignInLink.objects.create(
        person=ada, digest="d", expires_at=now + LINKS_KEPT, used_at=now - LINKS_KEPT - timedelta(hours=1)
    )
    forgotten = forget_what_is_old(now=now)
    assert (forgotten.answers, forgotten.links, forgotten.changes) == (1, 2, 0)
    assert set(FirstAnswer.objects.values_list("key", flat=True)) == {"new"}
    assert set(SignInLink.objects.values_list("digest", flat=True)) == {"b", "c"}


def test_a_reader_that_kept_a_place_before_what_was_forgotten_reads_everything_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = Change.objects.create(kind="page", object_id=1)
    Change.objects.update(at=timezone.now() - CHANGES_KEPT - timedelta(days=1))
    second = Change.objects.create(kind="page", object_id=2)
    for row in (first, second):
        row.refresh_from_db()
    frontier = first.xid  # somebody's transaction is still open, here or in another database of the server
    for module in (changes, housekeeping):
        monkeypatch.setattr(module, "settled_below", lambda: frontier)
    assert forget_what_is_old(now=timezone.now()).changes == 0
    frontier = second.xid + 1
    assert forget_what_is_old(now=timezone.now()).changes == 1
    assert set(Change.objects.values_list("object_id", flat=True)) == {2}
    assert ChangeReader(position=first.xid).read().replaced
    resumed = ChangeReader(position=second.xid)
    news = resumed.read()
    assert ([change.object_id for change in news.changes], news.replaced) == ([2], False)
    assert not resumed.read().replaced
