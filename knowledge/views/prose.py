"""Text of people and agents as every screen shows it: one renderer, with the seats it names and the links that are
gone marked for whoever reads."""

from __future__ import annotations

from django.http import HttpRequest

from company import live
from company.rules.actors import Actor
from knowledge.addresses import base_urls
from knowledge.reads.links import gone_among
from knowledge.rules.markdown import Rendered, mark_gone, render, render_kept


def prose(request: HttpRequest, actor: Actor, text: str, *, kept: bool = False) -> Rendered:
    """A text, rendered. With `kept`, what was made of it before is used again: for texts that are read often.

    One query where the text links to pages, none where it does not.
    """
    make = render_kept if kept else render
    made = make(text, base_urls=base_urls(request), handles=live.current().handles)
    return mark_gone(made, gone_among((link.page_id for link in made.page_links), actor=actor))
