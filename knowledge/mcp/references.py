"""How a tool names a page: by its id, or by `CONTAINER/Title`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.reads.pages import page_at
from knowledge.reads.shapes import MovedTo

PageRef = Annotated[
    int | str, Field(description="The page: its id (12), or its address as CONTAINER/Title (ENG/Deploy runbook).")
]


def page_id_of(ref: int | str, *, actor: Actor, attr: str = "page") -> int:
    """The id of the page that is meant; an address it has left still leads to it. Raises `invalid`, `not_found`."""
    text = str(ref).strip()
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    container, slash, title = text.partition("/")
    if isinstance(ref, int) or not slash or not container or not title.strip():
        raise Refused(
            Code.INVALID, f"'{attr}' is a page's id, such as 12, or its address, such as ENG/Deploy runbook.", attr=attr
        )
    found = page_at(actor=actor, container=container, title=title)
    return found.page_id if isinstance(found, MovedTo) else found.id
