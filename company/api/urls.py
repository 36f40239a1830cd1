"""The company's routes below `/api/v1/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from company.api.config import (
    ConfigSchemaView,
    ConfigView,
    RevertView,
    RevisionDiffView,
    RevisionsView,
    RevisionView,
)
from company.api.people import MeView, PasswordView, PeopleView, PersonView, SignInLinkView
from company.api.records import AuditView, EventsView
from company.api.tokens import ProofView, TokensView, TokenView

urlpatterns: list[URLPattern] = [
    path("config", ConfigView.as_view()),
    path("config/schema", ConfigSchemaView.as_view()),
    path("config/revisions", RevisionsView.as_view()),
    path("config/revisions/<int:revision_id>", RevisionView.as_view()),
    path("config/revisions/<int:revision_id>/diff", RevisionDiffView.as_view()),
    path("config/revisions/<int:revision_id>/revert", RevertView.as_view()),
    path("tokens", TokensView.as_view()),
    path("tokens/<int:token_id>", TokenView.as_view()),
    path("proof", ProofView.as_view()),
    path("people", PeopleView.as_view()),
    path("people/<int:person_id>", PersonView.as_view()),
    path("people/<int:person_id>/password", PasswordView.as_view()),
    path("people/<int:person_id>/sign-in-link", SignInLinkView.as_view()),
    path("me", MeView.as_view()),
    path("events", EventsView.as_view()),
    path("audit", AuditView.as_view()),
]
