"""The command line: `./crewlet <command>`. Finds or starts the servers, dispatches, and says in one line what is wrong.

An app adds its commands in its `commands.py`: `register(subparsers)` calls `subparsers.add_parser(name, help=…)` and
`set_defaults(run=function)` on each; `function(arguments: argparse.Namespace) -> int` returns the exit code and may
raise `Refused`. A command that touches neither database nor Valkey says so with `set_defaults(needs_servers=False)`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from crewlet_site.embedded import places, servers
from crewlet_site.embedded.places import Kind

ROOT = Path(__file__).resolve().parent.parent
APPS = ("company", "knowledge", "skills", "tracker")
_OWN = ("up", "run", "test", "check", "bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    data_dir = data_dir_of(words)
    os.environ["CREWLET_DATA_DIR"] = str(data_dir)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")
    command = words[0] if words else ""
    try:
        if command in _HAND_ON and words[1:] not in (["-h"], ["--help"]):
            return _HAND_ON[command](_without_data_dir(words[1:]))
        parsed = parser(with_apps=command not in _OWN).parse_args(words)
        return _run(parsed, data_dir)
    except KeyboardInterrupt:
        _complain("Interrupted.")
        return 130
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (servers.ServersUnavailable, ImproperlyConfigured) as error:
        _complain(_first_line(error))
        return 1


def data_dir_of(words: Sequence[str]) -> Path:
    """The data directory: `--data-dir`, else CREWLET_DATA_DIR, else `.crewlet` beside manage.py; absolute."""
    given = os.environ.get("CREWLET_DATA_DIR") or str(ROOT / ".crewlet")
    for index, word in enumerate(words):
        if word == "--":
            break
        if word == "--data-dir" and index + 1 < len(words):
            given = words[index + 1]
        elif word.startswith("--data-dir="):
            given = word.partition("=")[2]
    return Path(given).expanduser().resolve()


def _without_data_dir(words: list[str]) -> list[str]:
    left = list(words)
    for index, word in enumerate(words):
        if word == "--data-dir":
            del left[index : index + 2]
            return left
        if word.startswith("--data-dir="):
            del left[index]
            return left
    return left


def parser(*, with_apps: bool = True) -> argparse.ArgumentParser:
    """The whole command line; without the apps' commands where only our own is asked for, which starts sooner."""
    top = argparse.ArgumentParser(prog="crewlet", description="A company of people and agents, and what they know.")
    commands = top.add_subparsers(dest="command", metavar="<command>", required=True)
    _register_own(commands)
    if with_apps:
        _set_up_django()
        for app in APPS:
            if find_spec(app) and find_spec(f"{app}.commands"):
                import_module(f"{app}.commands").register(commands)
        import_module("crewlet_site.backup.commands").register(commands)
    _add_data_dir(top)
    return top


