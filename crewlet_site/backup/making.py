"""Makes a backup while the site runs: everything in it is of one moment, whatever is written meanwhile."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from crewlet_site.backup.archive import ATTACHMENTS, CHUNK, DUMP, FORMAT, SECRET_KEY, Manifest, Writer
from crewlet_site.backup.programs import client_environment, client_program
from crewlet_site.backup.tables import count_rows
from knowledge import files
from knowledge.reads.attachments import kept_digests


class BackupFailed(Exception):
    """A backup was not made; the text is one clear line. Nothing is left of it."""


def make_backup(path: Path, *, say: Callable[[str], None]) -> Manifest:
    """Write the deployment to `path`, in place of what may be there; answers what it holds.

    The database is read in one snapshot, which the dump shares. Attachments never change under their names, so they
    can be copied after it; one that is purged in the meantime is told as absent. Raises BackupFailed and OSError.
    """
    with Writer(path) as archive, transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT pg_export_snapshot(), current_setting('server_version')")
            snapshot, version = cursor.fetchone()
        rows = count_rows()
        wanted = kept_digests()
        migrations = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
        say(f"database: {sum(rows.values()):,} rows in {len(rows)} tables")
        size = archive.put(DUMP, _dump(snapshot))
        say(f"database: {size / 1e6:,.1f} MB packed")
        sizes, absent = _attachments(archive, wanted, say)
        key = Path(settings.DATA_DIR) / "secret_key"
        if key.exists():
            archive.put(SECRET_KEY, [key.read_bytes()])
        manifest = Manifest(
            format=FORMAT,
            made_at=timezone.now().isoformat(timespec="seconds"),
            postgres=version,
            migrations=migrations,
            rows=rows,
            attachments=sizes,
            absent=absent,
            digests={name: digest for name, digest in archive.digests.items() if not name.startswith(ATTACHMENTS)},
        )
        archive.finish(manifest)
    return manifest


def _attachments(archive: Writer, wanted: list[str], say: Callable[[str], None]) -> tuple[dict[str, int], list[str]]:
    sizes: dict[str, int] = {}
    absent = []
    for number, digest in enumerate(wanted, start=1):
        try:
            pieces = files.read(digest)
        except FileNotFoundError:
            absent.append(digest)
            continue
        try:
            name = f"{ATTACHMENTS}{digest}"
            sizes[digest] = archive.put(name, pieces)
        finally:
            pieces.close()
        if archive.digests[name] != digest:
            raise BackupFailed(
                f"The attachment {digest} is damaged in its storage. Bring it back from a backup, or remove it."
            )
        if number % 500 == 0:
            say(f"attachments: {number:,} of {len(wanted):,}")
    say(f"attachments: {len(sizes):,}, {sum(sizes.values()) / 1e6:,.1f} MB")
    return sizes, absent


def _dump(snapshot: str) -> Iterator[bytes]:
    words = [
        client_program("pg_dump"), "--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}",
    ]  # fmt: skip
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=complaints, env=client_environment()) as dump:  # noqa: S603 (Postgres' own client)
            assert dump.stdout is not None  # noqa: S101 (a pipe was asked for)
            try:
                while piece := dump.stdout.read(CHUNK):
                    yield piece
            except BaseException:
                dump.kill()
                raise
        if dump.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip().splitlines() or ["it did not say why"]
            raise BackupFailed(f"pg_dump could not read the database: {said[0]}")
