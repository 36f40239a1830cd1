"""Every address of the site: the REST door, the screens, and what operators ask."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
