"""The command line of skills: `skills check`, `skills import` and `skills export`.

Results go to standard output, one line each; progress and sums go to standard error.
"""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from pathlib import Path
from typing import Any

from company.rules.actors import command_actor
from company.rules.refusals import Code, Refused
from skills.files import SkillFile, file_name, markdown_files, read_files
from skills.tool_skills.rules.documents import Kind, ToolSkill, Undecodable


def register(commands: Any) -> None:
    """Add `skills` and what stands below it."""
    skills = commands.add_parser("skills", help="check, import and export tool skills kept as markdown files")
    below = skills.add_subparsers(dest="skills_command", metavar="<what>", required=True)

    check = below.add_parser(
        "check",
        help="say what is wrong with the tool skills in a file or folder",
        description="Prints 'path:line: field: code: detail' for each problem. Exits with 1 where there is one.",
    )
    check.add_argument("path", type=Path, help="a markdown file, or a folder that is searched for them")
    check.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    check.set_defaults(run=check_files, needs_servers=False)

    publish = below.add_parser(
        "import",
        help="publish the tool skills in a file or folder",
        description="Publishes each tool skill on the page that has its key, or on a new one. What is there already "
        "stays as it is, so a second run changes nothing. Exits with 1 where a file was refused.",
    )
    publish.add_argument("path", type=Path, help="a markdown file, or a folder that is searched for them")
    publish.set_defaults(run=import_files)

    export = below.add_parser(
        "export",
        help="write every tool skill into a folder",
        description="Writes each tool skill page as it is, one file a page. A file that holds another text is left "
        "alone and reported, unless --force is given.",
    )
    export.add_argument("path", type=Path, help="the folder; it is made where it is not there")
    export.add_argument("--force", action="store_true", help="write over files that hold another text")
    export.set_defaults(run=export_files)


def check_files(arguments: argparse.Namespace) -> int:
    """Print every problem of the files at a path; 1 where there is one."""
    files = list(read_files(markdown_files(arguments.path)))
    problems = sum(len(found.problems) for found in files)
    if arguments.format == "json":
        shown = [
            {
                "path": str(found.path),
                "kind": found.kind.value,
                "key": found.skill.key if found.skill else None,
                "problems": [problem.as_dict() for problem in found.problems],
            }
            for found in files
        ]
        _say(json.dumps({"files": shown, "problems": problems}, ensure_ascii=False, indent=2))
    else:
        for found in files:
            for line in found.lines():
                _say(line)
    skills = sum(found.kind is Kind.TOOL_SKILL for found in files)
    _tell(f"{_counted(len(files), 'file')}, {_counted(skills, 'tool skill')}, {_counted(problems, 'problem')}.")
    return 1 if problems else 0


def import_files(arguments: argparse.Namespace) -> int:
    """Publish the tool skills at a path; 1 where one was refused."""
    from skills.writes.publishing import held_now, publish_skill, skills_home

    skills_home()
    actor = command_actor(getpass.getuser())
    paths = markdown_files(arguments.path)
    held = held_now()
    outcomes: dict[str, int] = {}
    for number, found in enumerate(read_files(paths), 1):
        _tell(f"[{number}/{len(paths)}] {found.path}")
        outcome, lines = "ignored", [f"{found.path}: ignored: it is no tool skill"]
        if found.problems:
            outcome, lines = "refused", list(found.lines())
        elif found.skill is not None:
            try:
                published = publish_skill(actor=actor, skill=found.skill, text=found.text, held=held)
            except Refused as refused:
                outcome, lines = "refused", _refusal(found, refused)
            else:
                outcome = published.outcome.value
                lines = [f"{found.path}: {outcome}: {found.skill.key} on page {published.page_id}"]
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        for line in lines:
            _say(line)
    _tell(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) + "." if outcomes else "No file.")
    return 1 if outcomes.get("refused") else 0


def export_files(arguments: argparse.Namespace) -> int:
    """Write each tool skill page to a folder; 1 where a file was left alone because it holds another text."""
    from knowledge.reads.sources import pages_of
    from skills.tool_skills.rules.parser import read_page
    from skills.writes.publishing import skills_home

    home = skills_home()
    folder: Path = arguments.path
    if folder.exists() and not folder.is_dir():
        raise Refused(Code.INVALID, f"'{folder}' is a file; give a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    left = 0
    for page in pages_of(home.container):
        verdict = read_page(page.body)
        if not page.published or not isinstance(verdict, ToolSkill | Undecodable):
            continue
        path = folder / file_name(verdict.key or f"page-{page.id}", page_id=page.id, taken=taken)
        body = page.body.encode()
        before = path.read_bytes() if path.exists() else None
        if before == body:
            _say(f"{path}: unchanged: page {page.id}")
        elif before is not None and not arguments.force:
            left += 1
            _say(f"{path}: left alone: it holds another text than page {page.id}; --force writes over it")
        else:
            path.write_bytes(body)
            _say(f"{path}: written: page {page.id}")
    _tell(f"{_counted(len(taken), 'tool skill')}, {left} left alone.")
    return 1 if left else 0


def _refusal(found: SkillFile, refused: Refused) -> list[str]:
    return [
        f"{found.path}:1: {problem.attr or 'page'}: {problem.code.value}: {problem.detail}"
        for problem in refused.problems
    ]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _say(line: str) -> None:
    print(line)  # noqa: T201 (this is the command line)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 (this is the command line)
