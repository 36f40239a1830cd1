"""The pure half of export and import: where links stand, what files are called, what front matter says."""

from __future__ import annotations

import time

import pytest

from knowledge.rules.file_names import Names, safe_stem
from knowledge.rules.importing.documents import (
    FileEntry,
    PageDocument,
    first_heading,
    read_foreign,
    read_own,
    write_document,
)
from knowledge.rules.importing.links import references, rewrite
from knowledge.rules.importing.planning import Wish, entitle, outline


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ('[a](b.md) ![c](d.png "title")', ["b.md", "d.png"]),
        ("[a](<b c.md>) [d]( e.md )", ["b c.md", "e.md"]),
        ("[a](b(c).md) [d](e\\(f.md)", ["b(c).md", "e(f.md"]),
        ("[![i](i.png)](l.md)", ["i.png", "l.md"]),
        ("[a]: b.md\n[c]:\n  d.md 'title'", ["b.md", "d.md"]),
        ("> [a](b.md)\n> \n> - [c](d.md)", ["b.md", "d.md"]),
        ("`[a](b.md)` ``[c](`d.md)`` [e](f.md)", ["f.md"]),
        ("``` [a](b.md)\n[c](d.md)\n```\n[e](f.md)", ["f.md"]),
        ("~~~\n[a](b.md)\n```\n~~~~\n[c](d.md)", ["d.md"]),
        ("- ```\n  [a](b.md)\n  ```\n  [c](d.md)", ["d.md"]),
        ("```\n[never](closed.md)", []),
        ("\\[a](b.md) [c\\](d.md)", ["b.md"]),
        ("one ` [a](b.md)\n\ntwo ` [c](d.md)", ["b.md", "d.md"]),
        ("[a](b c) [d]() [e](", []),
        ("[[Note]] ![[p.png|300]] [[a\\|b]]", ["Note", "p.png", "a"]),
        ("[a](b&amp;c.md)", ["b&c.md"]),
        ("[a](b.md)[c](d.md)", ["b.md", "d.md"]),
        ("\\`[a](b.md)`", ["b.md"]),
        ("text\n\n    [[a]] [b](c.md)\n\n[[d]]", ["d"]),
        ("\t[[a]]\r\n\r\n\t[b]: c.md\r\n[d](e.md)", ["e.md"]),
        ("- one\n\n    [a](b.md)\n\n      [[code]]\n", ["b.md"]),
        ("-     [[code]]\n- [a](b.md)", ["b.md"]),
        (">     [[code]]\n> [a](b.md)", ["b.md"]),
        ("a paragraph\n    [goes](on.md)", ["on.md"]),
        ("    ```\n\n[a](b.md)\n\n    [[code]]", ["b.md"]),
        ("1. one\n    - ```\n      [[code]]\n      ```\n    - [a](b.md)", ["b.md"]),
    ],
)
def test_the_links_of_a_text_are_found_and_code_is_left_alone(text: str, targets: list[str]) -> None:
    assert [reference.target for reference in references(text)] == targets
    assert rewrite(text, lambda _: None) == text


@pytest.mark.covers("PG-22")
def test_only_the_target_of_a_link_is_written_over() -> None:
    text = 'a\r\n[b]( <c d.md> "t") `[e](c.md)`\n\n[f]: c.md'
    assert rewrite(text, lambda reference: "X") == 'a\r\n[b]( <X> "t") `[e](c.md)`\n\n[f]: X'


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    "piece", ["](", "[", "`", "[[", "[a](", "[a](((", "`` ` ", "> - ", "\n\n", "[a]: ", "\\", "](<", "![["]
)
def test_a_hostile_text_costs_no_more_than_its_size(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    began = time.process_time()
    list(references(text))
    assert time.process_time() - began < 3


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Plain", "Plain"),
        ('a/b\\c:d*e?f"g<h>i|j', "a-b-c-d-e-f-g-h-i-j"),
        ("CON", "_CON"),
        ("nul.tar.gz", "_nul.tar.gz"),
        ("com¹", "_com¹"),
        ("console", "console"),
        ("..", "_"),
        (".hidden", "hidden"),
        ("ends. . ", "ends"),
        ("e\u0301", "é"),
        ("\u200bx", "-x"),
        ("é" * 60, "é" * 40),
    ],
)
def test_a_title_becomes_a_name_that_every_system_takes(title: str, stem: str) -> None:
    assert safe_stem(title) == stem


