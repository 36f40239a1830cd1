"""Lists of items: one window of those that pass the filters, in one of four orders. Two queries, whatever it holds."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.windows import Listing, SortValue, Window, encode_cursor
from tracker.models import Item, ItemLink, ItemRelation
from tracker.reads.refusals import foreign_cursor
from tracker.reads.rows import company_read_by, living, read_rows, row_of, trash_of
from tracker.reads.shapes import ItemRow
from tracker.rules.filters import ME, NOBODY, Due, Filters, Sort
from tracker.rules.keys import parse_key
from tracker.rules.vocabulary import OPEN

CURSOR_WIDTH = 3

_NEVER = date(9999, 12, 31)
"""Stands for the day of an item that is due on none, which comes last."""
_NO_SEAT = " "
"""What `me` stands for where no seat asks: no seat is called so."""


def list_items(*, actor: Actor, filters: Filters, window: Window) -> Listing[ItemRow]:
    """One window of the items that pass every filter. Refuses `invalid` for a cursor of another order."""
    company = company_read_by(actor)
    items = narrowed(filters, actor=actor, company=company)
    total = items.count()
    ordered, order = _ordered(items, filters.sort)
    rows = list(read_rows(ordered.filter(_after(window, filters.sort)), "place").order_by(*order)[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((filters.sort.value, _as_told(rows[-1]["place"]), rows[-1]["id"]))
    return Listing(results=tuple(row_of(row, company=company) for row in rows), total=total, after=cursor)


def narrowed(filters: Filters, *, actor: Actor, company: Company) -> QuerySet[Item]:
    """The items that pass the filters, of those the actor sees."""
    asked = trash_of(actor, company) if filters.trashed else living()
    for name, words in (("status", filters.status), ("type", filters.type), ("priority", filters.priority)):
        if words:
            asked &= Q(**{f"{name}__in": words})
    for given, condition in (
        (filters.project, Q(project=filters.project)),
        (filters.assignee, Q(assignee="" if filters.assignee == NOBODY else _seat(filters.assignee, actor))),
        (filters.author, Q(author_name=actor.author.name if filters.author == ME else filters.author)),
        (filters.watcher, Q(watchers__contains=[_seat(filters.watcher, actor)])),
        (filters.label, Q(labels__contains=[filters.label])),
        (filters.parent, Q(parent__key=filters.parent)),
        (filters.q, _said(filters.q)),
    ):
        if given:
            asked &= condition
    if filters.due:
        asked &= _due(filters.due, today=today_of(company))
    items = Item.objects.filter(asked)
    return items.filter(about_page(filters.page, origins=())) if filters.page is not None else items


def about_page(page_id: int, *, origins: tuple[str, ...]) -> Q:
    """Items that link to a page, in their description or by a relation."""
    links = ItemLink.objects.filter(target=page_id, origin__in=["", *origins])
    relations = ItemRelation.objects.filter(page_id=page_id)
    return Q(pk__in=links.values("source")) | Q(pk__in=relations.values("source"))


def today_of(company: Company) -> date:
    """The company's day."""
    return timezone.now().astimezone(ZoneInfo(company.timezone)).date()


def _seat(word: str, actor: Actor) -> str:
    return (actor.seat or _NO_SEAT) if word == ME else word


def _due(due: Due, *, today: date) -> Q:
    if due is Due.NONE:
        return Q(due__isnull=True)
    until = today - timedelta(days=1) if due is Due.OVERDUE else today + timedelta(days=7)
    return Q(due__lte=until, status__in=OPEN)


def _said(words: str) -> Q:
    """Every word in the title, in whatever order; or the key itself."""
    key = parse_key(words)
    asked = Q()
    for word in words.split():
        asked &= Q(title__icontains=word)
    return asked | Q(key=f"{key[0]}-{key[1]}") if key else asked


def _ordered(items: QuerySet[Item], sort: Sort) -> tuple[QuerySet[Item], tuple[Any, ...]]:
    """The items with their `place` in an order, and the order."""
    if sort is Sort.PRIORITY:
        return items.annotate(place=F("priority_rank")), ("place", "id")
    if sort is Sort.DUE:
        return items.annotate(place=Coalesce(F("due"), Value(_NEVER))), ("place", "id")
    if sort is Sort.CREATED:
        return items.annotate(place=F("created_at")), ("-place", "-id")
    return items.annotate(place=F("updated_at")), ("-place", "-id")


def _after(window: Window, sort: Sort) -> Q:
    if window.after is None:
        return Q()
    named, told, item_id = window.after
    place = _place(told, sort)
    if named != sort.value or place is None or type(item_id) is not int:
        raise foreign_cursor()
    if sort in (Sort.UPDATED, Sort.CREATED):
        return Q(place__lt=place) | Q(place=place, id__lt=item_id)
    return Q(place__gt=place) | Q(place=place, id__gt=item_id)


def _place(told: SortValue, sort: Sort) -> Any:
    """The place a cursor names; None for what is none of this order."""
    if sort is Sort.PRIORITY:
        return told if type(told) is int and abs(told) < 100 else None
    if not isinstance(told, str):
        return None
    try:
        if sort is Sort.DUE:
            return date.fromisoformat(told)
        moment = parse_datetime(told)
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _as_told(place: Any) -> SortValue:
    return place.isoformat() if isinstance(place, date | datetime) else int(place)
