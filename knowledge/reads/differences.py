"""What changed between two versions of a page. Two queries, whatever the page's history holds."""

from __future__ import annotations

from dataclasses import dataclass

from company.rules.actors import Actor
from knowledge.reads.pages import get_revisions
from knowledge.reads.shapes import RevisionView
from knowledge.rules.diff import Difference, diff_lines


@dataclass(frozen=True, kw_only=True)
class PageDifference:
    """Two versions of a page and what has to change in `old` to make `new`; either may be the later one."""

    old: RevisionView
    new: RevisionView
    difference: Difference


def diff_revisions(*, actor: Actor, page_id: int, old: int, new: int) -> PageDifference:
    """The difference from version `old` to version `new`; `not_found` where the page or a version is not there for
    this actor."""
    found = get_revisions(actor=actor, page_id=page_id, versions=(old, new))
    return PageDifference(old=found[0], new=found[1], difference=diff_lines(found[0].body, found[1].body))
