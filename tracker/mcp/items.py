"""The tools of work items, which both servers have."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from company.mcp.tools import Arguments, Caller, Said, Tool
from company.rules.actors import Permission, Scope
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from knowledge.reads.comments import get_comment
from knowledge.search.rules.outcome import parse_mode
from knowledge.writes.comments import edit_comment
from tracker.mcp import shown
from tracker.reads.items import get_item
from tracker.reads.lists import CURSOR_WIDTH, list_items
from tracker.reads.projects import list_projects
from tracker.reads.subjects import KIND
from tracker.rules.changes import Changes
from tracker.rules.filters import FILTERS, parse_filters
from tracker.rules.vocabulary import Priority, Relation, Status, Type
from tracker.search.asking import search_items
from tracker.writes.comments import comment_item
from tracker.writes.items import create_item, relate_item, save_item, unrelate_item

ItemRef = Annotated[str, Field(description="The item's key: ENG-12.")]

TYPES, STATUSES, PRIORITIES, RELATIONS = (", ".join(words) for words in (Type, Status, Priority, Relation))


class ListProjects(Arguments):
    """Takes nothing."""


class ListWorkItems(Arguments):
    """What is asked for; whatever is left out narrows nothing."""

    project: str | None = Field(default=None, description="A project's key: ENG.")
    status: str | None = Field(
        default=None, description=f"Any of {STATUSES}, divided by commas; open for what is not done."
    )
    type: str | None = Field(default=None, description=f"Any of {TYPES}.")
    priority: str | None = Field(default=None, description=f"Any of {PRIORITIES}.")
    assignee: str | None = Field(default=None, description="A handle, me, or none.")
    label: str | None = None
    parent: str | None = Field(default=None, description="The items right under this key.")
    page: int | None = Field(default=None, description="Items that link to this page, by its id.")
    due: str | None = Field(default=None, description="overdue, week or none.")
    q: str | None = Field(default=None, description="Words of the title, or a key.")
    sort: str | None = Field(default=None, description="updated (without it), created, priority or due.")
    limit: int | None = Field(default=None, description="1 to 500; 50 without it.")
    after: str | None = Field(default=None, description="The cursor the last answer ended with.")


class GetWorkItem(Arguments):
    """Which item."""

    item: ItemRef


class _Fields(Arguments):
    description: str | None = Field(default=None, description="Markdown, at most 32 KiB. Link a page by its id.")
    type: str | None = Field(default=None, description=f"One of {TYPES}.")
    status: str | None = Field(default=None, description=f"One of {STATUSES}.")
    priority: str | None = Field(default=None, description=f"One of {PRIORITIES}.")
    assignee: str | None = Field(default=None, description='A handle; "" for nobody.')
    labels: list[str] | None = Field(default=None, description="All its labels from now on.")
    parent: str | None = Field(default=None, description='The key of the item it is part of; "" for none.')
    due: str | None = Field(default=None, description='A day, as 2026-12-24; "" for none.')
    message: str | None = Field(default=None, description="One line on why, for the history and the watchers.")


class CreateWorkItem(_Fields):
    """A new item."""

    title: str
    project: str | None = Field(default=None, description="Without it: your own, else your unit's.")


class UpdateWorkItem(_Fields):
    """What to change of an item; whatever is left out stays."""

    item: ItemRef
    title: str | None = None
    base_version: int | None = Field(
        default=None, description="The version you read. Needed for a whole description; checked wherever it is given."
    )
    relation: str | None = Field(
        default=None,
        description=f"One of {RELATIONS}: relate the item to `other` or `page`. In a call of its own, with no field.",
    )
    other: str | None = Field(default=None, description="The key of the item the relation leads to.")
    page: int | None = Field(default=None, description="The id of the page the relation leads to.")
    remove: bool = Field(default=False, description="Take the relation away instead.")


class SearchWorkItems(Arguments):
    """A search."""

    query: str = Field(description="Words, a key or a question, at most 400 bytes. There is no syntax.")
    mode: str | None = Field(default=None, description="hybrid (without it), keyword, or semantic for meaning alone.")
    project: str | None = Field(default=None, description="Look in one project alone.")


class CommentOnWorkItem(GetWorkItem):
    """A comment."""

    body: str = Field(description="Markdown. @handle tells that seat.")
    reply_to: int | None = Field(default=None, description="The id of the comment to answer.")
    edit: int | None = Field(default=None, description="The id of a comment of yours, to put `body` in its place.")


def _projects(caller: Caller, _: ListProjects) -> Said:
    return Said(text=shown.projects(list_projects(actor=caller.actor)))


def _list(caller: Caller, given: ListWorkItems) -> Said:
    asked = {
        name: [str(value)]
        for name, value in given.model_dump(exclude={"limit", "after"}).items()
        if value is not None and name in FILTERS
    }
    window = parse_window(str(given.limit) if given.limit is not None else None, given.after, width=CURSOR_WIDTH)
    listing = list_items(actor=caller.actor, filters=parse_filters(asked), window=window)
    return Said(text=shown.rows(listing.results, total=listing.total, after=listing.after))


def _get(caller: Caller, given: GetWorkItem) -> Said:
    return Said(text=shown.whole(get_item(actor=caller.actor, key=given.item)))


def _search(caller: Caller, given: SearchWorkItems) -> Said:
    found = search_items(
        actor=caller.actor,
        text=given.query,
        mode=parse_mode(given.mode),
        project=given.project,
        limit=shown.HITS_SHOWN,
    )
    return Said(text=shown.found(found))


def _create(caller: Caller, given: CreateWorkItem) -> Said:
    item = create_item(
        actor=caller.actor, project=given.project, fields=_changes(given, title=given.title), message=given.message
    )
    return Said(text=f"{shown.header(item)}\n\nFiled.")


def _update(caller: Caller, given: UpdateWorkItem) -> Said:
    if given.relation is not None:
        return _relate(caller, given)
    if given.other is not None or given.page is not None or given.remove:
        raise Refused(Code.REQUIRED, "Say in 'relation' how the two hang together.", attr="relation")
    item = save_item(
        actor=caller.actor,
        key=given.item,
        changes=_changes(given, title=given.title),
        base_version=given.base_version,
        message=given.message,
    )
    return Said(text=f"{shown.header(item)}\n\nSaved.")


def _relate(caller: Caller, given: UpdateWorkItem) -> Said:
    if given.model_fields_set - {"item", "relation", "other", "page", "remove"}:
        raise Refused(
            Code.INVALID, "Relate the item in a call of its own; change its fields in another.", attr="relation"
        )
    act = unrelate_item if given.remove else relate_item
    item = act(actor=caller.actor, key=given.item, relation=given.relation or "", other=given.other, page_id=given.page)
    return Said(text=f"{shown.header(item)}\n\n{'No longer related.' if given.remove else 'Related.'}")


def _comment(caller: Caller, given: CommentOnWorkItem) -> Said:
    actor = caller.actor
    if given.edit is None:
        made = comment_item(actor=actor, key=given.item, body=given.body, reply_to=given.reply_to)
        return Said(text=f"comment {made.id} · item {given.item} · written")
    if given.reply_to is not None:
        raise Refused(Code.INVALID, "Give 'reply_to' for a new comment or 'edit' for an old one.", attr="edit")
    old, item = get_comment(actor=actor, comment_id=given.edit), get_item(actor=actor, key=given.item)
    if (old.kind, old.subject_id) != (KIND, item.id):
        raise Refused(Code.NOT_FOUND, f"{given.item} has no comment {given.edit}.", attr="edit")
    changed = edit_comment(actor=actor, comment_id=given.edit, body=given.body)
    return Said(text=f"comment {changed.id} · item {given.item} · changed")


def _changes(given: _Fields, *, title: str | None) -> Changes:
    return Changes(
        title=title,
        description=given.description,
        type=given.type,
        status=given.status,
        priority=given.priority,
        assignee=given.assignee,
        labels=given.labels,
        parent=given.parent,
        due=given.due,
    )


TOOLS = (
    Tool(
        name="list_projects",
        title="List projects",
        description="The projects work items are filed in, with how much is still to be done in each.",
        arguments=ListProjects,
        call=_projects,
        permission=Permission.TRACKER,
        reads_only=True,
    ),
    Tool(
        name="list_work_items",
        title="List work items",
        description="List work items, a line each: key, status, priority, assignee, title. Ask with assignee me and "
        "status open for your own work.",
        arguments=ListWorkItems,
        call=_list,
        permission=Permission.TRACKER,
        reads_only=True,
    ),
    Tool(
        name="get_work_item",
        title="Read a work item",
        description="Read one work item whole: its fields and relations, and after an empty line its description, "
        "exactly as it was saved. Keep the version for update_work_item.",
        arguments=GetWorkItem,
        call=_get,
        permission=Permission.TRACKER,
        reads_only=True,
    ),
    Tool(
        name="search_work_items",
        title="Search work items",
        description="Search work items by words and by meaning, and get the six best with the passage that matched. "
        "Search before you file one: it may be there. The answer says when it could not search everything.",
        arguments=SearchWorkItems,
        call=_search,
        permission=Permission.TRACKER,
        reads_only=True,
    ),
    Tool(
        name="create_work_item",
        title="File a work item",
        description="File a new work item under the next key of a project. Look with list_work_items whether it was "
        "filed already.",
        arguments=CreateWorkItem,
        call=_create,
        permission=Permission.TRACKER,
        scope=Scope.WRITE,
    ),
    Tool(
        name="update_work_item",
        title="Change a work item",
        description="Change a work item: its status, assignee, description or any other field, all in one step; or "
        "how it hangs together with another one or a page (relation). If somebody changed the same field since the "
        "version you name, nothing is changed (stale_version): read it again first.",
        arguments=UpdateWorkItem,
        call=_update,
        permission=Permission.TRACKER,
        scope=Scope.WRITE,
    ),
    Tool(
        name="comment_on_work_item",
        title="Comment on a work item",
        description="Say something about a work item: a comment, a reply, or a better wording of a comment of yours. "
        "Watchers hear of it, and every seat you name as @handle.",
        arguments=CommentOnWorkItem,
        call=_comment,
        permission=Permission.TRACKER,
        scope=Scope.WRITE,
    ),
)
