"""The company document: reading it, refusing what is wrong with it, and the company it describes. Pure.

`parse_document` is the one way in for a text somebody gives; `build_company` the one way to the picture rules read.
Unknown keys are kept and reported. `${NAME}` references stay unresolved in what is stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from company.rules.chart import Company
from company.rules.document import build
from company.rules.document.checks import check_document
from company.rules.document.schema import (
    HANDLE_PATTERN,
    KEY_PATTERN,
    OPTIONAL_KEY_PATTERN,
    CompanyDocument,
    json_schema,
)
from company.rules.document.text import Loaded, Path, dotted, dump_yaml, load_text
from company.rules.refusals import Code, Problem, Refused

__all__ = ["ParsedDocument", "build_company", "json_schema", "parse_document", "parse_loaded"]

_SENTENCES = {
    "missing": "This is required.",
    "string_too_short": "This may not be empty.",
    "string_type": "This is a text. Put the value in quotes.",
    "list_type": "This is a list.",
    "dict_type": "This is a mapping of names to values.",
    "model_type": "This is a mapping of names to values.",
    "model_attributes_type": "This is a mapping of names to values.",
    "bool_type": "This is true or false.",
    "int_type": "This is a whole number.",
    "float_type": "This is a number.",
}
_PATTERNS = {
    KEY_PATTERN: "A key is 2 to 10 capital letters and digits and begins with a letter, such as 'ENG'.",
    OPTIONAL_KEY_PATTERN: "A key is 2 to 10 capital letters and digits and begins with a letter, or '' for none.",
    HANDLE_PATTERN: "This is letters, digits, '.', '_' and '-', beginning and ending with a letter or digit.",
    r"\S": "This holds at least one visible character.",
}


@dataclass(frozen=True, kw_only=True)
class ParsedDocument:
    """A document nothing is wrong with: its data, its text as YAML, and the paths that are kept but not read."""

    data: dict[str, Any]
    source: str
    ignored: tuple[str, ...]


def parse_document(text: str) -> ParsedDocument:
    """The document of a YAML or JSON text.

    Raises `config_invalid` with one entry a problem, each with its path and, for YAML, its line; `too_long` for a text
    of more than a megabyte.
    """
    return parse_loaded(load_text(text), text)


def parse_loaded(loaded: Loaded, text: str) -> ParsedDocument:
    """The document of a text that was read already; raises as `parse_document` does."""
    data = loaded.data
    if not isinstance(data, dict):
        raise Refused(
            Code.CONFIG_INVALID, "A company document is a mapping that begins with a name, such as 'name: Harbour'."
        )
    found: list[tuple[Path, str]] = []
    document: CompanyDocument | None = None
    try:
        document = CompanyDocument.model_validate(data)
    except ValidationError as error:
        found.extend((entry["loc"], _sentence(entry)) for entry in error.errors())
    found.extend(check_document(data))
    if document is None or found:
        raise Refused.of(tuple(_problem(path, detail, loaded) for path, detail in found))
    source = dump_yaml(data) if loaded.is_json else text
    return ParsedDocument(data=data, source=source, ignored=tuple(_ignored(document, ())))


def build_company(
    document: Mapping[str, Any], *, revision: int, activated_at: datetime, environ: Mapping[str, str] = os.environ
) -> Company:
    """The company of a stored document; see `company.rules.document.build`."""
    return build.build_company(document, revision=revision, activated_at=activated_at, environ=environ)


def _sentence(entry: ErrorDetails) -> str:
    """What a problem of shape says to do."""
    pattern = str(entry.get("ctx", {}).get("pattern", ""))
    message = entry["msg"]
    return _PATTERNS.get(pattern) or _SENTENCES.get(entry["type"]) or message[:1].upper() + message[1:] + "."


def _problem(path: Path, detail: str, loaded: Loaded) -> Problem:
    """A problem with its line: the path's own, else that of the nearest thing above it."""
    line = next((loaded.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in loaded.lines), None)
    where = f" (line {line})" if line is not None else ""
    return Problem(code=Code.CONFIG_INVALID, detail=f"{detail}{where}", attr=dotted(path) or None)


def _ignored(section: BaseModel, path: Path) -> list[str]:
    """The paths of a section that the schema does not know."""
    found = [dotted((*path, name)) for name in section.model_extra or {}]
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            found.extend(_ignored(value, (*path, name)))
        elif isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, BaseModel):
                    found.extend(_ignored(item, (*path, name, at)))
    return found
