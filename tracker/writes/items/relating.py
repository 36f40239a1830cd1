"""Relations of an item: to another one, where blocking shows at both, or to a page."""

from __future__ import annotations

from collections import defaultdict

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.reads.pages import get_page
from tracker.models import Item, ItemRelation
from tracker.reads.items import get_item
from tracker.reads.shapes import ItemView
from tracker.rules.authority import Act
from tracker.rules.changes import check_key, word_of
from tracker.rules.limits import RELATIONS
from tracker.rules.relations import DIRECTED, Kept, kept_as, reaches, refuse_circle
from tracker.rules.vocabulary import Relation
from tracker.writes.items.holding import hold_item, hold_items, hold_shape, require_on, require_seen, require_writer
from tracker.writes.items.recording import record_item


def relate_item(
    *, actor: Actor, key: str, relation: str, other: str | None = None, page_id: int | None = None
) -> ItemView:
    """The item in a relation to the item with the key `other`, or to a page; one that is there already changes nothing.

    Refuses: `not_found` (of the item, or the page), `forbidden`, `trashed`, `required` without the other end,
    `invalid` for another word, an item that is not there, the item itself, or where it would close a circle, and
    `too_long` above 200 relations of one item.
    """
    require_writer(actor)
    wanted = word_of(relation, Relation, attr="relation")
    if wanted is Relation.PAGE:
        return _relate_page(actor=actor, key=key, page_id=_given(page_id))
    theirs = _other(wanted, other)
    with transaction.atomic():
        company = live.current_for_write()
        hold_shape()
        item, far = _hold_both(key, theirs)
        require_on(item, Act.SAVE, actor=actor, company=company)
        if far.trashed_at is not None or require_seen(far, actor=actor, company=company) is None:
            raise _no_other(theirs)
        kept = kept_as(wanted, item=item.pk, other=far.pk)
        row = {"source_id": kept.source, "relation": kept.relation, "target_id": kept.target}
        if not ItemRelation.objects.filter(**row).exists():
            _check(item, kept)
            ItemRelation.objects.create(**row, created_at=timezone.now())
            _record(actor, "relate_item", item, {"relation": wanted.value, "other": far.key})
            _record(actor, "relate_item", far, {"relation": _mirrored(wanted), "other": item.key}, told=False)
        return get_item(actor=actor, key=item.key)


def unrelate_item(
    *, actor: Actor, key: str, relation: str, other: str | None = None, page_id: int | None = None
) -> ItemView:
    """The item without a relation; one that is not there changes nothing. Refuses as `relate_item` does."""
    require_writer(actor)
    wanted = word_of(relation, Relation, attr="relation")
    with transaction.atomic():
        company = live.current_for_write()
        hold_shape()
        if wanted is Relation.PAGE:
            item = hold_item(key)
            require_on(item, Act.SAVE, actor=actor, company=company)
            gone, _ = ItemRelation.objects.filter(source=item, page_id=_given(page_id)).delete()
            if gone:
                _record(actor, "unrelate_item", item, {"relation": wanted.value, "page_id": page_id})
            return get_item(actor=actor, key=item.key)
        item, far = _hold_both(key, _other(wanted, other))
        require_on(item, Act.SAVE, actor=actor, company=company)
        kept = kept_as(wanted, item=item.pk, other=far.pk)
        ends = [(kept.source, kept.target)]
        if wanted is Relation.DUPLICATES:  # the word reads the same from the item that is duplicated
            ends.append((kept.target, kept.source))
        gone = 0
        for source, target in ends:
            gone += ItemRelation.objects.filter(source=source, target=target, relation=kept.relation).delete()[0]
        if gone:
            _record(actor, "unrelate_item", item, {"relation": wanted.value, "other": far.key})
            _record(actor, "unrelate_item", far, {"relation": _mirrored(wanted), "other": item.key}, told=False)
        return get_item(actor=actor, key=item.key)


def _relate_page(*, actor: Actor, key: str, page_id: int) -> ItemView:
    with transaction.atomic():
        company = live.current_for_write()
        item = hold_item(key)
        require_on(item, Act.SAVE, actor=actor, company=company)
        get_page(actor=actor, page_id=page_id)  # whoever does not see the page hears so
        if not ItemRelation.objects.filter(source=item, page_id=page_id).exists():
            _check(item, None)
            ItemRelation.objects.create(source=item, relation=Relation.PAGE, page_id=page_id, created_at=timezone.now())
            _record(actor, "relate_item", item, {"relation": Relation.PAGE.value, "page_id": page_id})
        return get_item(actor=actor, key=item.key)


def _check(item: Item, kept: Kept | None) -> None:
    """Refuse one relation too many, and one that closes a circle."""
    number = ItemRelation.objects.filter(source=item).count() + ItemRelation.objects.filter(target=item).count()
    if number >= RELATIONS:
        raise Refused(
            Code.TOO_LONG,
            f"This item has {number} relations; at most {RELATIONS} are kept.",
            attr="relation",
            extras={"limit": RELATIONS},
        )
    if kept is None or kept.relation not in DIRECTED:
        return
    edges: dict[int, list[int]] = defaultdict(list)
    pairs = ItemRelation.objects.filter(relation=kept.relation).values_list("source_id", "target_id")
    for source, target in pairs:
        if target is not None:
            edges[source].append(target)
    if reaches(edges, start=kept.target, goal=kept.source):
        raise refuse_circle(kept.relation)


def _hold_both(key: str, other: str) -> tuple[Item, Item]:
    item = hold_item(key) if key == other else None
    if item is not None:
        return item, item
    if not Item.objects.filter(key=other).exists():
        hold_item(key)  # the item that is asked about comes first
        raise _no_other(other)
    first, second = hold_items(key, other)
    return first, second


def _mirrored(relation: Relation) -> str:
    """How a relation reads from the other end, as the activity of that item tells it."""
    if relation is Relation.BLOCKS:
        return Relation.BLOCKED_BY.value
    if relation is Relation.BLOCKED_BY:
        return Relation.BLOCKS.value
    return "duplicated_by" if relation is Relation.DUPLICATES else relation.value


def _record(actor: Actor, verb: str, item: Item, detail: dict[str, object], *, told: bool = True) -> None:
    record_item(
        actor=actor,
        verb=verb,
        item=item,
        version_before=item.version,
        news="item.saved" if told else None,
        detail=detail,
        changed=False,
    )


def _other(relation: Relation, other: str | None) -> str:
    if not other:
        raise Refused(Code.REQUIRED, f"Say in 'key' which item '{relation}' leads to.", attr="key")
    return check_key(other, attr="key")


def _given(page_id: int | None) -> int:
    if page_id is None:
        raise Refused(Code.REQUIRED, "Say in 'page_id' which page you mean.", attr="page_id")
    return page_id


def _no_other(key: str) -> Refused:
    return Refused(Code.INVALID, f"There is no item '{key}' to relate to, or it is in the trash.", attr="key")
