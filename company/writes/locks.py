"""Locks on a name rather than on a row, held until the transaction that takes them ends."""

from __future__ import annotations

import hashlib

from django.db import connection


def hold(name: str, *, shared: bool = False) -> None:
    """Wait for the lock called `name` and hold it to the end of the transaction, alone or with other sharers.

    Raises RuntimeError outside of a transaction, where the lock would be gone at once.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("a lock is held inside a transaction")
    number = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [number])
