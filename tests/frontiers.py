"""The frontier of the change log as it would be with the server to ourselves.

Transactions of every database of a Postgres server hold the frontier back, and while tests run side by side another
one's may be open for minutes. A test that is about where the frontier stands asks for this fixture.
"""

from __future__ import annotations

import pytest
from django.db import connection

from company.reads import changes


def settled_here() -> int:
    """The transaction id below which every transaction of this database has ended. The test's own must stand still."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT LEAST(min(backend_xid::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint) "
            "FROM pg_stat_activity WHERE datname = current_database()"
        )
        row: tuple[int] = cursor.fetchone()
    return row[0]


@pytest.fixture
def own_frontier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this database's transactions hold the frontier back."""
    monkeypatch.setattr(changes, "settled_below", settled_here)
