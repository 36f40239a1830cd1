"""`./crewlet config` and `./crewlet iam`: the company document, people and tokens, from the server's own terminal."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from company.models.credentials import Person
from company.reads.revisions import latest_id
from company.rules.actors import Actor, Permission, Scope, command_actor
from company.rules.document import json_schema, parse_document
from company.rules.document.folding import fold_paths
from company.rules.refusals import Code, Refused
from company.writes.document import apply_document
from company.writes.people import Given, change_person, create_person, set_password
from company.writes.tokens import create_token


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `config check|apply|schema` and `iam person|token`."""
    config = subparsers.add_parser("config", help="the company document").add_subparsers(
        dest="action", metavar="<action>", required=True
    )
    check = config.add_parser("check", help="tell what is wrong with a document, and what of it is not read")
    check.add_argument("file", type=Path)
    check.set_defaults(run=config_check, needs_servers=False)
    apply = config.add_parser("apply", help="put a document in force")
    apply.add_argument("file", type=Path)
    apply.add_argument("--summary", default="", help="one line on what changed")
    apply.set_defaults(run=config_apply)
    schema = config.add_parser("schema", help="print the document's JSON Schema, for editors")
    schema.set_defaults(run=config_schema, needs_servers=False)

    iam = subparsers.add_parser("iam", help="people and tokens").add_subparsers(
        dest="action", metavar="<action>", required=True
    )
    person = iam.add_parser("person", help="give somebody a login, or change what they are given")
    person.add_argument("login")
    person.add_argument("--name", help="what they are called")
    person.add_argument("--seat", help="the handle of the seat they hold; an empty text for none")
    person.add_argument("--permissions", type=_words, help=f"of {', '.join(Permission)}, divided by commas")
    person.add_argument("--password-stdin", action="store_true", help="read their password from standard input")
    person.set_defaults(run=iam_person)
    token = iam.add_parser("token", help="make a token and print its secret, alone, on standard output")
    token.add_argument("name", help="what will use it")
    holder = token.add_mutually_exclusive_group()
    holder.add_argument("--login", help="a person's token; with neither login nor seat, a service's")
    holder.add_argument("--seat", help="a seat's token")
    token.add_argument(
        "--scopes", type=_words, default=["read", "write"], help=f"of {', '.join(Scope)} (default: read,write)"
    )
    token.add_argument("--days", type=_days, help="how long it lasts (default: until it is revoked)")
    token.set_defaults(run=iam_token)


def config_check(arguments: argparse.Namespace) -> int:
    """Check a file without putting it in force; 1 where something is wrong with it."""
    text = _text_of(arguments.file)
    try:
        parsed = parse_document(text)
    except Refused as refused:
        return _tell_problems(arguments.file, refused)
    _say(f"{arguments.file}: nothing is wrong with it.")
    _tell_ignored(parsed.ignored)
    return 0


def config_apply(arguments: argparse.Namespace) -> int:
    """Put a file in force on top of whatever document is in force now."""
    text = _text_of(arguments.file)
    try:
        revision = apply_document(actor=_actor(), source=text, summary=arguments.summary, if_match=latest_id() or None)
    except Refused as refused:
        if refused.code is not Code.CONFIG_INVALID:
            raise
        return _tell_problems(arguments.file, refused)
    _say(f"Revision {revision.pk} is in force.")
    _tell_ignored(tuple(revision.ignored))
    return 0


def config_schema(_: argparse.Namespace) -> int:
    """Print the JSON Schema."""
    _say(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return 0


def iam_person(arguments: argparse.Namespace) -> int:
    """Make the person, or change what is given of one who exists."""
    actor = _actor()
    password = _password() if arguments.password_stdin else None
    login = arguments.login.strip().lower()
    known = Person.objects.filter(login=login).first()
    if known is None:
        create_person(
            actor=actor, login=login, name=arguments.name or "", seat=arguments.seat or None,
            permissions=arguments.permissions or [], password=password,
        )  # fmt: skip
        if password is None:
            _say(
                f"{login} has a login now, and no password yet. Make the link that lets them in under Company, People."
            )
        else:
            _say(f"{login} has a login now.")
        return 0
    seat = Given(value=arguments.seat or None) if arguments.seat is not None else None
    if (arguments.name, seat, arguments.permissions) != (None, None, None):
        change_person(
            actor=actor, person_id=known.pk, name=arguments.name, seat=seat, permissions=arguments.permissions
        )
    if password is not None:
        set_password(actor=actor, person_id=known.pk, password=password)
    _say(f"{login} is as you asked.")
    return 0


def iam_token(arguments: argparse.Namespace) -> int:
    """Make a token; standard output holds its secret and nothing else."""
    expires_at = timezone.now() + timedelta(days=arguments.days) if arguments.days is not None else None
    _, secret = create_token(
        actor=_actor(), name=arguments.name, scopes=arguments.scopes, seat=arguments.seat, login=arguments.login,
        service=arguments.seat is None and arguments.login is None, expires_at=expires_at,
    )  # fmt: skip
    _say(secret)
    return 0


def _actor() -> Actor:
    """Whoever runs the command, by their account on the machine, which in a container may have no name."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return command_actor(user)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(Code.INVALID, f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refused(Code.INVALID, f"{path} is not text in UTF-8.") from error


def _tell_problems(path: Path, refused: Refused) -> int:
    for problem in refused.problems:
        where = f"{problem.attr}: " if problem.attr else ""
        sys.stderr.write(f"{path}: {where}{problem.detail}\n")
    return 1


def _tell_ignored(ignored: tuple[str, ...]) -> None:
    """What is kept and not read; items of one list are told once, with their number."""
    if not ignored:
        return
    _say("Kept, but not read:")
    for path in fold_paths(ignored):
        _say(f"  {path}")


def _password() -> str:
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise Refused(Code.REQUIRED, "Write the password to standard input, on one line.")
    return password


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _days(text: str) -> int:
    days = int(text)
    if not 1 <= days <= 36_500:
        raise argparse.ArgumentTypeError("a token lasts 1 to 36500 days")
    return days


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
