"""Search over skills of every dialect: by the words they hold, by meaning, or by both, and what the search was worth.

The words are looked for in this process's registry, so a skill is found as soon as it is served. Meaning goes by the
vectors that the duty of alike skills keeps (`skills/writes/alike.py`); a skill it has not come to yet is found by its
words alone, and the outcome says so. Outcomes are in the vocabulary of the search of pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from company import live
from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.embedding.rules.vectors import Vector
from knowledge.search.rules.fusion import fuse
from knowledge.search.rules.outcome import Coverage, Degraded, Mode, SearchOutcome, Semantic, outcome_of
from knowledge.search.rules.queries import checked
from knowledge.search.semantic import asked_provider, half_not_asked, vector_of
from skills import alike, registry
from skills.models.alike import SkillSaying
from skills.reads.alike import sayings
from skills.reads.library import LibrarySkill, with_files
from skills.reads.shelf import Shelf, Shelved, Wanted, shelf
from skills.registry import ServedSkill
from skills.tool_skills.rules.documents import Kind
from skills.wording import Held, Wording, held

_WHOLE = Coverage(nodes=1, complete=True)
"""Every process holds the whole registry, so words are always looked for in all of it."""

EVERY = Wanted()

Row = TypeVar("Row")
_Name: TypeAlias = tuple[Kind, str]


@dataclass(frozen=True, kw_only=True)
class FoundSkills:
    """The skills found, best first, what the search was worth, and the skills it was made among."""

    outcome: SearchOutcome
    among: Shelf
    hits: tuple[Shelved, ...] = ()


def search_skills(*, actor: Actor, text: str, mode: Mode = Mode.HYBRID, wanted: Wanted = EVERY) -> FoundSkills:
    """Every skill that passes `wanted` and answers `text`, best first. By meaning that is every skill with a vector:
    the caller shows as many as it has room for. Two queries, however many skills there are; at most two seconds for
    the question's vector, and none is made for a search by words.

    Refuses: `scope_missing`, `forbidden`; `required`, `invalid` or `too_long` for a text that cannot be asked.
    """
    among = shelf(actor=actor, wanted=replace(wanted, text=""))
    standing = among.shown
    asked = checked(text)
    company = live.current()
    near: tuple[_Name, ...] = ()
    if mode is Mode.KEYWORD:
        worth = half_not_asked(company).worth
    else:
        near, worth = _nearest(asked, standing, company=company)
    outcome = outcome_of(asked=mode, semantic=worth, is_building=False, coverage=_WHOLE)
    words = _holding(asked, standing) if outcome.served_mode in (Mode.KEYWORD, Mode.HYBRID) else []
    by_name = {_name_of(one): one for one in standing}
    ranked = fuse(
        keyword=[_name_of(standing[one.place]) for one in words],
        semantic=near if outcome.served_mode in (Mode.SEMANTIC, Mode.HYBRID) else (),
        identifiers={_name_of(standing[one.place]): int(one.is_named) for one in words},
    )
    return FoundSkills(outcome=outcome, among=among, hits=tuple(by_name[one.key] for one in ranked))


@dataclass(frozen=True, kw_only=True)
class FoundRows(Generic[Row]):
    """A window of the skills of one dialect that were found, best first, and what the search was worth."""

    outcome: SearchOutcome
    listing: Listing[Row]


def search_tool_skills(*, actor: Actor, text: str, mode: Mode, window: Window) -> FoundRows[ServedSkill]:
    """The same for the tool skills alone, a window of them; its cursor is how many stood before."""
    found = search_skills(actor=actor, text=text, mode=mode, wanted=Wanted(dialect=Kind.TOOL_SKILL))
    by_key = registry.current().by_key
    return _window(found, window, lambda names: tuple(by_key[name] for name in names if name in by_key))


def search_library(*, actor: Actor, text: str, mode: Mode, window: Window) -> FoundRows[LibrarySkill]:
    """The same for the skill folders of the library. One query more, for their files. Unlike the list of the library,
    it is a moment behind what was just written."""
    found = search_skills(actor=actor, text=text, mode=mode, wanted=Wanted(dialect=Kind.AGENT_SKILL))
    folders = registry.current().folders
    return _window(found, window, lambda names: with_files(folders[name] for name in names if name in folders))


def _window(found: FoundSkills, window: Window, rows: Callable[[Sequence[str]], tuple[Row, ...]]) -> FoundRows[Row]:
    """The part of what was found that a window shows, as `rows` has the skills of those names."""
    start = _start(window)
    end = start + window.limit
    return FoundRows(
        outcome=found.outcome,
        listing=Listing(
            results=rows([one.name for one in found.hits[start:end]]),
            total=len(found.hits),
            after=encode_cursor((end,)) if end < len(found.hits) else None,
        ),
    )


def can_search_by_meaning(company: Company) -> bool:
    """Whether a search by meaning can be asked for at all. No query; loads the provider where it is used first."""
    return asked_provider(company) is not None


def _start(window: Window) -> int:
    if not window.after:
        return 0
    start = window.after[0]
    if not isinstance(start, int) or start < 0:
        raise Refused(Code.INVALID, "'after' is the cursor that the same search answered, unchanged.", attr="after")
    return start


def _name_of(one: Shelved) -> _Name:
    return one.dialect, one.name


def _holding(question: str, standing: Sequence[Shelved]) -> list[Held]:
    wordings = [
        Wording(name=one.name, title=one.title, text=" ".join((one.summary, *one.triggers))) for one in standing
    ]
    return held(question, wordings)


def _nearest(question: str, standing: Sequence[Shelved], *, company: Company) -> tuple[tuple[_Name, ...], Semantic]:
    """The skills that have a vector of what they say now, the nearest first. No question is sent where none has."""
    provider = asked_provider(company)
    if provider is None:
        return (), Semantic(why_not=Degraded.NO_EMBEDDINGS)
    vectors = _vectors({one.page_id for one in standing}, configuration=provider.configuration)
    placed = [one for one in standing if one.page_id in vectors]
    is_partial = len(placed) < len(standing)
    if not placed:
        return (), Semantic(is_partial=is_partial)
    asked = vector_of(question, company=company)
    if asked.vector is None:
        return (), Semantic(why_not=asked.why_not)
    scores = _cosines(asked.vector, [vectors[one.page_id] for one in placed])
    order = sorted(range(len(placed)), key=lambda place: (-scores[place], place))
    return tuple(_name_of(placed[place]) for place in order), Semantic(is_partial=is_partial)


def _vectors(page_ids: Iterable[int], *, configuration: str) -> Mapping[int, bytes]:
    """The vectors of pages whose skills still say what they were made of by the provider in force. One query."""
    said = {one.page_id: one.text for one in sayings(registry.current())}
    wanted = [page_id for page_id in page_ids if page_id in said]
    rows = SkillSaying.objects.filter(page_id__in=wanted, vector__isnull=False)
    return {
        page_id: bytes(vector or b"")
        for page_id, digest, vector in rows.values_list("page_id", "digest", "vector")
        if digest == alike.digest_of(said[page_id], configuration)
    }


def _cosines(asked: Vector, vectors: Sequence[bytes]) -> list[float]:
    matrix = np.frombuffer(b"".join(vectors), dtype=np.float32).reshape(len(vectors), -1)
    return [float(score) for score in matrix @ np.asarray(asked, dtype=np.float32)]
