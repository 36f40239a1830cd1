"""`python -m bench [name…]`: runs the benches and prints their figures with the machine they were measured on."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from bench import machine
from bench.figures import Row, as_markdown
from bench.load import LoadFailed, generator
from bench.options import Options
from bench.site import BenchFailed, Site
from crewlet_site.embedded.servers import ServersUnavailable


@dataclass(frozen=True, kw_only=True)
class Bench:
    """`module` has `run(site, options)`. One that measures within this process is imported once Django is set up."""

    module: str
    what: str
    within: bool = False


BENCHES = {
    "start": Bench(module="bench.start", what="a first and a second ./crewlet up, until it is ready"),
    "walk": Bench(
        module="bench.walk", what="a walk of 100 and of 1 000 skill pages in which nothing has changed", within=True
    ),
    "gate": Bench(
        module="bench.gate", what="a decision of the guard within a process, 1 000 skills in the registry", within=True
    ),
    "http": Bench(module="bench.http", what="opening a session, the gate and a page view over HTTP, two web processes"),
    "agents": Bench(
        module="bench.agents",
        what="many agents at once over REST and MCP: reading, searching, writing, loading, gating",
    ),
    "skills": Bench(
        module="bench.skills", what="judging skill folders, rendering their catalogue, matching prompt skills"
    ),
    "search": Bench(
        module="bench.search", what="how well and how fast questions find their pages, beside other engines"
    ),
    "pages": Bench(
        module="bench.pages", what="outline, page, save, history and difference, 100 000 pages there", within=True
    ),
    "django-wiki": Bench(module="bench.wiki", what="a page view beside django-wiki's, on the same body and servers"),
}
"""In the order they run: the walk wants few pages before the gate wants many skills."""


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for. 0; 1 where a bench could not be run or an aim was missed."""
    parser = argparse.ArgumentParser(
        prog="crewlet bench",
        description="Measure on this machine. Prints markdown; progress goes to standard error.",
        epilog="Benches: " + "; ".join(f"{name}: {bench.what}" for name, bench in BENCHES.items()) + ".",
    )
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"which benches, of {', '.join(BENCHES)} (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--runs", type=int, default=5, help="runs of each measurement, of which the median is told")
    parser.add_argument("--seconds", type=float, default=5, help="how long one run over HTTP lasts")
    parser.add_argument("--skills", type=int, default=1_000, help="skills in the registry of 'gate'")
    parser.add_argument("--agents", type=int, default=200, help="agents that work at once in 'agents'")
    parser.add_argument(
        "--data", type=Path, nargs="*", default=[], help="retrieval sets of 'search': folders or archives"
    )
    parser.add_argument("--pages", type=int, default=0, help="documents that the speed of 'search' is measured on")
    parser.add_argument("--model", choices=("minilm", "static"), help="local model of the semantic half of 'search'")
    args = parser.parse_args(arguments)
    unknown = [name for name in args.names if name not in BENCHES]
    if unknown:
        parser.error(f"there is no bench '{unknown[0]}'; there are {', '.join(BENCHES)}")
    if min(args.runs, args.seconds, args.skills, args.agents) < 1:
        parser.error("runs, seconds, skills and agents are at least 1")
    options = Options(
        runs=args.runs,
        seconds=args.seconds,
        skills=args.skills,
        agents=args.agents,
        data=tuple(args.data),
        pages=max(0, args.pages),
        model=args.model or "",
    )
    names = [name for name in BENCHES if name in args.names or not args.names]
    rows: list[Row] = []
    failures: dict[str, str] = {}
    try:
        with Site(say) as site:
            about = machine.describe(postgres=site.postgres_version, load_generator=generator())
            for name in names:
                say(name)
                try:
                    rows += _run(BENCHES[name], site, options)
                except (BenchFailed, LoadFailed) as error:
                    failures[name] = str(error)
    except (BenchFailed, ServersUnavailable) as error:
        print(f"crewlet bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(_as_json(about, rows, failures) if args.json else _as_text(about, rows, failures))
    return 1 if failures or any(row.met is False for row in rows) else 0


def _run(bench: Bench, site: Site, options: Options) -> list[Row]:
    if bench.within:
        site.inside  # noqa: B018 (made on first use)
    run: Callable[[Site, Options], list[Row]] = import_module(bench.module).run
    return run(site, options)


def say(what: str) -> None:
    """Progress in words, on standard error."""
    print(f"… {what}", file=sys.stderr, flush=True)


def _as_text(about: dict[str, str], rows: list[Row], failures: dict[str, str]) -> str:
    parts = ["\n".join(f"- {name}: {value}" for name, value in about.items())]
    if rows:
        parts.append(as_markdown(rows))
    parts += [f"### {name}\n\nNot measured: {why}" for name, why in failures.items()]
    return "\n\n".join(parts)


def _as_json(about: dict[str, str], rows: list[Row], failures: dict[str, str]) -> str:
    return json.dumps({"machine": about, "rows": [row.as_dict() for row in rows], "not_measured": failures}, indent=2)


if __name__ == "__main__":
    sys.exit(main())
