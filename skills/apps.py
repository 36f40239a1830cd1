"""Django's registration of the skills app."""

from django.apps import AppConfig


class SkillsConfig(AppConfig):
    """Skills, the sessions that load them, and the guard."""

    name = "skills"
    default_auto_field = "django.db.models.BigAutoField"
