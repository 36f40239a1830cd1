"""The fields of the lexical index and the folder it lives in. The folder's name carries everything that its content
depends on, so a build that derives differently starts an index of its own and never reads another's."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path

import tantivy

from knowledge.search.rules.analysis import DERIVATION

#: Changes with the fields below, and with what the state of the index says.
SCHEMA = 2

#: `<kind>:<id>`, by which a document is replaced and removed; the state of the index stands under `STATE_KEY`.
KEY = "key"
STATE_KEY = "state"

#: Stems of the title; of the title and the body; exact words of both; exact words of the title.
TITLE = "title"
BODY = "body"
EXACT = "exact"
HEADING = "heading"

KIND = "kind"
CONTAINER = "container"
ANCESTORS = "ancestors"
DRAFTED = "drafted"
BUCKET = "bucket"
ID = "id"
STATE = "state"


@cache
def schema() -> tantivy.Schema:
    """Tokens arrive cut and joined by spaces, so text fields only split; without positions, which nothing asks for."""
    builder = tantivy.SchemaBuilder()
    for name in (TITLE, BODY, EXACT, HEADING):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in (KEY, CONTAINER):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(KIND, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(ID, stored=True, indexed=True, fast=True)
    builder.add_unsigned_field(ANCESTORS, indexed=True)
    builder.add_unsigned_field(BUCKET, indexed=True, fast=True)
    builder.add_boolean_field(DRAFTED, indexed=True)
    builder.add_text_field(STATE, stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


def key_of(kind: str, identity: int) -> str:
    """The key of a document."""
    return f"{kind}:{identity}"


def folder_of(root: Path) -> Path:
    """Where this build's index lives under `root`, the host's folder for lexical indexes."""
    return root / f"v{SCHEMA}-{DERIVATION}-{version('tantivy')}"
