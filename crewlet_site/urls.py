"""Every address of the site: the REST door, the screens, and what operators ask."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from company.api.docs import api_docs
from company.api.unknown import NoSuchRoute
from crewlet_site.views import health
from crewlet_site.views.metrics import Metrics
from knowledge.api.parts import SearchPart
from skills.api.prompts import PromptSkills

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", Metrics.as_view(), name="metrics"),
    path("internal/search/words", SearchPart.as_view(), name="search-part"),
    path("api/v1/", include("company.api.urls")),
    path("api/v1/", include("knowledge.api.urls")),
    path("api/v1/", include("skills.api.urls")),
    path("api/v1/", include("tracker.api.urls")),
    path("api/skills", PromptSkills.as_view(), name="prompt-skills"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", api_docs, name="docs"),
    path("", include("company.views.urls")),
    path("", include("knowledge.views.urls")),
    path("", include("skills.views.urls")),
    path("", include("tracker.views.urls")),
    re_path(r"^api/", NoSuchRoute.as_view()),  # last: what no route above has taken
]

handler400 = "company.views.screens.bad_request"
handler404 = "company.views.screens.not_found"
handler403 = "company.views.screens.forbidden"
handler500 = "company.views.screens.broken"
