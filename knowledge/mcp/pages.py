"""The tools both servers have: list, read, search, write, save and comment on pages."""

from __future__ import annotations

from pydantic import Field

from company.mcp.tools import Arguments, Caller, Said, Tool
from company.rules.actors import Scope
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from knowledge.mcp import shown
from knowledge.mcp.references import PageRef, page_id_of
from knowledge.models import PageStatus
from knowledge.models.talk import PAGE
from knowledge.reads.comments import get_comment
from knowledge.reads.levels import CURSOR_WIDTH
from knowledge.reads.pages import list_pages
from knowledge.search.asking import search_pages
from knowledge.search.rules.outcome import parse_mode
from knowledge.writes.comments import add_comment, edit_comment
from knowledge.writes.pages import create_page, revise_page
from knowledge.writes.reading import open_page

LINKS = (
    "Markdown. Link another page by its id, as in [its title](/knowledge/pages/12): a link by id survives a rename, "
    "and [[brackets]] are no link."
)


class ListPages(Arguments):
    """What to list."""

    container: str | None = Field(default=None, description="One space, by its key: ENG.")
    roots: bool = Field(default=False, description="Only the top of each space.")
    parent: PageRef | None = Field(default=None, description="Only the pages right under this one (id or address).")
    label: str | None = None
    title: str | None = Field(default=None, description="Pages of this very title, whatever the case.")
    status: str | None = Field(default=None, description="draft, published or trashed; living pages without it.")
    limit: int | None = Field(default=None, description="1 to 500; 50 without it.")
    after: str | None = Field(default=None, description="The cursor the last answer ended with.")


class GetPage(Arguments):
    """Which page."""

    page: PageRef


class WritePage(Arguments):
    """A new page."""

    title: str = Field(description="Also its address: unique in its space, whatever the case.")
    body: str = Field(description=LINKS + " Empty for a folder.")
    container: str | None = Field(
        default=None, description="The space, by its key. Without it: beside the parent, else your own space."
    )
    parent: PageRef | None = Field(default=None, description="The page to file it under (id or address).")
    labels: list[str] | None = None
    message: str | None = Field(default=None, description="One line on why, for the page's history and its watchers.")


class SavePage(Arguments):
    """What to change of a page; whatever is left out stays."""

    page: PageRef
    base_version: int = Field(description="The version you read, from the first line of get_page.")
    body: str | None = Field(default=None, description="The whole new text. " + LINKS)
    title: str | None = None
    parent: PageRef | None = Field(
        default=None, description='The page to move it under (id or address); "" for the top of its space.'
    )
    labels: list[str] | None = Field(default=None, description="All its labels from now on.")
    message: str | None = Field(default=None, description="One line on what changed, for the history and the watchers.")
    watch: bool | None = Field(default=None, description="Whether your seat hears of what others do to the page.")


class CommentOnPage(Arguments):
    """A comment."""

    page: PageRef
    body: str = Field(description="Markdown. @handle tells that seat.")
    reply_to: int | None = Field(default=None, description="The id of the comment to answer.")
    edit: int | None = Field(default=None, description="The id of a comment of yours, to put `body` in its place.")


class SearchKnowledge(Arguments):
    """A search."""

    query: str = Field(description="Words, a name or a question, at most 400 bytes. There is no syntax.")
    mode: str | None = Field(default=None, description="hybrid (without it), keyword, or semantic for meaning alone.")


def _list(caller: Caller, given: ListPages) -> Said:
    listing = list_pages(
        actor=caller.actor,
        window=parse_window(str(given.limit) if given.limit is not None else None, given.after, width=CURSOR_WIDTH),
        container=given.container,
        roots=given.roots,
        parent=page_id_of(given.parent, actor=caller.actor, attr="parent") if given.parent is not None else None,
        label=given.label,
        title=given.title,
        status=_status(given.status),
    )
    return Said(text=shown.rows(listing.results, total=listing.total, after=listing.after))


def _get(caller: Caller, given: GetPage) -> Said:
    page_id = page_id_of(given.page, actor=caller.actor)
    return Said(text=shown.whole(open_page(actor=caller.actor, page_id=page_id, occasion=caller.occasion)))


