"""The index over the sign codes: when it is trained, how many lists a search reads, and when that is measured again.

Nothing of it is configured. After a training the recall of the search is measured against the exact ranking in each
shape, and the smallest count of lists is kept at which all of them meet the floor with no document missing from a top
ten. Where that would be more than half of the lists, or the corpus is small, nothing is installed and searches read
every code, as they do when they are narrowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from knowledge.models import EmbeddingSpace, SemanticIndex, SignCode
from knowledge.search.rules.recall import (
    FEWEST_SOURCES,
    Recall,
    fewest_probes,
    floor_of,
    is_lopsided,
    is_outgrown,
    lists_for,
    most_probes,
)
from knowledge.search.semantic.measuring import Shape, measure, sample, sizes
from knowledge.search.semantic.nearest import Probe, list_size
from knowledge.writes.semantic_index import drop_other_indexes, index_for, keep_index, train_index

#: How often an index is measured again on the corpus as it is then.
MEASURED_EVERY = timedelta(days=1)

#: How many documents' lists are sized to find the fullest one.
_SIZED = 50

TRAINED = "duty.index_trained"


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """A search in one shape: what it found, and what it has to."""

    shape: Shape
    recall: Recall
    floor: float

    @property
    def is_enough(self) -> bool:
        return self.recall.meets(self.floor)

    def order(self) -> tuple[bool, int, float]:
        """The worse one first."""
        return self.is_enough, -self.recall.head_misses, self.recall.mean - self.floor


class _Scans:
    """A corpus's sampled documents, and what reading every code finds of their answers in each shape."""

    def __init__(self, space: EmbeddingSpace, *, kind: str, number: int) -> None:
        self._space, self._kind, self.number = space, kind, number
        self._asked = sample(space, kind=kind)
        self.shapes = tuple(self._measured(shape, None) for shape in Shape)
        self.worst = min(self.shapes, key=_Measured.order)

    def probed(self, probe: Probe) -> _Measured:
        """The same over the whole corpus, through an index."""
        return self._measured(Shape.SOURCE, probe)

    def _measured(self, shape: Shape, probe: Probe | None) -> _Measured:
        recall = measure(self._asked, space=self._space, kind=self._kind, shape=shape, probe=probe)
        fewest = sizes(self._space, kind=self._kind, asked=self._asked, shape=shape)
        return _Measured(shape=shape, recall=recall, floor=floor_of(fewest))


def tend_index(*, space: EmbeddingSpace, kind: str, now: datetime) -> bool:
    """See to the index of one corpus: train it, measure it again, or let it be; answers whether anything was done.

    One query where there is nothing to do. Called when every source is seen to, so that it is trained on all of them.
    """
    index = index_for(space=space, kind=kind)
    if index.measured_at is not None and now - index.measured_at < MEASURED_EVERY and not _may_be_outgrown(index):
        return False
    number = SignCode.objects.filter(space=space, kind=kind).count()
    if number < FEWEST_SOURCES:
        # Other corpora may be what has grown, and then there is nothing new to say of this one.
        return (index.is_installed or _is_due(index, now)) and _do_without(index, number)
    outgrown = index.trained_at is None or is_outgrown(trained_on=index.trained_on, now=number)
    if not outgrown and not _is_due(index, now):
        return False
    scans = _Scans(space, kind=kind, number=number)
    if outgrown or _has_become_lopsided(index, number) or (index.is_installed and not _choose(index, scans)):
        _train(index, scans, now)
    elif not index.is_installed:
        _keep(index, scans.worst, scans)
    keep_index(index, event=TRAINED if index.trained_at == now else None)
    drop_other_indexes(index)
    return True


def _may_be_outgrown(index: SemanticIndex) -> bool:
    """Whether the corpus, as it was last counted, has moved far from what the index was trained on."""
    current = index.space.current
    if index.trained_at is None:
        return current >= FEWEST_SOURCES
    return is_outgrown(trained_on=index.trained_on, now=max(current, 1))


def _is_due(index: SemanticIndex, now: datetime) -> bool:
    return index.measured_at is None or now - index.measured_at >= MEASURED_EVERY


def _do_without(index: SemanticIndex, number: int) -> bool:
    """Keep a corpus as small as this without an index."""
    was_installed, index.is_installed, index.trained_at = index.is_installed, False, None
    index.lists = index.probes = index.trained_on = 0
    index.recall = index.worst = index.scan_recall = 1.0
    index.is_scan_enough = True
    index.measured_on, index.floor, index.head_misses, index.scan_head_misses = number, floor_of(number), 0, 0
    keep_index(index)
    if was_installed:
        drop_other_indexes(index)
    return True


def _has_become_lopsided(index: SemanticIndex, number: int) -> bool:
    if not index.is_installed:
        return False
    fullest = _fullest(index, number)
    return is_lopsided(fullest=fullest, fullest_at_training=index.fullest, lists=index.lists)


def _train(index: SemanticIndex, scans: _Scans, now: datetime) -> None:
    train_index(index, lists=lists_for(scans.number))
    index.trained_at, index.trained_on = now, scans.number
    index.fullest = _fullest(index, scans.number)
    if not _choose(index, scans):
        index.is_installed, index.probes = False, 0
        _keep(index, scans.worst, scans)


def _choose(index: SemanticIndex, scans: _Scans) -> bool:
    """Have searches read the fewest lists that are enough; False where half of them are not.

    Only the search of the whole corpus probes: one that is narrowed reads every code it may find, so where that is not
    enough no count of lists would be.
    """
    if not all(scan.is_enough for scan in scans.shapes):
        return False
    found: dict[int, _Measured] = {}

    def is_enough(probes: int) -> bool:
        found[probes] = scans.probed(Probe(index.generation, probes))
        return found[probes].is_enough

    probes = fewest_probes(is_enough, most=most_probes(index.lists))
    if probes is None:
        return False
    index.is_installed, index.probes = True, probes
    narrowed = [one for one in scans.shapes if one.shape is not Shape.SOURCE]
    _keep(index, min((found[probes], *narrowed), key=_Measured.order), scans)
    return True


def _keep(index: SemanticIndex, measured: _Measured, scans: _Scans) -> None:
    index.worst_shape = f"{measured.shape}:{index.kind}"
    index.recall, index.worst, index.head_misses = (
        measured.recall.mean, measured.recall.worst, measured.recall.head_misses,
    )  # fmt: skip
    scanned = scans.worst.recall
    index.scan_recall, index.scan_head_misses = scanned.mean, scanned.head_misses
    index.floor, index.measured_on = measured.floor, scans.number
    index.is_scan_enough = scans.worst.recall.mean >= scans.worst.floor


def _fullest(index: SemanticIndex, number: int) -> float:
    """The share of all rows in the fullest list, as far as some documents' own lists tell."""
    drawn = SignCode.objects.filter(space=index.space, kind=index.kind).order_by("?")[:_SIZED]
    sized = (list_size(code.code, space=index.space, kind=index.kind, generation=index.generation) for code in drawn)
    return max(sized, default=0) / number
