"""Attaching files to pages and taking them off. Attaching is a save of the page, in rights and in who hears of it.

The row and its audit entry commit together; the bytes are put down before that, as `writes.contents` says.
"""

from __future__ import annotations

from typing import IO

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from knowledge import files
from knowledge.models import Attachment, Page, Waits
from knowledge.reads.attachments import AttachmentView, no_such_file, view_of
from knowledge.rules.attachments import clean_file_name, clean_file_path
from knowledge.rules.authority import Act
from knowledge.writes.contents import drop_unused, hold_digest
from knowledge.writes.pages.holding import hold_page, require_on, require_seen, require_writer
from knowledge.writes.pages.recording import record_page
from knowledge.writes.pages.waiting import drop_files, is_held_back, wait_with_files, waits_as_draft


def attach_file(
    *,
    actor: Actor,
    page_id: int,
    name: str,
    content: IO[bytes],
    path: str = "",
    executable: bool = False,
    part_of: int | None = None,
) -> AttachmentView:
    """The file, now on the page. The same content under the same name is the file that is there already.

    `path` is its place in a folder that the page stands for; a file with another content there is replaced by this
    one. In a folder that is reviewed both wait, as a version of their own unless they are `part_of` the version that
    waits, which the caller has to have made in the same transaction. Refuses `too_long` above 25 MiB, `invalid` names,
    and whatever a save of the page is refused for.
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
            held_back = bool(place) and is_held_back(page, company=company)
            same = _at(page, place, held_back=held_back)
            mode = 0o755 if executable else 0o644
            known = same.filter(sha256=measured.sha256, name=shown, mode=mode).order_by("pk").first()
            if known is not None:
                return view_of(known)
            hold_digest(measured.sha256)
            fresh = files.put(content, sha256=measured.sha256, size=measured.size)
            if held_back:
                _take_back(page, path=place)
            elif place:
                drop_files(list(same))
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
                waits=Waits.TO_COME if held_back else Waits.NOT,
            )
            detail = {"id": row.pk, "name": shown, "size": measured.size, "sha256": measured.sha256}
            _record(
                page, actor=actor, verb="attach_file", detail={"attached": detail}, held_back=held_back,
                in_folder=bool(place), part_of=part_of,
            )  # fmt: skip
            return view_of(row)
    except BaseException:
        if fresh and not connection.in_atomic_block:
            drop_unused([measured.sha256])
        raise


def remove_file(*, actor: Actor, attachment_id: int, part_of: int | None = None) -> None:
    """Take a file off its page; a body that shows it then shows its name alone. Refuses as a save of the page does.

    A file of a reviewed folder stays until that is approved; `part_of` as for `attach_file`.
    """
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        row = Attachment.objects.filter(pk=attachment_id).first()
        if row is None:
            raise no_such_file()
        page = hold_page(row.page_id)
        require_seen(page, actor=actor, company=company)
        require_on(page, Act.SAVE, actor=actor, company=company)
        row = Attachment.objects.filter(pk=attachment_id).first()
        if row is None:  # removed while this waited for the page
            raise no_such_file()
        if row.waits == Waits.TO_GO:
            return
        held_back = bool(row.path) and is_held_back(page, company=company)
        if held_back:
            _take_back(page, path=row.path)
        else:
            drop_files([row])
        _record(
            page,
            actor=actor,
            verb="remove_file",
            detail={"removed": {"id": attachment_id, "name": row.name}},
            held_back=held_back,
            in_folder=bool(row.path),
            part_of=part_of,
        )


def _at(page: Page, path: str, *, held_back: bool) -> QuerySet[Attachment]:
    """The files of a path as the next change finds them: where it waits, after what waits already."""
    there = Attachment.objects.filter(page=page, path=path)
    if not held_back:
        return there
    return there.filter(waits=Waits.TO_COME if there.filter(waits=Waits.TO_COME).exists() else Waits.NOT)


def _take_back(page: Page, *, path: str) -> None:
    """Let the file of a path go with what waits; one that has yet to come goes at once."""
    there = Attachment.objects.filter(page=page, path=path)
    drop_files(list(there.filter(waits=Waits.TO_COME)))
    there.filter(waits=Waits.NOT).update(waits=Waits.TO_GO)


def _record(
    page: Page,
    *,
    actor: Actor,
    verb: str,
    detail: dict[str, object],
    held_back: bool,
    in_folder: bool,
    part_of: int | None,
) -> None:
    """Keep what was done to a file. A file of a folder that waits makes a version of its own that waits, so that nobody
    approves what they have not seen; files that came with one are part of it."""
    _touch(page)
    if in_folder and (held_back or waits_as_draft(page)) and (part_of is None or part_of != page.held_version):
        wait_with_files(page, actor=actor, now=timezone.now())
    record_page(
        actor=actor,
        verb=verb,
        page=page,
        version_before=page.version,
        version_after=page.held_version if held_back else None,
        news=None if held_back else "page.saved",
        detail=detail,
        changed=not held_back,
        quiet=held_back,
    )


def _touch(page: Page) -> None:
    page.updated_at = timezone.now()
    page.save(update_fields=["updated_at"])
