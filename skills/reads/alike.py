"""Which skills say nearly the same of themselves, as the duty compared them last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from company.rules.windows import Listing, Window, encode_cursor
from skills import registry
from skills.models.alike import SkillPair
from skills.registry import Registry
from skills.tool_skills.rules.documents import Kind, on_one_line

CURSOR_WIDTH = 3


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the skill of a page says of itself: a tool skill's summary, another's description."""

    page_id: int
    version: int
    dialect: Kind
    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Alike:
    """Two served skills, the page with the lower number first, and how alike they are, of a hundred."""

    first: Said
    second: Said
    likeness: int
    measure: str

    def other(self, page_id: int) -> Said:
        """The one that is not on this page."""
        return self.second if self.first.page_id == page_id else self.first


def sayings(held: Registry) -> Iterator[Said]:
    """What each page that is served says, once a page, in its first dialect."""
    told: set[int] = set()
    for one in _all(held):
        if one.page_id not in told:
            told.add(one.page_id)
            yield one


def list_alike(*, actor: Actor, window: Window) -> Listing[Alike]:
    """The pairs, the most alike first. Two queries."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    said = {one.page_id: one for one in sayings(registry.current())}
    rows = SkillPair.objects.filter(first__in=said.keys(), second__in=said.keys())
    total = rows.count()
    if window.after:
        likeness, first, second = window.after
        later = Q(likeness__lt=likeness) | Q(likeness=likeness, first__gt=first)
        rows = rows.filter(later | Q(likeness=likeness, first=first, second__gt=second))
    shown = list(rows.order_by("-likeness", "first", "second")[: window.limit + 1])
    more = len(shown) > window.limit
    shown = shown[: window.limit]
    last = shown[-1] if more else None
    return Listing(
        results=tuple(_pair(row, said) for row in shown),
        total=total,
        after=encode_cursor((last.likeness, last.first, last.second)) if last is not None else None,
    )


def alike_to(*, actor: Actor, page_id: int) -> tuple[Alike, ...]:
    """The skills that are like the one on a page, the most alike first. One query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    said = {one.page_id: one for one in sayings(registry.current())}
    rows = SkillPair.objects.filter(Q(first=page_id) | Q(second=page_id)).order_by("-likeness", "first", "second")
    return tuple(_pair(row, said) for row in rows if row.first in said and row.second in said)


def alike_by_page(page_ids: Sequence[int]) -> Mapping[int, int]:
    """How many others each page's skill is like. One query."""
    served = frozenset(one.page_id for one in sayings(registry.current()))
    found: defaultdict[int, int] = defaultdict(int)
    rows = SkillPair.objects.filter(Q(first__in=page_ids) | Q(second__in=page_ids))
    for first, second in rows.values_list("first", "second"):
        if first in served and second in served:
            found[first] += 1
            found[second] += 1
    return found


def _pair(row: SkillPair, said: Mapping[int, Said]) -> Alike:
    return Alike(first=said[row.first], second=said[row.second], likeness=round(row.likeness / 10), measure=row.measure)


def _all(held: Registry) -> Iterator[Said]:
    for key, tool in held.by_key.items():
        yield Said(
            page_id=tool.page_id,
            version=tool.page_version,
            dialect=Kind.TOOL_SKILL,
            name=key,
            text=on_one_line(tool.skill.summary),
        )
    for name, prompt in held.prompts.items():
        yield Said(
            page_id=prompt.page.page_id,
            version=prompt.page.version,
            dialect=Kind.PROMPT_SKILL,
            name=name,
            text=on_one_line(prompt.skill.description),
        )
    for name, folder in held.folders.items():
        yield Said(
            page_id=folder.page.page_id,
            version=folder.page.version,
            dialect=Kind.AGENT_SKILL,
            name=name,
            text=on_one_line(folder.skill.description),
        )
