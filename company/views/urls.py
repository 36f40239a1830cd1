"""The addresses of the company's screens: signing in, the document, people, tokens."""

from django.urls import path

from company.views import account, documents, people, tokens

urlpatterns = [
    path("", account.front_door, name="front-door"),
    path("sign-in", account.sign_in_screen, name="sign-in"),
    path("sign-in/once/<str:secret>", account.sign_in_once, name="sign-in-once"),
    path("sign-out", account.sign_out_screen, name="sign-out"),
    path("password", account.password, name="password"),
    path("theme", account.theme, name="theme"),
    path("company", documents.document, name="company"),
    path("company/revisions", documents.revisions, name="company-revisions"),
    path("company/revisions/<int:revision_id>", documents.revision, name="company-revision"),
    path("company/revisions/<int:revision_id>/revert", documents.revert, name="company-revert"),
    path("company/tokens", tokens.tokens, name="company-tokens"),
    path("company/tokens/<int:token_id>/revoke", tokens.revoke, name="company-token-revoke"),
    path("company/people", people.people, name="company-people"),
    path("company/people/<int:person_id>", people.person, name="company-person"),
    path("company/people/<int:person_id>/link", people.link, name="company-person-link"),
]
