"""The tools people have beside: putting pages in order, removing them, and seeing who reads and links them."""

from __future__ import annotations

from pydantic import Field

from company.mcp.tools import OPERATORS, Arguments, Caller, Said, Tool
from company.rules.actors import Permission, Scope
from company.rules.windows import parse_window
from knowledge.mcp import shown
from knowledge.mcp.references import PageRef, page_id_of
from knowledge.reads.links import CURSOR_WIDTH, list_backlinks
from knowledge.reads.readers import READERS_DAYS, readers_of
from knowledge.writes.pages import move_page, purge_page, rename_page, restore_page, trash_page


class OnPage(Arguments):
    """Which page."""

    page: PageRef


class RenamePage(OnPage):
    """A new title."""

    title: str
    message: str | None = Field(default=None, description="One line on why.")


class MovePage(OnPage):
    """Where to."""

    parent: PageRef = Field(description='The page to put it under (id or address); "" for the top of the space.')
    container: str | None = Field(
        default=None, description="Another space, by its key; all that lies beneath comes along."
    )
    before: PageRef | None = Field(default=None, description="The sibling to put it just before (id or address).")


class RestorePage(OnPage):
    """How it comes back."""

    title: str | None = Field(default=None, description="Another title, where the old one was taken meanwhile.")


class PurgePage(OnPage):
    """Why it goes."""

    reason: str = Field(description="Kept for good, with who and when.")


class PageReads(OnPage):
    """How far back."""

    days: int | None = Field(default=None, description=f"1 to 30 company days; {READERS_DAYS} without it.")


class LinkedFrom(OnPage):
    """Which window."""

    limit: int | None = Field(default=None, description="1 to 500; 50 without it.")
    after: str | None = Field(default=None, description="The cursor the last answer ended with.")


def _rename(caller: Caller, given: RenamePage) -> Said:
    page_id = page_id_of(given.page, actor=caller.actor)
    page = rename_page(actor=caller.actor, page_id=page_id, title=given.title, message=given.message)
    return Said(text=shown.done(page, "This is its title now."))


def _move(caller: Caller, given: MovePage) -> Said:
    actor = caller.actor
    page = move_page(
        actor=actor,
        page_id=page_id_of(given.page, actor=actor),
        parent_id=None if given.parent == "" else page_id_of(given.parent, actor=actor, attr="parent"),
        container=given.container,
        before=page_id_of(given.before, actor=actor, attr="before") if given.before is not None else None,
    )
    return Said(text=shown.done(page, "This is its place now."))


def _trash(caller: Caller, given: OnPage) -> Said:
    page = trash_page(actor=caller.actor, page_id=page_id_of(given.page, actor=caller.actor))
    return Said(text=shown.done(page, "In the trash with all beneath it; restore_page brings it back for 30 days."))


def _restore(caller: Caller, given: RestorePage) -> Said:
    page_id = page_id_of(given.page, actor=caller.actor)
    back = restore_page(actor=caller.actor, page_id=page_id, title=given.title)
    sentences = [f"Back, {back.pages} {'page' if back.pages == 1 else 'pages'} in all."]
    if back.moved:
        sentences.append("The page it lay under is gone, so it stands at the nearest place above.")
    if back.left:
        left = ", ".join(str(page_id) for page_id in back.left)
        sentences.append(f"Left in the trash, because their titles were taken meanwhile: {left}.")
    return Said(text=shown.done(back.page, *sentences))


def _purge(caller: Caller, given: PurgePage) -> Said:
    page_id = page_id_of(given.page, actor=caller.actor)
    gone = purge_page(actor=caller.actor, page_id=page_id, reason=given.reason)
    return Said(text=f"page {gone} · gone for good")


def _reads(caller: Caller, given: PageReads) -> Said:
    actor = caller.actor
    page_id = page_id_of(given.page, actor=actor)
    read = readers_of(actor=actor, page_id=page_id, days=given.days if given.days is not None else READERS_DAYS)
    lines = [f"page {page_id} · {read.since} to {read.until} · readers {read.readers_total}"]
    for row in read.readers:
        turn = f" · turn {row.last_turn_id}" if row.last_turn_id else ""
        asked = f" · “{row.last_query}”" if row.last_query else ""
        lines.append(
            f"- {row.handle} ({row.role}) · {row.via} · {row.count} · last {row.last_at.isoformat()}{turn}{asked}"
        )
    if not read.readers:
        lines.append("No agent has read it in these days.")
    return Said(text="\n".join([lines[0], "", *lines[1:]]))


def _linked_from(caller: Caller, given: LinkedFrom) -> Said:
    page_id = page_id_of(given.page, actor=caller.actor)
    window = parse_window(str(given.limit) if given.limit is not None else None, given.after, width=CURSOR_WIDTH)
    listing = list_backlinks(actor=caller.actor, page_id=page_id, origins=caller.origins, window=window)
    lines = [f"- {link.kind} {link.key or link.id} · {link.container} · {link.title}" for link in listing.results]
    tail = [f"\nGo on with after: {listing.after}"] if listing.after else []
    return Said(text="\n".join([f"page {page_id} · linked from {listing.total}", "", *lines, *tail]))


TOOLS = (
    Tool(
        name="rename_page",
        title="Rename a page",
        description="Give a page another title. Its address moves with it, and the old one leads to it until somebody"
        " takes it. The creator's, the space lead's and an administrator's.",
        arguments=RenamePage,
        call=_rename,
        audiences=OPERATORS,
        scope=Scope.WRITE,
    ),
    Tool(
        name="move_page",
        title="Move a page",
        description="Put a page, with all beneath it, under another page or at the top of a space, this one or "
        "another.",
        arguments=MovePage,
        call=_move,
        audiences=OPERATORS,
        scope=Scope.WRITE,
    ),
    Tool(
        name="trash_page",
        title="Put a page into the trash",
        description="Take a page and all beneath it out of everybody's way. It can be restored for 30 days.",
        arguments=OnPage,
        call=_trash,
        audiences=OPERATORS,
        scope=Scope.WRITE,
        destroys=True,
    ),
    Tool(
        name="restore_page",
        title="Bring a page back from the trash",
        description="Bring back a page and what fell with it. Name it by its id: an address in the trash is free.",
        arguments=RestorePage,
        call=_restore,
        audiences=OPERATORS,
        scope=Scope.WRITE,
    ),
    Tool(
        name="purge_page",
        title="Remove a page for good",
        description="Remove a page that is in the trash, with its history and comments. Nothing brings it back. An "
        "administrator's, within 15 minutes of a proof of identity (POST /api/v1/proof with the same "
        "token).",
        arguments=PurgePage,
        call=_purge,
        audiences=OPERATORS,
        permission=Permission.ADMIN,
        scope=Scope.ADMIN,
        destroys=True,
    ),
    Tool(
        name="page_reads",
        title="Who reads a page",
        description="Which agents' seats read a page lately, how it reached them (get_page, search, prefetch, "
        "skill_loaded, skill_injected), how often, and when last.",
        arguments=PageReads,
        call=_reads,
        audiences=OPERATORS,
        reads_only=True,
    ),
    Tool(
        name="linked_from",
        title="What links to a page",
        description="The pages and work items whose text links to a page.",
        arguments=LinkedFrom,
        call=_linked_from,
        audiences=OPERATORS,
        reads_only=True,
    ),
)
