"""Writes of the library: taking skill folders in, and putting one into the trash.

A folder is a page (its SKILL.md, to the byte) with its other files attached by path and mode. Each folder is one
transaction: it is in the library whole, or as it was before. What is there already as it comes is left alone, so
that a second import of the same tree changes nothing.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from django.db import transaction

from company.rules.actors import Actor, Scope
from company.rules.permissions import require_admin
from company.rules.refusals import Code, Refused
from knowledge.models import PageStatus
from knowledge.reads.sources import FolderFile, proposal_of, proposed_files, waiting_version
from knowledge.rules.attachments import clean_file_name, clean_file_path
from knowledge.rules.texts import check_body
from knowledge.writes.attachments import attach_file, remove_file
from knowledge.writes.pages import create_page, save_page, set_labels, trash_page
from skills.folders import packing
from skills.folders.codes import SKILL_FILE
from skills.folders.importing import FileReport, TreeReport, Verdict, in_one_library, judge, judge_archive
from skills.folders.importing.verdicts import refusal
from skills.folders.packing import BadArchive, PackedFile
from skills.frontmatter import Problem
from skills.reads.fresh import proposed_registry
from skills.reads.library import folder_named
from skills.registry import HeldPage, Registry
from skills.registry.dialects import FOLDER_LABEL
from skills.tool_skills.rules.documents import Kind
from skills.writes.publishing import Outcome, skills_home

MAX_UPLOAD_BYTES = 100 * 1024 * 1024
"""A zip of thousands of skills fits; what it unpacks to is bounded besides."""

ReadFile = Callable[[str], PackedFile | BadArchive]
"""Reads one file of the tree by its path; a file that cannot be read is answered, not raised."""


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What became of one SKILL.md: its report, and where it is now. A refused one has no outcome; one that `waits` is
    served once an administrator has approved it."""

    report: FileReport
    outcome: Outcome | None = None
    page_id: int | None = None
    waits: bool = False


def import_folders(*, actor: Actor, tree: TreeReport, read: ReadFile, dry_run: bool = False) -> Iterator[Imported]:
    """Take in every folder of a tree that may be taken in, one after the other; each file has one answer.

    An administrator's alone (`forbidden`). Where writing a folder is refused, its file's verdict says why. A dry run
    answers the same and writes nothing; only a title that another page has shows in earnest alone.
    """
    require_admin(actor, Scope.WRITE)
    home = skills_home()
    held = proposed_registry(home)
    for report in in_one_library(tree).files:
        if report.verdict is Verdict.REFUSED:
            yield Imported(report=report)
            continue
        files = _folder_of(report, read)
        if isinstance(files, Problem):
            yield Imported(report=_refused(report, (files,)))
            continue
        try:
            yield _import_folder(
                actor=actor, report=report, files=files, held=held, container=home.container, dry_run=dry_run
            )
        except Refused as refused:
            yield Imported(report=_refused(report, tuple(_problems_of(refused))))


def import_upload(*, actor: Actor, name: str, data: bytes, dry_run: bool = False) -> tuple[Imported, ...]:
    """Take in an uploaded file: a zip of skill folders, or one SKILL.md alone. `name` is what the file is called.
    A dry run answers the same and writes nothing.

    Refuses as `import_folders` does, before the file is looked into, and a zip that is not taken (`invalid`).
    """
    require_admin(actor, Scope.WRITE)
    check_upload_size(len(data))
    if data.startswith(b"PK") or name.lower().endswith(".zip"):
        archive = packing.open_archive(data)
        if isinstance(archive, BadArchive):
            raise Refused(Code.INVALID, archive.detail, attr="file")
        tree = judge_archive(archive, root_name=PurePosixPath(name).stem)
        return tuple(import_folders(actor=actor, tree=tree, read=archive.read, dry_run=dry_run))
    tree = TreeReport(files=(judge(name, data, folder=None),))
    alone = PackedFile(path=name, data=data)
    return tuple(import_folders(actor=actor, tree=tree, read=lambda _: alone, dry_run=dry_run))


def check_upload_size(size: int) -> None:
    """Refuse an upload of more than 100 MiB (`too_long`)."""
    if size > MAX_UPLOAD_BYTES:
        detail = f"The file is larger than {MAX_UPLOAD_BYTES // 1024 // 1024} MiB. Bring the skills in parts."
        raise Refused(Code.TOO_LONG, detail, attr="file", extras={"limit": MAX_UPLOAD_BYTES})


def trash_library_skill(*, actor: Actor, name: str) -> None:
    """Put a skill folder into the trash, from where its page can be restored. Refuses as trashing its page does."""
    trash_page(actor=actor, page_id=folder_named(name).page.page_id)


