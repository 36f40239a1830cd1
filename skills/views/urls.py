"""The addresses of the skills screens."""

from django.urls import path

from skills.views import listing, showing

urlpatterns = [
    path("skills", listing.skills, name="skills"),
    path("skills/pages/<int:page_id>", showing.skill_on_page, name="skill-on-page"),
    path("skills/<str:key>", showing.skill, name="skill"),
]
