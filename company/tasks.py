"""Duties of the company app, as Celery runs them."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from company.writes.housekeeping import forget_what_is_old


@shared_task(name="company.forget_what_is_old_now", ignore_result=True)
def forget_what_is_old_now() -> None:
    """Drop kept answers, rows of the change log, sign-in links and sessions that are past their term."""
    forget_what_is_old(now=timezone.now())
