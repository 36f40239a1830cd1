"""`skills import`: publishes the skills at a path, and says what became of each file."""

from __future__ import annotations

import argparse
import getpass
from collections import Counter
from collections.abc import Iterator

from company.rules.actors import Actor, command_actor
from company.rules.refusals import Refused
from skills.commands.saying import Progress, say, sums, tell
from skills.files import Scan, SkillFile, scan
from skills.folders.importing import Verdict, problem_lines
from skills.prompts.documents import PromptSkill
from skills.tool_skills.rules.documents import Kind, ToolSkill


def import_files(arguments: argparse.Namespace) -> int:
    """Publish the skills at a path; 1 where a file was refused."""
    from skills.writes.publishing import skills_home

    skills_home()
    found = scan(arguments.path)
    actor, dry_run = command_actor(getpass.getuser()), bool(arguments.dry_run)
    progress = Progress(len(found.files))
    outcomes: Counter[str] = Counter()
    for path, outcome, lines in _results(found, actor=actor, dry_run=dry_run):
        outcomes[outcome] += 1
        progress.end()
        for line in lines:
            say(line)
        progress.step(path)
    progress.end()
    before = "Nothing is written: " if dry_run else ""
    tell(before + sums(((count, outcome) for outcome, count in outcomes.items()), nothing="No file."))
    return 1 if outcomes["refused"] else 0


Result = tuple[str, str, list[str]]
"""A file's path, what became of it, and the lines that say so."""


def _results(found: Scan, *, actor: Actor, dry_run: bool) -> Iterator[Result]:
    yield from _pages(found, actor=actor, dry_run=dry_run)
    yield from _folders(found, actor=actor, dry_run=dry_run)


def _pages(found: Scan, *, actor: Actor, dry_run: bool) -> Iterator[Result]:
    """Tool skills and prompt skills, each a page; and what is neither."""
    from skills.writes.publishing import held_now, publish_prompt_skill, publish_skill

    held = held_now()
    for file in found.files:
        path = str(file.path)
        if file.kind is Kind.AGENT_SKILL:
            continue
        if file.problems:
            yield path, "refused", list(file.lines())
            continue
        try:
            if isinstance(file.skill, ToolSkill):
                published = publish_skill(actor=actor, skill=file.skill, text=file.text, held=held, dry_run=dry_run)
            elif isinstance(file.skill, PromptSkill):
                published = publish_prompt_skill(
                    actor=actor, skill=file.skill, text=file.text, held=held, dry_run=dry_run
                )
            else:
                yield path, "ignored", [f"{path}: ignored: it is no tool skill"]
                continue
        except Refused as refused:
            yield path, "refused", _refusal(file, refused)
            continue
        where = _where(published.page_id, waits=published.waits)
        yield path, published.outcome.value, [f"{path}: {published.outcome.value}: {file.key}{where}"]


def _folders(found: Scan, *, actor: Actor, dry_run: bool) -> Iterator[Result]:
    """Skill folders, each with its files; a repair is shown with what became of the file."""
    from skills.writes.library import import_folders

    if not found.tree.files:
        return
    for imported in import_folders(actor=actor, tree=found.tree, read=found.read, dry_run=dry_run):
        report = imported.report
        path = str(found.root / report.path)
        if report.verdict is Verdict.REFUSED or imported.outcome is None:
            yield path, "refused", [f"{found.root}/{line}" for line in problem_lines(report)]
            continue
        where = _where(imported.page_id, waits=imported.waits)
        lines = [f"{path}: {imported.outcome.value}: {report.name}{where}"]
        lines += [f"{path}: repaired: {repair.text}" for repair in report.repairs]
        yield path, imported.outcome.value, lines


def _where(page_id: int | None, *, waits: bool) -> str:
    """Where a skill is kept, and that it is not served yet where it waits."""
    return (f" on page {page_id}" if page_id is not None else "") + (", waits for review" if waits else "")


def _refusal(file: SkillFile, refused: Refused) -> list[str]:
    return [
        f"{file.path}:1: {problem.attr or 'page'}: {problem.code.value}: {problem.detail}"
        for problem in refused.problems
    ]
