"""`./crewlet backup` and `./crewlet restore`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from crewlet_site.backup.archive import Manifest, NotABackup
from crewlet_site.backup.making import BackupFailed, make_backup
from crewlet_site.backup.restoring import RestoreRefused, restore_backup


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `backup` and `restore`."""
    backup = subparsers.add_parser("backup", help="write the whole deployment to a file, while it runs")
    backup.add_argument("file", type=Path)
    backup.add_argument("--force", action="store_true", help="replace a file that is there")
    backup.set_defaults(run=run_backup)
    restore = subparsers.add_parser("restore", help="make an empty deployment the one in a backup")
    restore.add_argument("file", type=Path)
    restore.set_defaults(run=run_restore)


def run_backup(arguments: argparse.Namespace) -> int:
    """Write a backup; 1 where that failed."""
    if arguments.file.exists() and not arguments.force:
        return _complain(f"{arguments.file} is there already. Give another name, or --force to replace it.")
    began = time.monotonic()
    try:
        manifest = make_backup(arguments.file, say=_say)
    except BackupFailed as error:
        return _complain(str(error))
    size = arguments.file.stat().st_size / 1e6
    _say(f"{arguments.file}: {size:,.1f} MB in {time.monotonic() - began:.1f} s. It holds the company's secrets.")
    return _tell_absent(manifest)


def run_restore(arguments: argparse.Namespace) -> int:
    """Restore a backup; 1 where that was refused or failed."""
    began = time.monotonic()
    try:
        manifest = restore_backup(arguments.file, say=_say)
    except (NotABackup, RestoreRefused) as error:
        return _complain(str(error))
    _say(f"Restored what was backed up at {manifest.made_at}, in {time.monotonic() - began:.1f} s. Start it with up.")
    return _tell_absent(manifest)


def _tell_absent(manifest: Manifest) -> int:
    """Name the attachments without bytes: known to the database, and not in the storage when the backup was made."""
    for digest in manifest.absent:
        _complain(f"attachment {digest}: its bytes were not in the storage")
    return 0


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 (this is the command line)


def _complain(line: str) -> int:
    print(line, file=sys.stderr)  # noqa: T201 (this is the command line)
    return 1
