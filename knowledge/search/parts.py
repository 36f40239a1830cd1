"""Parts of a divided search, as hosts ask one another for them: what goes over the wire, and how it is signed.

Hosts of one deployment share the secret key, so a request carries a signature of its body and no secret. A part is
understood only by the same build of the index: another one may cut words in another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval
from django.utils.crypto import constant_time_compare, salted_hmac
from pydantic import TypeAdapter

from knowledge.search.lexical.documents import Filters, LexicalAnswer
from knowledge.search.rules.queries import QueryTokens

#: Where a host is asked for its part.
PATH = "/internal/search/words"

#: The header a signature comes in.
SIGNATURE = "X-Crewlet-Signature"

#: The most hits that one host is asked for.
MOST_HITS = 100_000


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one host is asked: the best `limit` documents of the buckets that `filters` name. `build` is that of the
    asker's index."""

    build: str
    tokens: QueryTokens
    filters: Filters
    limit: Annotated[int, Interval(ge=1, le=MOST_HITS)]


_PART = TypeAdapter(Part)
_ANSWER = TypeAdapter(LexicalAnswer)


def written_part(part: Part) -> bytes:
    """A part as it is sent."""
    return _PART.dump_json(part)


def read_part(body: bytes) -> Part:
    """A part as it was sent; raises ValueError for a body that is none."""
    return _PART.validate_json(body)


def written_answer(answer: LexicalAnswer) -> bytes:
    """An answer as it is sent."""
    return _ANSWER.dump_json(answer)


def read_answer(body: bytes) -> LexicalAnswer:
    """An answer as it was sent; raises ValueError for a body that is none."""
    return _ANSWER.validate_json(body)


def signature_of(body: bytes) -> str:
    """What a body is signed with by whoever knows this deployment's secret key."""
    return salted_hmac("knowledge.search.parts", body, algorithm="sha256").hexdigest()


def is_signed(body: bytes, signature: str) -> bool:
    """Whether a host of this deployment wrote the body."""
    return constant_time_compare(signature_of(body), signature)
