"""Brings the files of a tree in as pages, into the space that is named or the spaces an export of this app's own names.

`files` reads them, `space` plans and writes those of one space.
"""

from __future__ import annotations

import json

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.exchange.exporting import FORMAT, VERSION
from knowledge.exchange.importing.files import SourceFiles
from knowledge.exchange.importing.space import SpaceImport, Target, Told
from knowledge.exchange.trees import BROKEN, Tree
from knowledge.rules.exporting import MANIFEST
from knowledge.rules.importing.documents import FRONT_MATTER_BYTES
from knowledge.rules.importing.report import Line, Report, Verdict
from knowledge.writes.importing import require_importer

__all__ = ["Target", "import_tree"]


def import_tree(
    *,
    actor: Actor,
    tree: Tree,
    source: str,
    container: str | None,
    parent_id: int | None = None,
    dry_run: bool = False,
    told: Told | None = None,
) -> Report:
    """Bring a tree into `container`; an export of this app's own may leave it out, and goes to the spaces it names.

    Refuses `container_required`, and as `require_importer` does. What is wrong with a file is in the report.
    """
    report = Report(dry_run=dry_run)
    for path, reason in tree.refused:
        report.add(Line(path=path, verdict=Verdict.REFUSED, reason=reason))
    for path, reason in tree.skipped:
        report.add(Line(path=path, verdict=Verdict.SKIPPED, reason=reason))
    spaces = _own_spaces(tree)
    if spaces is None:
        if container is None:
            raise Refused(Code.CONTAINER_REQUIRED, "Say with --space which space the pages go to.", attr="container")
        parts = [("", container)]
    else:
        parts = [(f"{key}/", container or key) for key in spaces]
    for _prefix, key in parts:
        require_importer(actor=actor, container=key, parent_id=parent_id)
    for path in tree.files:
        if spaces is not None and path != MANIFEST and path.partition("/")[0] not in spaces:
            reason = "it is in no space that the export names"
            report.add(Line(path=path, verdict=Verdict.SKIPPED, reason=reason))
    for prefix, key in parts:
        entries = {path.removeprefix(prefix): entry for path, entry in tree.files.items() if path.startswith(prefix)}
        work = SpaceImport(
            actor=actor,
            files=SourceFiles(entries=entries, own=spaces is not None),
            prefix=prefix,
            source=source,
            into=Target(container=key, parent_id=parent_id),
            report=report,
            told=told or (lambda _what, _done, _total: None),
        )
        work.run()
    return report


def _own_spaces(tree: Tree) -> list[str] | None:
    """The spaces an export of this app's own holds; None for any other tree. Refuses one of a later format."""
    entry = tree.files.get(MANIFEST)
    if entry is None or entry.size > FRONT_MATTER_BYTES:
        return None
    try:
        with entry.open() as file:
            said = json.loads(file.read())
        if said["format"] != FORMAT:
            return None
        version, spaces = int(said["version"]), [str(key) for key in said["spaces"]]
    except (*BROKEN, KeyError, TypeError):
        return None
    if version > VERSION:
        raise Refused(
            Code.INVALID, "This export was made by a later version of Crewlet. Bring this one up to it first."
        )
    return spaces
