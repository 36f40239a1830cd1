"""Changing what a page says and what it is called: saves, edits, renames, labels, and going back to a revision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.models import Page, PageStatus, Revision
from knowledge.reads.pages import get_page, get_revision, page_to_edit
from knowledge.reads.shapes import PageView, RevisionView
from knowledge.rules.authority import Act
from knowledge.rules.edits import Edit, apply_edit
from knowledge.rules.labels import clean_labels
from knowledge.rules.markdown import added_mentions
from knowledge.rules.news import NEWS_OF, What
from knowledge.rules.reviewing import is_reviewed
from knowledge.rules.texts import check_body, clean_message
from knowledge.rules.titles import clean_title, fold
from knowledge.rules.versions import merged_title
from knowledge.writes.notifications import tell_administrators
from knowledge.writes.pages.addresses import claim, lead_on
from knowledge.writes.pages.holding import hold_page, hold_tree, require_on, require_writer
from knowledge.writes.pages.recording import add_revision, put_body, record_page
from knowledge.writes.pages.waiting import (
    Head,
    ask_anew,
    asked_by,
    check_head,
    files_come_true,
    head_of,
    is_held_back,
    next_version,
    number_anew,
    propose,
    supersede,
    wait,
    wait_no_more,
    waits_as_draft,
)


def save_page(
    *,
    actor: Actor,
    page_id: int,
    base_version: int | None = None,
    body: str | None = None,
    edit: Edit | None = None,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    message: str | None = None,
    status: PageStatus | None = None,
) -> PageView:
    """The page with whatever is given changed, in one step: one revision for a body and a title together.

    A whole `body` needs the `base_version` its writer began from; an `edit`, a title, labels and publishing a draft
    do not, but a base given with them is checked. What is as it was already changes nothing and makes no revision.

    Where the container is reviewed, a text of a published page and publishing a draft wait for an administrator other
    than their writer, and the page is answered as it would be then (`pending_version` is its version); a later save
    begins from there, and takes its place. Titles and labels change at once.
    Refuses: `required`, `invalid`, `too_long`, `not_found`, `forbidden`, `reserved_container`, `trashed`,
    `stale_version` (with `current_version`), `title_taken` (with `page_id`), `text_not_found`, `text_ambiguous`.
    """
    require_writer(actor)
    if body is None and edit is None and title is None and labels is None and status is None:
        raise Refused(Code.REQUIRED, "Give what to change: body, edit, title, labels or status.", attr="body")
    if body is not None and edit is not None:
        raise Refused(Code.INVALID, "Give 'body' or 'edit', not both.", attr="edit")
    if body is not None and base_version is None:
        raise Refused(Code.REQUIRED, "Say in 'base_version' which version your text began from.", attr="base_version")
    if status not in (None, PageStatus.PUBLISHED):
        raise Refused(Code.INVALID, "A draft can be 'published'; nothing else is set here.", attr="status")
    if body is not None:
        check_body(body)
    if edit is not None:
        check_body(edit.text, attr="edit.text")
    shown = clean_title(title) if title is not None else None
    tags = clean_labels(labels) if labels is not None else None
    note = clean_message(message)
    with transaction.atomic():
        company = live.current_for_write()
        shown = _asked_title(page_id, shown, base_version)
        page = hold_tree(page_id) if shown is not None else hold_page(page_id)
        acts = {Act.SAVE} if body is not None or edit is not None or status is not None else set()
        acts |= {Act.RENAME} if shown is not None else set()
        acts |= {Act.LABEL} if tags is not None else set()
        for act in sorted(acts) or [Act.SAVE]:
            require_on(page, act, actor=actor, company=company)
        head = head_of(page)
        if base_version is not None:
            check_head(base_version, page=page, head=head)
        text = check_body(apply_edit(head.body, edit)) if edit is not None else body
        done = _change(
            actor=actor,
            page=page,
            head=head,
            body=text,
            title=shown,
            labels=tags,
            note=note,
            publish=status is not None,
        )
        _finish(done, actor=actor, page=page, head=head, body=text, note=note)
        read = page_to_edit if text is not None or status is not None else get_page
        return read(actor=actor, page_id=page_id)


def edit_page(
    *, actor: Actor, page_id: int, edit: Edit, base_version: int | None = None, message: str | None = None
) -> PageView:
    """The page with text added at either end, or replaced where it stands once; refuses as `save_page` does."""
    return save_page(actor=actor, page_id=page_id, edit=edit, base_version=base_version, message=message)


def rename_page(*, actor: Actor, page_id: int, title: str, message: str | None = None) -> PageView:
    """The page under another title; the title it shows already is a success that changes nothing.

    Refuses as `save_page` does.
    """
    return save_page(actor=actor, page_id=page_id, title=title, message=message)


def set_labels(*, actor: Actor, page_id: int, labels: Sequence[str]) -> PageView:
    """The page with these labels and no other; no revision. Refuses as `save_page` does."""
    return save_page(actor=actor, page_id=page_id, labels=labels)


def restore_revision(*, actor: Actor, page_id: int, version: int, base_version: int) -> RevisionView:
    """The revision made by giving the page the body it had at `version`; a save, so it refuses as one.

    The title stays, since another one is a rename. Where the page says that already, its current revision.
    """
    require_writer(actor)
    with transaction.atomic():
        past = get_revision(actor=actor, page_id=page_id, version=version)
        saved = save_page(actor=actor, page_id=page_id, base_version=base_version, body=past.body)
        return get_revision(actor=actor, page_id=page_id, version=saved.version)


def _asked_title(page_id: int, title: str | None, base_version: int | None) -> str | None:
    """The title to rename to, or None where the page shows it already or the writer left it as it was at the base.

    Asked before the page is held: a title shown at this moment is a rename that has happened, whatever comes next.
    """
    if title is None:
        return None
    now = Page.objects.filter(pk=page_id).values_list("title", flat=True).first()
    if now is None:
        return title
    at_base = None
    if base_version is not None:
        known = Revision.objects.filter(page_id=page_id, version=base_version)
        at_base = known.values_list("title", flat=True).first()
    asked = merged_title(given=title, at_base=at_base, now=now)
    return None if asked == now else asked


def _change(
    *,
    actor: Actor,
    page: Page,
    head: Head,
    body: str | None,
    title: str | None,
    labels: list[str] | None,
    note: str,
    publish: bool,
) -> list[str]:
    """Write what differs and changes at once, and record each thing that was done; which verbs those were."""
    now, before, old_title, old_body = timezone.now(), page.version, page.title, page.body
    done = _put_text(page, head=head, body=body, title=title, actor=actor, now=now)
    if labels is not None and labels != page.labels:
        page.labels = labels
        done.append("set_labels")
    if publish and page.status == PageStatus.DRAFT:
        done += _publish(page, actor=actor, now=now)
    if not done:
        return done
    if "publish_page" in done:
        old_body = ""  # nobody but its first readers has heard of it
    if page.version != before:
        _settle_what_waits(page, actor=actor, saved="save_page" in done, now=now)
    page.updated_at = now
    if "rename_page" in done and title is not None:
        _write_renamed(page, title=title, now=now)
    else:
        page.save()
    if page.version != before:
        add_revision(actor=actor, page=page, message=note, now=now)
    elif {"publish_page", "propose_page"} & set(done):
        ask_anew(page)
    _record(done, actor=actor, page=page, before=before, old_title=old_title, old_body=old_body, note=note)
    return done


def _put_text(page: Page, *, head: Head, body: str | None, title: str | None, actor: Actor, now: datetime) -> list[str]:
    """Give the page a text that need not wait, and a version for it or for a title to come; the verbs of both."""
    done: list[str] = []
    if body is not None and body != head.body and not is_held_back(page, company=live.current()):
        put_body(page, body)
        done.append("save_page")
    if title is not None and title != page.title:
        done.append("rename_page")
    if done:
        page.version = next_version(page)
        page.saved_by_name, page.saved_by_kind = actor.author.name, actor.author.kind.value
        page.saved_at = now
    if "save_page" in done:
        page.body_version = page.version
    return done


def _record(
    done: list[str], *, actor: Actor, page: Page, before: int, old_title: str, old_body: str, note: str
) -> None:
    """Keep each thing that was done, and tell of one of them: one write is one piece of news."""
    mentioned = added_mentions(old_body, page.body, handles=live.current().handles)
    loud = next((verb for verb in done if verb in NEWS_OF), None)
    for number, verb in enumerate(done):
        record_page(
            actor=actor,
            verb=verb,
            page=page,
            version_before=before,
            news=_NEWS.get(verb),
            detail=_detail(verb, note=note, old_title=old_title, labels=page.labels),
            changed=number == 0,
            quiet=verb != loud,
            mentioned=mentioned if verb == loud or (number == 0 and loud is None) else (),
        )


def _publish(page: Page, *, actor: Actor, now: datetime) -> list[str]:
    """Let a draft be seen, or wait to be; nothing where it waits already."""
    if is_reviewed(live.current(), page.container):
        if page.held_version is not None:
            return []
        wait(page, by=actor.author, now=now)
        return ["propose_page"]
    page.status = PageStatus.PUBLISHED
    supersede(page, by=page.version)
    wait_no_more(page)
    return ["publish_page"]


def _settle_what_waits(page: Page, *, actor: Actor, saved: bool, now: datetime) -> None:
    """Bring what waits in line with a version the page has just got: a draft goes on waiting with it, and a published
    page that was saved although a change of it waited (review is off by now) has that change in its new text."""
    if page.held_version is None:
        return
    if page.status == PageStatus.DRAFT:
        supersede(page, by=page.version)
        wait(page, by=actor.author if saved else asked_by(page), now=now)
    elif saved:
        supersede(page, by=page.version)
        wait_no_more(page)
        files_come_true(page)


def _finish(done: list[str], *, actor: Actor, page: Page, head: Head, body: str | None, note: str) -> None:
    """Keep the text that has to wait, and tell the administrators of what waits."""
    if body is not None and body != head.body and is_held_back(page, company=live.current()):
        propose(actor=actor, page=page, body=body, message=note, now=timezone.now())
    elif "rename_page" in done and page.status == PageStatus.PUBLISHED:
        number_anew(page)
    if waits_as_draft(page) and {"save_page", "propose_page"} & set(done):
        tell_administrators(actor=actor, page=page, what=What.PROPOSED)


# publishing has no type of its own among the events: to whoever could not see the draft, the page was saved
_NEWS = {"save_page": "page.saved", "rename_page": "page.renamed", "publish_page": "page.saved"}


def _detail(verb: str, *, note: str, old_title: str, labels: list[str]) -> dict[str, object]:
    if verb == "set_labels":
        return {"labels": labels}
    if verb == "rename_page":
        return {"was": old_title, "message": note}
    return {"message": note} if verb == "save_page" else {}


def _write_renamed(page: Page, *, title: str, now: datetime) -> None:
    """The row under its new title; the address it leaves leads on to it."""
    left = page.address
    page.title, page.address = title, fold(title)
    if page.address == left:
        page.save()
        return
    claim(container=page.container, address=page.address, write=page.save)
    lead_on(left=[(page.container, left, page.pk)], now=now)
