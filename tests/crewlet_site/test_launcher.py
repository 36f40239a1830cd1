"""`./crewlet` makes the environment it needs, once, and survives being interrupted and being started twice."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crewlet_site.environment import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.covers("OP-01")]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose requirements are empty, so that nothing is fetched."""
    shutil.copy(ROOT / "crewlet", tmp_path / "crewlet")
    for name in ("requirements.txt", "requirements-dev.txt"):
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / "crewlet_site").mkdir()
    (tmp_path / "crewlet_site" / "cli.py").write_text("import sys; print(sys.prefix, *sys.argv[1:])\n")
    return tmp_path


def start(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, checkout / "crewlet", *words], check=False, capture_output=True, text=True, cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}, timeout=120,
    )  # fmt: skip


def test_a_first_start_prepares_and_a_second_one_only_starts(checkout: Path) -> None:
    first = start(checkout, "up", "--port", "1")
    assert first.returncode == 0, first.stderr
    assert "Preparing the environment in .venv" in first.stderr
    assert first.stdout == f"{checkout / '.venv'} up --port 1\n"
    second = start(checkout, "up")
    assert second.stderr == ""
    assert second.stdout == f"{checkout / '.venv'} up\n"


@pytest.mark.skipif(not shutil.which("uv"), reason="without uv the other tests here use pip anyway")
def test_without_uv_it_prepares_with_pip(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = start(checkout, "up")
    assert done.returncode == 0, done.stderr
    assert start(checkout, "up").stderr == ""


def test_new_requirements_are_installed_with_the_next_start(checkout: Path) -> None:
    start(checkout, "up")
    (checkout / "requirements.txt").write_text("# another\n")
    assert "Preparing" in start(checkout, "up").stderr
    assert start(checkout, "up").stderr == ""


def test_the_tests_need_more_and_what_they_need_includes_the_rest(checkout: Path) -> None:
    assert "Preparing" in start(checkout, "test").stderr
    assert start(checkout, "up").stderr == ""
    assert start(checkout, "check").stderr == ""


def test_an_interrupted_install_is_repeated(checkout: Path) -> None:
    start(checkout, "up")
    (checkout / ".venv" / "crewlet-requirements").unlink()  # the stamp is written last
    again = start(checkout, "up")
    assert "Preparing" in again.stderr
    assert again.returncode == 0
    assert start(checkout, "up").stderr == ""


def test_an_install_that_fails_is_one_clear_line_and_is_repeated(checkout: Path) -> None:
    (checkout / "requirements.txt").write_text("./nowhere\n")
    failed = start(checkout, "up")
    assert failed.returncode == 1
    assert "could not be prepared" in failed.stderr.splitlines()[-1]
    assert "Traceback" not in failed.stderr
    (checkout / "requirements.txt").write_text("# mended\n")
    assert start(checkout, "up").returncode == 0


def test_two_starts_at_once_prepare_once(checkout: Path) -> None:
    both = [
        subprocess.Popen(
            [sys.executable, checkout / "crewlet", "up"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
        )
        for _ in range(2)
    ]  # fmt: skip
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum("Preparing" in stderr for _, stderr in said) == 1


def test_an_older_python_can_read_the_script_far_enough_to_be_told() -> None:
    source = (ROOT / "crewlet").read_text()
    tree = ast.parse(source, feature_version=(3, 7))
    guard = next(index for index, node in enumerate(tree.body) if isinstance(node, ast.If))
    imported = [node for node in tree.body[:guard] if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == ["import sys"]
