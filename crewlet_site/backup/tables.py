"""The tables of the deployment, and how many rows each holds: what a restore is checked against."""

from __future__ import annotations

from django.db import connection
from psycopg import sql


def table_names() -> list[str]:
    """Every table of the database, by name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        return [str(row[0]) for row in cursor.fetchall()]


def count_rows() -> dict[str, int]:
    """The number of rows of each table."""
    found = {}
    with connection.cursor() as cursor:
        for name in table_names():
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
            found[name] = int(cursor.fetchone()[0])
    return found
