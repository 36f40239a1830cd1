"""Files that tests read from outside the repository, where somebody has put them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def data_file(name: str) -> Path:
    """A file of the test data (`CREWLET_TEST_DATA`, else `shared/data` beside the repository); skips where absent."""
    folder = Path(os.environ.get("CREWLET_TEST_DATA") or ROOT.parent / "shared" / "data")
    path = folder / name
    if not path.exists():
        pytest.skip(f"no test data here: set CREWLET_TEST_DATA to a folder that holds {name}")
    return path
