"""One decision of the guard within a process, as the gate's door asks for it: session, registry, company, verdict."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import connection

from bench import inside
from bench.figures import Row, Timing, figures_of, median_of, timing_of
from bench.options import Options
from bench.queries import Queries
from bench.site import BenchFailed, Site
from company.reads.actors import BOTH_APPS
from company.rules.actors import Actor, ActorKind, Author, Door
from skills import registry
from skills.writes.sessions import GateAnswer, check_gate, load_skill, open_session

DECISIONS = 5_000
BLOCKS = 200
AIM_MS = 1.0
TOOLS = 100
"""How many tools the session has, of which half were read about."""


def run(site: Site, options: Options) -> list[Row]:
    """Three calls: one whose skill was loaded, one that no skill covers, one that is held back and so counted."""
    inside.skills(site, options.skills)
    inside.synced()
    agent = Actor(
        author=Author(name=inside.SEAT, kind=ActorKind.AGENT),
        credential="bench",
        door=Door.REST,
        seat=inside.SEAT,
        permissions=BOTH_APPS,
    )
    tools = [inside.tool(number) for number in range(min(TOOLS, options.skills))]
    session = open_session(
        actor=agent, phase="execute", tools=["load_tool_skill", *tools, "uncovered"], servers=[inside.SERVER]
    )
    for tool in tools[: len(tools) // 2 or 1]:
        load_skill(actor=agent, session_id=session.id, key=f"tool:{tool}")

    def ask(tool: str) -> Callable[[], GateAnswer]:
        return lambda: check_gate(actor=agent, session_id=session.id, tool=tool, server=inside.SERVER)

    cases = [
        ("allowed: its skill was loaded", ask(tools[0]), True),
        ("allowed: no skill covers it", ask("uncovered"), True),
    ]
    if len(tools) > 1:
        cases.append(("held back, counted and published", ask(tools[-1]), False))
    return [_measure(what, decide, allowed, options) for what, decide, allowed in cases]


def _measure(what: str, decide: Callable[[], GateAnswer], allowed: bool, options: Options) -> Row:
    """Times a decision. One that is allowed is aimed at under a millisecond and at no query.

    The processor's time stands beside the clock's: on a machine that is busy with other things only the clock grows.
    """
    queries = Queries()
    with connection.execute_wrapper(queries):
        if decide().allowed is not allowed:
            raise BenchFailed(f"the gate did not answer what was expected ({what})")
    runs: list[Timing] = []
    processor: list[float] = []
    for _ in range(options.runs):
        seconds: list[float] = []
        for _ in range(DECISIONS if allowed else BLOCKS):
            spent, began = time.thread_time(), time.perf_counter()
            decide()
            seconds.append(time.perf_counter() - began)
            processor.append(time.thread_time() - spent)
        runs.append(timing_of(seconds))
    timing = median_of(runs)
    return Row(
        bench="gate",
        what=what,
        figures=figures_of(timing)
        | {"p99 ms of processor": figures_of(timing_of(processor))["p99 ms"], "queries": queries.count},
        aim=f"p99 under {AIM_MS:g} ms, no query" if allowed else "",
        met=timing.p99_ms < AIM_MS and queries.count == 0 if allowed else None,
        note=f"{len(registry.current().by_key)} skills in the registry; {DECISIONS} decisions a run, {BLOCKS} blocks.",
    )
