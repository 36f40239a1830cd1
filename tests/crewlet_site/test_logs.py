"""What reaches the logs: one JSON object a line, and no secret."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from django.core.exceptions import DisallowedHost

from crewlet_site import logs
from crewlet_site.logs import Redactor

pytestmark = pytest.mark.covers("OP-02", "OP-05")

ENVIRON = {
    "LLM_API_KEY": "sk-very-private",
    "GITHUB_TOKEN": "ghp_0123456789",
    "WEBHOOK_SECRET": "hush-hush",
    "DB_PASSWORD": "correct horse",
    "MY_KEY": "ab",
    "HOME": "/home/ada",
}


def redacted(**fields: Any) -> dict[str, Any]:
    return dict(Redactor(ENVIRON)(None, "info", {"event": "e", **fields}))


@pytest.mark.parametrize("secret", ["sk-very-private", "ghp_0123456789", "hush-hush", "correct horse"])
def test_the_value_of_a_variable_that_holds_a_secret_is_hidden_wherever_it_stands(secret: str) -> None:
    event = redacted(text=f"before {secret} after", deep={"list": [1, f"x{secret}x"]})
    assert secret not in json.dumps(event)
    assert event["text"] == "before *** after"


def test_values_of_other_variables_and_very_short_ones_stay() -> None:
    assert redacted(text="/home/ada ab")["text"] == "/home/ada ab"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer crewlet_abcdefghij", "Authorization: Bearer ***"),
        ("token crewlet_a1B2c3D4e5 was refused", "token *** was refused"),
        ("postgresql://ada:pa55@db.example/crewlet", "postgresql://ada:***@db.example/crewlet"),
        ("http://127.0.0.1:8000/sign-in/once/aB3-xyz", "http://127.0.0.1:8000/sign-in/once/***"),
        ("password=hunter22&next=/", "password=***&next=/"),
        ('{"api_key": "abc123"}', '{"api_key": "***"}'),
    ],
)
def test_a_secret_is_known_by_its_shape(text: str, shown: str) -> None:
    assert redacted(text=text)["text"] == shown


@pytest.mark.parametrize("name", ["password", "token", "client_secret", "Authorization", "api_key", "cookie"])
def test_a_field_whose_name_says_secret_is_hidden(name: str) -> None:
    assert redacted(**{name: "x"})[name] == "***"
    assert redacted(headers={name: "x"})["headers"][name] == "***"


def test_figures_and_words_stay_as_they_are() -> None:
    event = redacted(tokens={"input": 3, "output": 4}, token=3, key="mcp:github", ok=True, nothing=None)
    assert event["tokens"] == {"input": 3, "output": 4}
    assert event["token"] == 3
    assert event["key"] == "mcp:github"
    assert event["ok"] is True
    assert event["nothing"] is None


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[Path]:
    """Logging as a process sets it up, and as the tests had it afterwards."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    structlog_before = structlog.get_config()
    logs.configure(process="web-1", data_dir=tmp_path)
    yield tmp_path / "logs" / "web-1.jsonl"
    logging.captureWarnings(False)
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**structlog_before)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_event_is_one_line_with_event_level_and_time(configured: Path) -> None:
    structlog.get_logger("x").warning("tool_skills_off", skills=0, note="a\nb", ü="ü")
    (line,) = lines(configured)
    assert line["event"] == "tool_skills_off"
    assert line["level"] == "warning"
    assert line["at"].endswith("Z")
    assert (line["skills"], line["note"], line["ü"]) == (0, "a\nb", "ü")


def test_the_terminal_gets_words(configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    logging.getLogger().handlers[0].close()
    logs.configure(process="web-1", data_dir=tmp_path)
    structlog.get_logger("x").info("process_started", process="web-1")
    said = terminal.getvalue()
    assert "web-1      process_started  process=web-1" in said
    assert "{" not in said


def test_libraries_log_the_same_way(configured: Path) -> None:
    logging.getLogger("django.request").error("Internal Server Error: %s", "/pages?token=abcdefgh")
    (line,) = lines(configured)
    assert line["event"] == "Internal Server Error: /pages?token=***"
    assert line["level"] == "error"
    assert line["logger"] == "django.request"


@pytest.mark.parametrize("by", ["structlog", "logging"])
def test_a_traceback_is_part_of_the_line_and_keeps_no_secret(configured: Path, by: str) -> None:
    logger = structlog.get_logger("x") if by == "structlog" else logging.getLogger("x")
    try:
        raise ValueError("bearer abcdefghijk")
    except ValueError:
        logger.exception("it_broke")
    (line,) = lines(configured)
    assert "ValueError: bearer ***" in line["exception"]
    assert "abcdefghijk" not in configured.read_text()


def test_a_request_that_was_refused_as_suspicious_is_a_line_without_a_trace(configured: Path) -> None:
    try:
        raise DisallowedHost("Invalid HTTP_HOST header: 'evil.example'.")
    except DisallowedHost as raised:
        logging.getLogger("django.security.DisallowedHost").error(str(raised), exc_info=raised)
    (line,) = lines(configured)
    assert (line["level"], line["event"]) == ("warning", "Invalid HTTP_HOST header: 'evil.example'.")
    assert "exception" not in line


def test_a_full_file_turns_over_and_old_ones_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configured: Path
) -> None:
    monkeypatch.setattr(logs, "FILE_BYTES", 2000)
    logging.getLogger().handlers[0].close()
    logs.configure(process="web-1", data_dir=tmp_path)
    for number in range(200):
        structlog.get_logger("x").info("event", number=number)
    files = sorted(path.name for path in configured.parent.iterdir())
    assert files == ["web-1.jsonl", "web-1.jsonl.1", "web-1.jsonl.2", "web-1.jsonl.3"]
    assert all(path.stat().st_size <= 2100 for path in configured.parent.iterdir())
