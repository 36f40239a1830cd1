"""What the first `up` does to an empty deployment: the example company, and somebody who can sign in."""

from __future__ import annotations

import structlog

from company.writes.people import first_sign_in_secret
from crewlet_site.example import is_wanted, load_example

log = structlog.get_logger(__name__)


def load_example_where_empty() -> bool:
    """Load the example company where no document was ever applied, or a load was interrupted; returns whether."""
    if not is_wanted():
        return False
    load_example(progress=lambda step: log.info("example_loading", step=step))
    return True


def sign_in_link(address: str) -> str | None:
    """A link by which the first administrator signs in once; None when somebody has signed in before."""
    secret = first_sign_in_secret()
    return f"{address}/sign-in/once/{secret}" if secret else None
