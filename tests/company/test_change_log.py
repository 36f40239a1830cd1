"""The change log: what one process appends, another is told, in commit order, once and never not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import CaptureQueriesContext

from company.models.changes import Change, ChangeKind
from company.reads import changes
from company.reads.changes import ROWS_A_QUERY, ChangeReader
from tests.deployments import until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.covers("CO-04", "TS-04")]


def append(object_id: int) -> Change:
    return Change.objects.create(kind=ChangeKind.PAGE, object_id=object_id, container="TS")


@contextmanager
def another_connection() -> Iterator[BaseDatabaseWrapper]:
    other = connection.copy()
    try:
        yield other
    finally:
        other.close()


def append_through(other: BaseDatabaseWrapper, object_id: int) -> None:
    with other.cursor() as cursor:
        cursor.execute(
            "INSERT INTO company_change (kind, object_id, container, was_container, at) "
            "VALUES ('page', %s, 'TS', '', now())",
            [object_id],
        )


def handed_out(reader: ChangeReader) -> list[int]:
    return [change.object_id for change in reader.read().changes]


def older_runs(xid: int) -> bool:
    """Whether a transaction that began to write before this one is still open, in any database of the server."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_xid::text::bigint < %s)", [xid])
        row: tuple[bool] = cursor.fetchone()
    return row[0]


def test_what_has_ended_is_settled_unless_something_older_still_runs_on_the_server() -> None:
    append(1)
    written = Change.objects.get().xid
    until(lambda: changes.settled_below() > written or older_runs(written))
    with another_connection() as other:
        other.set_autocommit(False)
        append_through(other, 2)
        append(3)
        newest = Change.objects.get(object_id=3).xid
        assert older_runs(newest)
        assert changes.settled_below() < newest
        other.rollback()
        other.set_autocommit(True)


@pytest.mark.usefixtures("own_frontier")
def test_a_reader_begins_with_what_is_settled_behind_it() -> None:
    append(1)
    reader = ChangeReader()
    assert handed_out(reader) == []
    append(2)
    assert handed_out(reader) == [2]
    assert handed_out(reader) == []


def test_changes_arrive_in_the_order_of_their_commits_once() -> None:
    reader = ChangeReader()
    reader.read()
    for number in range(5):
        append(number)
    assert handed_out(reader) == [0, 1, 2, 3, 4]
    assert handed_out(reader) == []


def test_a_row_that_commits_late_is_not_lost_behind_newer_rows() -> None:
    reader = ChangeReader()
    reader.read()
    with another_connection() as other:
        other.set_autocommit(False)
        append_through(other, 1)  # takes the lower id and the lower transaction id, and stays open
        append(2)
        append(3)
        assert handed_out(reader) == [2, 3]
        assert handed_out(reader) == []
        other.commit()
        other.set_autocommit(True)
    assert handed_out(reader) == [1]
    assert handed_out(reader) == []


def test_a_rolled_back_row_is_never_handed_out() -> None:
    reader = ChangeReader()
    reader.read()
    with another_connection() as other:
        other.set_autocommit(False)
        append_through(other, 1)
        append(2)
        assert handed_out(reader) == [2]
        other.rollback()
        other.set_autocommit(True)
    assert handed_out(reader) == []


def test_an_open_transaction_holds_the_position_back_so_that_a_restart_sees_its_row() -> None:
    reader = ChangeReader()
    reader.read()
    with another_connection() as other:
        other.set_autocommit(False)
        append_through(other, 1)
        append(2)
        reader.read()
        restarted = ChangeReader(position=reader.position)
        other.commit()
        other.set_autocommit(True)
    assert sorted(handed_out(restarted)) == [1, 2]


@pytest.mark.usefixtures("own_frontier")
def test_a_reader_that_starts_from_a_kept_position_is_handed_only_what_is_newer() -> None:
    reader = ChangeReader()
    reader.read()
    append(1)
    reader.read()
    kept = reader.position
    append(2)
    assert handed_out(ChangeReader(position=kept)) == [2]


def test_one_transaction_with_more_rows_than_a_query_reads_is_handed_out_whole() -> None:
    reader = ChangeReader()
    reader.read()
    count = 2 * ROWS_A_QUERY + 1
    with transaction.atomic():
        for number in range(count):
            append(number)
    assert handed_out(reader) == list(range(count))
    assert handed_out(reader) == []


def test_a_read_takes_two_queries_however_many_changes_it_finds() -> None:
    reader = ChangeReader()
    reader.read()
    for number in range(20):
        append(number)
    with CaptureQueriesContext(connection) as queries:
        assert len(reader.read().changes) == 20
    assert len(queries) == 2


def test_transaction_ids_that_go_back_are_told_as_a_replaced_database(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = ChangeReader()
    reader.read()
    position = reader.position
    assert position is not None
    append(1)
    monkeypatch.setattr(changes, "settled_below", lambda: position - 3)
    news = reader.read()
    assert news.replaced
    assert [change.object_id for change in news.changes] == [1]
    assert not reader.read().replaced


def test_two_writers_and_a_reader_at_once_lose_no_change() -> None:
    reader = ChangeReader()
    reader.read()

    def write(start: int) -> None:
        try:
            for number in range(start, start + 50):
                with transaction.atomic():
                    append(number)
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(start,)) for start in (0, 100)]
    for writer in writers:
        writer.start()
    told: list[int] = []
    while any(writer.is_alive() for writer in writers):
        told += handed_out(reader)
    told += handed_out(reader)
    assert sorted(told) == [*range(50), *range(100, 150)]
    assert [number for number in told if number < 100] == list(range(50))
