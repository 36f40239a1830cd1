"""CSV files as they come: of other programs, of other encodings, broken, and made to hurt."""

from __future__ import annotations

import csv
import io

import pytest
from pytest_django import DjangoAssertNumQueries

from company.rules.refusals import Code, Refused
from tests.factories import agent
from tests.tracker.items import item, row, save
from tracker.models import Item
from tracker.rules.importing import FILE_BYTES, HEADS, ROWS, Line, Report, Row, Verdict, read_sheet
from tracker.rules.limits import PARENTS
from tracker.writes.importing import import_items, import_steps
from tracker.writes.items import trash_item


def rows_of(data: bytes) -> tuple[Row | Line, ...]:
    return read_sheet(data, handles=frozenset()).rows


def brought(data: bytes, *, dry_run: bool = False) -> Report:
    return import_items(actor=agent(), data=data, source="board.csv", project="ENG", dry_run=dry_run)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("title\nx\n".encode("utf-16"), Code.INVALID),
        ("title\nx\n".encode("utf-16-le"), Code.INVALID),
        ("title\nQuai é\n".encode("cp1252"), Code.INVALID),
        (b"\x00" * 4_096, Code.INVALID),
        (b"title," + b"x," * HEADS + b"\nA\n", Code.TOO_LONG),
        (b"title" + b"," * 1_000_000 + b"\nA\n", Code.TOO_LONG),
        (b"title\n" + b"A\n" * (ROWS + 1), Code.TOO_LONG),
        (b"title\n" + b"x" * (FILE_BYTES + 1), Code.TOO_LONG),
    ],
    ids=["utf-16", "utf-16 without its mark", "windows-1252", "zeros", "columns", "a million commas", "rows", "bytes"],
)
def test_a_file_nobody_could_mean_is_refused_whole(data: bytes, code: Code) -> None:
    with pytest.raises(Refused) as refused:
        rows_of(data)
    assert refused.value.code is code


def test_a_broken_quote_is_told_by_the_line_it_is_found_on() -> None:
    with pytest.raises(Refused) as refused:
        rows_of(b'title\nfine\n"x" y\n')
    assert "from line 3 on" in refused.value.detail


def test_cells_that_are_wrong_are_told_by_line_and_column_and_the_rest_is_taken() -> None:
    data = b"title,description\nA\x00B,\nC,x\x00y\nD," + b"x" * 200_000 + b"\nE,fine\nF,one,two,three\nG,,,\n"
    read = rows_of(data)
    assert [(one.line, one.field) for one in read if isinstance(one, Line)] == [
        (2, "title"), (3, "description"), (4, "description"), (6, "")
    ]  # fmt: skip
    assert "4 cells" in next(one.reason for one in read if isinstance(one, Line) and one.line == 6)
    assert [one.values["title"] for one in read if isinstance(one, Row)] == ["E", "G"]


def test_a_mark_of_the_encoding_line_ends_of_every_kind_and_lines_in_cells_are_read() -> None:
    assert [one.line for one in rows_of(b"\xef\xbb\xbftitle\rA\rB\r")] == [2, 3]
    (read,) = rows_of(b'\xef\xbb\xbftitle,description\r\nA,"one\r\ntwo"\r\n')
    assert isinstance(read, Row)
    assert read.values["description"] == "one\r\ntwo"


