"""Short ways to make pages in tests, through the writes themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from company.rules.actors import Actor
from company.rules.windows import Window, parse_window
from knowledge.models import Page
from knowledge.reads.levels import CURSOR_WIDTH
from knowledge.reads.shapes import PageView
from knowledge.writes.pages import create_page
from tests.factories import admin, agent


def page(title: str = "Deploy runbook", body: str = "Ship it.", *, by: Actor | None = None, **more: Any) -> PageView:
    """A page in ENG by the engineer agent, unless said otherwise."""
    if "parent_id" not in more:
        more.setdefault("container", "ENG")
    return create_page(actor=by or agent(), title=title, body=body, **more)


def row(page_id: int) -> Page:
    """The page's row, as it stands in the table."""
    return Page.objects.get(pk=page_id)


def proven_admin() -> Actor:
    """An administrator who has just given their password."""
    return admin(proven_until=timezone.now() + timedelta(minutes=15))


def window(limit: int = 500, after: str | None = None) -> Window:
    """A window of a listing of pages."""
    return parse_window(str(limit), after, width=CURSOR_WIDTH)
