"""Brings the database to the code's migrations, and tells whether it is there."""

from __future__ import annotations

import structlog
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

log = structlog.get_logger(__name__)

_LOCK = 0x43_72_65_77  # any number will do, as long as every process uses the same one


def pending_migrations() -> list[str]:
    """The migrations of the code that the database has not seen, such as `company.0002_attempts`. Two queries."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in loader.disk_migrations if (app, name) not in applied)


def migrate() -> bool:
    """Apply what is missing; of several processes that start at once one does it. Returns whether anything was."""
    if not pending_migrations():
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        try:
            missing = pending_migrations()
            if missing:
                log.info("migrating", missing=len(missing))
                call_command("migrate", verbosity=0, interactive=False)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
    return bool(missing)
