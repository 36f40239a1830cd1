"""`skills sync`: keeps a folder the same as the library of a deployment, wherever that runs."""

from __future__ import annotations

import argparse
import os
from collections import Counter

from company.rules.refusals import Code, Refused
from skills.commands.saying import say, sums, tell
from skills.mirror import Done, Library, MirrorError, mirror

TOKEN_VARIABLE = "CREWLET_TOKEN"  # noqa: S105 (the name of a variable)


def sync_folder(arguments: argparse.Namespace) -> int:
    """Bring a folder to what the library holds; 1 where a skill was left alone."""
    token = arguments.token or os.environ.get(TOKEN_VARIABLE, "")
    if not token or not token.isascii() or not token.isprintable():
        raise Refused(Code.REQUIRED, f"Give a token that may read: with --token, or in ${TOKEN_VARIABLE}.")
    if not arguments.url.startswith(("http://", "https://")):
        raise Refused(Code.INVALID, f"'{arguments.url}' is no address. Begin it with https:// or http://.")
    if arguments.path.exists() and not arguments.path.is_dir():
        raise Refused(Code.INVALID, f"'{arguments.path}' is a file; give a folder.")
    done: Counter[Done] = Counter()
    try:
        with Library(arguments.url, token) as library:
            for step in mirror(arguments.path, library):
                done[step.done] += 1
                if step.done is not Done.UNCHANGED:
                    say(f"{arguments.path / step.name}: {step.done.value}{f': {step.reason}' if step.reason else ''}")
    except MirrorError as error:
        raise Refused(Code.INVALID, str(error)) from error
    tell(sums(((done[kind], kind.value) for kind in Done), nothing="The library is empty."))
    return 1 if done[Done.LEFT_ALONE] else 0