def test_the_names_of_columns_that_are_not_read_are_shown_short() -> None:
    (name,) = read_sheet(b"title," + b"x" * 10_000 + b"\nA,\n", handles=()).ignored
    assert name == "x" * 64 + "…"


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
def test_what_a_spreadsheet_would_calculate_is_kept_as_the_text_it_is() -> None:
    cells = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2", '=HYPERLINK("http://e.example","x")']
    out = io.StringIO()
    csv.writer(out).writerows([["title", "description"], *([cell, cell] for cell in cells)])
    brought(out.getvalue().encode())
    assert list(Item.objects.order_by("pk").values_list("title", "description")) == [(one, one) for one in cells]


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
def test_a_column_the_file_does_not_have_leaves_what_people_wrote_there() -> None:
    brought(b"id,title,description,assignee,labels\n1,One,text,lead-bot,a\n")
    report = brought(b"id,title\n1,One better\n")
    assert [line.verdict for line in report.lines] == [Verdict.UPDATED]
    kept = row("ENG-1")
    assert (kept.title, kept.description, kept.assignee, kept.labels) == ("One better", "text", "lead-bot", ["a"])


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
def test_only_what_the_file_says_anew_is_brought_over_what_people_did_meanwhile() -> None:
    brought(b"id,title,status,priority\n1,One,todo,low\n")
    save("ENG-1", status="done", priority="high")
    report = brought(b"id,title,status,priority\n1,One better,todo,urgent\n")
    assert [line.verdict for line in report.lines] == [Verdict.UPDATED]
    kept = row("ENG-1")
    assert (kept.title, kept.status, kept.priority) == ("One better", "done", "urgent")


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
@pytest.mark.covers("TK-01")
def test_rows_go_under_rows_above_them_and_under_items_that_are_there() -> None:
    epic = item("Epic")
    data = f"id,title,parent\na,A,{epic.key.lower()}\nb,B,a\nc,C,b\nd,D,\n".encode()
    assert brought(data, dry_run=True).counts()["created"] == 4
    assert brought(data).counts()["created"] == 4
    placed = dict(Item.objects.values_list("title", "parent__title"))
    assert placed == {"Epic": None, "A": "Epic", "B": "A", "C": "B", "D": None}
    assert set(Item.objects.values_list("version", flat=True)) == {1}
    assert brought(data).counts()["unchanged"] == 4
    moved = brought(b"id,title,parent\na,A,\nb,B,d\ne,E,c\n")
    assert [line.verdict for line in moved.lines] == [Verdict.UPDATED, Verdict.UPDATED, Verdict.CREATED]
    placed = dict(Item.objects.values_list("title", "parent__title"))
    assert placed == {"Epic": None, "A": None, "B": "D", "C": "B", "D": None, "E": "C"}


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
def test_what_stands_above_is_looked_up_once_a_batch(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    epic = item("Epic")
    data = "id,title,parent\n" + "".join(f"{number},Row {number},{epic.key}\n" for number in range(150))
    with django_assert_max_num_queries(40):
        assert brought(data.encode()).counts()["created"] == 150
    assert Item.objects.filter(parent__key=epic.key).count() == 150


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
@pytest.mark.covers("TK-01")
def test_a_parent_that_is_none_refuses_its_row_alone() -> None:
    trash_item(actor=agent(), key=item("Gone").key)
    brought(b"id,title,parent\na,A,\nb,B,a\n")
    report = brought(b"id,title,parent\na,A,b\nb,B better,a\nc,C,ENG-1\nd,D,ENG-99\ne,E,f\nf,F,\ng,G,d\n")
    assert [(line.line, line.verdict, line.field) for line in report.lines] == [
        (2, Verdict.REFUSED, "parent"),
        (3, Verdict.UPDATED, ""),
        (4, Verdict.REFUSED, "parent"),
        (5, Verdict.REFUSED, "parent"),
        (6, Verdict.REFUSED, "parent"),
        (7, Verdict.CREATED, ""),
        (8, Verdict.REFUSED, "parent"),
    ]
    assert row("ENG-2").parent is None
    assert set(Item.objects.values_list("title", flat=True)) == {"Gone", "A", "B better", "F"}


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
def test_rows_stand_no_deeper_than_items_do() -> None:
    lines = [f"{number},Level {number},{number - 1 if number else ''}" for number in range(PARENTS + 2)]
    report = brought("\n".join(["id,title,parent", *lines]).encode())
    assert report.counts() == {"created": PARENTS, "updated": 0, "unchanged": 0, "refused": 2, "skipped": 0}


@pytest.mark.django_db
@pytest.mark.usefixtures("harbour")
def test_whoever_stops_asking_keeps_what_came_in_and_brings_the_rest_in_later() -> None:
    data = ("id,title\n" + "".join(f"{number},Row {number}\n" for number in range(450))).encode()
    steps = import_steps(actor=agent(), data=data, source="board.csv", project="ENG")
    assert (len(next(steps).lines), Item.objects.count()) == (0, 0)
    next(steps)
    del steps  # nobody asks any more
    assert Item.objects.count() == 200
    assert brought(data).counts() | {"refused": 0, "skipped": 0, "updated": 0} == {
        "created": 250, "updated": 0, "unchanged": 200, "refused": 0, "skipped": 0
    }  # fmt: skip
