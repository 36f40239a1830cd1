"""What templates of every screen share: icons, when something was, who somebody is, forms that keep what was typed."""

from __future__ import annotations

import functools
from datetime import datetime
from urllib.parse import quote

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from company.rules.actors import ActorKind, Author

register = template.Library()

_STEPS = ((60, "minute"), (3600, "hour"), (86_400, "day"))


@register.simple_tag
@functools.cache  # the names stand in the templates, and a process knows one address of the file
def icon(name: str) -> SafeString:
    """An icon of `static/icons.svg`; it is decoration, so words stand beside it."""
    return format_html(
        '<svg class="icon" width="18" height="18" aria-hidden="true"><use href="{}#{}"/></svg>',
        static("icons.svg"),
        name,
    )


@register.filter
def when(moment: datetime) -> SafeString:
    """How long ago, in words; the exact time is the element's title and machine value."""
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        moment.isoformat(),
        moment.strftime("%d %B %Y, %H:%M"),
        _words(moment, timezone.now()),
    )


@register.filter
def who(author: Author) -> str:
    """The name to read for an author."""
    return author.name


@register.filter
def avatar(author: Author) -> SafeString:
    """Two letters for an author: round for people, square for agents."""
    words = [word for word in author.name.replace("-", " ").replace("_", " ").split() if word]
    letters = "".join(word[0] for word in words[:2]).upper() or "?"
    kind = "avatar is-agent" if author.kind is ActorKind.AGENT else "avatar"
    return format_html('<span class="{}" aria-hidden="true">{}</span>', kind, letters)


@register.filter
def in_path(text: object) -> str:
    """A text as one segment of an address."""
    return quote(str(text), safe="")


@register.filter
def plural(number: int, word: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _words(moment: datetime, now: datetime) -> str:
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 7 * 86_400:
        size, name = max((step for step in _STEPS if seconds >= step[0]), key=lambda step: step[0])
        number = int(seconds // size)
        return f"{number} {name}{'' if number == 1 else 's'} ago"
    return f"{moment.day} {moment:%b}" if moment.year == now.year else f"{moment.day} {moment:%b %Y}"
