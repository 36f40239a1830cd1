"""The division of a search over hosts: each takes a contiguous range of buckets. Pure; every host computes the same."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.rules.limits import SEARCH_BUCKETS

#: Below this many documents one host searches all of them.
DIVIDED_ABOVE = 10_000


def ranges_of(hosts: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The first and last bucket of each host, in the order of their names; those past the 64th have none."""
    roster = sorted(set(hosts))[:SEARCH_BUCKETS]
    if not roster:
        return {}
    size, longer = divmod(SEARCH_BUCKETS, len(roster))
    ranges: dict[str, tuple[int, int]] = {}
    first = 0
    for number, host in enumerate(roster):
        width = size + (1 if number < longer else 0)
        ranges[host] = (first, first + width - 1)
        first += width
    return ranges
