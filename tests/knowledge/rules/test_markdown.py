"""What a page's body may and may not become on a screen."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.rules.markdown import LANGUAGES, MAX_LINES, MAX_MARKS, Heading, render
from tests.hostile import BODIES, MAY_COME_OUT

pytestmark = pytest.mark.covers("PG-19")

HARBOUR = ("https://harbour.example",)


class Elements(HTMLParser):
    """Every element a browser would make of the HTML, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", {}))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("declaration", {}))

    def handle_pi(self, data: str) -> None:
        self.found.append(("instruction", {}))


def assert_harmless(html: str) -> None:
    for tag, attributes in Elements(html).found:
        assert tag in MAY_COME_OUT, f"<{tag}> came out of a body"
        assert set(attributes) <= MAY_COME_OUT[tag], f"<{tag}> carries {set(attributes) - MAY_COME_OUT[tag]}"
        for name in ("href", "src"):
            target = attributes.get(name)
            if target is None:
                continue
            inside = target.startswith(("/", "#")) and not target.startswith(("//", "/\\"))
            assert inside or target.lower().startswith(("http://", "https://", "mailto:")), target
        if tag == "img":
            assert (attributes["src"] or "").startswith("/"), "a picture would be fetched from elsewhere"
        if "id" in attributes:
            assert (attributes["id"] or "").startswith(("h-", "fn"))


@pytest.mark.parametrize("body", [*BODIES, "\x00<script>\x00", "[x](java\x00script:ran())"])
def test_nothing_a_body_says_becomes_anything_that_runs_loads_or_steers(body: str) -> None:
    assert_harmless(render(body, base_urls=HARBOUR).html)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<", ">", '"', "'", "[", "]", "(", ")", "!", "`", "\n", "    ", "|", "-", "# ", "> ", "javascript:",
             "hx-get=", "onload=", "<script>",
             "&#", ";", "\\", "^", "*", "_", "~~", "http://", "//", "a", "1", ". ", "\t", "\x00",
             "é", "\u202e", "```", "data:", ":"]
        ),
        max_size=60,
    )
)  # fmt: skip
def test_no_mixture_of_marks_gets_past_either(parts: list[str]) -> None:
    assert_harmless(render("".join(parts), base_urls=HARBOUR).html)


def test_raw_html_is_shown_as_its_own_text() -> None:
    assert render("a <b>c</b>").html == "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"


def test_the_extensions_a_page_may_use() -> None:
    html = render(
        "| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n~~gone~~ "
        "https://e.example and text[^1]\n\n[^1]: A note.\n"
    ).html
    assert '<th scope="col" class="align-right">b</th>' in html
    assert 'aria-label="done"' in html
    assert 'aria-label="open"' in html
    assert "<s>gone</s>" in html
    assert 'href="https://e.example"' in html
    assert 'class="footnotes"' in html


def test_headings_have_anchors_that_are_unique_in_any_script() -> None:
    rendered = render(
        "# Setup\n\n## Setup\n\n# Setup 2\n\n# Ελληνικά\n\n# 日本語 の見出し\n\n"
        "# हिन्दी\n\n# מדריך\n\n# ???\n\n# ***\n\n# !\n"
    )
    anchors = [heading.anchor for heading in rendered.headings]
    assert len(set(anchors)) == len(anchors)
    assert anchors[:7] == [
        "h-setup",
        "h-setup-2",
        "h-setup-2-2",
        "h-ελληνικά",
        "h-日本語-の見出し",
        "h-हिन्दी",
        "h-מדריך",
    ]
    assert all(f'id="{anchor}"' in rendered.html for anchor in anchors)


def test_a_heading_is_one_level_below_the_screens_title_and_reads_without_its_marks() -> None:
    rendered = render("# The *plan* for `x`\n\n###### Deep\n")
    assert rendered.headings == (
        Heading(level=2, text="The plan for x", anchor="h-the-plan-for-x"),
        Heading(level=6, text="Deep", anchor="h-deep"),
    )


