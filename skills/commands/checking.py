"""`skills check`: every problem of the skills at a path, in the style of a linter. Reads files and nothing else."""

from __future__ import annotations

import argparse
from collections import Counter

from skills.commands.saying import counted, say, say_json, tell
from skills.files import Scan, SkillFile, scan
from skills.folders.importing import Verdict
from skills.tool_skills.rules.documents import Kind


def check_files(arguments: argparse.Namespace) -> int:
    """Print every problem of the skills at a path; 1 where there is one."""
    found = scan(arguments.path)
    problems = sum(len(file.problems) for file in found.files)
    if arguments.format == "json":
        shown = [_as_dict(file) for file in found.files]
        say_json({"files": shown, "problems": problems})
    else:
        for file in found.files:
            for line in file.lines():
                say(line)
    tell(_summary(found, problems))
    return 1 if problems else 0


def _as_dict(file: SkillFile) -> dict[str, object]:
    shown: dict[str, object] = {
        "path": str(file.path),
        "kind": file.kind.value,
        "key": file.key,
        "problems": [problem.as_dict() for problem in file.problems],
    }
    if file.report is not None:
        shown["verdict"] = file.report.verdict.value
        shown["repairs"] = [repair.text for repair in file.report.repairs]
        shown["warnings"] = [warning.as_dict() for warning in file.report.warnings]
    return shown


def _summary(found: Scan, problems: int) -> str:
    kinds = Counter(file.kind for file in found.files)
    parts = [counted(len(found.files), "file"), counted(kinds[Kind.TOOL_SKILL], "tool skill")]
    if kinds[Kind.PROMPT_SKILL]:
        parts.append(counted(kinds[Kind.PROMPT_SKILL], "prompt skill"))
    if kinds[Kind.AGENT_SKILL]:
        verdicts = found.tree.counts
        told = ", ".join(f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict)
        parts.append(f"{counted(kinds[Kind.AGENT_SKILL], 'skill folder')} ({told})")
    return f"{', '.join([*parts, counted(problems, 'problem')])}."
