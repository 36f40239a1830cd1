"""The command line of pages: `pages export` and `pages import`, with that of their search beside it.

What was done goes to standard output, progress to standard error.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from company.rules.actors import command_actor
from company.rules.refusals import Code, Refused


def register(commands: Any) -> None:
    """Add `pages`, `search` and what stands below them."""
    from knowledge.search.commands import register as register_search

    register_search(commands)
    pages = commands.add_parser("pages", help="export pages into a zip, and import markdown files")
    below = pages.add_subparsers(dest="pages_command", metavar="<what>", required=True)
    export = below.add_parser(
        "export",
        help="write pages and their files into a zip",
        description="Writes the living pages of every space, or of one, into a zip of markdown files that "
        "'pages import' takes in. The same pages give the same bytes.",
    )
    export.add_argument("path", type=Path, help="the zip to write; what is there already is replaced when it is done")
    export.add_argument("--space", metavar="KEY", help="one space (default: all)")
    export.set_defaults(run=export_pages)

    bring = below.add_parser(
        "import",
        help="bring markdown files in as pages",
        description="Brings in a folder or zip of markdown files, an Obsidian vault, or a zip of 'pages export'. "
        "A second run updates what changed and makes no page twice. Exits with 1 where a file was refused.",
    )
    bring.add_argument("path", type=Path, help="a folder, a zip, or one markdown file")
    bring.add_argument("--space", metavar="KEY", help="the space (an export goes to the spaces it names without it)")
    bring.add_argument("--under", type=int, metavar="PAGE", help="the id of a page to put everything under")
    bring.add_argument(
        "--source", metavar="NAME", help="what to know the files by the next time (default: the name of the path)"
    )
    bring.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    bring.add_argument("--report", type=Path, metavar="FILE", help="write what became of every file, as JSON")
    bring.set_defaults(run=import_pages)


def export_pages(arguments: argparse.Namespace) -> int:
    """Write a zip of pages; 1 where the bytes of a file are missing."""
    from knowledge.exchange.exporting import export_spaces

    target: Path = arguments.path
    if target.is_dir():
        raise Refused(Code.INVALID, f"'{target}' is a folder; give the path of the zip to write.", attr="path")
    if not target.parent.is_dir():
        raise Refused(Code.INVALID, f"There is no folder '{target.parent}'.", attr="path")
    actor = command_actor(getpass.getuser())
    progress = Progress("page")
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        part = Path(file.name)
        try:
            done = export_spaces(actor=actor, to=file, container=arguments.space, told=progress.told)
            file.flush()
            os.fsync(file.fileno())
            part.chmod(0o644)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    progress.end()
    for path in done.missing:
        say(f"{path}: missing: the storage of attachments no longer holds this file")
    what = f"{counted(done.pages, 'page')} and {counted(done.files, 'file')}"
    say(f"{target}: {what} of {', '.join(done.spaces) or 'no space'}")
    return 1 if done.missing else 0


def import_pages(arguments: argparse.Namespace) -> int:
    """Bring files in as pages; 1 where one was refused."""
    from knowledge.exchange.importing import import_tree
    from knowledge.exchange.trees import open_tree

    report_path: Path | None = arguments.report
    if report_path is not None and not report_path.parent.is_dir():
        raise Refused(Code.INVALID, f"There is no folder '{report_path.parent}' for the report.", attr="report")
    path: Path = arguments.path
    tree = open_tree(path)
    progress: dict[str, Progress] = {}

    def told(what: str, done: int, total: int) -> None:
        progress.setdefault(what, Progress(what)).told(done, total)
        if done == total:
            progress.pop(what).end()

    try:
        report = import_tree(
            actor=command_actor(getpass.getuser()),
            tree=tree,
            source=arguments.source or path.resolve().name,
            container=arguments.space,
            parent_id=arguments.under,
            dry_run=arguments.dry_run,
            told=told,
        )
    finally:
        tree.close()
    if report_path is not None:
        report_path.write_text(json.dumps(report.as_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for line in report.telling:
        if line.verdict.value == "refused":
            say(f"{line.path}: refused: {line.reason}")
        for repair in line.repairs:
            say(f"{line.path}: repaired: {repair}")
    counts = report.counts()
    done = ", ".join(f"{number} {what}" for what, number in counts.items() if number) or "nothing"
    say(f"{'Would be: ' if report.dry_run else ''}{done}.")
    return 1 if counts["refused"] else 0


class Progress:
    """One line on standard error that says how far something is; a line now and then where that is no terminal."""

    EVERY = 500

    def __init__(self, what: str) -> None:
        self._what = what
        self._live = sys.stderr.isatty()
        self._open = False

    def told(self, done: int, total: int) -> None:
        """`done` of `total` are behind us."""
        if self._live:
            print(f"\r{done} of {counted(total, self._what)} done", end="", file=sys.stderr, flush=True)  # noqa: T201
            self._open = True
        elif done % self.EVERY == 0 or done == total:
            print(f"{done} of {counted(total, self._what)} done", file=sys.stderr, flush=True)  # noqa: T201

    def end(self) -> None:
        """Finish the line."""
        if self._open:
            print(file=sys.stderr)  # noqa: T201
            self._open = False


def counted(number: int, what: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def say(line: str) -> None:
    """A line of the answer."""
    print(line)  # noqa: T201 (this is the command line)
