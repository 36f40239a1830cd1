"""The addresses of the skills screens."""

from django.urls import path

from skills.views import tool_skills

urlpatterns = [
    path("skills", tool_skills.skills, name="skills"),
    path("skills/<str:key>", tool_skills.skill, name="skill"),
]
