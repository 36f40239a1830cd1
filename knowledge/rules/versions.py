"""Whether a save may go ahead: the rule of the base a writer started from.

A page counts its revisions. A rename makes one too, but leaves the body where it was, so a save is stale only when
its base is older than the version at which the body last changed.
"""

from __future__ import annotations

from company.rules.refusals import Code, Refused


def check_base(base_version: int, *, version: int, body_version: int) -> None:
    """Refuse a base the page has moved on from, or one it has never reached (`stale_version`, `current_version`)."""
    if not body_version <= base_version <= version:
        raise stale(base_version, current=version)


def stale(base_version: int, *, current: int) -> Refused:
    """The refusal of a base the writing of a page has moved on from (`stale_version`, with `current_version`)."""
    return Refused(
        Code.STALE_VERSION,
        f"The page is at version {current} and your text began from version {base_version}. "
        "Read the page again and bring the two together; nothing was saved.",
        attr="base_version",
        extras={"current_version": current},
    )


def merged_title(*, given: str, at_base: str | None, now: str) -> str:
    """The title a save asks for.

    A form sends its title along with every save. Where that is the title the writer started from, the writer changed
    nothing, and a rename made meanwhile stands. `at_base` is None where the save names no base.
    """
    return now if at_base is not None and given == at_base else given
