"""The command line of search: `search reindex`. Answers go to standard output, progress to standard error."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from django.conf import settings

#: How often somebody else's work on the index is looked at.
_LOOKED_AT_EVERY = 0.2


def register(commands: Any) -> None:
    """Add `search` and what stands below it."""
    search = commands.add_parser("search", help="build the search index anew")
    below = search.add_subparsers(dest="search_command", metavar="<what>", required=True)
    reindex = below.add_parser(
        "reindex",
        help="build this host's index of words anew",
        description="Empties the index of words of this data directory and fills it again from the pages, while the "
        "site runs or not. Until it is done, searches answer with what is in already and say 'building'. While the "
        "indexer is at work on it, that is waited for. A command that is stopped is finished by the indexer.",
    )
    reindex.set_defaults(run=reindex_words)


def reindex_words(_arguments: argparse.Namespace) -> int:
    """Build the index anew; returns 0 once it is whole."""
    from knowledge.commands import Progress, counted, say
    from knowledge.search.indexing import Indexing
    from knowledge.search.lexical.documents import IndexState
    from knowledge.search.lexical.writer import WriterBusy

    root: Path = settings.INDEX_DIR
    progress = Progress("document")

    def told(state: IndexState) -> None:
        if not state.is_whole:
            progress.told(state.done, state.total)

    began = time.monotonic()
    is_waiting = False
    while True:
        try:
            figures = Indexing(root).catch_up(anew=True, told=told)
            break
        except WriterBusy:
            if not is_waiting:
                say("The indexer is at work on it; waiting for its turn to end.")
                is_waiting = True
            time.sleep(_LOOKED_AT_EVERY)
    progress.end()
    seconds = time.monotonic() - began
    say(f"{counted(figures.documents, 'document')} indexed in {seconds:.1f} s.")
    return 0
