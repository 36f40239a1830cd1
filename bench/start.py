"""How long `./crewlet up` takes until it is ready, with servers of its own: the first time, and when all is there."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from bench.figures import Row
from bench.options import Options
from bench.site import ROOT, BenchFailed, Site

AIM_SECONDS = 6.0
_LONGEST = 180


def run(site: Site, options: Options) -> list[Row]:
    """One row for the first start, one for the median of those after it."""
    folder = site.folder / "start"
    site.say("start: the first one")
    first = _start(folder)
    site.say("start: again")
    again = sorted(_start(folder) for _ in range(options.runs))[options.runs // 2]
    return [
        Row(bench="start", what="a first start, everything made", figures={"seconds": round(first, 1)}),
        Row(
            bench="start",
            what="a start after it",
            figures={"seconds": round(again, 1)},
            aim=f"under {AIM_SECONDS:g} s",
            met=again < AIM_SECONDS,
        ),
    ]


def _start(data_dir: Path) -> float:
    """Seconds from the command to the line that says it is ready; stopped afterwards."""
    environ = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    began = time.monotonic()
    process = subprocess.Popen(
        [str(ROOT / "crewlet"), "up", "--port", "0", "--data-dir", str(data_dir)],
        cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None  # a pipe was asked for
        for line in process.stdout:
            if line.startswith("Crewlet is ready at"):
                return time.monotonic() - began
            if time.monotonic() - began > _LONGEST:
                break
        raise BenchFailed("./crewlet up did not get ready")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()
