"""Django's registration of the skills app."""

from django.apps import AppConfig


class SkillsConfig(AppConfig):
    """Skills, the sessions that load them, and the guard."""

    name = "skills"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Add what skills have to say of their pages to the answers of pages, and skills to the palette."""
        from company.views.screens import put_beside
        from knowledge.reads import extras
        from knowledge.reads.reviewing import count_waiting
        from knowledge.views import suggestions
        from skills.reads.usage import skill_loaded_by
        from skills.views.suggested import suggest_skills

        put_beside("skills_waiting", lambda actor: count_waiting(actor=actor))
        extras.register("skill_loaded_by", skill_loaded_by)
        suggestions.register("skills", suggest_skills)
