"""What templates of the tracker share: the marks of a type, a status and a priority, a seat's avatar, a day."""

from __future__ import annotations

from datetime import date

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from company import live
from company.rules.actors import ActorKind, Author
from company.templatetags.screens import avatar
from tracker.reads.lists import today_of
from tracker.rules.filters import is_overdue
from tracker.rules.vocabulary import STATUS_WORDS, Priority, Status, Type

register = template.Library()


@register.filter
def status_mark(status: Status) -> SafeString:
    """A circle that fills as the work does; its word stands beside it, or in it for whoever cannot see it."""
    return _mark("status", status.value, STATUS_WORDS[status])


@register.filter
def status_words(status: Status) -> str:
    """A status as people read it."""
    return STATUS_WORDS[status]


@register.filter
def type_mark(kind: Type) -> SafeString:
    """What kind of work it is."""
    return _mark("type", kind.value, kind.value.capitalize())


@register.filter
def priority_mark(priority: Priority) -> SafeString:
    """Bars that say how much it presses; an empty place where it does not."""
    return _mark("priority", priority.value, f"Priority: {priority.value}")


@register.filter
def seat_avatar(handle: str) -> SafeString:
    """Two letters for the seat an item is given to, and its handle for whoever hovers or listens."""
    seat = live.current().seat_by_handle.get(handle)
    kind = seat.kind if seat is not None else ActorKind.HUMAN
    letters = avatar(Author(name=seat.name if seat is not None else handle, kind=kind))
    return format_html('<span class="seat" title="{0}">{1}<span class="unseen">{0}</span></span>', handle, letters)


@register.simple_tag
def due_day(due: date, status: Status) -> SafeString:
    """The day something is due; marked once it has passed and nothing has come."""
    company = live.current()
    today = today_of(company)
    late = is_overdue(due, status=status, today=today)
    words = f"{due.day} {due:%b}" if due.year == today.year else f"{due.day} {due:%b %Y}"
    return format_html(
        '<time class="due{}" datetime="{}" title="Due {}">{}{}</time>',
        " is-late" if late else "",
        due.isoformat(),
        due.isoformat(),
        words,
        mark_safe('<span class="unseen"> overdue</span>') if late else "",
    )


def _mark(group: str, name: str, words: str) -> SafeString:
    return format_html(
        '<span class="mark mark-{0} is-{1}" title="{2}"><svg class="icon" width="16" height="16" aria-hidden="true">'
        '<use href="{3}#{0}-{1}"/></svg><span class="unseen">{2}</span></span>',
        group,
        name,
        words,
        static("icons.svg"),
    )
