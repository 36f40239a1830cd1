"""The command line of search: `search reindex` and `search eval`. Answers go to standard output, progress to standard
error."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from knowledge.models import EmbeddingSpace

#: How often somebody else's work on the index is looked at.
_LOOKED_AT_EVERY = 0.2


def register(commands: Any) -> None:
    """Add `search` and what stands below it."""
    search = commands.add_parser("search", help="build the index of words anew, measure the search by meaning")
    below = search.add_subparsers(dest="search_command", metavar="<what>", required=True)
    reindex = below.add_parser(
        "reindex",
        help="build this host's index of words anew",
        description="Empties the index of words of this data directory and fills it again from the pages, while the "
        "site runs or not. Until it is done, searches answer with what is in already and say 'building'. While the "
        "indexer is at work on it, that is waited for. A command that is stopped is finished by the indexer.",
    )
    reindex.set_defaults(run=reindex_words)

    evaluate = below.add_parser(
        "eval",
        help="measure the search by meaning on this company's own documents",
        description="Asks for 25 documents of the corpus as if they were questions, in every shape a search is asked "
        "in, and compares what the search finds with an exact scan of every vector. Says how much of the text lies "
        "past what is embedded of each document. Exits with 1 where a shape finds less than its floor, where a "
        "document of an exact top ten is missing, and where nothing is embedded.",
    )
    evaluate.add_argument(
        "-probes", "--probes", type=_count, metavar="N", help="measure as if searches read N lists of the index"
    )
    evaluate.add_argument(
        "-window",
        "--window",
        type=_count,
        metavar="BYTES",
        help="how much of a document is embedded (default: as the company document says)",
    )
    evaluate.set_defaults(run=evaluate_meaning)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no count; give a number from 1")
    return int(text)


def evaluate_meaning(arguments: argparse.Namespace) -> int:
    """Print the evaluation; 0 where every shape of search is good enough, else 1."""
    from knowledge.commands import counted, say
    from knowledge.search.evaluating import evaluate, past_windows, window_bytes
    from knowledge.search.semantic import CANDIDATES, RETURNED

    found = evaluate(probes=arguments.probes)
    if found is None:
        say("corpus       nothing is embedded: no document has a vector, so there is nothing to measure")
    else:
        whole = found.shapes[0]
        say(f"corpus       {counted(found.sources, 'source')}, {_named(found.space)}")
        for space, number in found.others:
            say(
                f"other space  {counted(number, 'source')}, {_named(space)}: no search finds these until they are "
                "embedded again"
            )
        questions = "query" if whole.questions == 1 else "queries"
        say(f"measured     {whole.questions} {questions} at depth {RETURNED} from {CANDIDATES} candidates")
        if not found.indexes:
            say("first stage  every sign code is read: there is no semantic index")
        for index in found.indexes:
            say(
                f"first stage  the semantic index of {index.kind}: {arguments.probes or index.probes} of {index.lists} "
                f"lists read (generation {index.generation})"
            )
            say(
                f"index        measured on {counted(index.measured_on, 'source')}: {index.recall:.4f} against a "
                f"{index.floor:.4f} floor in its worst shape ({index.worst_shape}), {index.head_misses} head miss(es)"
            )
        say(f"recall       {whole.recall.mean:.4f}  (floor {whole.floor:.4f} for this corpus size)")
        say(f"worst query  {whole.recall.worst:.4f}")
        say(f"head misses  {whole.recall.head_misses}  (documents dropped from the exact top ten)")
        for shape in found.shapes[1:]:
            scan = shape.scan
            beside = "" if scan is None else f"  - scan {scan.mean:.4f}, {scan.head_misses} head miss(es)"
            say(
                f"narrowed     {shape.shape:<16} recall {shape.recall.mean:.4f}  floor {shape.floor:.4f}  "
                f"head misses {shape.recall.head_misses}  ({counted(shape.questions, 'document')} asked for){beside}"
            )
        failed = [shape.shape for shape in found.shapes if not shape.passes]
        if failed:
            say(f"verdict      below its floor, or a document dropped from the top ten: {', '.join(failed)}")
        else:
            say("verdict      the two-stage search recovers the exact ranking at the shipped depth, in every shape")
    bound = arguments.window or window_bytes()
    say(
        f"window       {bound} bytes a source: a search by meaning sees a source's title and body up to it, a search "
        "by words the whole body"
    )
    for past in past_windows(bound):
        say(
            f"past window  {past.kind:<5} {past.sources_past} of {counted(past.sources, 'source')} "
            f"({_share(past.sources_past, past.sources)}), {_mebibytes(past.past_bytes)} of "
            f"{_mebibytes(past.total_bytes)} of text ({_share(past.past_bytes, past.total_bytes)})"
        )
    return 0 if found is not None and found.passes else 1


def _named(space: EmbeddingSpace) -> str:
    return f"{space.model} at {space.dimensions} dimensions"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.1f}%"


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


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
