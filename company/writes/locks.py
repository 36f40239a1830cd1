"""Locks on a name rather than on a row, held until the transaction that takes them ends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error, connection


def hold(name: str, *, shared: bool = False) -> None:
    """Wait for the lock called `name` and hold it to the end of the transaction, alone or with other sharers.

    Raises RuntimeError outside of a transaction, where the lock would be gone at once.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("a lock is held inside a transaction")
    number = _number(name)
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [number])


@contextmanager
def alone(name: str) -> Iterator[bool]:
    """Whether the lock called `name` was free; if so it is held over the block, through any number of transactions.

    For a duty that must not run twice at once. The lock belongs to the connection: a process that dies lets it go.
    """
    number = _number(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        row: tuple[bool] = cursor.fetchone()
    held = row[0]
    try:
        yield held
    finally:
        if held:
            _let_go(number)


def _let_go(number: int) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
    except Error:
        connection.close()  # the lock ends with the connection, whatever became of it
        raise


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)
