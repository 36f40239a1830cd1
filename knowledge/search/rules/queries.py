"""Queries: any input becomes tokens, and never a query language. Pure.

There is no syntax, so nothing a person types can be wrong: quotes, colons and brackets are only borders of words.
Words that nearly every text holds are left out while others remain; a question made of nothing else keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from company.rules.refusals import Code, Refused
from knowledge.search.rules.analysis import Cut, cut_text
from knowledge.search.rules.languages import language_of
from knowledge.search.rules.stemming import stemmed, stems_in_any_language

#: The longest question, in bytes of UTF-8.
MAX_BYTES = 400

#: Shorter beginnings of a word stand for too many words to be worth completing.
_SHORTEST_PREFIX = 2

#: English function words, left out of a question. Other languages rely on their words' frequency.
_FUNCTION_WORDS = (
    "a about above after again all also am an and any are as at be because been before being below between both "
    "but by can could d did do does doing down during each few for from further had has have having he her here "
    "hers him his how i if in into is it its just ll m me more most my no nor not of off on once only or other "
    "our ours out over own re s same she should so some such t than that the their theirs them then there these "
    "they this those through to too under until up ve very was we were what when where which while who whom why "
    "will with would you your yours"
)
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True, kw_only=True)
class QueryTokens:
    """What a question asks for; every tuple without repeats, in the order of the question.

    `stems` holds, for each term, every stem that texts of the languages it may be in have for it. `typed` is the word
    the question ends in, folded, while somebody may still be typing it; `identifiers` are the names that a page must
    hold whole to be the one meant.
    """

    stems: tuple[tuple[str, ...], ...] = ()
    exact: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    typed: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing in the question is a word: signs alone match nothing."""
        return not (self.stems or self.exact or self.wholes)


def checked(text: str) -> str:
    """The question as asked; raises `required` when it is blank, `too_long` past 400 bytes, `invalid` for a NUL."""
    if "\x00" in text:
        raise Refused(Code.INVALID, "'q' holds a NUL character. Take it out.", attr="q")
    if not text.strip():
        raise Refused(Code.REQUIRED, "'q' is what to search for. Give a word or a question.", attr="q")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Refused(Code.INVALID, "'q' holds half of a surrogate pair, which is no text.", attr="q") from None
    if size > MAX_BYTES:
        raise Refused(
            Code.TOO_LONG,
            f"'q' is {size} bytes, and a question is at most {MAX_BYTES}. Ask with fewer words.",
            attr="q",
            extras={"limit": MAX_BYTES},
        )
    return text


def query_tokens(text: str) -> QueryTokens:
    """The tokens of a question. Takes any string at all."""
    cuts = tuple(cut_text(text))
    pairs = [(cut, all(word in STOP_WORDS for word in cut.exact) and not cut.wholes) for cut in cuts]
    telling = [cut for cut, is_stop in pairs if not is_stop and (cut.exact or cut.wholes)]
    kept = telling or list(cuts)
    typed = None
    if cuts and text[-1:].isalnum() and cuts[-1].exact and len(cuts[-1].exact[-1]) >= _SHORTEST_PREFIX:
        typed = cuts[-1].exact[-1]
    return QueryTokens(
        stems=_stems(kept, language_of(word for cut in cuts for word in cut.exact)),
        exact=_unique(word for cut in kept for word in cut.exact),
        wholes=_unique(whole for cut in kept for whole in cut.wholes),
        identifiers=_unique(name for cut in kept for name in cut.identifiers),
        typed=typed,
    )


def _stems(cuts: Sequence[Cut], language: str | None) -> tuple[tuple[str, ...], ...]:
    """The alternatives of each term: its stem in the question's language, in any language where that is not clear."""
    alternatives: dict[tuple[str, ...], None] = {}
    for cut in cuts:
        for term in cut.terms:
            if language is None:
                alternatives[stems_in_any_language(term)] = None
            else:
                alternatives[tuple(dict.fromkeys((stemmed(term, language), stemmed(term))))] = None
        alternatives.update(dict.fromkeys((fixed,) for fixed in cut.fixed))
    return tuple(alternatives)


def _unique(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tokens))
