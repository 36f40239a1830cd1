"""Bringing items in from a file, many at once: batches of one transaction each, every item recorded as a filed one.

A batch that fails is undone whole and what came before it stays, so an import that was cut short is run again. Nobody
is notified: who brings thousands of items in tells people so themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.writes import locks
from company.writes.ledger import record_many
from knowledge.rules.texts import clean_line
from tracker.models import Item, ItemRevision, ItemSource
from tracker.rules.importing import Line, Report, Row, Verdict, read_sheet
from tracker.rules.keys import key_of
from tracker.writes.importing.parents import Parents
from tracker.writes.items.creating import new_row, project_for
from tracker.writes.items.holding import hold_shape, require_writer
from tracker.writes.items.recording import entry_of, put_links_of_new, revision_of
from tracker.writes.items.saving import change_held
from tracker.writes.projects import next_numbers

ROWS_A_BATCH = 200
SOURCE_BYTES = 255
MESSAGE = "Imported"

Told = Callable[[int, int], None]


def import_items(
    *, actor: Actor, data: bytes, source: str, project: str | None, dry_run: bool = False, told: Told | None = None
) -> Report:
    """Bring the rows of a CSV file into a project; `source` is what the file is known by the next time.

    A row that came in before updates its item where a cell says something else than it did, and makes no second one:
    what people changed in the other fields stays. An item in the trash is left there. `told` hears how many rows of how
    many are done. Refuses the file or the project as `read_sheet` and `create_item` do; what is wrong with one row is
    in the report.
    """
    report = Report()
    for report in import_steps(actor=actor, data=data, source=source, project=project, dry_run=dry_run):
        if told is not None and report.lines:
            told(len(report.lines), report.total)
    return report


def import_steps(
    *, actor: Actor, data: bytes, source: str, project: str | None, dry_run: bool = False
) -> Iterator[Report]:
    """As `import_items`, a batch at a time: the one report as it fills, first before anything is brought in.

    Whatever refuses the whole file does so before that. Between two steps no transaction is open, so whoever stops
    asking keeps what came in so far.
    """
    require_writer(actor)
    company = live.current_for_write()
    home = project_for(actor=actor, company=company, project=project)
    called = clean_line(source, attr="source", limit=SOURCE_BYTES)
    sheet = read_sheet(data, handles=company.handles)
    report = Report(ignored=sheet.ignored, dry_run=dry_run, total=len(sheet.rows))
    yield report
    for first in range(0, report.total, ROWS_A_BATCH):
        batch = sheet.rows[first : first + ROWS_A_BATCH]
        rows = [row for row in batch if isinstance(row, Row)]
        became = {line.line: line for line in batch if isinstance(line, Line)}
        lines = _batch(actor=actor, project=home, source=called, rows=rows, dry_run=dry_run)
        became |= {line.line: line for line in lines}
        report.lines += [became[row.line] for row in batch]
        yield report


def _batch(*, actor: Actor, project: str, source: str, rows: Sequence[Row], dry_run: bool) -> list[Line]:
    with transaction.atomic():
        company = live.current_for_write()
        if project not in company.project_by_key:
            raise Refused(
                Code.UNKNOWN_PROJECT, f"The company declares no project '{project}' any more.", attr="project"
            )
        locks.hold(f"tracker.import:{project}:{source}")
        if any(row.parent for row in rows):
            hold_shape()
        named = {row.identity for row in rows} | {row.parent for row in rows if row.parent}
        known = {
            found.identity: found
            for found in ItemSource.objects.filter(project=project, source=source, identity__in=named)
        }
        parents = Parents(actor=actor, company=company, known={name: kept.pk for name, kept in known.items()})
        fresh, lines = parents.sort_out([row for row in rows if row.identity not in known])
        if dry_run:
            lines += [Line(line=row.line, verdict=Verdict.CREATED) for row in fresh]
        else:
            lines += _create(actor=actor, project=project, source=source, rows=fresh, parents=parents)
        ours = [kept.pk for row in rows if (kept := known.get(row.identity)) is not None]
        held = Item.objects.select_for_update(no_key=True).order_by("id").in_bulk(ours)
        for row in rows:
            if (kept := known.get(row.identity)) is not None:
                lines.append(
                    _again(actor=actor, row=row, kept=kept, item=held[kept.pk], parents=parents, dry_run=dry_run)
                )
        return lines


def _create(*, actor: Actor, project: str, source: str, rows: Sequence[Row], parents: Parents) -> list[Line]:
    if not rows:
        return []
    now, company = timezone.now(), live.current()
    watchers = [actor.seat] if actor.seat in company.seat_by_handle else []
    numbers = next_numbers(project, company=company, number=len(rows))
    items = Item.objects.bulk_create(
        new_row(
            actor=actor,
            key=key_of(project, number),
            project=project,
            values=row.values,
            watchers=[seat for seat in watchers if seat is not None],
            now=now,
        )
        for row, number in zip(rows, numbers, strict=True)
    )
    parents.put_under(list(zip(rows, items, strict=True)))
    ItemRevision.objects.bulk_create(revision_of(actor=actor, item=item, message=MESSAGE, now=now) for item in items)
    put_links_of_new(items)
    ItemSource.objects.bulk_create(
        ItemSource(item=item, project=project, source=source, identity=row.identity, said=row.said)
        for item, row in zip(items, rows, strict=True)
    )
    entries = [
        entry_of(
            actor=actor,
            item=item,
            version_before=None,
            news="item.created",
            detail={"source": source, "line": row.line},
        )
        for item, row in zip(items, rows, strict=True)
    ]
    record_many(entries, actor=actor, verb="import_item")
    return [Line(line=row.line, verdict=Verdict.CREATED, key=item.key) for item, row in zip(items, rows, strict=True)]


def _again(*, actor: Actor, row: Row, kept: ItemSource, item: Item, parents: Parents, dry_run: bool) -> Line:
    """What becomes of a row whose item is there, and held."""
    if item.trashed_at is not None:
        return Line(line=row.line, verdict=Verdict.SKIPPED, key=item.key, reason="Its item is in the trash.")
    anew = {name for name, digest in row.said.items() if kept.said.get(name) != digest}
    if not anew:
        return Line(line=row.line, verdict=Verdict.UNCHANGED, key=item.key)
    values = {name: value for name, value in row.values.items() if name in anew}
    try:
        if row.parent is not None and "parent" in anew:
            values["parent_id"] = parents.above(row.parent, item=item)
    except Refused as refused:
        return Line(
            line=row.line, verdict=Verdict.REFUSED, key=item.key, field="parent", reason=refused.problems[0].detail
        )
    differing = {name: value for name, value in values.items() if getattr(item, name) != value}
    if not dry_run:
        if differing:
            change_held(actor=actor, item=item, values=differing, note=MESSAGE, now=timezone.now())
        kept.said = {**kept.said, **row.said}
        kept.save(update_fields=["said"])
    return Line(line=row.line, verdict=Verdict.UPDATED if differing else Verdict.UNCHANGED, key=item.key)
