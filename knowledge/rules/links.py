"""Links of pages: where one leads, which page it names, and how the editor writes one. Pure.

Owns the forms by which a text names a page of this app: `/pages/12`, `/knowledge/pages/12`, `#/knowledge/pages/12`,
and any of them behind an address the app is reached by. A link is by id, so neither a rename nor a move breaks it. And
the forms of a work item, by its key (`/tracker/items/ENG-4`, `#/items/ENG-4`); what items are is another app's.
Refuses every scheme but `http`, `https` and `mailto`; brackets (`[[Title]]`) are text.

`LINKS_RULE` numbers what counts as a link. Raise it with any change of that: every page carries the number its links
were found by, and those with a lower one are read again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LINKS_RULE = 2
MAX_LINK = 2_048
MAX_ORIGIN = 512
ANCHOR_PREFIX = "h-"

_NEVER_IN_A_LINK = re.compile(r"[\x00-\x1f\x7f\\]")
_ALLOWED = re.compile(r"^(?:https?|mailto):", re.IGNORECASE)
_PAGE = r"(?:knowledge/)?pages/(?P<id>[0-9]{1,18})/?(?P<query>\?[^#]*)?(?P<fragment>#.*)?$"
_PAGE_ROUTE = re.compile(rf"^/?(?:#/)?{_PAGE}")
_PAGE_ELSEWHERE = re.compile(rf"^(?P<origin>https?://[^?#]+?)(?:/?#/|/){_PAGE}", re.IGNORECASE)
_ITEM_ROUTE = re.compile(r"^/?#/(?:tracker/)?items/([A-Z][A-Z0-9]{1,9}-[0-9]{1,18})$")
_ITEM = r"items/(?P<key>[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,8})/?(?:[?#].*)?$"
_ITEM_HERE = re.compile(rf"^(?:/?#/(?:tracker/)?|/?tracker/){_ITEM}")
_ITEM_ELSEWHERE = re.compile(rf"^(?P<origin>https?://[^?#]+?)(?:/?#/|/)(?:tracker/)?{_ITEM}")
_HASH_ROUTE = re.compile(r"^/?#(/(?:knowledge|skills|tracker|diaries|notifications|operations|company)(?:[/?].*)?)$")
_MEANS_SOMETHING = re.compile(r"([\\\[\]*_`<>&~|])")


@dataclass(frozen=True, kw_only=True)
class PageLink:
    """A page that is linked to. `origin` is the address before the route, empty for a link without one.

    Whether an origin is this app is decided when links are read: the dashboard's address may change, and the host a
    request came to is known to the request alone.
    """

    page_id: int
    origin: str = ""


def page_link(target: str) -> PageLink | None:
    """The page a link names, or None for a link to anything else."""
    if len(target) > MAX_LINK or _NEVER_IN_A_LINK.search(target):
        return None
    if here := _PAGE_ROUTE.match(target):
        return PageLink(page_id=int(here["id"]))
    elsewhere = _PAGE_ELSEWHERE.match(target)
    if elsewhere is None or len(elsewhere["origin"]) > MAX_ORIGIN:
        return None
    return PageLink(page_id=int(elsewhere["id"]), origin=elsewhere["origin"].rstrip("/"))


@dataclass(frozen=True, kw_only=True)
class ItemLink:
    """A work item that is linked to, by its key; `origin` as a link to a page has it."""

    key: str
    origin: str = ""


def item_link(target: str) -> ItemLink | None:
    """The work item a link names, or None for a link to anything else."""
    if len(target) > MAX_LINK or _NEVER_IN_A_LINK.search(target):
        return None
    if here := _ITEM_HERE.match(target):
        return ItemLink(key=here["key"])
    elsewhere = _ITEM_ELSEWHERE.match(target)
    if elsewhere is None or len(elsewhere["origin"]) > MAX_ORIGIN:
        return None
    return ItemLink(key=elsewhere["key"], origin=elsewhere["origin"].rstrip("/"))


def resolve_link(target: str, *, base_urls: Sequence[str] = ()) -> str | None:
    """Where a link of a page leads on the screens, or None where it may not lead anywhere.

    The hash forms (`#/knowledge/pages/12`, `#/items/ENG-4`), `/pages/12` and the app's own absolute addresses become
    routes of this site; `#heading` becomes the heading's anchor.
    """
    if len(target) > MAX_LINK or _NEVER_IN_A_LINK.search(target):
        return None
    for base in base_urls:
        if target == base or target.startswith((f"{base}/", f"{base}#")):
            target = target[len(base) :] or "/"
            break
    resolved: str | None = None
    if page := _PAGE_ROUTE.match(target):
        fragment = _fragment(page["fragment"] or "")
        resolved = f"/knowledge/pages/{int(page['id'])}{page['query'] or ''}{fragment}"
    elif item := _ITEM_ROUTE.match(target):
        resolved = f"/tracker/items/{item[1]}"
    elif route := _HASH_ROUTE.match(target):
        resolved = route[1]
    elif target.startswith("#"):
        resolved = _fragment(target)
    elif (target.startswith("/") and not target.startswith("//")) or _ALLOWED.match(target):
        resolved = target
    return resolved


def write_link(*, title: str, page_id: int) -> str:
    """The markdown of a link to a page, its title as the words, whatever characters the title has."""
    words = _MEANS_SOMETHING.sub(r"\\\1", title)
    return f"[{words}](/pages/{page_id})"


def _fragment(fragment: str) -> str:
    """A fragment as authors write it (`#setup`), aimed at the id the heading carries."""
    name = fragment.removeprefix("#")
    if not name or name.startswith((ANCHOR_PREFIX, "fn")):
        return fragment
    return f"#{ANCHOR_PREFIX}{name}"
