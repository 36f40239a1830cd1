"""A walk of the skills container in which nothing has changed: what every process pays every ten minutes."""

from __future__ import annotations

import statistics
import time

from django.db import connection

from bench import inside
from bench.figures import Row
from bench.options import Options
from bench.queries import Queries
from bench.site import BenchFailed, Site
from skills import registry

SIZES = (100, 1_000)
WALKS_A_RUN = 5


def run(site: Site, options: Options) -> list[Row]:
    """One row a size; the last one says whether the queries stayed as many."""
    rows: list[Row] = []
    counts: list[int] = []
    for size in SIZES:
        inside.skills(site, size)
        sync = inside.synced()
        before = registry.current()
        queries = Queries()
        seconds: list[float] = []
        for number in range(options.runs * WALKS_A_RUN + 1):
            queries.count = 0
            began = time.perf_counter()
            with connection.execute_wrapper(queries):
                sync.request_walk()
                sync.run_pending()
            if number:  # the first one warms up
                seconds.append(time.perf_counter() - began)
        if len(before.by_key) != size or registry.current() is not before:
            raise BenchFailed(
                f"the walk of {size} pages served {len(registry.current().by_key)} skills, or changed them"
            )
        counts.append(queries.count)
        rows.append(
            Row(
                bench="walk",
                what=f"{size} pages, nothing changed",
                figures={
                    "median ms": round(statistics.median(seconds) * 1000, 1),
                    "slowest ms": round(max(seconds) * 1000, 1),
                    "queries": queries.count,
                },
                aim=f"as many queries as at {SIZES[0]}" if len(counts) > 1 else "",
                met=counts[-1] == counts[0] if len(counts) > 1 else None,
            )
        )
    return rows
