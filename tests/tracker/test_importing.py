"""A CSV file as items, by the command line and by the form: a report that names line and column, and no doubles."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from company.models.changes import Change
from company.models.records import AuditEntry
from company.rules.refusals import Code, Refused
from crewlet_site import cli
from tests.factories import HARBOUR, agent, install_company
from tests.screens.browsers import browser_of
from tests.tracker.items import item, row
from tracker.models import Item, ItemRevision
from tracker.rules.importing import Line, Row, Verdict, read_sheet
from tracker.writes.importing import import_items
from tracker.writes.items import trash_item

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour")]

HANDLES = frozenset({"lead-bot"})


def sheet(*rows: dict[str, str]) -> bytes:
    """A CSV file of these rows."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(dict.fromkeys(name for one in rows for name in one)))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def test_a_row_is_read_as_people_write_it() -> None:
    (read,) = read_sheet(
        b"\xef\xbb\xbfTitle;Status;Priority;Labels;Assignee;Colour\r\n Fix it ;In progress;High;a, b;@lead-bot;red\r\n",
        handles=HANDLES,
    ).rows
    assert isinstance(read, Row)
    assert {name: read.values[name] for name in ("title", "status", "priority", "labels", "assignee")} == {
        "title": "Fix it", "status": "in_progress", "priority": "high", "labels": ["a", "b"], "assignee": "lead-bot"
    }  # fmt: skip


def test_what_is_wrong_is_told_by_line_and_column_and_the_rest_is_taken() -> None:
    data = b'title,status,assignee,due\n"two\nlines",todo,,\nB,doing,,\n,todo,,\n'
    data += b"C,todo,nobody,\nD,todo,,tomorrow\nE,todo,,\n"
    read = read_sheet(data, handles=HANDLES).rows
    assert [(one.line, one.field) for one in read if isinstance(one, Line)] == [
        (4, "status"), (5, "title"), (6, "assignee"), (7, "due")
    ]  # fmt: skip
    assert [one.values["title"] for one in read if isinstance(one, Row)] == ["two lines", "E"]