def _register_own(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    up = commands.add_parser("up", help="start everything and keep it running until Ctrl-C")
    up.add_argument("--port", type=_port, default=8000, help="where the site listens (default: 8000)")
    up.add_argument("--host", default="127.0.0.1", help="address the site listens on (default: 127.0.0.1)")
    up.add_argument("--no-example", action="store_true", help="leave an empty deployment empty")
    up.set_defaults(run=_up)
    alone = commands.add_parser("run", help="run one process in the foreground, on servers of your own")
    alone.add_argument("role", choices=("web", "indexer", "worker", "beat"))
    alone.add_argument("--port", type=_port, default=8000, help="where a web process listens (default: 8000)")
    alone.add_argument("--host", default="127.0.0.1", help="address a web process listens on (default: 127.0.0.1)")
    alone.set_defaults(run=_alone)
    commands.add_parser(
        "test",
        usage="crewlet test [pytest arguments]",
        help="run the checks and every test; with pytest's arguments, only those tests",
        description="Runs the checks and every test. With arguments, runs pytest alone with them.",
    )
    check = commands.add_parser("check", help="run what a machine checks: style, types, imports, migrations")
    check.set_defaults(run=_check)
    commands.add_parser(
        "bench",
        usage="crewlet bench [arguments]",
        help="measure, and print what was measured",
        description="Measures. Arguments go to the bench package; see bench/README.md.",
    )


def _add_data_dir(top: argparse.ArgumentParser) -> None:
    """`--data-dir` on every command, however deep. `data_dir_of` has read it already; here it is told and accepted."""
    for action in top._actions:  # noqa: SLF001 (argparse has no other way to walk its parsers)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for below in set(action.choices.values()):
                _add_data_dir(below)
            return
    top.add_argument(
        "--data-dir",
        default=argparse.SUPPRESS,
        metavar="PATH",
        help="the deployment's data directory (default: $CREWLET_DATA_DIR, else .crewlet beside manage.py)",
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is no port; give a number from 1 to 65535, or 0 for a free one")
    return int(text)


_embedded: tuple[Kind, ...] = ()


def _set_up_django() -> None:
    global _embedded  # noqa: PLW0603 (the environment can be asked only before the URLs are put there)
    data_dir = Path(os.environ["CREWLET_DATA_DIR"])
    _embedded = places.name_servers(data_dir)
    servers.prepare_data_dir(data_dir)
    import django

    django.setup()


def _run(arguments: argparse.Namespace, data_dir: Path) -> int:
    if arguments.command in _OWN:
        return int(arguments.run(arguments))

    import structlog
    from django.db import OperationalError

    from company import live
    from company.rules.refusals import Refused
    from crewlet_site import logs

    # What a command logs goes to its file; the terminal belongs to its answer and to one line of complaint.
    logs.configure(process="command", data_dir=data_dir, terminal_level="CRITICAL")
    log = structlog.get_logger(__name__)
    try:
        with ExitStack() as stack:
            if getattr(arguments, "needs_servers", True):
                stack.enter_context(servers.use(data_dir, _embedded))
                from crewlet_site.preparation import migrate

                migrate()
                try:
                    live.current_for_write()
                except Refused as refused:  # a command must be able to apply the document that mends it
                    log.warning("company_not_loaded", error=refused.detail)
            return int(arguments.run(arguments))
    except Refused as refused:
        for problem in refused.problems:
            where = f"{problem.attr}: " if problem.attr else ""
            _complain(f"{where}{problem.code.value}: {problem.detail}")
    except OperationalError as error:
        log.warning("database_unreachable", exc_info=True)
        _complain(f"The database cannot be reached: {logs.Redactor(os.environ).text(_first_line(error))}")
    except OSError as error:
        log.warning("command_failed", exc_info=True)
        name = f"{error.filename}: " if error.filename else ""
        _complain(f"{name}{error.strerror or error}")
    except (servers.ServersUnavailable, ImproperlyConfigured, KeyboardInterrupt):
        raise
    except Exception as error:
        log.exception("command_failed", command=arguments.command)
        kept = data_dir / "logs" / "command.jsonl"
        _complain(f"This should not have happened: {type(error).__name__}: {_first_line(error)} (more in {kept})")
    return 1


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _complain(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 (this is the command line)


def _up(arguments: argparse.Namespace) -> int:
    from crewlet_site import supervisor

    return supervisor.up(
        data_dir=Path(os.environ["CREWLET_DATA_DIR"]),
        host=arguments.host,
        port=arguments.port,
        example=not arguments.no_example,
    )


def _alone(arguments: argparse.Namespace) -> int:
    from crewlet_site import alone

    return alone.run(
        arguments.role,
        data_dir=Path(os.environ["CREWLET_DATA_DIR"]),
        host=arguments.host,
        port=arguments.port,
    )


def _check(_arguments: argparse.Namespace) -> int:
    from crewlet_site import testing

    return testing.run_checks()


def _test(words: list[str]) -> int:
    from crewlet_site import testing

    return testing.run(words)


def _bench(words: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "bench", *words], check=False, cwd=ROOT).returncode  # noqa: S603 (one's own words)


_HAND_ON = {"test": _test, "bench": _bench}
"""Commands whose words belong to another program."""


if __name__ == "__main__":
    sys.exit(main())
