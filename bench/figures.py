"""What a measurement is, and how several runs of it become one row. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Timing:
    """One run: median and 99th percentile in milliseconds, how many samples, and how many a second where it says."""

    p50_ms: float
    p99_ms: float
    samples: int
    per_second: float | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the report. `aim` says what was aimed for, `met` whether it was reached; None where there is none."""

    bench: str
    what: str
    figures: dict[str, float | int | str]
    note: str = ""
    aim: str = ""
    met: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the JSON report."""
        return asdict(self)


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` (0 to 1) of all samples do not exceed; raises ValueError on none."""
    if not samples:
        raise ValueError("there is nothing to take a percentile of")
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def timing_of(seconds: Sequence[float], *, per_second: float | None = None) -> Timing:
    """One run's timing from its samples in seconds."""
    return Timing(
        p50_ms=percentile(seconds, 0.50) * 1000,
        p99_ms=percentile(seconds, 0.99) * 1000,
        samples=len(seconds),
        per_second=per_second,
    )


def median_of(runs: Sequence[Timing]) -> Timing:
    """Each figure's median over the runs; the samples are those of all runs together."""
    rates = [run.per_second for run in runs if run.per_second is not None]
    return Timing(
        p50_ms=statistics.median(run.p50_ms for run in runs),
        p99_ms=statistics.median(run.p99_ms for run in runs),
        samples=sum(run.samples for run in runs),
        per_second=statistics.median(rates) if rates else None,
    )


def figures_of(timing: Timing) -> dict[str, float | int | str]:
    """A timing as the columns of a row; milliseconds with three digits that mean something."""
    figures: dict[str, float | int | str] = {"p50 ms": _short(timing.p50_ms), "p99 ms": _short(timing.p99_ms)}
    if timing.per_second is not None:
        figures["requests/s"] = round(timing.per_second)
    return figures


def _short(number: float) -> float:
    return float(f"{number:.3g}")


def as_markdown(rows: Sequence[Row]) -> str:
    """The report's tables, one a bench, in the order the rows came."""
    parts: list[str] = []
    for bench in dict.fromkeys(row.bench for row in rows):
        mine = [row for row in rows if row.bench == bench]
        columns = list(dict.fromkeys(name for row in mine for name in row.figures))
        lines = [
            f"### {bench}",
            "",
            "| | " + " | ".join(columns) + " | Aim |",
            "|---|" + "---:|" * len(columns) + "---|",
        ]
        for row in mine:
            cells = [f"{row.figures[name]}" if name in row.figures else "" for name in columns]
            verdict = {True: "met", False: "**missed**", None: ""}[row.met]
            aim = f"{row.aim}: {verdict}" if row.aim else ""
            lines.append(f"| {row.what} | " + " | ".join(cells) + f" | {aim} |")
        notes = list(dict.fromkeys(row.note for row in mine if row.note))
        if notes:
            lines += ["", *notes]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
