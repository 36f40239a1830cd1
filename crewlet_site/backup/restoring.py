"""Puts a backup into an empty deployment: checked before anything is touched, and counted afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from company.reads.revisions import latest_id
from company.writes.housekeeping import begin_change_log_anew
from crewlet_site.backup.archive import ATTACHMENTS, CHUNK, DUMP, SECRET_KEY, Manifest, Reader, opened
from crewlet_site.backup.programs import alone, client_environment, client_program
from crewlet_site.backup.tables import count_rows
from knowledge import files


class RestoreRefused(Exception):
    """A restore was not begun, or did not end well; the text is one clear line that says which, and what to do."""


def restore_backup(path: Path, *, say: Callable[[str], None]) -> Manifest:
    """Make this deployment the one in the file; answers what that holds.

    Refuses a file that is damaged, a deployment that holds anything or is running, and a backup of a newer release.
    Raises NotABackup, RestoreRefused and OSError. What fails later leaves an empty deployment, into which the
    restore can be repeated.
    """
    with opened(path) as archive:
        manifest = archive.manifest
        say(f"checking {len(manifest.digests) + len(manifest.attachments):,} members")
        archive.check()
        _refuse_unknown_migrations(manifest)
        _refuse_what_is_in_use()
        _bring_attachments(archive, say)
        say(f"database: {sum(manifest.rows.values()):,} rows")
        _replace_database(archive)
        found = count_rows()
        wrong = [name for name, number in manifest.rows.items() if found.get(name) != number]
        if wrong:
            raise RestoreRefused(f"The restored database lacks rows of {', '.join(wrong)}. Do not use it; try again.")
        call_command("migrate", verbosity=0, interactive=False)
        begin_change_log_anew()
        if archive.has_secret_key:
            _keep_secret_key(archive.read(SECRET_KEY))
    shutil.rmtree(settings.INDEX_DIR, ignore_errors=True)  # it is of another database, and is made again
    return manifest


def _refuse_unknown_migrations(manifest: Manifest) -> None:
    from django.db.migrations.loader import MigrationLoader

    known = {f"{app}.{name}" for app, name in MigrationLoader(None, ignore_no_migrations=True).disk_migrations}
    unknown = [name for name in manifest.migrations if name not in known]
    if unknown:
        raise RestoreRefused(f"The backup is of a newer release (it has the migration {unknown[0]}). Use that release.")


def _refuse_what_is_in_use() -> None:
    from knowledge.models import Page

    if latest_id() or Page.objects.exists():
        raise RestoreRefused(
            "This deployment is not empty. Restore into a new data directory, or into an empty database: nothing is "
            "ever overwritten."
        )
    with alone() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        counted = cursor.fetchone()
    if counted is None or counted[0]:
        raise RestoreRefused("Something else uses this database. Stop the site, and restore before it is started.")


def _bring_attachments(archive: Reader, say: Callable[[str], None]) -> None:
    for number, digest in enumerate(archive.manifest.attachments, start=1):
        with tempfile.SpooledTemporaryFile(max_size=8 * CHUNK) as content:
            with archive.open(f"{ATTACHMENTS}{digest}") as member:
                shutil.copyfileobj(member, content, CHUNK)
            content.seek(0)
            # Nothing else runs, so the lock on the digest that a writer holds is not needed.
            files.put(content, sha256=digest, size=archive.manifest.attachments[digest])
        if number % 500 == 0:
            say(f"attachments: {number:,} of {len(archive.manifest.attachments):,}")


def _replace_database(archive: Reader) -> None:
    """Drop what an empty deployment has, and put the dump in its place in one transaction of pg_restore's."""
    with alone() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE")
        cursor.execute("CREATE SCHEMA public")
    words = [
        client_program("pg_restore"), "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error",
        f"--dbname={connection.settings_dict['NAME']}",
    ]  # fmt: skip
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=complaints, env=client_environment()) as restore:  # noqa: S603 (Postgres' own client)
            assert restore.stdin is not None  # noqa: S101 (a pipe was asked for)
            try:
                with archive.open(DUMP) as dump:
                    shutil.copyfileobj(dump, restore.stdin, CHUNK)
                restore.stdin.close()
            except BrokenPipeError:
                pass  # it ended early, and says below why
            except BaseException:
                restore.kill()
                raise
        if restore.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip().splitlines() or ["it did not say why"]
            raise RestoreRefused(f"pg_restore could not fill the database: {said[0]}")


def _keep_secret_key(key: bytes) -> None:
    path = Path(settings.DATA_DIR) / "secret_key"
    fresh = path.with_name("secret_key.restored")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
    fresh.replace(path)
