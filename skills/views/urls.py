"""The addresses of the skills screens."""

from django.urls import path

from skills.views import authoring, comparing, costing, explaining, importing, listing, reviewing, showing

urlpatterns = [
    path("skills", listing.skills, name="skills"),
    path("skills/seats", costing.seats, name="skill-seats"),
    path("skills/alike", comparing.alike, name="skills-alike"),
    path("skills/why", explaining.why, name="skill-why"),
    path("skills/import", importing.import_skills, name="skills-import"),
    path("skills/new", authoring.new, name="skill-new"),
    path("skills/check", authoring.check, name="skill-check"),
    path("skills/review", reviewing.waiting, name="skills-waiting"),
    path("skills/review/<int:page_id>", reviewing.proposal, name="skill-proposal"),
    path("skills/review/<int:page_id>/approve", reviewing.approve, name="skill-approve"),
    path("skills/review/<int:page_id>/send-back", reviewing.send_back, name="skill-send-back"),
    path("skills/pages/<int:page_id>/edit", authoring.edit_page, name="skill-page-edit"),
    path("skills/<str:key>/edit", authoring.edit, name="skill-edit"),
    path("skills/pages/<int:page_id>", showing.skill_on_page, name="skill-on-page"),
    path("skills/<str:key>", showing.skill, name="skill"),
]
