"""Who hears of what is done to a page. Pure.

Owns which writes are news and to whom. A page's watchers hear of it, and so does the seat that leads its space; whoever
is mentioned hears of the mention and follows the page no further. Nobody hears of their own doing, nobody of labels,
of watching, of a new page or of a purge, and nobody of edits in the skills container, which is machinery. A comment
there is an ordinary one, but agents' seats are left out of it: to them a skill is an instruction and not a talk. What
waits there for review is news to administrators, and what became of it to whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from company.rules.actors import ActorKind
from company.rules.chart import Company
from knowledge.rules.authority import Ground, ground_of


class What(StrEnum):
    """What a seat hears was done to a page."""

    SAVED = "saved"
    RENAMED = "renamed"
    PUBLISHED = "published"
    MOVED = "moved"
    TRASHED = "trashed"
    RESTORED = "restored"
    COMMENTED = "commented"
    MENTIONED = "mentioned"
    FILED = "filed"
    ASSIGNED = "assigned"
    STATUS = "changed status"
    PROPOSED = "asked for review"
    APPROVED = "approved"
    SENT_BACK = "sent back"


NEWS_OF = {
    "save_page": What.SAVED,
    "rename_page": What.RENAMED,
    "publish_page": What.PUBLISHED,
    "move_page": What.MOVED,
    "trash_page": What.TRASHED,
    "restore_page": What.RESTORED,
    "comment_page": What.COMMENTED,
    "attach_file": What.SAVED,
    "remove_file": What.SAVED,
}
"""The verbs that are news, and as what."""


def audience(
    what: What,
    *,
    company: Company,
    by: str | None,
    containers: Iterable[str],
    watchers: Collection[str],
    mentioned: Collection[str] = (),
    readers: Collection[str] | None = None,
) -> dict[str, tuple[What, ...]]:
    """Each seat that hears of it, and as what, in the order of their handles.

    `by` is the seat that did it, `containers` the page's own first and then one it was moved out of. `readers` are the
    seats that see the page, where not every reader of pages does (a draft). A watcher without a seat any more is left
    out, since nobody could read what it is told.
    """
    spaces = list(containers)
    skills = ground_of(company, spaces[0]) is Ground.SKILLS
    if skills and what is not What.COMMENTED:
        return {}
    leads = {space.led_by for key in spaces if (space := company.space_by_key.get(key)) is not None and space.led_by}
    heard: dict[str, tuple[What, ...]] = {}
    for handle in sorted({*watchers, *leads, *mentioned}):
        seat = company.seat_by_handle.get(handle)
        if seat is None or handle == by or (readers is not None and handle not in readers):
            continue
        if skills and seat.kind is ActorKind.AGENT:
            continue
        heard[handle] = (what, What.MENTIONED) if handle in mentioned else (what,)
    return heard
