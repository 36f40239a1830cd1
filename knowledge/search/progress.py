"""How far this host's index of words is, as any process of the host can tell: nothing has to be asked of the indexer,
so the figure grows where the indexer is what has died."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from company.models.changes import Change
from knowledge.search import corpora
from knowledge.search.lexical.documents import IndexState
from knowledge.search.lexical.reader import LexicalReader


@dataclass(frozen=True, kw_only=True)
class IndexProgress:
    """`lag_seconds` is the age of the oldest change that is not in yet, of `changes`; 0.0 where all are in.

    A change that was committed long after it was written counts once it is in: it stands behind newer ones.
    """

    state: IndexState
    lag_seconds: float
    changes: int


def index_progress(root: Path | None = None) -> IndexProgress:
    """How far the index under `root` is, this host's where none is given. One query; nothing is opened for writing."""
    state = LexicalReader(root or settings.INDEX_DIR).state()
    kinds = [corpus.change_kind for corpus in corpora.registered()]
    waiting = Change.objects.filter(pk__gt=state.seen, kind__in=kinds).aggregate(oldest=Min("at"), count=Count("pk"))
    oldest = waiting["oldest"]
    lag = 0.0 if oldest is None else max(0.0, (timezone.now() - oldest).total_seconds())
    return IndexProgress(state=state, lag_seconds=lag, changes=waiting["count"])
