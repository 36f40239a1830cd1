"""What changed between two texts: by line, and by word inside a changed line. Pure, and bounded on bodies of any shape.

`matching` finds the lines both texts share (the merge uses it too), `hunks` gathers what changed with the lines around
it, `words` marks what changed inside a line, `columns` sets the two texts side by side.
"""

from knowledge.rules.diff.columns import Row, side_by_side
from knowledge.rules.diff.hunks import CONTEXT, Difference, Hunk, Level, Line, Op, diff_lines
from knowledge.rules.diff.matching import Match, match_lines, split_lines
from knowledge.rules.diff.words import Piece, pieces_of

__all__ = [
    "CONTEXT",
    "Difference",
    "Hunk",
    "Level",
    "Line",
    "Match",
    "Op",
    "Piece",
    "Row",
    "diff_lines",
    "match_lines",
    "pieces_of",
    "side_by_side",
    "split_lines",
]
