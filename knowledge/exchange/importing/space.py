"""One tree on its way into one space: read for its titles, planned, then written batch by batch.

What is kept in mind of a file is its path, its title and its aliases; texts and attachments pass through a batch at a
time. Which page a file is: in an export of this app's own the page of the same title in its space, in any other tree
the page its path was brought into the last time (`PageSource`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.exchange.importing.files import SourceFiles
from knowledge.reads.importing import KnownPage, files_present, known_pages, living_addresses, present_page
from knowledge.rules.attachments import clean_file_name
from knowledge.rules.exporting import FILES
from knowledge.rules.importing.documents import PageDocument
from knowledge.rules.importing.planning import (
    Aimed,
    Named,
    Node,
    Signposts,
    Wish,
    aim_at_pages,
    entitle,
    name_of,
    outline,
    signposts,
)
from knowledge.rules.importing.report import Line, Report, Verdict
from knowledge.rules.labels import clean_labels
from knowledge.rules.titles import fold
from knowledge.writes.attachments import attach_file
from knowledge.writes.importing import (
    NewFile,
    NewPage,
    Origin,
    create_pages,
    next_file_ids,
    next_page_ids,
    one_page,
    remember_source,
)
from knowledge.writes.pages import save_page

BATCH_PAGES = 100
BATCH_BYTES = 4 * 1024 * 1024
LOST_SHOWN = 5

Told = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where an import goes: a space, and a page of it to put everything under."""

    container: str
    parent_id: int | None = None


@dataclass(kw_only=True)
class _Scanned:
    """What is kept in mind of a markdown file."""

    title: str
    aliases: tuple[str, ...]


