"""Logging of every process: one JSON object a line into the data directory, words to the terminal, no secret in either.

What the libraries log through the standard library goes the same way. Files turn over at 10 MiB and three old ones
are kept.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Mapping, MutableMapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

FILE_BYTES = 10 * 2**20
FILES_KEPT = 3
HIDDEN = "***"

_SECRET_NAMES = ("password", "secret", "token", "api_key", "apikey", "secret_key", "authorization", "cookie")
_SECRET_VARIABLES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_SECRET = 6
"""A shorter value of a variable is no secret, and hiding it everywhere would make the log unreadable."""

_SAID_BETTER_BY_US = (
    "uvicorn.error", "celery.beat", "celery.worker.strategy", "celery.app.trace", "httpx", "mcp",
)  # fmt: skip
"""Loggers that say on every start, or on every request, what the site's own lines say better."""

_SHAPES = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+"), rf"\1 {HIDDEN}"),
    (re.compile(r"(\w://[^\s:/@]*):[^\s@/]+@"), rf"\1:{HIDDEN}@"),
    (re.compile(r"\bcrewlet_[A-Za-z0-9_-]{8,}"), HIDDEN),
    (re.compile(r"(/sign-in/once/)[A-Za-z0-9_-]+"), rf"\1{HIDDEN}"),
    (
        re.compile(r"(?i)(\b[\w-]*(?:password|secret|token|api_?key)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&}]+"),
        rf"\1{HIDDEN}",
    ),
)


class Redactor:
    """A structlog processor that hides secrets: by the name of a field, by their shape, and by being the value of an
    environment variable whose name says that it holds one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        known = sorted(
            {
                value
                for name, value in environ.items()
                if name.upper().endswith(_SECRET_VARIABLES) and len(value) >= _SHORTEST_SECRET
            },
            key=len,
            reverse=True,
        )
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, logger: Any, method: str, event: EventDict) -> EventDict:
        """The event with every secret hidden."""
        return {name: self._field(str(name), value) for name, value in event.items()}

    def text(self, text: str) -> str:
        """A text with every secret hidden."""
        if self._known is not None:
            text = self._known.sub(HIDDEN, text)
        for shape, instead in _SHAPES:
            text = shape.sub(instead, text)
        return text

    def _field(self, name: str, value: Any) -> Any:
        if name.startswith("_"):  # the bookkeeping of the library, dropped before it is rendered
            return value
        if name.lower().endswith(_SECRET_NAMES) and isinstance(value, str | bytes):
            return HIDDEN
        return self._value(value)

    def _value(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {str(name): self._field(str(name), inner) for name, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._value(inner) for inner in value]
        return self.text(value if isinstance(value, str) else str(value))


def _as_json(event: Any, **_options: Any) -> str:
    return json.dumps(event, ensure_ascii=False, default=str)


def _in_words(process: str) -> Processor:
    """The line for the terminal: time, process, level where it matters, event, fields."""

    def render(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
        at = str(event.pop("at", ""))[11:19]
        level = str(event.pop("level", "info"))
        name = str(event.pop("event", ""))
        event.pop("logger", None)
        trace = event.pop("exception", None)
        fields = " ".join(f"{key}={value}" for key, value in event.items())
        mark = "" if level in ("info", "debug") else f"{level}: "
        line = f"{at} {process:<10} {mark}{name}{'  ' + fields if fields else ''}"
        return f"{line}\n{trace}" if trace else line

    return render


def _in_a_line_where_the_client_erred(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """What Django finds suspicious, such as a host nobody named, is a request it refused. A trace at every one that a
    stranger sends would hide the faults that are ours."""
    if str(event.get("logger", "")).startswith("django.security."):
        event.pop("exc_info", None)
        event["level"] = "warning"
    return event


def configure(*, process: str, data_dir: Path, terminal_level: str = "INFO") -> None:
    """Set up logging in this process; its file is `<data_dir>/logs/<process>.jsonl`."""
    folder = data_dir / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.stdlib.PositionalArgumentsFormatter(),
        _in_a_line_where_the_client_erred,
        structlog.processors.format_exc_info,
        Redactor(os.environ),
    ]
    to_file = RotatingFileHandler(
        folder / f"{process}.jsonl", maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8"
    )
    to_file.setFormatter(_formatter(shared, structlog.processors.JSONRenderer(serializer=_as_json)))
    to_terminal = logging.StreamHandler()
    to_terminal.setLevel(terminal_level)
    to_terminal.setFormatter(_formatter(shared, _in_words(process)))
    root = logging.getLogger()
    root.handlers[:] = [to_file, to_terminal]
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    for name in _SAID_BETTER_BY_US:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _formatter(shared: list[Processor], renderer: Processor) -> logging.Formatter:
    # Records of the standard library pass the same steps; structlog's own have passed them when they come here.
    foreign = [step for step in shared if not isinstance(step, structlog.stdlib.PositionalArgumentsFormatter)]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=foreign,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
