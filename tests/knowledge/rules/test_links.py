"""Which pages a text links to, and how a link is written."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.rules.links import PageLink, page_link, write_link
from knowledge.rules.markdown import Gone, mark_gone, page_links_in, render
from knowledge.rules.titles import clean_title

pytestmark = pytest.mark.covers("PG-18")


def ids_in(text: str) -> list[int]:
    return [link.page_id for link in page_links_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "[x](/pages/12)",
        "[x](pages/12)",
        "[x](/knowledge/pages/12)",
        "[x](#/knowledge/pages/12)",
        "[x](#/pages/12)",
        "[x](/pages/12#setup)",
        "[x](/knowledge/pages/12?show=text)",
        "[x](/pages/12/)",
        "[x](/pages/0012)",
        "[x](</pages/12> 'title')",
        "[x][ref]\n\n[ref]: /pages/12",
        "[ref]\n\n[ref]: /pages/12",
        "![a picture](/pages/12)",
        "> - **[x](/pages/12)**",
        "| a |\n|---|\n| [x](/pages/12) |",
        "text[^1]\n\n[^1]: [x](/pages/12)",
        "# [x](/pages/12)",
        "[x](/p&#97;ges/12)",
        r"[x](/pages\/12)",
        "[x](\\#/pages/12)",
    ],
)
def test_a_link_to_a_page_is_found_in_every_form(text: str) -> None:
    assert ids_in(text) == [12]
    assert 'href="/knowledge/pages/12' in render(text).html


@pytest.mark.parametrize(
    "text",
    [
        "`[x](/pages/12)`",
        "```\n[x](/pages/12)\n```",
        "    [x](/pages/12)",
        "~~~md\n/pages/12 [x](/pages/12)\n~~~",
        "---\nsee: /pages/12\n---\n",
        "[[12]] and [[Deploy runbook]]",
        "/pages/12 in plain text",
        r"\[x](/pages/12)",
        "<a href='/pages/12'>x</a>",
        "[x](/pages/12/history)",
        "[x](/pages/twelve)",
        "[x](/pages/1234567890123456789)",
        "[x](//pages/12)",
        "[x](javascript:/pages/12)",
        "[x](/pages/١٢)",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert ids_in(text) == []


@pytest.mark.parametrize(
    ("target", "origin"),
    [
        ("https://harbour.example/pages/12", "https://harbour.example"),
        ("https://harbour.example/knowledge/pages/12#x", "https://harbour.example"),
        ("https://harbour.example/#/knowledge/pages/12", "https://harbour.example"),
        ("https://harbour.example#/knowledge/pages/12", "https://harbour.example"),
        ("http://localhost:8000/crewlet/knowledge/pages/12", "http://localhost:8000/crewlet"),
    ],
)
def test_an_absolute_link_keeps_the_address_before_the_route(target: str, origin: str) -> None:
    assert page_link(target) == PageLink(page_id=12, origin=origin)
    assert page_links_in(f"<{target}>") == (PageLink(page_id=12, origin=origin),)
    assert 'href="/knowledge/pages/12' in render(f"<{target}>", base_urls=[origin]).html


_LINES = (
    "text", "[x](/pages/1)", "![y](pages/2) [[z]]", "https://h.example/pages/3", "[r]", "[r]: /pages/4", "", "", "",
    " ", "\t", "    [code](/pages/5)", "\t[tab](/pages/6)", "```", "~~~", "````", "``` `", "  ```", "   ~~~",
    "- [l](/pages/7)", "1. ```", "- ~~~", "  [in](/pages/8)", "> [q](/pages/9)", "> ```", "---", "...", "===",
    "# [h](/pages/10)", "a[^1]", "[^1]: [f](/pages/11)", "^[n](/pages/12)", "| a | b |", "|---|---|",
    "a | [t](/pages/13)", "`open [c](/pages/14)",
    "closed` [d](/p&#97;ges/15)", "*", "-", "+ [p](/pages/16)", "Łetter [u](/pages/17)", "[^", "\\", "<b>", "***",
)  # fmt: skip


@given(st.lists(st.sampled_from(_LINES), max_size=24), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=300)
def test_reading_only_the_pieces_that_may_link_finds_what_reading_all_of_it_does(lines: list[str], end: str) -> None:
    text = end.join(lines)
    html = render(text, base_urls=["https://h.example"]).html
    assert set(ids_in(text)) == {int(found) for found in re.findall(r'href="/knowledge/pages/(\d+)"', html)}


def test_each_page_counts_once_in_the_order_of_the_text() -> None:
    assert ids_in("[a](/pages/3) [b](/pages/1) [c](#/pages/3)") == [3, 1]


def test_what_follows_the_last_line_that_is_formatted_links_to_nothing() -> None:
    assert ids_in("\n" * 20_001 + "[x](/pages/12)") == []


def test_links_to_pages_that_are_gone_say_so_and_the_others_do_not() -> None:
    rendered = render('[a](/pages/1) [b](/pages/2 "t") ![c](/pages/3) [d](https://x.example/pages/1)')
    shown = mark_gone(rendered, {1: Gone.TRASH, 3: Gone.NOWHERE}).html
    assert '<a href="/knowledge/pages/1" data-gone="trash">a</a>' in shown
    assert '<a href="/knowledge/pages/2" title="t">b</a>' in shown
    assert '<a href="/knowledge/pages/3" class="picture" data-gone="nowhere">c</a>' in shown
    assert shown.count("data-gone") == 2
    assert mark_gone(rendered, {}) is rendered
    assert "\x00" not in rendered.html


@pytest.mark.parametrize(
    "text", ["a\x0012\x00b [x](/pages/1)", "&#0;12&#0; [x](/pages/1)", "`\x007\x00` [x](/pages/1)"]
)
def test_no_text_can_pass_for_the_place_of_a_link(text: str) -> None:
    rendered = render(text)
    assert [place.page_id for place in rendered.page_links] == [1]
    assert mark_gone(rendered, {12: Gone.TRASH, 7: Gone.TRASH}).html == rendered.html


@given(st.text(min_size=1, max_size=40))
def test_whatever_a_title_holds_its_link_reads_as_the_title_and_leads_to_the_page(text: str) -> None:
    try:
        title = clean_title(text)
    except Exception:  # noqa: BLE001 (what is no title is no matter here)
        return
    html = render(f"before {write_link(title=title, page_id=12)} after").html
    found = re.search(r'before <a href="/knowledge/pages/12">(.*?)</a> after', html, re.DOTALL)
    assert found is not None
    assert unescape(re.sub(r"<[^>]*>", "", found[1])).split() == title.split()
