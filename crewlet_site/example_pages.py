"""The example's tree of pages, as files: read, and linked. Pure but for the reading.

The first folder is the container, deeper folders are parent pages, and the first `# heading` of a file is its title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crewlet_site.environment import ROOT

EXAMPLES = ROOT / "examples"
LINK_TO_FILE = re.compile(r"\]\(((?:\.\./)*[\w./-]+(?:\.md|/))\)")

_TITLE = re.compile(r"\A# (.+)\n+")


@dataclass(frozen=True, kw_only=True)
class ExamplePage:
    """A page as `examples/pages` has it. `path` names it within the tree; `parent` is the path of the page above."""

    path: PurePosixPath
    container: str
    title: str
    body: str
    parent: PurePosixPath | None


def read_pages(root: Path = EXAMPLES / "pages") -> list[ExamplePage]:
    """Every page under `root`, parents before children; a folder without a page of its own name is an empty page."""
    pages: list[ExamplePage] = []
    for path in sorted(root.rglob("*")):
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if len(relative.parts) == 1 or (path.is_file() and path.suffix != ".md"):
            continue
        if path.is_dir():
            if path.with_suffix(".md").exists():
                continue
            title, body = relative.name.replace("-", " ").capitalize(), ""
        else:
            title, body = _titled(path)
        pages.append(
            ExamplePage(
                path=relative.with_suffix(""),
                container=relative.parts[0],
                title=title,
                body=body,
                parent=relative.parent if len(relative.parts) > 2 else None,
            )
        )
    return sorted(pages, key=lambda page: (page.path.parts[0] != "HOME", len(page.path.parts), page.path))


def _titled(path: Path) -> tuple[str, str]:
    """Title and body of a file; the heading that is the title is not said twice. Raises ValueError without one."""
    text = path.read_text(encoding="utf-8")
    heading = _TITLE.match(text)
    if heading is None:
        raise ValueError(f"{path} has no '# title' on its first line")
    return heading[1].strip(), text[heading.end() :]


def with_links(page: ExamplePage, ids: Mapping[PurePosixPath, int]) -> str:
    """The body with every link to a file or folder of the tree turned into a link to that page, where it has an id."""

    def by_id(link: re.Match[str]) -> str:
        target = _within(page.path.parent, link[1])
        return f"](/knowledge/pages/{ids[target]})" if target in ids else link[0]

    return LINK_TO_FILE.sub(by_id, page.body)


def _within(folder: PurePosixPath, link: str) -> PurePosixPath:
    """The path in the tree that a relative link written in `folder` leads to."""
    parts = list(folder.parts)
    for part in PurePosixPath(link).with_suffix("").parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return PurePosixPath(*parts)
