"""Where a skill may lie: inside its root, and not among secrets. Touches the disk only to resolve symbolic links."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

SENSITIVE_PATTERNS = ("**/.env/**", "**/secrets/**", "**/.ssh/**", "**/.aws/**", "**/.gnupg/**")
"""Folders in which a skill is almost certainly a misconfiguration, as a session has them by default."""


def is_inside(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a path, its symbolic links and `..` resolved, lies in one of the roots.

    A path that cannot be resolved (a loop of links, a folder that may not be entered) lies nowhere.
    """
    try:
        resolved = path.resolve(strict=True)
        return any(resolved.is_relative_to(root.resolve(strict=True)) for root in roots if root.exists())
    except (OSError, RuntimeError):
        return False


def matching_pattern(path: PurePath, patterns: Sequence[str]) -> str | None:
    """The first sensitive pattern a path matches; None when it matches none.

    `**` stands for any number of folders, none included; `*` and `?` stay within one.
    """
    parts = tuple(part for part in path.as_posix().split("/") if part)
    for pattern in patterns:
        if _matches(tuple(part for part in pattern.split("/") if part), parts):
            return pattern
    return None


def _matches(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Follows every way the pattern can be read at once, so that several `**` cost no more than one."""
    reached = _past_stars(pattern, {0})
    for part in parts:
        after: set[int] = set()
        for at in reached:
            if at < len(pattern) and pattern[at] == "**":
                after.add(at)
            elif at < len(pattern) and fnmatchcase(part, pattern[at]):
                after.add(at + 1)
        reached = _past_stars(pattern, after)
    return len(pattern) in reached


def _past_stars(pattern: tuple[str, ...], reached: set[int]) -> set[int]:
    """The places reached, and those beyond a `**` that stands for no folder."""
    result = set(reached)
    for at in sorted(reached):
        while at < len(pattern) and pattern[at] == "**":
            at += 1  # noqa: PLW2901  # walks on from the place, not over the set
            result.add(at)
    return result
