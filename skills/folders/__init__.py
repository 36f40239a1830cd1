"""Skill folders: the Agent Skills format and the tool that activates them, as a package that needs no Django.

A harness imports what it needs from here:

    tool = SkillTool(FilesystemSkillRegistry(["/srv/project/.skills"]), policy=Policy(hook=ask))
    answer = tool.call({"name": "release-notes"}, turn=3)

The server uses the same functions with a registry of its own. Nothing here imports Django, and a test proves it.
"""

from skills.folders.activation import SkillTool, activate
from skills.folders.answers import Activated, AlreadyLoaded, Answer, Failed, NotFound
from skills.folders.codes import ErrorCode, Kind
from skills.folders.permission import AuditRecord, Decision, HookRequest, Policy, Untrusted
from skills.folders.registry import (
    BrokenSkill,
    Discovery,
    FilesystemSkillRegistry,
    LoadedSkill,
    SkillEntry,
    SkillRegistry,
    Unreadable,
)
from skills.folders.validation import Accepted, Rejected, Skill, check_file, check_text

__all__ = [
    "Accepted",
    "Activated",
    "AlreadyLoaded",
    "Answer",
    "AuditRecord",
    "BrokenSkill",
    "Decision",
    "Discovery",
    "ErrorCode",
    "Failed",
    "FilesystemSkillRegistry",
    "HookRequest",
    "Kind",
    "LoadedSkill",
    "NotFound",
    "Policy",
    "Rejected",
    "Skill",
    "SkillEntry",
    "SkillRegistry",
    "SkillTool",
    "Unreadable",
    "Untrusted",
    "activate",
    "check_file",
    "check_text",
]
