"""Finding a page by a part of its title, for whoever is about to link to it or to file something under it."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery
from django.db.models import BooleanField, Case, Expression, ExpressionWrapper, IntegerField, Q, QuerySet, Value, When

from company.rules.actors import Actor
from knowledge.models import TITLE_WORDS, Page, Revision
from knowledge.reads.levels import LISTED, can_be_stored, children_of, company_read_by, rows_of
from knowledge.reads.shapes import PageRow
from knowledge.reads.visibility import visible_to
from knowledge.rules.titles import beginnings_of, fold

OPTIONS = 8
LATELY = 500
FEW_BYTES = 3
"""Less than this begins the words of half of all titles: then only whole titles that begin so are looked for."""


def pages_titled(
    *, actor: Actor, words: str, near: str = "", only_near: bool = False, limit: int = OPTIONS
) -> tuple[PageRow, ...]:
    """The living pages the actor sees whose title has a word that begins with each of the words, or begins with all of
    it, or whose number it is; those of the container `near` alone where `only_near`.

    First a title that is exactly this, then those that begin with it, then those of the container `near`. Up to two
    bytes are looked for only where titles begin. Without words: of the pages the company saved last those of `near`
    first, and where these are few the newest of `near`. At most four queries, each by an index.
    """
    company = company_read_by(actor)
    folded = fold(words)
    if not (can_be_stored(folded) and can_be_stored(near)):
        return ()
    shown = visible_to(actor, company)
    pages = Page.objects.filter(shown, container=near) if only_near else Page.objects.filter(shown)
    columns = {"under": children_of(shown)}
    nearby = ExpressionWrapper(Q(container=near), output_field=BooleanField())
    if folded:
        rows = list(_fitting(pages, words=words, folded=folded, nearby=nearby).values(*LISTED, **columns)[:limit])
    else:
        lately = list(Revision.objects.order_by("-id").values_list("page_id", flat=True)[:LATELY])
        saved = pages.filter(pk__in=lately).order_by(nearby.desc(), "-saved_at", "-id")
        rows = list(saved.values(*LISTED, **columns)[:limit])
        if len(rows) < limit:
            newest = pages.filter(container=near).exclude(pk__in=lately).order_by("-id")
            rows += newest.values(*LISTED, **columns)[: limit - len(rows)]
    return rows_of(rows, trail=None, actor=actor, company=company)


def _fitting(pages: QuerySet[Page], *, words: str, folded: str, nearby: Expression) -> QuerySet[Page]:
    number = Q(pk=int(words)) if words.isascii() and words.isdigit() and len(words) < 19 else Q(pk__in=[])
    fits = number | Q(address__startswith=folded)
    beginnings = beginnings_of(folded)
    if beginnings and len(folded.encode()) >= FEW_BYTES:
        query = " & ".join(f"'{beginning}':*" for beginning in beginnings)
        fits |= Q(title_words=SearchQuery(query, config="simple", search_type="raw"))
    rank = Case(
        When(number | Q(address=folded), then=Value(0)),
        When(address__startswith=folded, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    return pages.alias(title_words=TITLE_WORDS).filter(fits).order_by(rank, nearby.desc(), "address", "id")
