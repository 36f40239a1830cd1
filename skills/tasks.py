"""Duties of the skills app, as Celery runs them."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from company.nudges import ask_for_walk
from skills.writes.alike import compare_skills
from skills.writes.sessions import forget_sessions

SESSIONS_KEPT = timedelta(days=30)


@shared_task(name="skills.ask_for_walk_now", ignore_result=True)
def ask_for_walk_now() -> None:
    """Ask every process that keeps a registry to walk."""
    ask_for_walk()


@shared_task(name="skills.compare_skills_now", ignore_result=True)
def compare_skills_now() -> None:
    """Compare what skills say of themselves, where any has changed."""
    compare_skills()


@shared_task(name="skills.forget_old_sessions", ignore_result=True)
def forget_old_sessions() -> None:
    """Drop sessions nobody has changed for 30 days; their usage stays."""
    forget_sessions(before=timezone.now() - SESSIONS_KEPT)
