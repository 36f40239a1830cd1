"""What tests of skills share: a process that has read nothing yet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import LogCapture

from skills import registry
from skills.registry import EMPTY
from skills.tool_skills.memory import sessions


@pytest.fixture(autouse=True)
def a_process_that_has_read_nothing() -> Iterator[None]:
    """Each test starts with an empty registry and no session in memory."""
    registry.install(EMPTY)
    sessions.forget_all()
    yield
    registry.install(EMPTY)
    sessions.forget_all()


@pytest.fixture
def logged() -> Iterator[LogCapture]:
    """What is logged, as dicts with `event` and `log_level`."""
    before = structlog.get_config()
    capture = LogCapture()
    structlog.configure(processors=[capture], cache_logger_on_first_use=False)
    yield capture
    structlog.configure(**before)
