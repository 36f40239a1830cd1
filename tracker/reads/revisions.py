"""The history of an item's words: which versions changed title or description, and what between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.rules.diff import Difference, diff_lines
from tracker.models import ItemRevision
from tracker.reads.items import get_item
from tracker.reads.refusals import foreign_cursor
from tracker.reads.shapes import WordsRow, WordsView

CURSOR_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class WordsDifference:
    """An item's words at two versions, and what has to change in `old` to make `new`; either may be the later one."""

    old: WordsView
    new: WordsView
    difference: Difference


def list_words(*, actor: Actor, key: str, window: Window) -> Listing[WordsRow]:
    """The versions that changed an item's words, newest first; `not_found` as for the item itself."""
    history = ItemRevision.objects.filter(item_id=get_item(actor=actor, key=key).id)
    total = history.count()
    if window.after is not None:
        version = window.after[0]
        if type(version) is not int:
            raise foreign_cursor()
        history = history.filter(version__lt=version)
    rows = list(history.order_by("-version").defer("description")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].version,))
    return Listing(results=tuple(WordsRow(**_facts(row)) for row in rows), total=total, after=cursor)


def words_at(*, actor: Actor, key: str, version: int) -> WordsView:
    """The words an item had at a version, which need not be one that changed them; `not_found` for one it never had."""
    item = get_item(actor=actor, key=key)
    row = None
    if 1 <= version <= item.version:
        row = ItemRevision.objects.filter(item_id=item.id, version__lte=version).order_by("-version").first()
    if row is None:
        raise Refused(Code.NOT_FOUND, f"This item has no version {version}. List its revisions to see which it has.")
    return WordsView(**_facts(row), description=row.description)


def diff_words(*, actor: Actor, key: str, old: int, new: int) -> WordsDifference:
    """The difference of the description from version `old` to version `new`."""
    before, after = words_at(actor=actor, key=key, version=old), words_at(actor=actor, key=key, version=new)
    return WordsDifference(old=before, new=after, difference=diff_lines(before.description, after.description))


def _facts(row: ItemRevision) -> dict[str, Any]:
    return {
        "version": row.version,
        "title": row.title,
        "message": row.message,
        "author": Author(name=row.author_name, kind=ActorKind(row.author_kind)),
        "created_at": row.created_at,
    }
