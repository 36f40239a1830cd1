"""Attaching files to pages and taking them off. Attaching is a save of the page, in rights and in who hears of it.

The row and its audit entry commit together; the bytes are put down before that, as `writes.contents` says.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import IO

from django.db import connection, transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from knowledge import files
from knowledge.models import Attachment, Page
from knowledge.reads.attachments import AttachmentView, no_such_file, view_of
from knowledge.rules.attachments import clean_file_name, clean_file_path
from knowledge.rules.authority import Act
from knowledge.writes.contents import drop_after_commit, drop_unused, hold_digest
from knowledge.writes.pages.holding import hold_page, require_on, require_seen, require_writer
from knowledge.writes.pages.recording import record_page


def attach_file(
    *, actor: Actor, page_id: int, name: str, content: IO[bytes], path: str = "", executable: bool = False
) -> AttachmentView:
    """The file, now on the page. The same content under the same name is the file that is there already.

    `path` is its place in a folder that the page stands for; a file with another content there is replaced by this
    one. Refuses `too_long` above 25 MiB, `invalid` names, and whatever a save of the page is refused for.
    """
    require_writer(actor)
    shown, place = clean_file_name(name), clean_file_path(path)
    measured = files.measure(content)
    fresh = False
    try:
        with transaction.atomic():
            company = live.current_for_write()
            page = hold_page(page_id)
            require_on(page, Act.SAVE, actor=actor, company=company)
            same = Attachment.objects.filter(page=page, path=place)
            mode = 0o755 if executable else 0o644
            known = same.filter(sha256=measured.sha256, name=shown, mode=mode).order_by("pk").first()
            if known is not None:
                return view_of(known)
            hold_digest(measured.sha256)
            fresh = files.put(content, sha256=measured.sha256, size=measured.size)
            if place:
                _drop(list(same))
            row = Attachment.objects.create(
                page=page,
                name=shown,
                path=place,
                mode=mode,
                size=measured.size,
                sha256=measured.sha256,
                media_type=measured.media_type,
                author_name=actor.author.name,
                author_kind=actor.author.kind.value,
                created_at=timezone.now(),
            )
            _touch(page)
            record_page(
                actor=actor,
                verb="attach_file",
                page=page,
                version_before=page.version,
                news="page.saved",
                detail={"attached": {"id": row.pk, "name": shown, "size": measured.size, "sha256": measured.sha256}},
            )
            return view_of(row)
    except BaseException:
        if fresh and not connection.in_atomic_block:
            drop_unused([measured.sha256])
        raise


def remove_file(*, actor: Actor, attachment_id: int) -> None:
    """Take a file off its page; a body that shows it then shows its name alone. Refuses as a save of the page does."""
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        row = Attachment.objects.filter(pk=attachment_id).first()
        if row is None:
            raise no_such_file()
        page = hold_page(row.page_id)
        require_seen(page, actor=actor, company=company)
        require_on(page, Act.SAVE, actor=actor, company=company)
        if not Attachment.objects.filter(pk=attachment_id).exists():  # removed while this waited for the page
            raise no_such_file()
        _drop([row])
        _touch(page)
        record_page(
            actor=actor,
            verb="remove_file",
            page=page,
            version_before=page.version,
            news="page.saved",
            detail={"removed": {"id": attachment_id, "name": row.name}},
        )


def _drop(rows: Collection[Attachment]) -> None:
    Attachment.objects.filter(pk__in=[row.pk for row in rows]).delete()
    drop_after_commit({row.sha256 for row in rows})


def _touch(page: Page) -> None:
    page.updated_at = timezone.now()
    page.save(update_fields=["updated_at"])
