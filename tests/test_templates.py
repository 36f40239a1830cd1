"""Templates hold no script and no style of their own: the content security policy would not run them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crewlet_site.environment import ROOT

TEMPLATES = sorted(
    path for folder in ("templates", "company", "knowledge", "skills", "tracker", "crewlet_site")
    for path in (ROOT / folder).rglob("*.html")
)  # fmt: skip

FORBIDDEN = {
    "a script in the page": re.compile(r"<script\b(?![^>]*\bsrc\s*=)", re.IGNORECASE),
    "a style in the page": re.compile(r"<style\b", re.IGNORECASE),
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "an event attribute": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "a javascript address": re.compile(r"javascript:", re.IGNORECASE),
    "an htmx expression that is evaluated": re.compile(r"hx-(?:on\b|on:|vals\s*=\s*[\"']js:)", re.IGNORECASE),
    "a text that htmx would look into": re.compile(r"class=\"prose\b[^\"]*\"(?![^>]*\bhx-disable\b)"),
    "something from another host": re.compile(
        r"<(?:script|link|img)\b[^>]*(?:src|href)\s*=\s*[\"'](?:https?:)?//", re.IGNORECASE
    ),
}


def faults(text: str) -> list[str]:
    """What a template holds that it must not."""
    html = re.sub(r"{%.*?%}", "", text)  # `{% if one == two %}` inside of a tag is no attribute
    return [what for what, pattern in FORBIDDEN.items() if pattern.search(html)]


@pytest.mark.covers("OP-05")
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_holds_no_script_and_no_style(template: Path) -> None:
    assert faults(template.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<script type="module">import x</script>',
        "<STYLE>p {}</STYLE>",
        '<p style="color: red">',
        '<button onclick="go()">',
        '<a href="javascript:go()">',
        '<div hx-on:click="go()">',
        '<script src="https://cdn.example/x.js"></script>',
        '<div class="prose">{{ rendered.html|safe }}</div>',
    ],
)
def test_what_the_policy_would_not_run_is_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    [
        '<script type="module" src="{% static \'page.js\' %}"></script>',
        '<link rel="stylesheet" href="{% static \'site.css\' %}">',
        '<p class="once" data-once="x">on = 1, style = plain</p>',
        '<a href="https://crewlet.example">',
    ],
)
def test_what_it_allows_is_left_alone(text: str) -> None:
    assert faults(text) == []
