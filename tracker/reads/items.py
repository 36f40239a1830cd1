"""One item as its reader gets it. What an actor may not see is `not_found`, or absent among the relations."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from company.rules.actors import Actor, Permission
from company.rules.chart import Company
from knowledge.models import Page
from knowledge.reads.visibility import visible_to
from tracker.models import Item, ItemRelation
from tracker.reads.refusals import not_found
from tracker.reads.rows import company_read_by, facts_of, read_rows
from tracker.reads.shapes import ItemRef, ItemView, Related
from tracker.rules.authority import may_see, standing_of
from tracker.rules.keys import parse_key
from tracker.rules.relations import WORDS
from tracker.rules.vocabulary import Relation, Status

_ORDER = (Relation.BLOCKED_BY, Relation.BLOCKS, Relation.DUPLICATES, Relation.RELATES, Relation.PAGE)


def get_item(*, actor: Actor, key: str) -> ItemView:
    """The item with its description and relations; `not_found` for one that is not there for this actor.

    Two queries, and one more where it names pages.
    """
    company = company_read_by(actor)
    parsed = parse_key(key)
    row = read_rows(Item.objects.filter(key=f"{parsed[0]}-{parsed[1]}" if parsed else ""), "description").first()
    if row is None:
        raise not_found()
    facts = facts_of(row, company=company)
    standing = standing_of(actor=actor, company=company, project=facts["project"], author=facts["author"])
    if not may_see(actor=actor, standing=standing, trashed=facts["trashed_at"] is not None):
        raise not_found()
    relations = _relations_of(row["id"], actor=actor, company=company)
    return ItemView(**facts, description=row["description"], relations=relations)


def key_of(item_id: int) -> str:
    """The key of an item by its id; `not_found` without one. One query."""
    key = Item.objects.filter(pk=item_id).values_list("key", flat=True).first()
    if key is None:
        raise not_found()
    return key


def _relations_of(item_id: int, *, actor: Actor, company: Company) -> tuple[Related, ...]:
    """The relations of an item from its own end, items in the trash and pages its reader does not see left out."""
    rows: Any = ItemRelation.objects.filter(Q(source_id=item_id) | Q(target_id=item_id)).order_by("id").values(
        "relation", "source_id", "page_id",
        "source__key", "source__title", "source__status", "source__trashed_at",
        "target_id", "target__key", "target__title", "target__status", "target__trashed_at",
    )  # fmt: skip
    found: list[Related] = []
    pages: list[int] = []
    for row in rows:
        relation, outgoing = Relation(row["relation"]), row["source_id"] == item_id
        if relation is Relation.PAGE:
            pages.append(row["page_id"])
            continue
        end = "target" if outgoing else "source"
        if row[f"{end}__trashed_at"] is not None:
            continue
        reads = Relation.BLOCKED_BY if relation is Relation.BLOCKS and not outgoing else relation
        other = ItemRef(
            id=row[f"{end}_id"],
            key=row[f"{end}__key"],
            title=row[f"{end}__title"],
            status=Status(row[f"{end}__status"]),
        )
        found.append(Related(reads=reads, words=WORDS[relation, outgoing], outgoing=outgoing, item=other))
    if pages and actor.holds(Permission.KNOWLEDGE):
        seen = Page.objects.filter(visible_to(actor, company), pk__in=pages).order_by("title", "id")
        found += [
            Related(reads=Relation.PAGE, words="Pages", page_id=page_id, page_title=title)
            for page_id, title in seen.values_list("id", "title")
        ]
    return tuple(sorted(found, key=lambda one: (_ORDER.index(one.reads), not one.outgoing)))