def _folder_of(report: FileReport, read: ReadFile) -> Mapping[str, PackedFile] | Problem:
    """Every file of a folder by its path in it, SKILL.md as the library keeps it; or why one cannot be had."""
    found: dict[str, PackedFile] = {}
    prefix = report.path.rpartition("/")[0]
    for path in (None, *report.files):
        source = report.path if path is None else f"{prefix}/{path}" if prefix else path
        file = read(source)
        if isinstance(file, BadArchive):
            return _file_problem(file.detail)
        if path is None:
            found[SKILL_FILE] = PackedFile(path=SKILL_FILE, data=(report.text or "").encode())
            continue
        try:
            clean_file_name(path)
            clean_file_path(path)
        except Refused as refused:
            return _file_problem(f"The name of '{path[:200]}' is not taken: {refused.detail}")
        kept = unicodedata.normalize("NFC", path)
        if kept in found:
            return _file_problem(f"Two files of the folder have the name '{kept[:200]}' to this product. Rename one.")
        found[kept] = replace(file, path=kept)
    for path in found:
        for parent in PurePosixPath(path).parents:
            if str(parent) in found:
                return _file_problem(
                    f"'{parent}' is a file, and '{path[:200]}' would lie in it. Rename one of the two."
                )
    return found


def _import_folder(
    *,
    actor: Actor,
    report: FileReport,
    files: Mapping[str, PackedFile],
    held: Registry,
    container: str,
    dry_run: bool,
) -> Imported:
    name, body = report.name or "", check_body(files[SKILL_FILE].data.decode())
    with transaction.atomic():
        page_id = _page_of(name, held)
        before = proposal_of(page_id) if page_id is not None else None
        if before is None:
            if dry_run:
                return Imported(report=report, outcome=Outcome.CREATED)
            made = create_page(actor=actor, container=container, title=name, body=body, labels=[FOLDER_LABEL])
            waits = _attach(actor=actor, page_id=made.id, files=files, attached=(), part_of=made.pending_version)
            return Imported(report=report, outcome=Outcome.CREATED, page_id=made.id, waits=made.waits or waits)
        attached = proposed_files(before.id)
        labelled = FOLDER_LABEL in before.labels
        if before.body == body and labelled and _is_attached(files, attached):
            return Imported(report=report, outcome=Outcome.UNCHANGED, page_id=before.id)
        if dry_run:
            return Imported(report=report, outcome=Outcome.UPDATED, page_id=before.id)
        if not labelled:
            set_labels(actor=actor, page_id=before.id, labels=[*before.labels, FOLDER_LABEL])
        saved = save_page(
            actor=actor,
            page_id=before.id,
            base_version=before.version,
            body=body,
            status=PageStatus.PUBLISHED,  # of a draft that was sent back: ask again
        )
        fresh = saved.pending_version if saved.version != before.version else None
        waits = _attach(actor=actor, page_id=before.id, files=files, attached=attached, part_of=fresh)
        return Imported(report=report, outcome=Outcome.UPDATED, page_id=before.id, waits=saved.waits or waits)


def _page_of(name: str, held: Registry) -> int | None:
    """The page a name is kept on: the one it is served from, else one that was meant as it and cannot be read."""
    served = held.folders.get(name)
    if served is not None:
        return served.page.page_id
    meant: list[HeldPage] = [
        page for page, reading in held.broken if reading.kind is Kind.AGENT_SKILL and reading.name == name
    ]
    return meant[0].page_id if meant else None


def _is_attached(files: Mapping[str, PackedFile], attached: Sequence[FolderFile]) -> bool:
    there = {(file.path, file.executable, file.sha256) for file in attached}
    return there == {(path, file.executable, file.sha256) for path, file in files.items() if path != SKILL_FILE}


def _attach(
    *,
    actor: Actor,
    page_id: int,
    files: Mapping[str, PackedFile],
    attached: Sequence[FolderFile],
    part_of: int | None,
) -> bool:
    """Make the files of a folder these; whether that waits for review. They wait as one version: `part_of`, the one
    that the import has just made, or one that the first of them makes."""
    changed = False
    for file in attached:
        if file.path not in files or file.path == SKILL_FILE:
            remove_file(actor=actor, attachment_id=file.id, part_of=part_of)
            changed, part_of = True, part_of or waiting_version(page_id)
    there = {(file.path, file.executable, file.sha256) for file in attached}
    for path, wanted in files.items():
        if path != SKILL_FILE and (path, wanted.executable, wanted.sha256) not in there:
            attach_file(
                actor=actor,
                page_id=page_id,
                name=path.rpartition("/")[2],
                content=io.BytesIO(wanted.data),
                path=path,
                executable=wanted.executable,
                part_of=part_of,
            )
            changed, part_of = True, part_of or waiting_version(page_id)
    return changed and part_of is not None


def _refused(report: FileReport, problems: tuple[Problem, ...]) -> FileReport:
    return replace(refusal(report.path, problems, name=report.name), files=report.files)


def _problems_of(refused: Refused) -> Iterator[Problem]:
    for problem in refused.problems:
        yield Problem(code=problem.code, field=problem.attr or "page", line=None, detail=problem.detail)


def _file_problem(detail: str) -> Problem:
    return Problem(code=Code.INVALID, field="file", line=None, detail=detail)
