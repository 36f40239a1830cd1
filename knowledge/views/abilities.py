"""What a screen offers somebody: the acts the write layer would let through. It decides nothing itself."""

from __future__ import annotations

from dataclasses import dataclass

from company import live
from company.rules.actors import Actor
from company.rules.chart import Space
from company.rules.refusals import Refused
from knowledge.models import PageStatus
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import Act, ground_of, require_act, standing_of


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """Which actions to show beside a page."""

    save: bool
    rename: bool
    move: bool
    label: bool
    trash: bool
    restore: bool
    create: bool
    comment: bool


def abilities_on(page: PageView, *, actor: Actor) -> Abilities:
    """What the actor may do to a page as it stands."""
    company = live.current()
    ground = ground_of(company, page.container)
    standing = standing_of(actor=actor, company=company, container=page.container, author=page.author)
    living = page.status is not PageStatus.TRASHED

    def may(act: Act) -> bool:
        try:
            require_act(act, actor=actor, ground=ground, standing=standing)
        except Refused:
            return False
        return True

    return Abilities(
        save=living and may(Act.SAVE),
        rename=living and may(Act.RENAME),
        move=living and may(Act.MOVE),
        label=living and may(Act.LABEL),
        trash=living and may(Act.TRASH),
        restore=not living and may(Act.RESTORE),
        create=living and may(Act.CREATE),
        comment=living and may(Act.COMMENT),
    )


def may_create_in(container: str, *, actor: Actor) -> bool:
    """Whether the actor may put a new page into a container."""
    company = live.current()
    try:
        require_act(Act.CREATE, actor=actor, ground=ground_of(company, container))
    except Refused:
        return False
    return container in company.space_by_key


def spaces_open_to(actor: Actor) -> tuple[Space, ...]:
    """The spaces the actor may put a new page into, in the document's order."""
    return tuple(space for space in live.current().spaces if may_create_in(space.key, actor=actor))
