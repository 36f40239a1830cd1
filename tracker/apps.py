"""Django's registration of the tracker app."""

from typing import Any

from django.apps import AppConfig


class TrackerConfig(AppConfig):
    """Projects and work items."""

    name = "tracker"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the projects follow the company document, in the transaction that activates it, and items talked about,
        told of, linked from, searched, suggested, and purged with the trash."""
        from company.signals import document_applied
        from knowledge.reads import links, subjects
        from knowledge.search import corpora
        from knowledge.views import suggestions
        from knowledge.writes import reaping, talked
        from tracker.reads.links import ItemSources
        from tracker.reads.subjects import ItemSubjects
        from tracker.search.corpus import ItemCorpus
        from tracker.views.searching import suggest_items
        from tracker.writes.comments import TalkableItems
        from tracker.writes.items.purging import ReapableItems

        corpora.register(ItemCorpus())
        suggestions.register("items", suggest_items)
        subjects.register(ItemSubjects())
        talked.register(TalkableItems())
        reaping.register(ReapableItems())
        links.register(ItemSources())
        document_applied.connect(_sync_projects, dispatch_uid="tracker.projects")


def _sync_projects(*, company: Any, **_: Any) -> None:
    from tracker.writes.projects import sync_projects

    sync_projects(company)
