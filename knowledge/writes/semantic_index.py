"""Writes of the index over sign codes: building one, dropping what is not in use, keeping what was decided.

An index is partial, of one space and one kind, and of one generation: its condition names the generation, and only a
search that names it too can be answered from it. So a new one can be built and measured beside the one in use, and a
search that means to read every code is never answered from either.
"""

from __future__ import annotations

from typing import Any

import structlog
from django.db import OperationalError, connection, transaction
from django.utils import timezone
from psycopg import sql

from company.writes.ledger import News, publish
from knowledge.models import EmbeddingSpace, SemanticIndex

_PREFIX = "codes_by_nearness_"

#: How long dropping an index waits for the searches that read it; where that is not enough, the next tick drops it.
_DROP_TIMEOUT = "2s"

#: What training may hold in memory; the samples of the largest index take some 50 MB.
_TRAINING_MEMORY = "256MB"

log = structlog.get_logger(__name__)


def index_for(*, space: EmbeddingSpace, kind: str) -> SemanticIndex:
    """What is known of the index of a corpus in a space; a fresh record where nothing is yet. One query."""
    known = SemanticIndex.objects.select_related("space").filter(space=space, kind=kind).first()
    return known or SemanticIndex(space=space, kind=kind)


def train_index(index: SemanticIndex, *, lists: int) -> None:
    """Build the next generation of an index over the codes there are; nothing is answered from it yet.

    Postgres files the codes by k-means in Hamming space. Codes that are written meanwhile wait, and are in it.
    """
    drop_other_indexes(index)  # what a training left behind that was cut off
    generation = index.generation + 1
    statement = sql.SQL(
        "CREATE INDEX {name} ON knowledge_signcode USING ivfflat"
        " (((code)::bit({dimensions})) bit_hamming_ops) WITH (lists = {lists})"
        " WHERE space_id = {space} AND kind = {kind} AND version <> {generation}"
    ).format(
        name=sql.Identifier(_name(index, generation)),
        dimensions=sql.Literal(index.space.dimensions),
        lists=sql.Literal(lists),
        space=sql.Literal(index.space_id),
        kind=sql.Literal(index.kind),
        generation=sql.Literal(-generation),
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('maintenance_work_mem', %s, true)", [_TRAINING_MEMORY])
        cursor.execute(statement)
    index.generation, index.lists = generation, lists


def keep_index(index: SemanticIndex, *, event: str | None = None) -> None:
    """Keep what was decided and measured; from now on searches follow it. `event` is told with the figures."""
    now = timezone.now()
    below = not index.is_scan_enough
    figures: dict[str, Any] = {
        "model": index.space.model, "kind": index.kind, "installed": index.is_installed, "lists": index.lists,
        "probes": index.probes, "recall": round(index.recall, 4), "floor": round(index.floor, 4),
        "head_misses": index.head_misses, "scan_recall": round(index.scan_recall, 4), "sources": index.measured_on,
    }  # fmt: skip
    with transaction.atomic():
        if below and not index.is_alarmed:
            log.warning("ivf_recall_below_floor", **figures)
            publish(News(type="alarm.ivf_recall_below_floor", payload=figures))
        index.is_alarmed, index.measured_at = below, now
        index.save()
        if event is not None:
            publish(News(type=event, payload=figures))
    log.info("semantic_index_measured", **figures)


def drop_index(index: SemanticIndex) -> None:
    """Drop an index whose space nobody searches any more."""
    index.is_installed = False
    drop_other_indexes(index)


def drop_other_indexes(index: SemanticIndex) -> None:
    """Drop every generation of an index that is not the one in use; what a search still reads is left for next time."""
    kept = _name(index, index.generation) if index.is_installed else ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE %s", [f"{_stem(index)}%"])
        names = [name for (name,) in cursor.fetchall() if name != kept]
    for name in names:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, true)", [_DROP_TIMEOUT])
                cursor.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))
        except OperationalError as error:
            log.info("semantic_index_in_use", index=name, error=str(error).strip())


def _stem(index: SemanticIndex) -> str:
    return f"{_PREFIX}{index.space_id}_{index.kind}_"


def _name(index: SemanticIndex, generation: int) -> str:
    return f"{_stem(index)}{generation}"