@pytest.mark.parametrize(
    ("written", "leads_to"),
    [
        ("#/knowledge/pages/12", "/knowledge/pages/12"),
        ("/pages/12", "/knowledge/pages/12"),
        ("/knowledge/pages/12#setup", "/knowledge/pages/12#h-setup"),
        ("https://harbour.example/#/knowledge/pages/12", "/knowledge/pages/12"),
        ("https://harbour.example/knowledge/pages/12", "/knowledge/pages/12"),
        ("https://harbour.example", "/"),
        ("#/items/ENG-4", "/tracker/items/ENG-4"),
        ("#/skills/tool:x", "/skills/tool:x"),
        ("#setup", "#h-setup"),
        ("/company", "/company"),
        ("https://harbour.example.evil.example/x", "https://harbour.example.evil.example/x"),
    ],
)
def test_links_of_the_apps_own_lead_to_its_screens(written: str, leads_to: str) -> None:
    assert f'href="{leads_to}"' in render(f"[x]({written})", base_urls=HARBOUR).html


def test_a_picture_from_elsewhere_is_a_link_and_the_apps_own_is_a_picture() -> None:
    elsewhere = render("![A map](https://e.example/map.png)").html
    assert "<img" not in elsewhere
    assert ">A map</a>" in elsewhere
    assert '<img src="/api/v1/attachments/7" alt="A map"' in render("![A map](/api/v1/attachments/7)").html


def test_what_a_picture_is_titled_is_told_wherever_it_is_shown() -> None:
    assert 'title="North &quot;quay&quot;"' in render("![x](/attachments/7 'North \"quay\"')").html
    assert 'title="North"' in render('![x](https://e.example/map.png "North")').html


def test_a_link_that_leads_nowhere_is_shown_as_it_was_written() -> None:
    assert render("[x](javascript:alert)").html == "<p>[x](javascript:alert)</p>\n"


def test_code_is_highlighted_by_classes_and_an_unknown_language_is_plain() -> None:
    assert 'class="hl-k"' in render("```python\nreturn 1\n```").html
    assert "hl-" not in render("```klingon\nreturn 1\n```").html


@pytest.mark.parametrize("body", ["`a\u202eb`", "```\na\u202eb\n```", "```python\n# a\u202eb\n```", "    a\u202eb"])
def test_what_turns_the_direction_of_code_is_shown_by_its_number_and_stays_what_it_is(body: str) -> None:
    assert '<span class="control" role="img" aria-label="U+202E">\u202e</span>' in render(body).html


def test_what_turns_the_direction_of_prose_is_left_alone() -> None:
    assert render("a \u2067b\u2069 c").html == "<p>a \u2067b\u2069 c</p>\n"


def test_every_language_we_name_has_a_lexer() -> None:
    for language in LANGUAGES:
        assert "<code>" in render(f"```{language}\nx = 1\n```").html


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_ends_make_no_difference(line_end: str) -> None:
    assert render(f"# A{line_end}{line_end}b{line_end}").html == render("# A\n\nb\n").html


def test_a_run_with_too_many_marks_is_shown_as_text_and_nothing_is_missing() -> None:
    html = render("[" * (MAX_MARKS + 1) + " the end").html
    assert "the end" in html
    assert html.count("[") == MAX_MARKS + 1


def test_what_follows_the_last_line_that_is_formatted_is_shown_and_said() -> None:
    html = render("*a*\n" * MAX_LINES + "*last* <b>\n").html
    assert "The rest of it is shown as it was written" in html
    assert "*last* &lt;b&gt;" in html


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["[", "![", "*a_", "`", "``a`", "<", "&", "[a](", "^[", "[^1] ", "> ", "- ", "# a\n", "a\n\n", "|a|b\n|-|-|\n", "http://",
     "a@b.", "[a]: b\n", "[^a]: b\n", "```py\n\n```\n", "[a]\n", "- [ ] x\n", "*a **b ", "# ???\n"],
)  # fmt: skip
def test_half_a_mebibyte_of_anything_is_rendered_in_bounded_time(unit: str) -> None:
    body = (unit * (512 * 1024 // len(unit) + 1))[: 512 * 1024]
    started = time.process_time()
    render(body)
    assert time.process_time() - started < 6


def test_a_long_address_named_often_does_not_multiply_the_page() -> None:
    body = "[x]: https://e.example/" + "a" * 2_000 + "\n\n" + "[x]\n\n" * 9_000
    assert len(render(body).html) < 4 * len(body) + 3_000_000
