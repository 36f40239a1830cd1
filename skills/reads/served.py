"""The one look-up by key that several reads begin with."""

from __future__ import annotations

from company.rules.refusals import Code, Refused
from skills import registry
from skills.registry import ServedSkill


def served_under(key: str) -> ServedSkill:
    """The skill served under a key; `not_found` where there is none."""
    served = registry.current().by_key.get(key)
    if served is None:
        raise Refused(Code.NOT_FOUND, "No tool skill is served under this key. GET /api/v1/skills lists them.")
    return served