def _write(caller: Caller, given: WritePage) -> Said:
    actor = caller.actor
    page = create_page(
        actor=actor,
        title=given.title,
        body=given.body,
        container=given.container,
        parent_id=page_id_of(given.parent, actor=actor, attr="parent") if given.parent is not None else None,
        labels=given.labels or (),
        message=given.message,
    )
    return Said(text=shown.done(page, "Written. " + shown.WAITS if page.waits else "Written."))


def _save(caller: Caller, given: SavePage) -> Said:
    actor = caller.actor
    to_top = given.parent == ""
    page = revise_page(
        actor=actor,
        page_id=page_id_of(given.page, actor=actor),
        base_version=given.base_version,
        body=given.body,
        title=given.title,
        move=given.parent is not None,
        parent_id=None if given.parent is None or to_top else page_id_of(given.parent, actor=actor, attr="parent"),
        labels=given.labels,
        message=given.message,
        watch=given.watch,
    )
    said = "Saved." if page.version != given.base_version else "Saved; its text and title are as they were."
    return Said(text=shown.done(page, f"{said} {shown.WAITS}" if page.waits else said))


def _comment(caller: Caller, given: CommentOnPage) -> Said:
    actor = caller.actor
    page_id = page_id_of(given.page, actor=actor)
    if given.edit is None:
        comment = add_comment(actor=actor, page_id=page_id, body=given.body, reply_to=given.reply_to)
        return Said(text=shown.comment(comment, verb="written"))
    if given.reply_to is not None:
        raise Refused(
            Code.INVALID, "Give 'reply_to' for a new comment or 'edit' for an old one, not both.", attr="edit"
        )
    old = get_comment(actor=actor, comment_id=given.edit)
    if (old.kind, old.subject_id) != (PAGE, page_id):
        raise Refused(Code.NOT_FOUND, f"Page {page_id} has no comment {given.edit}.", attr="edit")
    return Said(text=shown.comment(edit_comment(actor=actor, comment_id=given.edit, body=given.body), verb="changed"))


def _search(caller: Caller, given: SearchKnowledge) -> Said:
    found = search_pages(
        actor=caller.actor,
        text=given.query,
        mode=parse_mode(given.mode),
        limit=shown.HITS_SHOWN,
        occasion=caller.occasion,
    )
    return Said(text=shown.found(found))


def _status(given: str | None) -> PageStatus | None:
    if given is None:
        return None
    try:
        return PageStatus(given)
    except ValueError as error:
        known = ", ".join(PageStatus.values)
        raise Refused(Code.INVALID, f"'status' is one of: {known}.", attr="status") from error


TOOLS = (
    Tool(
        name="list_pages",
        title="List pages",
        description="List the pages of a space, or those right under a page, a line each: id, address, version, "
        "title, how many pages lie beneath. To find a page by what it says, use search_knowledge.",
        arguments=ListPages,
        call=_list,
        reads_only=True,
    ),
    Tool(
        name="get_page",
        title="Read a page",
        description="Read one page whole. The first line names its id, address and version; after an empty line comes"
        " its markdown, exactly as it was saved. Keep the version: save_page asks for it.",
        arguments=GetPage,
        call=_get,
        reads_only=True,
    ),
    Tool(
        name="search_knowledge",
        title="Search the company's pages",
        description="Search what the company has written down, by words and by meaning, and get the six best pages "
        "with the passage that matched. Search before you write: the page may exist. The answer says when"
        " it could not search everything; that is not the same as finding nothing.",
        arguments=SearchKnowledge,
        call=_search,
        reads_only=True,
    ),
    Tool(
        name="write_page",
        title="Write a new page",
        description="Write a new page in your team's space. A title that is taken is refused with the id of the page "
        "that has it: read that one and save_page it instead.",
        arguments=WritePage,
        call=_write,
        scope=Scope.WRITE,
    ),
    Tool(
        name="save_page",
        title="Change a page",
        description="Change a page you have read: its text, title, place, labels, or whether you watch it, all in one"
        " step or not at all. If somebody saved since you read it, nothing is saved (stale_version): read"
        " it again, bring both texts together, and save on the new version.",
        arguments=SavePage,
        call=_save,
        scope=Scope.WRITE,
    ),
    Tool(
        name="comment_on_page",
        title="Comment on a page",
        description="Say something about a page without changing it: a comment, a reply, or a better wording of a "
        "comment of yours. Watchers hear of it, and every seat you name as @handle.",
        arguments=CommentOnPage,
        call=_comment,
        scope=Scope.WRITE,
    ),
)
