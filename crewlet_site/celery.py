"""The Celery application: the worker runs the duties, beat asks for them."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, setup_logging, worker_ready

from crewlet_site import readiness
from crewlet_site.schedules import BEAT

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")

app = Celery("crewlet")
app.set_default()  # in every thread: a web process answers requests in many, and a write asks the worker from there
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = BEAT
app.autodiscover_tasks()


@setup_logging.connect
def use_the_sites_logging(**_: Any) -> None:
    """Celery sets up no logging of its own where somebody listens here; a process of ours has done so."""


@worker_ready.connect
@beat_init.connect
def say_ready(**_: Any) -> None:
    """Tell the supervisor that worker or beat runs."""
    readiness.tell()
