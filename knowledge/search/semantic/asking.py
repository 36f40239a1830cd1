"""A question in words, asked by meaning: its vector, the space it is compared in, and why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import structlog

from company.rules.chart import Company
from company.rules.refusals import Refused
from knowledge.embedding.current import provider_for
from knowledge.embedding.providers.protocol import EmbeddingProvider
from knowledge.embedding.rules.vectors import Vector
from knowledge.models import EmbeddingSpace, SemanticIndex
from knowledge.search.lexical.documents import Filters
from knowledge.search.query_vectors import QueryVectors
from knowledge.search.rules.outcome import Degraded, Semantic
from knowledge.search.semantic.nearest import CANDIDATES, RETURNED, SemanticHit, nearest, probe_for

#: How many candidates are proposed for each document answered, where more than usual are asked for.
_CANDIDATES_EACH = CANDIDATES // RETURNED

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class SemanticHalf:
    """What the semantic half can do for one question; `worth` is how the outcome tells of it."""

    worth: Semantic
    vector: Vector | None = None
    space: EmbeddingSpace | None = None

    def search(self, *, filters: Filters, limit: int = RETURNED) -> tuple[SemanticHit, ...]:
        """The nearest documents, at least 150 if there are so many; none where the half cannot rank. At most eight
        queries."""
        if self.vector is None or self.space is None:
            return ()
        limit = max(limit, RETURNED)
        # More than usual are asked for where many of the nearest have gone: the nearest lists might hold nothing else.
        index = _index(self.space, filters) if limit == RETURNED else None
        return nearest(
            self.vector,
            space=self.space,
            filters=filters,
            limit=limit,
            candidates=limit * _CANDIDATES_EACH,
            probe=probe_for(index, filters),
        )


@dataclass(frozen=True, kw_only=True)
class QuestionVector:
    """A question as one provider reads it: `why_not` is None exactly where there is a vector."""

    provider: EmbeddingProvider | None = None
    vector: Vector | None = None
    why_not: Degraded | None = None


def half_of(question: str, *, company: Company) -> SemanticHalf:
    """What can be found by meaning for a question. Takes at most two seconds, and one query where there is a provider.

    Raises `django.db.Error` while the database is away, and nothing else.
    """
    asked = vector_of(question, company=company)
    if asked.provider is None or asked.vector is None:
        return SemanticHalf(worth=Semantic(why_not=asked.why_not))
    provider = asked.provider
    space = EmbeddingSpace.objects.filter(model=provider.model, dimensions=provider.dimensions).first()
    is_partial = space is None or space.filled_at is None
    return SemanticHalf(worth=Semantic(is_partial=is_partial), vector=asked.vector, space=space)


def vector_of(question: str, *, company: Company) -> QuestionVector:
    """A question's vector by the company's provider, or why there is none. Takes at most two seconds; no query."""
    provider = asked_provider(company)
    if provider is None:
        return QuestionVector(why_not=Degraded.NO_EMBEDDINGS)
    vector = _query_vectors().vector_of(question, provider=provider)
    return QuestionVector(
        provider=provider, vector=vector, why_not=Degraded.EMBEDDING_FAILED if vector is None else None
    )


def half_not_asked(company: Company) -> SemanticHalf:
    """For a search by words: whether the company could have asked by meaning too. No query."""
    return SemanticHalf(worth=Semantic(why_not=None if asked_provider(company) else Degraded.NO_EMBEDDINGS))


def asked_provider(company: Company) -> EmbeddingProvider | None:
    """The provider that questions are embedded by; None where there is none, or the document's is refused."""
    try:
        return provider_for(company)
    except Refused as refused:  # a document from before its provider was checked
        log.warning("embeddings_provider_refused", error=refused.problems[0].detail)
        return None


def _index(space: EmbeddingSpace, filters: Filters) -> SemanticIndex | None:
    return SemanticIndex.objects.filter(space=space, kind__in=filters.kinds).first()


@cache
def _query_vectors() -> QueryVectors:
    return QueryVectors()
