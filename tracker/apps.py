"""Django's registration of the tracker app."""

from typing import Any

from django.apps import AppConfig


class TrackerConfig(AppConfig):
    """Projects and work items."""

    name = "tracker"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the projects follow the company document, in the transaction that activates it."""
        from company.signals import document_applied

        document_applied.connect(_sync_projects, dispatch_uid="tracker.projects")


def _sync_projects(*, company: Any, **_: Any) -> None:
    from tracker.writes.projects import sync_projects

    sync_projects(company)
