"""What the first `up` does to an empty deployment: the example company, and somebody who can sign in."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import structlog

from crewlet_site import example

log = structlog.get_logger(__name__)


def load_example_where_empty() -> bool:
    """Load the example company where nothing was ever applied, or go on where that was interrupted; whether it did."""
    if not example.is_wanted():
        return False
    log.info("example_loading")
    example.load_example(progress=lambda step: log.info("example_step", step=step))
    return True


def sign_in_link(address: str) -> str | None:
    """A link by which the first administrator signs in once; None when somebody has signed in before."""
    if find_spec("company.writes.people") is None:
        return None
    secret = import_module("company.writes.people").first_sign_in_secret()
    return f"{address}/sign-in/once/{secret}" if secret else None
