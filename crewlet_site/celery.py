"""The Celery application: the worker runs the duties, beat asks for them."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")

app = Celery("crewlet")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
