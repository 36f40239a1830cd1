"""Django's registration of the knowledge app."""

from typing import Any

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """Pages and everything that reads them."""

    name = "knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the containers follow the company document, in the transaction that activates it, and every screen show
        how many notifications are unread."""
        from company.signals import document_applied
        from company.views.screens import put_beside
        from knowledge.reads.notifications import count_unread
        from knowledge.search.corpora import register
        from knowledge.search.pages import PageCorpus

        put_beside("unread", count_unread)
        register(PageCorpus())
        document_applied.connect(_sync_containers, dispatch_uid="knowledge.containers")
        document_applied.connect(_check_embeddings, dispatch_uid="knowledge.embeddings")


def _sync_containers(*, company: Any, **_: Any) -> None:
    from knowledge.writes.containers import sync_containers

    sync_containers(company)


def _check_embeddings(*, company: Any, **_: Any) -> None:
    """Refuse a document whose embeddings no provider can make."""
    from knowledge.embedding.providers import provider_of

    if company.embeddings is not None:
        provider_of(company.embeddings)
