"""Django's registration of the knowledge app."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """Pages and everything that reads them."""

    name = "knowledge"
    default_auto_field = "django.db.models.BigAutoField"
