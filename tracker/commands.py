"""The command line of work: `tracker import`.

What was done goes to standard output, progress to standard error.
"""

from __future__ import annotations

import argparse
import getpass
import json
from pathlib import Path
from typing import Any

from company.rules.actors import command_actor
from company.rules.refusals import Code, Refused


def register(commands: Any) -> None:
    """Add `tracker` and what stands below it."""
    tracker = commands.add_parser("tracker", help="bring work items in from a CSV file")
    below = tracker.add_subparsers(dest="tracker_command", metavar="<what>", required=True)
    bring = below.add_parser(
        "import",
        help="bring the rows of a CSV file in as items",
        description="Brings in the rows of a CSV file: a 'title' column, and any of description, type, status, "
        "priority, assignee, labels, parent, due and id. A second run updates what changed and makes no item twice. "
        "Exits with 1 where a row was refused.",
    )
    bring.add_argument("path", type=Path, help="the CSV file")
    bring.add_argument("--project", metavar="KEY", required=True, help="the project the items are filed in")
    bring.add_argument(
        "--source", metavar="NAME", help="what to know the file by the next time (default: the name of the file)"
    )
    bring.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    bring.add_argument("--report", type=Path, metavar="FILE", help="write what became of every row, as JSON")
    bring.set_defaults(run=import_file)


def import_file(arguments: argparse.Namespace) -> int:
    """Bring the rows of a file in as items; 1 where one was refused."""
    from knowledge.commands import Progress, say
    from tracker.writes.importing import import_items

    path: Path = arguments.path
    report_path: Path | None = arguments.report
    if not path.is_file():
        raise Refused(Code.INVALID, f"'{path}' is no file.", attr="path")
    if report_path is not None and not report_path.parent.is_dir():
        raise Refused(Code.INVALID, f"There is no folder '{report_path.parent}' for the report.", attr="report")
    progress = Progress("row")
    report = import_items(
        actor=command_actor(getpass.getuser()),
        data=path.read_bytes(),
        source=arguments.source or path.resolve().name,
        project=arguments.project,
        dry_run=arguments.dry_run,
        told=progress.told,
    )
    progress.end()
    if report_path is not None:
        report_path.write_text(json.dumps(report.as_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for line in report.telling:
        where = f"{path}:{line.line}:" + (f" {line.field}:" if line.field else "")
        say(f"{where} {line.verdict.value}: {line.reason}")
    if report.ignored:
        say(f"Columns that were not read: {', '.join(report.ignored)}.")
    counts = report.counts()
    done = ", ".join(f"{number} {what}" for what, number in counts.items() if number) or "nothing"
    say(f"{'Would be: ' if report.dry_run else ''}{done}.")
    return 1 if counts["refused"] else 0
