"""Django's registration of the company app."""

from django.apps import AppConfig


class CompanyConfig(AppConfig):
    """The company document, identity, audit and events."""

    name = "company"
    default_auto_field = "django.db.models.BigAutoField"
