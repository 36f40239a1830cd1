"""Tool skills as the palette suggests them: by key and title, from memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from urllib.parse import quote

from company import live
from company.rules.actors import Actor, Permission
from knowledge.views.suggestions import Suggestion
from skills import registry
from skills.registry.findings import variables_in_force
from skills.tool_skills.rules.variables import render as fill_in


def suggest_skills(*, actor: Actor, text: str, limit: int) -> Sequence[Suggestion]:
    """The served skills whose key or title holds every word of `text`. No query."""
    if not actor.holds(Permission.KNOWLEDGE):
        return ()
    words, variables = text.casefold().split(), variables_in_force(live.current())
    fitting = (
        Suggestion(
            label=key,
            note=fill_in(served.skill.title, variables),
            address=f"/skills/{quote(key, safe=':')}",
            icon="skills",
        )
        for key, served in registry.current().by_key.items()
        if all(word in f"{key} {served.skill.title}".casefold() for word in words)
    )
    return tuple(islice(fitting, limit))
