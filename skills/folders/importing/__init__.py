"""Bringing skill folders in: every SKILL.md of a tree gets one verdict, and nothing is lost in silence.

`judge` decides over one file, `check_tree` over a folder on disk. The importer is lenient in the open: what it repairs
is written down and shown. The library stays strict: what it holds afterwards passes the same check as any skill.
"""

from skills.folders.importing.trees import TreeReport, check_tree, in_one_library, judge_archive, judge_tree
from skills.folders.importing.verdicts import FileReport, Verdict, judge, problem_lines

__all__ = [
    "FileReport",
    "TreeReport",
    "Verdict",
    "check_tree",
    "in_one_library",
    "judge",
    "judge_archive",
    "judge_tree",
    "problem_lines",
]
