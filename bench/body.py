"""The page body both sides of a comparison show: about 8 kB of headings, prose, tables, code, lists and links."""

from __future__ import annotations

from crewlet_site.example_pages import read_pages, with_links

BYTES = 8_000


def body() -> str:
    """Pages of the example one after another until there are `BYTES`; the same text on every machine."""
    parts: list[str] = []
    pages = [page for page in read_pages() if page.body]
    ids = {page.path: number for number, page in enumerate(read_pages(), 1)}
    for page in sorted(pages, key=lambda page: (page.container != "ENG", page.path)):
        if sum(len(part.encode()) for part in parts) >= BYTES:
            break
        parts.append(f"# {page.title}\n\n{with_links(page, ids)}")
    return "\n".join(parts)
