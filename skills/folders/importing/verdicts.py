"""The verdict on one SKILL.md: taken in as it is, taken in repaired, or refused with field and line. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath

from skills import frontmatter
from skills.folders import validation
from skills.folders.codes import SKILL_FILE
from skills.folders.importing.repairs import Repair, Unrepairable, guarded_values, repair
from skills.folders.validation import Accepted, Rejected, Skill
from skills.frontmatter import Parsed, Problem, Value


class Verdict(StrEnum):
    """What becomes of a file."""

    OK = "ok"
    REPAIRED = "repaired"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """One SKILL.md of an import.

    `problems` are what the strict check finds in the file as it stands: for a refused file the reasons, for a repaired
    one what the repairs cured. `text` is what the library would keep and `skill` what it says; both are None for a
    refused file. `files` are the other files of its folder, relative to it.
    """

    path: str
    name: str | None
    verdict: Verdict
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    text: str | None = None
    skill: Skill | None = None
    files: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Value]:
        """The file as the answer of an import lists it."""
        return {
            "path": self.path,
            "name": self.name,
            "verdict": self.verdict.value,
            "repairs": [repaired.text for repaired in self.repairs],
            "problems": [_problem_as_dict(problem) for problem in self.problems]
            if self.verdict is Verdict.REFUSED
            else [],
        }


def judge(path: str, data: bytes, *, folder: str | None) -> FileReport:
    """The verdict on a file. `folder` is the name of its folder, None for a file that came alone. Never raises."""
    text = frontmatter.decode(data)
    if isinstance(text, Problem):
        return refusal(path, (text,))
    checked = validation.check_text(text, folder=folder)
    file_name = PurePosixPath(path).name
    misnamed = () if file_name == SKILL_FILE else (_file_name_repair(file_name),)
    if isinstance(checked, Accepted):
        return FileReport(
            path=path,
            name=checked.skill.name,
            verdict=Verdict.REPAIRED if misnamed else Verdict.OK,
            repairs=misnamed,
            warnings=checked.warnings,
            text=text,
            skill=checked.skill,
        )
    return _judge_repaired(path, text, checked, folder=folder, before=misnamed)


def refusal(path: str, problems: tuple[Problem, ...], *, name: str | None = None) -> FileReport:
    """The report of a file that is not taken in."""
    return FileReport(path=path, name=name, verdict=Verdict.REFUSED, problems=problems)


def problem_lines(report: FileReport) -> Iterator[str]:
    """The problems of a file in the style of a linter: `path:line: field: code: detail`."""
    for problem in report.problems:
        yield f"{report.path}:{problem.line or 1}: {problem.field}: {problem.code}: {problem.detail}"


def _judge_repaired(
    path: str, text: str, checked: Rejected, *, folder: str | None, before: tuple[Repair, ...]
) -> FileReport:
    outcome = repair(text, folder=folder)
    if isinstance(outcome, Unrepairable):
        return refusal(path, checked.problems, name=checked.name)
    again = validation.check_text(outcome.text, folder=outcome.folder)
    if isinstance(again, Rejected):
        # What a repair would have brought to light counts too: an author wants to hear everything at once.
        rest = tuple(_in_original(problem, lines_added=outcome.lines_added) for problem in again.problems)
        known = {(problem.field, problem.detail) for problem in checked.problems}
        hidden = tuple(problem for problem in rest if (problem.field, problem.detail) not in known)
        return refusal(path, (*checked.problems, *hidden), name=checked.name)
    if not _same_powers(text, outcome.text):
        return refusal(path, checked.problems, name=checked.name)
    return FileReport(
        path=path,
        name=again.skill.name,
        verdict=Verdict.REPAIRED,
        repairs=(*before, *outcome.repairs),
        problems=checked.problems,
        warnings=again.warnings,
        text=outcome.text,
        skill=again.skill,
    )


def _same_powers(before: str, after: str) -> bool:
    """Whether a repaired file says the same about everything that is not text for people.

    Where the original could not be read, the repair itself has made sure that no field came or went.
    """
    original, repaired = frontmatter.parse(before), frontmatter.parse(after)
    if not isinstance(original, Parsed) or not isinstance(repaired, Parsed):
        return isinstance(repaired, Parsed)
    return guarded_values(original) == guarded_values(repaired)


def _in_original(problem: Problem, *, lines_added: int) -> Problem:
    return problem if problem.line is None else replace(problem, line=max(1, problem.line - lines_added))


def _file_name_repair(file_name: str) -> Repair:
    return Repair(field="file", line=None, detail=f"'{file_name[:80]}' is taken in as {SKILL_FILE}")


def _problem_as_dict(problem: Problem) -> dict[str, Value]:
    return {"code": problem.code.value, "field": problem.field, "line": problem.line, "detail": problem.detail}
