"""A page view of ours beside django-wiki's: one body, one Postgres, uvicorn with two processes, a signed-in reader."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from importlib.util import find_spec

from bench.body import body
from bench.browser import cookies_of
from bench.figures import Row, Timing, figures_of, median_of
from bench.http import page_view
from bench.load import Call, send
from bench.options import Options
from bench.site import ROOT, BenchFailed, Site, free_port

TIMES = 3
"""How many times django-wiki's requests a second are aimed for."""


def run(site: Site, options: Options) -> list[Row]:
    """Measure both in turns, so that a machine that grows slower does so for both."""
    ours, theirs = page_view(site), _their_page(site)
    rows: list[Row] = []
    for concurrency in options.concurrencies:
        both: tuple[list[Timing], list[Timing]] = ([], [])
        for call in (ours, theirs):
            send(call, concurrency=concurrency, seconds=options.warm_up)
        for _ in range(options.runs):
            for call, runs in zip((ours, theirs), both, strict=True):
                runs.append(send(call, concurrency=concurrency, seconds=options.seconds))
        mine, their = median_of(both[0]), median_of(both[1])
        assert mine.per_second is not None  # a load always has a rate
        assert their.per_second is not None
        ratio = mine.per_second / their.per_second
        rows.append(
            Row(
                bench="django-wiki",
                what=f"Crewlet, {concurrency} at a time",
                figures=figures_of(mine) | {"times theirs": round(ratio, 1)},
                aim=f"at least {TIMES} times theirs",
                met=ratio >= TIMES,
                note=_note(),
            )
        )
        rows.append(Row(bench="django-wiki", what=f"django-wiki, {concurrency} at a time", figures=figures_of(their)))
    return rows


def _their_page(site: Site) -> Call:
    """Start django-wiki with one article and sign a reader in."""
    if find_spec("wiki") is None:
        raise BenchFailed("django-wiki is not installed; ./crewlet bench installs requirements-bench.txt")
    site.say("django-wiki: tables, one article, two processes")
    password = secrets.token_urlsafe(12)
    environ = os.environ | {
        "DATABASE_URL": site.database("wiki"),
        "DJANGO_SETTINGS_MODULE": "bench.django_wiki.settings",
        "WIKI_SECRET_KEY": secrets.token_urlsafe(40),
        "WIKI_MEDIA_ROOT": str(site.folder / "wiki-media"),
        "WIKI_READER_PASSWORD": password,
    }
    seeded = subprocess.run(
        [sys.executable, "-m", "bench.django_wiki.seed"], cwd=ROOT, env=environ, input=body(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if seeded.returncode:
        raise BenchFailed(f"django-wiki could not be seeded: {seeded.stderr.strip()[-300:]}")
    path = json.loads(seeded.stdout)["path"]
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.django_wiki.asgi:application", "--port", str(port),
               "--workers", "2", "--no-access-log"]  # fmt: skip
    site.serve(command, environ=environ, until="Application startup complete")
    url = f"http://127.0.0.1:{port}"
    cookies = cookies_of(url, "/_accounts/login/", {"username": "reader", "password": password})
    return Call(url=f"{url}{path}", headers={"Cookie": cookies}, expect="ERR_HOLD_EXPIRED")


def _note() -> str:
    """What was compared, in a sentence."""
    return (
        f"One body of {len(body().encode())} bytes; a signed-in reader; uvicorn with two processes and one Postgres on "
        "both sides. django-wiki as its guide installs it: DEBUG off, templates cached, connections pooled, its own "
        "cache of rendered articles on."
    )
