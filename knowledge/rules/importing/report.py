"""What an import says it did: one verdict for every file, with a reason wherever it is not plain. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a file."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    ATTACHED = "attached"
    REFUSED = "refused"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One file's verdict. `repairs` is what was changed for it to be taken, `notes` what is worth knowing."""

    path: str
    verdict: Verdict
    page_id: int | None = None
    title: str = ""
    reason: str = ""
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The line as the report's file has it."""
        return {
            "path": self.path,
            "verdict": self.verdict.value,
            "page_id": self.page_id,
            "title": self.title,
            "reason": self.reason,
            "repairs": list(self.repairs),
            "notes": list(self.notes),
        }


@dataclass(kw_only=True)
class Report:
    """The lines of an import, in the order they were decided."""

    lines: list[Line] = field(default_factory=list)
    dry_run: bool = False

    def add(self, line: Line) -> None:
        """One more verdict."""
        self.lines.append(line)

    def counts(self) -> dict[str, int]:
        """How many of each verdict, and how many of the files taken were repaired."""
        found = Counter(line.verdict.value for line in self.lines)
        counts = {verdict.value: found[verdict.value] for verdict in Verdict}
        return {**counts, "repaired": sum(1 for line in self.lines if line.repairs)}

    @property
    def telling(self) -> list[Line]:
        """The lines somebody has to read: what was refused or repaired."""
        return [line for line in self.lines if line.verdict is Verdict.REFUSED or line.repairs]

    def as_dict(self) -> dict[str, object]:
        """The whole report."""
        return {"dry_run": self.dry_run, "counts": self.counts(), "files": [line.as_dict() for line in self.lines]}
