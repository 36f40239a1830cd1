"""The routes of the skills' REST door, below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from skills.api import library, prompts, sessions, skills

urlpatterns = [
    path("skills", skills.Skills.as_view(), name="skills"),
    path("skills/<str:key>", skills.Skill.as_view(), name="skill"),
    path("skills/<str:key>/usage", skills.SkillUsage.as_view(), name="skill-usage"),
    path("skill-problems", skills.SkillProblems.as_view(), name="skill-problems"),
    path("skills-alike", skills.SkillsAlike.as_view(), name="skills-alike"),
    path("skill-costs", skills.SkillCosts.as_view(), name="skill-costs"),
    path("skill-explain", skills.SkillExplain.as_view(), name="skill-explain"),
    path("skill-validate", skills.SkillValidate.as_view(), name="skill-validate"),
    path("library", library.Library.as_view(), name="library"),
    path("library/<str:name>.zip", library.LibraryZip.as_view(), name="library-zip"),
    path("library/<str:name>", library.LibraryOne.as_view(), name="library-skill"),
    path("library-manifest", library.LibraryManifest.as_view(), name="library-manifest"),
    path("library-import", library.LibraryImport.as_view(), name="library-import"),
    path("prompt-skills/match", prompts.PromptSkillMatch.as_view(), name="prompt-skills-match"),
    path("sessions", sessions.Sessions.as_view(), name="sessions"),
    path("sessions/<str:session_id>", sessions.Session.as_view(), name="session"),
    path("sessions/<str:session_id>/load", sessions.SessionLoad.as_view(), name="session-load"),
    path("sessions/<str:session_id>/gate", sessions.SessionGate.as_view(), name="session-gate"),
    path("sessions/<str:session_id>/skill", sessions.SessionSkill.as_view(), name="session-skill"),
]
