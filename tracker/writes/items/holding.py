"""How a write gets hold of what it changes: the locks, and the checks that come before any rule of its own."""

from __future__ import annotations

from company.rules.actors import Actor, ActorKind, Author, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from company.writes import locks
from knowledge.rules.authority import Standing
from tracker.models import Item
from tracker.reads.refusals import not_found
from tracker.rules.authority import Act, may_see, require_act, standing_of
from tracker.rules.keys import parse_key
from tracker.rules.limits import PARENTS


def require_writer(actor: Actor) -> None:
    """Refuse whoever may write no item at all, before anything is looked up."""
    require_app(actor, Permission.TRACKER, Scope.WRITE)


def hold_shape() -> None:
    """Hold how items hang together: nobody else gives one a parent or a relation until this transaction ends."""
    locks.hold("tracker.shape")


def hold_item(key: str) -> Item:
    """The item's row, held; `not_found` where there is none (any more)."""
    return hold_items(key)[0]


def hold_items(*keys: str) -> list[Item]:
    """The rows of these items, held in the order of their ids, answered in the order they were named."""
    wanted = [_spelt(key) for key in keys]
    found = {
        item.key: item for item in Item.objects.select_for_update(no_key=True).filter(key__in=wanted).order_by("id")
    }
    if any(key not in found for key in wanted):
        raise not_found()
    return [found[key] for key in wanted]


def require_seen(item: Item, *, actor: Actor, company: Company) -> Standing:
    """How the actor stands to an item they may see; `not_found` for one they may not."""
    standing = standing_of(actor=actor, company=company, project=item.project, author=author_of(item))
    if not may_see(actor=actor, standing=standing, trashed=item.trashed_at is not None):
        raise not_found()
    return standing


def require_on(item: Item, act: Act, *, actor: Actor, company: Company) -> None:
    """Let an act on a living item through; `not_found`, a refusal of the act, or `trashed`, asked in this order."""
    standing = require_seen(item, actor=actor, company=company)
    require_act(act, actor=actor, standing=standing)
    if item.trashed_at is not None:
        raise Refused(Code.TRASHED, "This item is in the trash. Restore it first.")


def parent_of(key: str, *, item: Item | None, actor: Actor, company: Company) -> Item | None:
    """The item above, for an item to be put under it; None for an empty key. The shape of the tracker is held.

    Refuses `parent_invalid` for one that is not there for the actor, is in the trash, or lies beneath the item itself.
    """
    if not key:
        return None
    parent = Item.objects.filter(key=_spelt(key)).first()
    if parent is None or not _is_there(parent, actor=actor, company=company):
        raise _parent_invalid(f"There is no item '{key[:64]}' to put this one under, or it is in the trash.")
    above = upwards(parent)
    if item is not None and any(one.pk == item.pk for one in above):
        raise _parent_invalid("An item goes neither under itself nor under one that lies beneath it.")
    check_depth(len(above))
    return parent


def upwards(item: Item) -> list[Item]:
    """The item and those it is a part of, from it up; no more than one too many."""
    above: list[Item] = []
    here: Item | None = item
    while here is not None and len(above) < PARENTS:
        above.append(here)
        here = Item.objects.filter(pk=here.parent_id).first() if here.parent_id else None
    return above


def check_depth(above: int) -> None:
    """Refuse (`parent_invalid`) an item with this many above it where that is one too many."""
    if above >= PARENTS:
        raise _parent_invalid(f"Items stand at most {PARENTS} deep. Choose one further up.")


def author_of(item: Item) -> Author:
    """Who filed an item."""
    return Author(name=item.author_name, kind=ActorKind(item.author_kind))


def _is_there(item: Item, *, actor: Actor, company: Company) -> bool:
    return item.trashed_at is None and require_seen(item, actor=actor, company=company) is not None


def _spelt(key: str) -> str:
    parsed = parse_key(key)
    return f"{parsed[0]}-{parsed[1]}" if parsed else ""


def _parent_invalid(words: str) -> Refused:
    return Refused(Code.PARENT_INVALID, words, attr="parent")