@pytest.mark.covers("PG-22")
def test_names_that_differ_by_case_alone_are_told_apart() -> None:
    names = Names("_files")
    assert [names.take(stem, ".md") for stem in ("A", "a", "A.md", "_files", "Straße", "STRASSE")] == [
        "A", "a (2)", "A.md (2)", "_files (2)", "Straße", "STRASSE (2)",
    ]  # fmt: skip


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    "document",
    [
        PageDocument(body="", title="t"),
        PageDocument(body="---\nx: 1\n---\n", title='q"uo\\te: #x', labels=("a, b", "é", "- x")),
        PageDocument(body="\r\n\n", title="\u200d👩\u200d🚢\u2028", order=-3, draft=True),
        PageDocument(
            body="\ufeff",
            title="*alias &anchor",
            files=(
                FileEntry(file="a (2).png", name="a.png"),
                FileEntry(file="r", name="r", path="s/r", executable=True),
            ),
        ),
    ],
)
def test_a_document_is_read_back_as_it_was(document: PageDocument) -> None:
    assert read_own(write_document(document)) == document


@pytest.mark.covers("PG-22")
def test_front_matter_is_taken_where_all_of_it_is_understood_and_kept_where_not() -> None:
    taken = read_foreign("---\ntitle: A\ntags: [x, '#y']\n---\nbody")
    assert (taken.title, taken.labels, taken.body) == ("A", ("x", "y"), "body")
    kept = read_foreign("---\ntitle: A\nms.date: 1\n---\nbody")
    assert (kept.title, kept.body) == ("A", "---\ntitle: A\nms.date: 1\n---\nbody")
    broken = read_foreign("---\n: [\n---\n# H\n")
    assert (broken.title, broken.body[:3], len(broken.notes)) == ("H", "---", 1)
    bomb = read_foreign("---\na: &a [x]\nb: [*a, *a]\n---\n")
    assert len(bomb.notes) == 1
    assert read_foreign("---\ntitle: 2024-01-01\n---\n").title == "2024-01-01"


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    ("body", "heading"),
    [
        ("# A `b` *c* [d](e) #\ntext", "A b c d"),
        ("text\n\n  # Later\r\n", "Later"),
        ("## No\n```\n# code\n```\n# After", ""),
        ("#hash", ""),
        ("", ""),
    ],
)
def test_the_first_heading_names_a_page(body: str, heading: str) -> None:
    assert first_heading(body) == heading


@pytest.mark.covers("PG-22")
def test_folders_and_their_pages() -> None:
    nodes = outline(["a/index.md", "a/b/x.md", "a/b.md", "c/README.md", "c/c.md", "d/d.md", "e/f/g.md", "top.md"])
    assert {node.path: node.parent for node in nodes} == {
        "a/index.md": None,
        "a/b.md": "a/index.md",
        "a/b/x.md": "a/b.md",
        "c/README.md": None,
        "c/c.md": "c/README.md",
        "d/d.md": None,
        "e/": None,
        "e/f/": "e/",
        "e/f/g.md": "e/f/",
        "top.md": None,
    }
    seen: set[str | None] = {None}
    for node in nodes:
        assert node.parent in seen
        seen.add(node.path)
    own = outline(["a.md", "a/README.md"], own=True)
    assert {node.path: node.parent for node in own} == {"a.md": None, "a/README.md": "a.md"}


@pytest.mark.covers("PG-22", "PG-03")
def test_titles_that_clash_get_the_title_above_then_numbers() -> None:
    wishes = [
        Wish(path="u", said="Up", by_name="u"),
        Wish(path="1", said="Same", by_name="one", parent="u"),
        Wish(path="2", said="same ", by_name="two", parent="u"),
        Wish(path="3", said="SAME", by_name="three", parent="u"),
        Wish(path="4", said="Same", by_name="four", parent="u", kept="Same"),
        Wish(path="5", said="x" * 250, by_name="five", parent="u"),
        Wish(path="6", said="x" * 250, by_name="five", parent="u"),
        Wish(path="7", said="", by_name="\x07"),
    ]
    named = entitle(wishes, taken={"taken"})
    assert [named[wish.path].title for wish in wishes] == [
        "Up", "Same (Up)", "same (2)", "SAME (3)", "Same", "x" * 250, f"{'x' * 250} (Up)", "",
    ]  # fmt: skip
    assert named["7"].refused is not None
    assert named["1"].repairs == ("'Same' is taken, so it is called 'Same (Up)'",)
