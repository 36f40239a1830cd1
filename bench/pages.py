"""Pages at size: a level of the outline, a page on screen, a save, a long history, a large difference.

100 000 pages in all, 10 000 of them in one space and 2 000 of those under one parent. Measured within this process,
with the whole stack of a request where a screen is meant, so that the queries of each can be counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from bench import inside
from bench.body import body
from bench.figures import Row, figures_of, median_of, timing_of
from bench.options import Options
from bench.queries import Queries
from bench.site import Site
from company.models import Person
from company.rules.windows import Window
from knowledge.models import Page, Revision
from knowledge.reads.differences import diff_revisions
from knowledge.reads.outline import At, level_window
from knowledge.reads.pages import get_page, list_revisions
from knowledge.rules.buckets import bucket_of
from knowledge.rules.excerpts import excerpt_of
from knowledge.rules.titles import fold
from knowledge.writes.pages import create_page, save_page

IN_ALL, IN_SPACE, UNDER_ONE, REVISIONS = 100_000, 10_000, 2_000, 1_500
SAMPLES = 40
LEVEL_MS = 150.0
DIFF_MS = 1_000.0
_STEP = 2_000


def run(site: Site, options: Options) -> list[Row]:
    """One row a thing a reader or writer does."""
    inside.company()
    settings.ALLOWED_HOSTS = ["testserver"]
    parent, under = _fill(site)
    page = create_page(actor=inside.ACTOR, container="WORKS", title="The page of the bench", body=body())
    site.say(f"a history of {REVISIONS} revisions")
    _history(page.id)
    large = _large()
    saves = [get_page(actor=inside.ACTOR, page_id=page.id).version]
    browser = Client()
    browser.force_login(Person.objects.create(login="bench", permissions=["admin"]))

    def save() -> None:
        text = f"{body()}\n{saves[0]}\n"
        saves[0] = save_page(actor=inside.ACTOR, page_id=page.id, base_version=saves[0], body=text).version

    def screen(address: str) -> Callable[[], object]:
        def shown() -> None:
            answer = browser.get(address)
            assert answer.status_code == 200, address

        return shown

    actor = inside.ACTOR
    calls: dict[str, tuple[Callable[[], object], float | None]] = {
        "top of a space, 500 rows of 8 000": (lambda: level_window(actor=actor, container="WORKS"), LEVEL_MS),
        "level, 500 rows of 2 000": (lambda: level_window(actor=actor, parent=parent), LEVEL_MS),
        "level around a deep link": (
            lambda: level_window(actor=actor, parent=parent, at=At(around=under[1_800])),
            LEVEL_MS,
        ),
        "level of 500 rows as its fragment": (screen(f"/knowledge/outline/{parent}"), None),
        "page view, 8 kB": (screen(f"/knowledge/pages/{page.id}"), None),
        "save, 8 kB": (save, None),
        f"history, 50 of {REVISIONS}": (
            lambda: list_revisions(actor=actor, page_id=page.id, window=Window(limit=50)),
            None,
        ),
        "difference, 500 kB, 2 000 lines changed": (
            lambda: diff_revisions(actor=actor, page_id=large, old=1, new=2),
            DIFF_MS,
        ),
    }
    return [_measure(site, what, call, aim, options) for what, (call, aim) in calls.items()]


def _measure(site: Site, what: str, call: Callable[[], object], aim: float | None, options: Options) -> Row:
    site.say(f"pages: {what}")
    queries = Queries()
    call()
    with connection.execute_wrapper(queries):
        call()
    runs = []
    for _ in range(options.runs):
        seconds = []
        for _ in range(SAMPLES):
            began = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - began)
        runs.append(timing_of(seconds))
    timing = median_of(runs)
    return Row(
        bench="pages",
        what=what,
        figures={**figures_of(timing), "queries": queries.count},
        aim=f"p50 under {aim:g} ms" if aim is not None else "",
        met=timing.p50_ms < aim if aim is not None else None,
    )


def _fill(site: Site) -> tuple[int, list[int]]:
    """The pages; the parent of many, and those under it."""
    site.say(f"{IN_ALL:,} pages")
    parent = create_page(actor=inside.ACTOR, container="WORKS", title="Parent of many", body="").id
    under = _pages(UNDER_ONE, container="WORKS", title="Child", parent_id=parent)
    _pages(IN_SPACE - UNDER_ONE - 1, container="WORKS", title="Page", parent_id=None)
    for number in range((IN_ALL - IN_SPACE) // IN_SPACE):
        _pages(IN_SPACE, container=f"ELSE{number}", title="Page", parent_id=None)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE knowledge_page")
    return parent, under


def _pages(number: int, *, container: str, title: str, parent_id: int | None) -> list[int]:
    now, text = timezone.now(), "A line of the page, long enough to be a line.\n" * 40
    said, ids = excerpt_of(text), []
    for start in range(0, number, _STEP):
        rows = Page.objects.bulk_create(
            Page(
                container=container, parent_id=parent_id, title=f"{title} {index:05}",
                address=fold(f"{title} {index:05}"), body=text, excerpt=said, author_name="bench",
                author_kind="operator", created_at=now, saved_by_name="bench", saved_by_kind="operator", saved_at=now,
                updated_at=now, search_bucket=bucket_of(index),
            )
            for index in range(start, min(start + _STEP, number))
        )  # fmt: skip
        ids += [row.pk for row in rows]
    return ids


def _history(page_id: int) -> None:
    first = Revision.objects.get(page_id=page_id)
    Revision.objects.bulk_create(
        [
            Revision(
                page_id=page_id, version=version, title=first.title, body=first.body, author_name="bench",
                author_kind="operator", operator_id="bench", created_at=first.created_at,
            )
            for version in range(2, REVISIONS + 1)
        ],
        batch_size=100,
    )  # fmt: skip
    Page.objects.filter(pk=page_id).update(version=REVISIONS, body_version=REVISIONS)


def _large() -> int:
    """A page of 500 kB whose second version differs in 2 000 lines."""
    lines = [f"Line {number:05} says something about berths, tides and bookings.\n" for number in range(8_000)]
    page = create_page(actor=inside.ACTOR, container="WORKS", title="Large", body="".join(lines))
    for number in range(0, 8_000, 4):
        lines[number] = lines[number].replace("tides", "moorings")
    save_page(actor=inside.ACTOR, page_id=page.id, base_version=1, body="".join(lines))
    return page.id
