"""How often beat asks for each duty."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from celery.schedules import schedstate, schedule

from company.rules.jitter import draw_of, jittered

WALKS_EVERY = timedelta(minutes=10)
WALKS_SPREAD = 0.2
EMBEDDING_EVERY = timedelta(minutes=1)
IMPORTS_EVERY = timedelta(minutes=1)
ALIKE_EVERY = timedelta(minutes=5)
TRASH_EVERY = timedelta(hours=1)
TRASH_SPREAD = 0.1


class JitteredSchedule(schedule):
    """About every `run_every`, each time a little sooner or later.

    The wait follows from the moment of the last run, so that it needs no memory and stays the same however often
    beat asks.
    """

    def __init__(self, run_every: timedelta, spread: float, **options: Any) -> None:
        self.every = run_every
        self.spread = spread
        super().__init__(run_every, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.every, self.spread)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JitteredSchedule) and (self.every, self.spread) == (other.every, other.spread)

    def __hash__(self) -> int:
        return hash((self.every, self.spread))

    def wait_after(self, last_run_at: datetime) -> timedelta:
        """How long after a run the next one is due."""
        draw = draw_of(last_run_at.timestamp())
        return timedelta(seconds=jittered(self.every.total_seconds(), self.spread, draw))

    def is_due(self, last_run_at: datetime) -> schedstate:
        """Whether it is time, and in how many seconds to ask again."""
        last = self.maybe_make_aware(last_run_at)
        left = (last + self.wait_after(last) - self.now()).total_seconds()
        if left <= 0:
            return schedstate(is_due=True, next=self.every.total_seconds() * (1 - self.spread))
        return schedstate(is_due=False, next=left)


BEAT: dict[str, dict[str, Any]] = {
    "ask for a walk of the skill pages": {
        "task": "skills.ask_for_walk_now",
        "schedule": JitteredSchedule(WALKS_EVERY, WALKS_SPREAD),
        # A request nobody took in time is of no use: the next one, or a process's own clock, walks.
        "options": {"expires": WALKS_EVERY.total_seconds()},
    },
    "give documents their vectors": {
        "task": "knowledge.embed_sources_now",
        "schedule": schedule(EMBEDDING_EVERY),
        "options": {"expires": EMBEDDING_EVERY.total_seconds()},
    },
    "take up imports": {
        "task": "knowledge.take_up_imports_now",
        "schedule": schedule(IMPORTS_EVERY),
        "options": {"expires": IMPORTS_EVERY.total_seconds()},
    },
    "sweep files no page names": {"task": "knowledge.sweep_files_now", "schedule": schedule(timedelta(hours=6))},
    "empty the trash": {
        "task": "knowledge.reap_trash_now",
        "schedule": JitteredSchedule(TRASH_EVERY, TRASH_SPREAD),
        "options": {"expires": TRASH_EVERY.total_seconds()},
    },
    "remove old notifications": {"task": "knowledge.prune_notifications_now", "schedule": schedule(timedelta(hours=6))},
    "forget old readings": {"task": "knowledge.forget_old_readings_now", "schedule": schedule(timedelta(days=1))},
    "forget what is old": {"task": "company.forget_what_is_old_now", "schedule": schedule(timedelta(hours=12))},
    # Only a release that changes what counts as a link leaves it anything to do.
    "find links by a newer rule": {"task": "knowledge.find_links_again_now", "schedule": schedule(timedelta(hours=1))},
    "compare what skills say": {
        "task": "skills.compare_skills_now",
        "schedule": schedule(ALIKE_EVERY),
        "options": {"expires": ALIKE_EVERY.total_seconds()},
    },
    "forget old sessions": {"task": "skills.forget_old_sessions", "schedule": schedule(timedelta(days=1))},
}
