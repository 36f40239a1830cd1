"""Django's registration of the skills app."""

from django.apps import AppConfig


class SkillsConfig(AppConfig):
    """Skills, the sessions that load them, and the guard."""

    name = "skills"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Add what skills have to say of their pages to the answers of pages."""
        from knowledge.reads import extras
        from skills.reads.usage import skill_loaded_by

        extras.register("skill_loaded_by", skill_loaded_by)
