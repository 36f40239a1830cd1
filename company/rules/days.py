"""Company days: usage is counted by the day it is where the company says it is. Pure."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from company.rules.chart import Company
from company.rules.refusals import Code, Refused

REACH_DAYS = 30
"""The days over which it is shown whom a skill reached (requirement US-01) and who read a page (RD-02)."""
MAX_DAYS = 366


def company_day(company: Company, now: datetime) -> date:
    """The day it is in the company's own time zone."""
    return now.astimezone(ZoneInfo(company.timezone)).date()


def days_back(company: Company, now: datetime, days: int = REACH_DAYS) -> tuple[date, date]:
    """The first and the last of the latest `days` company days, today included."""
    until = company_day(company, now)
    return until - timedelta(days=days - 1), until


def parse_days(text: str | None, *, default: int = REACH_DAYS, maximum: int = MAX_DAYS) -> int:
    """How many days somebody asks for in a query; refuses as `check_days`."""
    if text in (None, ""):
        return default
    try:
        days = int(text or "")
    except ValueError:
        days = 0
    return check_days(days, maximum=maximum)


def check_days(days: int, *, maximum: int = MAX_DAYS) -> int:
    """A number of days that may be asked for; raises `invalid` below one, `too_long` (with `limit`) above the most."""
    if days < 1:
        raise Refused(Code.INVALID, f"'days' is a whole number from 1 to {maximum}.", attr="days")
    if days > maximum:
        raise Refused(Code.TOO_LONG, f"'days' is at most {maximum}.", attr="days", extras={"limit": maximum})
    return days
