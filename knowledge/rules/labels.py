"""Labels and watchers of a page: short lists without repetitions, in the order they were given."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from company.rules.refusals import Code, Refused
from knowledge.rules.limits import LABEL_BYTES, LABELS, WATCHERS
from knowledge.rules.texts import clean_line


def clean_labels(labels: Sequence[str]) -> list[str]:
    """The labels, each once; refuses more than 32 or one above 64 bytes (`too_long`), or one that shows nothing."""
    cleaned = list(dict.fromkeys(clean_line(label, attr="labels", limit=LABEL_BYTES) for label in labels))
    return _at_most(cleaned, LABELS, "labels")


def clean_watchers(watchers: Sequence[str], *, handles: Collection[str]) -> list[str]:
    """The watchers, each once; `handles` are the company's seats, and another name is `invalid`."""
    for watcher in watchers:
        if watcher not in handles:
            raise Refused(
                Code.INVALID, f"No seat has the handle '{watcher}'. Watchers are handles of seats.", attr="watchers"
            )
    return _at_most(list(dict.fromkeys(watchers)), WATCHERS, "watchers")


def with_watcher(watchers: Sequence[str], handle: str) -> list[str]:
    """The watchers and one more; refuses the 257th (`too_long`)."""
    return _at_most(list(dict.fromkeys([*watchers, handle])), WATCHERS, "watchers")


def _at_most(names: list[str], limit: int, attr: str) -> list[str]:
    if len(names) > limit:
        raise Refused(
            Code.TOO_LONG, f"'{attr}' names {len(names)}; at most {limit} are kept.", attr=attr, extras={"limit": limit}
        )
    return names
