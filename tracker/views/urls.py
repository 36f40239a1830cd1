"""The addresses of the tracker's screens."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
