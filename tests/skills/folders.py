"""Builders of skill folders for tests."""

from __future__ import annotations

from pathlib import Path

from skills.folders import FilesystemSkillRegistry, Policy, SkillTool
from skills.folders.permission import Audit

BODY = "# Release notes\n\nCollect what changed since the last tag.\n"


def write_skill(
    root: Path, name: str = "release-notes", *, extra: str = "", body: str = BODY, text: str | None = None
) -> Path:
    """A skill folder in a root; `text` is the whole SKILL.md where a test wants it byte for byte."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    if text is None:
        text = f"---\nname: {name}\ndescription: Use when a release is cut.\n{extra}---\n{body}"
    (folder / "SKILL.md").write_bytes(text.encode())
    return folder


def write_files(folder: Path, *names: str) -> None:
    """Empty files below a skill's folder."""
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def tool_for(*roots: Path, policy: Policy | None = None, trusted: bool = True, audit: Audit | None = None) -> SkillTool:
    """A session over roots, which it trusts unless a test says otherwise."""
    return SkillTool(
        FilesystemSkillRegistry(roots),
        policy=policy or Policy(trusted_roots=roots if trusted else ()),
        audit=audit,
    )
