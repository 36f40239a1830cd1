"""Company days: usage is counted by the day it is where the company says it is. Pure."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from company.rules.chart import Company
from company.rules.refusals import Code, Refused

REACH_DAYS = 30
"""The days a skill's reach is shown over (requirement US-01)."""
MAX_DAYS = 366


def company_day(company: Company, now: datetime) -> date:
    """The day it is in the company's own time zone."""
    return now.astimezone(ZoneInfo(company.timezone)).date()


def days_back(company: Company, now: datetime, days: int = REACH_DAYS) -> tuple[date, date]:
    """The first and the last of the latest `days` company days, today included."""
    until = company_day(company, now)
    return until - timedelta(days=days - 1), until


def parse_days(text: str | None) -> int:
    """How many days somebody asks for; raises `invalid`, or `too_long` past a year."""
    if text in (None, ""):
        return REACH_DAYS
    try:
        days = int(text or "")
    except ValueError:
        days = 0
    if days < 1:
        raise Refused(Code.INVALID, f"'days' is a whole number from 1 to {MAX_DAYS}.", attr="days")
    if days > MAX_DAYS:
        raise Refused(Code.TOO_LONG, f"'days' is at most {MAX_DAYS}.", attr="days", extras={"limit": MAX_DAYS})
    return days