@pytest.mark.parametrize(
    "data", [b"", b"name,status\nx,todo\n", b"title,title\nx,y\n", b"title\n\xff\n", b'title\n"x\n']
)
def test_a_file_that_is_none_is_refused_whole(data: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read_sheet(data, handles=HANDLES)
    assert refused.value.code is Code.INVALID


@pytest.mark.covers("TK-01")
def test_the_same_file_a_second_time_makes_no_item_twice_and_brings_changes_over() -> None:
    first = sheet({"id": "1", "title": "One", "status": "todo"}, {"id": "2", "title": "Two", "status": "todo"})
    report = import_items(actor=agent(), data=first, source="board.csv", project="ENG")
    assert [(line.verdict, line.key) for line in report.lines] == [
        (Verdict.CREATED, "ENG-1"), (Verdict.CREATED, "ENG-2")
    ]  # fmt: skip
    trash_item(actor=agent(), key="ENG-2")
    second = sheet(
        {"id": "1", "title": "One", "status": "done"},
        {"id": "2", "title": "Two", "status": "done"},
        {"id": "3", "title": "Three", "status": "todo"},
    )
    dry = import_items(actor=agent(), data=second, source="board.csv", project="ENG", dry_run=True)
    assert [line.verdict for line in dry.lines] == [Verdict.UPDATED, Verdict.SKIPPED, Verdict.CREATED]
    assert row("ENG-1").status == "todo"
    again = import_items(actor=agent(), data=second, source="board.csv", project="ENG")
    assert [line.verdict for line in again.lines] == [Verdict.UPDATED, Verdict.SKIPPED, Verdict.CREATED]
    assert (row("ENG-1").status, row("ENG-1").version, row("ENG-3").title) == ("done", 2, "Three")
    last = import_items(actor=agent(), data=second, source="board.csv", project="ENG")
    assert [line.verdict for line in last.lines] == [Verdict.UNCHANGED, Verdict.SKIPPED, Verdict.UNCHANGED]
    assert Item.objects.count() == 3
    twins = import_items(actor=agent(), data=b"title\nTwin\nTwin\n", source="twins.csv", project="ENG")
    assert len({line.key for line in twins.lines}) == 2
    assert import_items(actor=agent(), data=b"title\nTwin\nTwin\n", source="twins.csv", project="ENG").counts()[
        "unchanged"
    ] == 2  # fmt: skip


@pytest.mark.slow
@pytest.mark.covers("TK-01")
def test_five_thousand_rows_come_in_with_progress_and_each_is_recorded() -> None:
    rows = [{"id": str(n), "title": f"Row {n}", "description": f"Text *{n}*", "priority": "high"} for n in range(5_000)]
    told: list[tuple[int, int]] = []
    report = import_items(
        actor=agent(), data=sheet(*rows), source="big.csv", project="ENG",
        told=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert report.counts()["created"] == 5_000
    assert told[0] == (200, 5_000)
    assert told[-1] == (5_000, 5_000)
    assert row("ENG-5000").title == "Row 4999"
    assert AuditEntry.objects.filter(verb="import_item").count() == 5_000
    assert Change.objects.filter(kind="item").count() == 5_000
    assert ItemRevision.objects.count() == 5_000
    again = import_items(actor=agent(), data=sheet(*rows), source="big.csv", project="ENG")
    assert again.counts()["unchanged"] == 5_000
    assert item("After it").key == "ENG-5001"


@pytest.mark.covers("TK-03")
def test_an_import_into_a_project_nobody_declares_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        import_items(actor=agent(), data=b"title\nx\n", source="x.csv", project="NOPE")
    assert refused.value.code is Code.UNKNOWN_PROJECT


def test_the_form_shows_what_became_of_the_rows() -> None:
    mia = browser_of("mia", "tracker", seat="ada-marsh")
    file = SimpleUploadedFile("board.csv", b"title,status,colour\nOne,todo,red\nTwo,doing,red\n")
    shown = mia.post("/tracker/import", {"file": file, "project": "ENG"}).content.decode()
    assert "1 created" in shown
    assert "There is no status" in shown
    assert "colour" in shown
    assert Item.objects.get().title == "One"
    refused = mia.post("/tracker/import", {"project": "ENG"})
    assert (refused.status_code, "Choose the file" in refused.content.decode()) == (400, True)


def steps_of(answer: Any) -> list[dict[str, Any]]:
    """What a form that is watched is told."""
    assert answer["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def test_whoever_watches_is_told_each_batch_and_then_the_report() -> None:
    mia = browser_of("mia", "tracker", seat="ada-marsh")
    data = sheet(*({"id": str(n), "title": f"Row {n}", "status": "doing" if n == 9 else "todo"} for n in range(450)))
    watching = {"HX-Request": "true"}
    file = SimpleUploadedFile("board.csv", data)
    told = steps_of(mia.post("/tracker/import", {"file": file, "project": "ENG"}, headers=watching))
    assert [(one["done"], one["total"]) for one in told[:-1]] == [(0, 450), (200, 450), (400, 450), (450, 450)]
    assert "449 created" in told[-1]["html"]
    assert "<html" not in told[-1]["html"]
    assert Item.objects.count() == 449
    refused = mia.post("/tracker/import", {"project": "ENG"}, headers=watching)
    assert (refused.status_code, "Choose the file" in refused.content.decode()) == (400, True)
    assert "<html" not in refused.content.decode()


def test_an_import_whose_project_leaves_meanwhile_says_so_above_what_is_in() -> None:
    mia = browser_of("mia", "tracker", seat="ada-marsh")
    data = sheet(*({"title": f"Row {n}"} for n in range(450)))
    file = SimpleUploadedFile("board.csv", data)
    answer: Any = mia.post("/tracker/import", {"file": file, "project": "ENG"}, headers={"HX-Request": "true"})
    lines = iter(answer.streaming_content)
    assert [json.loads(next(lines))["done"] for _ in range(2)] == [0, 200]
    units = tuple(unit for unit in HARBOUR.units if unit.project != "ENG")
    install_company(replace(HARBOUR, units=units))
    last = json.loads(next(lines))["html"]
    assert "declares no project 'ENG' any more" in unescape(last)
    assert "board.csv</bdi> is in as far as this" in last
    assert "200 created" in last
    assert Item.objects.count() == 200


@pytest.mark.django_db(transaction=True)
def test_an_import_nobody_watches_any_more_ends_after_the_batch_it_is_at() -> None:
    mia = browser_of("mia", "tracker", seat="ada-marsh")
    file = SimpleUploadedFile("board.csv", sheet(*({"title": f"Row {n}"} for n in range(450))))
    answer: Any = mia.post("/tracker/import", {"file": file, "project": "ENG"}, headers={"HX-Request": "true"})
    lines = iter(answer.streaming_content)
    assert [json.loads(next(lines))["done"] for _ in range(2)] == [0, 200]
    answer.close()
    assert list(lines) == []
    assert Item.objects.count() == 200


def test_the_command_says_line_and_column_and_ends_with_1_for_a_refused_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.csv"
    file.write_text("title,status\nOne,todo\nTwo,doing\n")
    kept = tmp_path / "report.json"
    parsed = cli.parser().parse_args(["tracker", "import", str(file), "--project", "ENG", "--report", str(kept)])
    assert parsed.run(parsed) == 1
    told = capsys.readouterr()
    assert f"{file}:3: status: refused: There is no status 'doing'" in told.out
    assert "1 created, 1 refused." in told.out
    assert "2 of 2 rows done" in told.err
    assert json.loads(kept.read_text())["rows"][0]["key"] == "ENG-1"
