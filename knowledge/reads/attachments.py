"""Reads of attachments: the files of a page, and one file. Whoever sees the page sees its files, and nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import Attachment, Page, Waits
from knowledge.reads.visibility import may_save_in, trash_of, visible_to
from knowledge.rules.attachments import OTHER, as_markdown
from knowledge.rules.authority import Act, Ground, require_act

CURSOR_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class AttachmentView:
    """A file of a page. `url` is where its bytes are, as a path of this site, so that it holds under any host name."""

    id: int
    page_id: int
    name: str
    path: str
    executable: bool
    size: int
    sha256: str
    media_type: str
    author: Author
    created_at: datetime

    @property
    def url(self) -> str:
        """The address of the bytes."""
        return attachment_url(self.id)

    @property
    def is_picture(self) -> bool:
        """Whether a browser may show it in place."""
        return self.media_type != OTHER

    @property
    def markdown(self) -> str:
        """What a body holds to show it, or to link to it."""
        return as_markdown(name=self.name, url=self.url, media_type=self.media_type)


def attachment_url(attachment_id: int) -> str:
    """The address of an attachment's bytes, as bodies name it."""
    return f"/api/v1/attachments/{attachment_id}"


def get_attachment(*, actor: Actor, attachment_id: int) -> AttachmentView:
    """One file; `not_found` where there is none or its page is not there for this actor. Two queries."""
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    row = Attachment.objects.filter(pk=attachment_id).first()
    if row is None or not _sees_page(actor, row.page_id) or not _sees_waiting(actor, row):
        raise no_such_file()
    return view_of(row)


def list_attachments(*, actor: Actor, page_id: int, window: Window) -> Listing[AttachmentView]:
    """The files of a page in the order they came, without those that wait to come; `not_found` as for the page itself.
    Three queries."""
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    if not _sees_page(actor, page_id):
        raise Refused(Code.NOT_FOUND, "There is no such page, or it is not yours to see. Look for it by search.")
    files = Attachment.objects.filter(page_id=page_id).exclude(waits=Waits.TO_COME)
    total = files.count()
    if window.after is not None:
        last = window.after[0]
        if type(last) is not int:
            raise Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
        files = files.filter(pk__gt=last)
    rows = list(files.order_by("pk")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].pk,))
    return Listing(results=tuple(view_of(row) for row in rows), total=total, after=cursor)


def kept_digests() -> list[str]:
    """The digests of every attachment's bytes, each once, in order: what a backup has to hold."""
    return list(Attachment.objects.order_by("sha256").values_list("sha256", flat=True).distinct())


def view_of(row: Attachment) -> AttachmentView:
    """A row as it is shown."""
    return AttachmentView(
        id=row.pk,
        page_id=row.page_id,
        name=row.name,
        path=row.path,
        executable=bool(row.mode & 0o100),
        size=row.size,
        sha256=row.sha256,
        media_type=row.media_type,
        author=Author(name=row.author_name, kind=ActorKind(row.author_kind)),
        created_at=row.created_at,
    )


def no_such_file() -> Refused:
    """No such file for this actor."""
    return Refused(Code.NOT_FOUND, "There is no such file, or its page is not yours to see.")


def _sees_waiting(actor: Actor, row: Attachment) -> bool:
    """A file that waits for review is there for those who may save its page."""
    if row.waits != Waits.TO_COME:
        return True
    container = Page.objects.values_list("container", flat=True).get(pk=row.page_id)
    return may_save_in(container, actor=actor, company=live.current())


def _sees_page(actor: Actor, page_id: int) -> bool:
    company = live.current()
    return Page.objects.filter(visible_to(actor, company) | trash_of(actor, company), pk=page_id).exists()
