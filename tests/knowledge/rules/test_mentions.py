"""Mentions: `@handle` outside code names a seat, and the screen marks exactly those who are told."""

from __future__ import annotations

import time

import pytest

from knowledge.rules.markdown import added_mentions, mentions_in, render

HANDLES = frozenset({"ada-marsh", "engineer-bot", "Jo.Berg", "田中", "priya_n", "हरि"})

pytestmark = pytest.mark.covers("PG-14")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@ada-marsh look", ("ada-marsh",)),
        ("Thanks, @ada-marsh.", ("ada-marsh",)),
        ("(@ada-marsh) and @engineer-bot, then @ada-marsh again", ("ada-marsh", "engineer-bot")),
        ("@ADA-Marsh and @jo.berg", ("ada-marsh", "Jo.Berg")),
        ("どう @田中?", ("田中",)),
        ("@हरि", ("हरि",)),
        ("**@ada-marsh** and *@priya_n*", ("ada-marsh", "priya_n")),
        ("- [ ] @ada-marsh to check\n\n> @priya_n said", ("ada-marsh", "priya_n")),
        ("[ask @ada-marsh](https://harbour.example)", ("ada-marsh",)),
        ("| who |\n|---|\n| @ada-marsh |", ("ada-marsh",)),
    ],
)
def test_a_handle_after_an_at_sign_is_a_mention(text: str, named: tuple[str, ...]) -> None:
    assert mentions_in(text, handles=HANDLES) == named
    assert render(text, handles=HANDLES).html.count('class="mention"') >= len(named)


@pytest.mark.parametrize(
    "text",
    [
        "`@ada-marsh`",
        "```\n@ada-marsh\n```",
        "    @ada-marsh",
        "mail ada@ada-marsh or x@engineer-bot.example",
        "@nobody and @ada and @ada-marsh-two",
        "https://harbour.example/@ada-marsh",
        "<https://harbour.example/@ada-marsh>",
        "[here](https://harbour.example/@ada-marsh)",
        "@@ada-marsh",
        "@",
        "@ ada-marsh",
        "![@ada-marsh](/attachments/1)",
    ],
)
def test_code_addresses_and_names_no_seat_has_are_text(text: str) -> None:
    assert mentions_in(text, handles=HANDLES) == ()
    assert "mention" not in render(text, handles=HANDLES).html


def test_a_mention_is_marked_and_the_text_around_it_stays() -> None:
    html = render("Ask @ada-marsh, <b>not</b> @nobody.", handles=HANDLES).html
    assert html == '<p>Ask <span class="mention">@ada-marsh</span>, &lt;b&gt;not&lt;/b&gt; @nobody.</p>\n'


def test_without_handles_nothing_is_marked() -> None:
    assert render("@ada-marsh").html == "<p>@ada-marsh</p>\n"


def test_a_text_of_nothing_but_at_signs_costs_no_more_than_its_size() -> None:
    began = time.process_time()
    mentions_in("@" * 32_000 + "@a" * 10_000, handles=HANDLES)
    assert time.process_time() - began < 2


def test_a_save_mentions_whom_the_page_did_not_name_before() -> None:
    assert added_mentions("@ada-marsh", "@ada-marsh and @priya_n", handles=HANDLES) == ("priya_n",)
    assert added_mentions("", "`@ada-marsh`", handles=HANDLES) == ()
    assert added_mentions("@ada-marsh", "gone", handles=HANDLES) == ()
