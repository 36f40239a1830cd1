"""The duty that compares what skills say of themselves: only what has changed is embedded and compared again.

Nothing here is a person's change, so nothing is recorded: both tables can be thrown away and are made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import structlog
from django.db import transaction
from django.db.models import Q
from numpy.typing import NDArray

from company import live
from company.rules.chart import Backend, Company
from company.rules.refusals import Refused
from company.writes import locks
from knowledge.embedding.current import provider_for
from knowledge.embedding.providers.protocol import EmbeddingProvider, InputNotAccepted, ProviderUnavailable
from knowledge.embedding.rules.vectors import Unusable, judged
from knowledge.embedding.rules.window import opening
from knowledge.reads.sources import pages_of
from skills import alike
from skills.models.alike import SkillPair, SkillSaying
from skills.reads.alike import Said, sayings
from skills.registry import EMPTY, Registry, from_pages, source_of

LOCK = "skills.alike"
BATCH = 64
"""Descriptions one request embeds: they are short, and what a request has brought is kept if the next one fails."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What one run did: by which measure, how many skills it compared anew, how many pairs are alike now."""

    measure: str
    compared: int
    pairs: int


class _Walked:
    """The pages as this process read them last, so that only what has changed is parsed again."""

    def __init__(self) -> None:
        self._held = EMPTY

    def walk(self, company: Company) -> Registry:
        """The registry as the database has it; empty where skills are off or kept elsewhere. One query."""
        source = source_of(company)
        if source is None or source.backend is not Backend.NATIVE:
            return EMPTY
        self._held = from_pages(source, pages_of(source.container), known=self._held)
        return self._held


_walked = _Walked()


def compare_skills() -> Compared | None:
    """Compare what has changed since the last run; None where another process is at it. For the duty, so without an
    actor. A provider that does not answer leaves the rest for the next run."""
    company = live.current_for_write()
    with locks.alone(LOCK) as free:
        return _compare(company) if free else None


def _compare(company: Company) -> Compared:
    said = {one.page_id: one for one in sayings(_walked.walk(company))}
    provider = _provider(company)
    measure = alike.BY_WORDS if provider is None else provider.model
    digests = {
        page_id: alike.digest_of(one.text, provider.configuration if provider else alike.BY_WORDS)
        for page_id, one in said.items()
    }
    known = dict(SkillSaying.objects.values_list("page_id", "digest"))
    gone = [page_id for page_id in known if page_id not in said]
    changed = [page_id for page_id in sorted(said) if known.get(page_id) != digests[page_id]]
    vectors: dict[int, bytes] = {}
    if provider is not None and changed:
        vectors = _embedded([said[page_id] for page_id in changed], provider)
        changed = [page_id for page_id in changed if page_id in vectors]
    if gone or changed:
        _keep(said, digests, vectors, gone=gone, changed=changed, measure=measure, by_words=provider is None)
        log.info("skills_compared", measure=measure, compared=len(changed), gone=len(gone))
    return Compared(measure=measure, compared=len(changed), pairs=SkillPair.objects.count())


def _provider(company: Company) -> EmbeddingProvider | None:
    try:
        return provider_for(company)
    except Refused as refused:  # a document from before its provider was checked: words are compared meanwhile
        log.error("embeddings_provider_refused", error=refused.problems[0].detail)
        return None


def _embedded(said: Sequence[Said], provider: EmbeddingProvider) -> dict[int, bytes]:
    """The vectors of as many as the provider answers for, each as bytes."""
    found: dict[int, bytes] = {}
    size = max(1, min(BATCH, provider.limits.inputs))
    for start in range(0, len(said), size):
        batch = said[start : start + size]
        texts = [opening(title="", body=one.text, bound=provider.limits.input_bytes) for one in batch]
        try:
            answers = provider.embed(texts)
        except (InputNotAccepted, ProviderUnavailable) as error:
            log.warning("skills_not_embedded", model=provider.model, left=len(said) - start, error=str(error))
            break
        for one, answer in zip(batch, answers, strict=True):
            verdict = judged(answer)
            if isinstance(verdict, Unusable):
                log.warning("skill_not_embedded", page_id=one.page_id, model=provider.model, error=verdict.reason)
            else:
                found[one.page_id] = verdict.vector.tobytes()
    return found


def _keep(
    said: Mapping[int, Said],
    digests: Mapping[int, str],
    vectors: Mapping[int, bytes],
    *,
    gone: Sequence[int],
    changed: Sequence[int],
    measure: str,
    by_words: bool,
) -> None:
    with transaction.atomic():
        moved = [*gone, *changed]
        outdated = Q(first__in=moved) | Q(second__in=moved)
        if changed:
            outdated |= ~Q(measure=measure)
        SkillPair.objects.filter(outdated).delete()
        SkillSaying.objects.filter(page_id__in=moved).delete()
        SkillSaying.objects.bulk_create(
            SkillSaying(
                page_id=page_id, version=said[page_id].version, digest=digests[page_id], vector=vectors.get(page_id)
            )
            for page_id in changed
        )
        rows = [row for row in SkillSaying.objects.order_by("page_id") if row.digest == digests.get(row.page_id)]
        places = {row.page_id: place for place, row in enumerate(rows)}
        asked = [places[page_id] for page_id in changed]
        pairs = (
            alike.pairs_by_words([said[row.page_id].text for row in rows], asked)
            if by_words
            else alike.pairs_by_meaning(_matrix([bytes(row.vector or b"") for row in rows]), asked)
        )
        SkillPair.objects.bulk_create(
            SkillPair(
                first=rows[pair.first].page_id,
                second=rows[pair.second].page_id,
                likeness=pair.likeness,
                measure=measure,
            )
            for pair in pairs
        )


def _matrix(vectors: Sequence[bytes]) -> NDArray[np.float32]:
    if not vectors:
        return np.zeros((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(vectors), dtype=np.float32).reshape(len(vectors), -1)
