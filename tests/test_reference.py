"""Holds the reference documents to the code: every error code and every setting is documented, and no other."""

from __future__ import annotations

import re

import pytest

from company.rules.refusals import STATUS, Code
from crewlet_site.environment import ROOT, Environment

pytestmark = pytest.mark.covers("OP-02")


def rows(document: str) -> dict[str, list[str]]:
    """The rows of a document's table by the name in code marks in their first cell."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_error_code_is_documented_with_its_status_and_what_helps() -> None:
    documented = rows("errors.md")
    assert set(documented) == {code.value for code in Code}
    for code in Code:
        status, when, helps = documented[code.value]
        assert status == str(STATUS[code])
        assert when
        assert helps


def test_every_setting_is_documented_and_no_other() -> None:
    names = {
        str(field.validation_alias or f"CREWLET_{name.upper()}") for name, field in Environment.model_fields.items()
    }
    assert set(rows("settings.md")) == names


def test_every_variable_the_code_reads_is_a_setting_or_passes_between_its_own_processes() -> None:
    """A variable that is read somewhere without being declared would be a setting nobody knows of."""
    between_processes = {"CREWLET_SOCKET", "CREWLET_READY_FD", "CREWLET_GO_FD", "CREWLET_ALL_UP_FD"}
    for_documents = {"CREWLET_DASHBOARD_URL"}  # set for a company document to refer to, read by nothing else
    for_clients = {"CREWLET_TOKEN"}  # of commands that talk to another deployment, not of this one
    read = set()
    for folder in ("company", "knowledge", "skills", "tracker", "crewlet_site"):
        for file in (ROOT / folder).rglob("*.py"):
            read |= set(re.findall(r"""["'](CREWLET_[A-Z_]+|DATABASE_URL|REDIS_URL)["']""", file.read_text()))
    assert read - set(rows("settings.md")) - {"CREWLET_"} <= between_processes | for_documents | for_clients
