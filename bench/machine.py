"""What the figures were measured on; a figure without its machine means nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path


def describe(*, postgres: str, load_generator: str) -> dict[str, str]:
    """The machine in words: processor, cores this process may use, memory, system, versions, and the code measured."""
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "postgres": postgres,
        "load generator": load_generator,
        "load average before": _load(),
        "code": _commit(),
    }


def _processor() -> str:
    names = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _memory() -> str:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return f"{int(line.split()[1]) / 1024 / 1024:.1f} GiB"
    return "unknown"


def _load() -> str:
    return " ".join(f"{load:.2f}" for load in os.getloadavg())


def _commit() -> str:
    """The commit and whether the tree differs from it; 'unknown' outside of a repository."""
    root = Path(__file__).resolve().parent.parent
    try:
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit.stdout.strip()


def _lines(path: str) -> list[str]:
    file = Path(path)
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
