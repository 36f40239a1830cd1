"""Two edits of one text that met, as a screen shows them."""

from __future__ import annotations

import sys

from knowledge.rules.diff import Difference, diff_lines
from knowledge.rules.merge import count_marked, merge_texts
from knowledge.views.differences import Shape, ShownDifference, show_difference


def two_texts(*, base: str, yours: str, theirs: str, proposal: str | None = None) -> dict[str, object]:
    """What each side changed, and one text with both edits in it; `proposal` is what somebody made of that."""
    text = merge_texts(base=base, yours=yours, theirs=theirs).text if proposal is None else proposal
    return {
        "proposal": text,
        "conflicts": count_marked(text),
        "still_marked": proposal is not None,
        "theirs": _whole(diff_lines(base, theirs)),
        "yours": _whole(diff_lines(base, yours)),
    }


def _whole(difference: Difference) -> ShownDifference:
    """A difference in one column, all of it: two of them stand side by side here, and neither has an address."""
    return show_difference(difference, shape=Shape.UNIFIED, window=sys.maxsize)
