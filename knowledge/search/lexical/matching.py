"""From the tokens of a question to a query of the index. Weights stand here, with what they were measured on.

Every weight was chosen on the retrieval sets of `docs/benchmarks.md`, where the neighbours of each value are too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import tantivy
from tantivy import Occur, Query

from knowledge.search.lexical import schema as fields
from knowledge.search.lexical.documents import Filters
from knowledge.search.rules.queries import QueryTokens

#: The title is part of the body field already; this is what it counts beyond that.
TITLE_WEIGHT = 1.0
#: The exact word beside its stem, and a name of several words beside the words.
EXACT_WEIGHT = 0.5
#: Each identifier of the question that a document holds whole lifts it above every score of words.
IDENTIFIER_SCORE = 1000.0
#: A word still being typed: found in a title, found anywhere. Less where the word as typed is known itself.
COMPLETED_TITLE_SCORE = 4.0
COMPLETED_SCORE = 2.0
COMPLETED_BESIDE_KNOWN = 0.1
#: How many words a beginning is completed to, the most frequent first.
COMPLETIONS = 40


@dataclass(frozen=True, slots=True)
class Completions:
    """What the word being typed may become, among all words and among titles; whether it is a word as it stands."""

    anywhere: tuple[str, ...] = ()
    in_titles: tuple[str, ...] = ()
    is_known: bool = False


def completions(searcher: tantivy.Searcher, typed: str | None) -> Completions:
    """The words of the index that begin with `typed`, itself left out."""
    if typed is None:
        return Completions()
    return Completions(
        anywhere=_completed(searcher, fields.EXACT, typed),
        in_titles=_completed(searcher, fields.HEADING, typed),
        is_known=searcher.doc_freq(fields.EXACT, typed) > 0,
    )


def _completed(searcher: tantivy.Searcher, field: str, typed: str) -> tuple[str, ...]:
    return tuple(word for word, _ in searcher.terms_with_prefix(field, typed, limit=COMPLETIONS) if word != typed)


def matching(tokens: QueryTokens, completed: Completions, filters: Filters) -> Query:
    """The query for a question's tokens, narrowed by `filters`."""
    wanted: list[tuple[Occur, Query]] = []
    for stems in tokens.stems:
        wanted.append((Occur.Should, _any_of(fields.BODY, stems)))
        wanted.append((Occur.Should, _weighed(_any_of(fields.TITLE, stems), TITLE_WEIGHT)))
    wanted.extend(
        (Occur.Should, _weighed(_term(fields.EXACT, word), EXACT_WEIGHT)) for word in (*tokens.exact, *tokens.wholes)
    )
    wanted.extend(
        (Occur.Should, Query.const_score_query(_term(fields.EXACT, name), IDENTIFIER_SCORE))
        for name in tokens.identifiers
    )
    share = COMPLETED_BESIDE_KNOWN if completed.is_known else 1.0
    if completed.anywhere:
        wanted.append((Occur.Should, _constant(fields.EXACT, completed.anywhere, COMPLETED_SCORE * share)))
    if completed.in_titles:
        wanted.append((Occur.Should, _constant(fields.HEADING, completed.in_titles, COMPLETED_TITLE_SCORE * share)))
    return narrowed(wanted, filters)


def matching_titles(tokens: QueryTokens, completed: Completions, filters: Filters) -> Query:
    """The query for titles alone, as somebody types: every word but the last in the title, the last one begun there."""
    wanted: list[tuple[Occur, Query]] = []
    for word in tokens.exact:
        if word == tokens.typed:
            continue
        wanted.append((Occur.Must, _term(fields.HEADING, word)))
    if tokens.typed is not None:
        last = tantivy.Query.disjunction_max_query(
            [_term(fields.HEADING, word) for word in (tokens.typed, *completed.in_titles)]
        )
        wanted.append((Occur.Must, last))
    return narrowed(wanted, filters)


def narrowed(wanted: Sequence[tuple[Occur, Query]], filters: Filters) -> Query:
    """Documents that are wanted and that the filters let through; filters add nothing to a score."""
    if not wanted or filters.containers == frozenset():
        return Query.empty_query()
    clauses = list(_required(filters))
    excluded = list(_excluded(filters))
    if not clauses and not excluded:
        return Query.boolean_query(wanted)
    return Query.boolean_query(
        [
            (Occur.Must, Query.boolean_query(wanted)),
            *((Occur.Must, Query.const_score_query(clause, 0.0)) for clause in clauses),
            *((Occur.MustNot, clause) for clause in excluded),
        ]
    )


def _required(filters: Filters) -> Iterable[Query]:
    if filters.kinds:
        yield _set(fields.KIND, sorted(filters.kinds))
    if filters.containers is not None:
        yield _set(fields.CONTAINER, sorted(filters.containers))
    if filters.buckets is not None:
        first, last = filters.buckets
        yield Query.range_query(fields.schema(), fields.BUCKET, tantivy.FieldType.Unsigned, first, last)


def _excluded(filters: Filters) -> Iterable[Query]:
    if filters.excluded_containers:
        yield _set(fields.CONTAINER, sorted(filters.excluded_containers))
    if filters.excluded_ids:
        yield _set(fields.ID, sorted(filters.excluded_ids))
    if filters.excluded_ancestors:
        yield _set(fields.ANCESTORS, sorted(filters.excluded_ancestors))
    if not filters.with_drafted:
        yield Query.term_query(fields.schema(), fields.DRAFTED, True)


def _term(field: str, token: str) -> Query:
    return Query.term_query(fields.schema(), field, token, "freq")


def _any_of(field: str, tokens: Sequence[str]) -> Query:
    """The best of several stems that one word may have: a text is in one language, so it holds one of them."""
    if len(tokens) == 1:
        return _term(field, tokens[0])
    return Query.disjunction_max_query([_term(field, token) for token in tokens])


def _weighed(query: Query, weight: float) -> Query:
    return query if weight == 1.0 else Query.boost_query(query, weight)


def _constant(field: str, tokens: Sequence[str], score: float) -> Query:
    return Query.const_score_query(_set(field, tokens), score)


def _set(field: str, values: Sequence[object]) -> Query:
    return Query.term_set_query(fields.schema(), field, list(values))
