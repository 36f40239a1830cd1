"""Labels and watchers of a page: short lists without repetitions, in the order they were given."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from company.rules.refusals import Code, Refused
from knowledge.rules.limits import LABEL_BYTES, LABELS, WATCHERS
from knowledge.rules.texts import clean_line


def clean_labels(labels: Sequence[str], *, at_most: int = LABELS, limit: int = LABEL_BYTES) -> list[str]:
    """The labels, each once; refuses more than `at_most` or one above `limit` bytes (`too_long`), or one that shows
    nothing. The limits are those of a page unless told otherwise."""
    cleaned = list(dict.fromkeys(clean_line(label, attr="labels", limit=limit) for label in labels))
    return _at_most(cleaned, at_most, "labels")


def clean_watchers(watchers: Sequence[str], *, handles: Collection[str], at_most: int = WATCHERS) -> list[str]:
    """The watchers, each once; `handles` are the company's seats, and another name is `invalid`."""
    for watcher in watchers:
        if watcher not in handles:
            raise Refused(
                Code.INVALID, f"No seat has the handle '{watcher}'. Watchers are handles of seats.", attr="watchers"
            )
    return _at_most(list(dict.fromkeys(watchers)), at_most, "watchers")


def with_watcher(watchers: Sequence[str], handle: str, *, at_most: int = WATCHERS) -> list[str]:
    """The watchers and one more; refuses one above `at_most` (`too_long`)."""
    return _at_most(list(dict.fromkeys([*watchers, handle])), at_most, "watchers")


def _at_most(names: list[str], limit: int, attr: str) -> list[str]:
    if len(names) > limit:
        raise Refused(
            Code.TOO_LONG, f"'{attr}' names {len(names)}; at most {limit} are kept.", attr=attr, extras={"limit": limit}
        )
    return names
