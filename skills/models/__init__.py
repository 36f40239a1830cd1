"""Tables of the skills app."""

from skills.models.alike import SkillPair, SkillSaying
from skills.models.sessions import SkillSession
from skills.models.sync import SyncState
from skills.models.usage import SkillUsage

__all__ = ["SkillPair", "SkillSaying", "SkillSession", "SkillUsage", "SyncState"]
