"""Addresses of the django-wiki site, as its installation guide has them."""

from django.urls import include, path

urlpatterns = [
    path("notifications/", include("django_nyt.urls")),
    path("", include("wiki.urls")),
]