@dataclass(kw_only=True)
class SpaceImport:
    """One tree on its way into one space."""

    actor: Actor
    files: SourceFiles
    prefix: str
    source: str
    into: Target
    report: Report
    told: Told
    known: dict[str, KnownPage] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    named: dict[str, Named] = field(default_factory=dict)
    ids: dict[str, int | None] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    posts: Signposts = field(default_factory=lambda: Signposts(pages={}, files={}, notes={}, others={}))

    def run(self) -> None:
        """Scan, plan, write."""
        scanned = self._scan()
        nodes = outline(scanned, own=self.files.own)
        self._plan(nodes, scanned)
        self._write(nodes)
        self._tell_of_the_rest()

    def _scan(self) -> dict[str, _Scanned]:
        pages = self.files.pages()
        found: dict[str, _Scanned] = {}
        for number, path in enumerate(pages, 1):
            try:
                document = self.files.read(path)
            except Refused as refused:
                self._line(path, Verdict.REFUSED, reason=refused.detail)
            else:
                found[path] = _Scanned(title=document.title, aliases=document.aliases)
            self.told("file", number, len(pages))
        return found

    def _plan(self, nodes: list[Node], scanned: dict[str, _Scanned]) -> None:
        self.addresses = living_addresses(container=self.into.container)
        self.known = {} if self.files.own else known_pages(container=self.into.container, source=self.source)
        ours = {page.id for page in self.known.values()}
        taken = set() if self.files.own else {address for address, page in self.addresses.items() if page not in ours}
        said = {node.path: scanned[node.path].title if node.path in scanned else "" for node in nodes}
        wishes = []
        for node in nodes:
            known = self.known.get(node.path)
            wanted = said[node.path] or name_of(node)
            kept = known.title if known is not None and known.wanted == wanted else None
            wishes.append(
                Wish(path=node.path, said=said[node.path], by_name=name_of(node), parent=node.parent, kept=kept)
            )
        self.named = entitle(wishes, taken=taken)
        self.parents = {node.path: node.parent for node in nodes}
        fresh = []
        for node in nodes:
            named = self.named[node.path]
            if named.refused is not None:
                self._line(node.path, Verdict.REFUSED, reason=named.refused)
                self.ids[node.path] = None
            elif (present := self._present(node.path)) is not None:
                self.ids[node.path] = present
            else:
                fresh.append(node.path)
        ids = range(-1, -len(fresh) - 1, -1) if self.report.dry_run else next_page_ids(len(fresh))
        self.absent = set(fresh)
        self.ids |= dict(zip(fresh, ids, strict=True))
        self.posts = signposts(
            nodes,
            files=self.files.others(),
            aliases={path: page.aliases for path, page in scanned.items() if page.aliases},
        )

    def _present(self, path: str) -> int | None:
        """The page a file is already, if it is one."""
        if self.files.own:
            return self.addresses.get(fold(self.named[path].title))
        known = self.known.get(path)
        return None if known is None else known.id

    def _write(self, nodes: list[Node]) -> None:
        batch: list[tuple[Node, NewPage, Line]] = []
        size = 0
        wanted = [node for node in nodes if self.ids.get(node.path) is not None]
        for number, node in enumerate(wanted, 1):
            if node.path in self.absent:
                made = self._new_page(node)
                if made is not None:
                    batch.append((node, *made))
                    size += len(made[0].body)
            else:
                self._again(node)
            if len(batch) >= BATCH_PAGES or size >= BATCH_BYTES or number == len(wanted):
                self._create(batch)
                batch, size = [], 0
            self.told("page", number, len(wanted))

    def _document(self, node: Node) -> PageDocument | None:
        """The text of a page, read again; None, with a line in the report, where it can no longer be read."""
        if node.is_folder:
            return PageDocument(body="", title=name_of(node))
        try:
            return self.files.read(node.path)
        except Refused as refused:
            self._line(node.path, Verdict.REFUSED, reason=refused.detail)
            self.ids[node.path] = None
            return None

    def _new_page(self, node: Node) -> tuple[NewPage, Line] | None:
        document = self._document(node)
        if document is None:
            return None
        attached: dict[tuple[str, str], NewFile] = {}
        refused: list[str] = []

        def attach(path: str, *, name: str, place: str = "", executable: bool = False) -> int | None:
            try:
                measured = self.files.measure(path)
                shown = clean_file_name(name)
            except Refused as error:
                refused.append(f"{self.prefix}{path}: {error.detail}")
                return None
            key = (place or shown, measured.sha256)
            if key not in attached:
                file_id = 0 if self.report.dry_run else next_file_ids(1)[0]
                attached[key] = NewFile(
                    id=file_id,
                    name=shown,
                    measured=measured,
                    open=lambda: self.files.spooled(path),
                    path=place,
                    executable=executable,
                )
            return attached[key].id

        aimed = self._aim(node, document, attach)
        labels, repairs = _labels(document)
        page = NewPage(
            id=self._id(node.path),
            parent_id=self._parent_id(node),
            title=self.named[node.path].title,
            body=aimed.body,
            labels=labels,
            draft=document.draft,
            position=document.order if self.files.own else None,
            files=tuple(attached.values()),
            origin=None if self.files.own else self._origin(node, document, labels, aimed.body),
        )
        line = Line(
            path=f"{self.prefix}{node.path}",
            verdict=Verdict.CREATED,
            page_id=page.id if page.id > 0 else None,
            title=page.title,
            repairs=(*self.named[node.path].repairs, *document.notes, *repairs),
            notes=_notes(aimed, refused),
        )
        return page, line

    def _create(self, batch: list[tuple[Node, NewPage, Line]]) -> None:
        if not batch:
            return
        refused: dict[int, Refused] = {}
        if not self.report.dry_run:
            refused = create_pages(
                actor=self.actor,
                container=self.into.container,
                parent_id=self.into.parent_id,
                pages=[page for _node, page, _line in batch],
            )
        for node, page, line in batch:
            if page.id in refused:
                self.ids[node.path] = None
                self._line(node.path, Verdict.REFUSED, reason=refused[page.id].detail)
            else:
                self.report.add(line)

    def _again(self, node: Node) -> None:
        """A page that is there already: saved where its file says something else by now."""
        document = self._document(node)
        if document is None:
            return
        try:
            with one_page(self._id(node.path)):
                line = self._save_own(node, document) if self.files.own else self._save_known(node, document)
        except Refused as refused:
            self._line(node.path, Verdict.REFUSED, page_id=self._id(node.path), reason=refused.detail)
        else:
            self.report.add(line)

    def _save_known(self, node: Node, document: PageDocument) -> Line:
        known = self.known[node.path]
        refused: list[str] = []
        aimed = self._aim(node, document, self._attacher(known.id, refused))
        labels, repairs = _labels(document)
        named = self.named[node.path]
        origin = self._origin(node, document, labels, aimed.body)
        verdict = Verdict.UNCHANGED
        if origin.digest != known.digest:
            if known.trashed:
                raise Refused(Code.TRASHED, "the page it was brought into is in the trash; restore or purge it")
            verdict = Verdict.UPDATED
            if not self.report.dry_run:
                page = present_page(known.id)
                saved = save_page(
                    actor=self.actor,
                    page_id=known.id,
                    base_version=known.version,
                    body=aimed.body,
                    title=named.title if known.wanted != origin.wanted else None,
                    labels=[*(page.labels if page else ()), *labels] if labels else None,
                    message="Imported again",
                )
                remember_source(page_id=known.id, container=self.into.container, origin=origin, version=saved.version)
        return Line(
            path=f"{self.prefix}{node.path}",
            verdict=verdict,
            page_id=known.id,
            title=named.title,
            repairs=(*named.repairs, *document.notes, *repairs) if verdict is Verdict.UPDATED else (),
            notes=_notes(aimed, refused),
        )

    def _save_own(self, node: Node, document: PageDocument) -> Line:
        page = present_page(self._id(node.path))
        if page is None:
            raise Refused(Code.NOT_FOUND, "the page of this title is gone since")
        refused: list[str] = []
        aimed = self._aim(node, document, self._attacher(page.id, refused))
        labels, repairs = _labels(document)
        changed = not node.is_folder and (
            aimed.body != page.body or tuple(labels) != page.labels or document.title != page.title
        )
        if changed and not self.report.dry_run:
            save_page(
                actor=self.actor,
                page_id=page.id,
                base_version=page.version,
                body=aimed.body,
                title=document.title if document.title != page.title else None,
                labels=labels,
                message="Imported again",
            )
        return Line(
            path=f"{self.prefix}{node.path}",
            verdict=Verdict.UPDATED if changed else Verdict.UNCHANGED,
            page_id=page.id,
            title=document.title,
            repairs=(*self.named[node.path].repairs, *repairs),
            notes=_notes(aimed, refused),
        )

    def _attacher(self, page_id: int, refused: list[str]) -> Callable[..., int | None]:
        """What puts a file on a page that is there; a file it has already is found by name and content."""
        present = files_present([page_id])

        def attach(path: str, *, name: str, place: str = "", executable: bool = False) -> int | None:
            try:
                measured = self.files.measure(path)
                shown = clean_file_name(name)
                found = present.get((page_id, shown, place, measured.sha256))
                if found is not None or self.report.dry_run:
                    return found or 0
                with self.files.spooled(path) as content:
                    return attach_file(
                        actor=self.actor, page_id=page_id, name=shown, content=content, path=place,
                        executable=executable,
                    ).id  # fmt: skip
            except Refused as error:
                refused.append(f"{self.prefix}{path}: {error.detail}")
                return None

        return attach

    def _aim(self, node: Node, document: PageDocument, attach: Callable[..., int | None]) -> Aimed:
        """The body with its links by id. The files of an own export come first, in the order they had."""
        found: dict[str, int | None] = {}
        for entry in document.files:
            path = f"{node.folder}/{FILES}/{entry.file}"
            if path in self.files.entries:
                self.used.add(path)
                found[path] = attach(path, name=entry.name, place=entry.path, executable=entry.executable)

        def file_id(path: str) -> int | None:
            if path not in found:
                self.used.add(path)
                found[path] = attach(path, name=path.rpartition("/")[2])
            return found[path]

        return aim_at_pages(
            document.body,
            at=node.path,
            posts=self.posts,
            page_id=self.ids.get,
            file_id=file_id,
            wiki=not self.files.own,
        )

    def _id(self, path: str) -> int:
        found = self.ids[path]
        assert found is not None  # noqa: S101 (only such paths are written)
        return found

    def _parent_id(self, node: Node) -> int | None:
        """The page above: the nearest one that was brought in, else the page everything goes under."""
        above = node.parent
        while above is not None and self.ids.get(above) is None:
            above = self.parents.get(above)
        return self._id(above) if above is not None else self.into.parent_id

    def _origin(self, node: Node, document: PageDocument, labels: list[str], body: str) -> Origin:
        wanted = document.title or name_of(node)
        whole = json.dumps([wanted, labels, body], ensure_ascii=False)
        return Origin(
            source=self.source, path=node.path, wanted=wanted, digest=hashlib.sha256(whole.encode()).hexdigest()
        )

    def _line(self, path: str, verdict: Verdict, *, page_id: int | None = None, reason: str) -> None:
        self.report.add(Line(path=f"{self.prefix}{path}", verdict=verdict, page_id=page_id, reason=reason))

    def _tell_of_the_rest(self) -> None:
        for path in self.files.entries:
            if path in self.used:
                self._line(path, Verdict.ATTACHED, reason="")
            elif not self.files.is_page(path):
                self._line(path, Verdict.SKIPPED, reason="no page refers to it")


def _labels(document: PageDocument) -> tuple[list[str], tuple[str, ...]]:
    """The labels that can be taken, and what is said of the others."""
    kept: list[str] = []
    repairs: list[str] = []
    for label in document.labels:
        try:
            kept = clean_labels([*kept, label])
        except Refused as refused:
            repairs.append(f"the label '{label[:80]}' was left out: {refused.detail}")
    return kept, tuple(repairs)


def _notes(aimed: Aimed, refused: list[str]) -> tuple[str, ...]:
    notes = [f"not attached: {what}" for what in refused]
    if aimed.lost:
        shown = ", ".join(aimed.lost[:LOST_SHOWN])
        more = f" and {len(aimed.lost) - LOST_SHOWN} more" if len(aimed.lost) > LOST_SHOWN else ""
        notes.append(f"links that lead to no file here: {shown}{more}")
    return tuple(notes)
