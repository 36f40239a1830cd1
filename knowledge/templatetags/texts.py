"""Texts that are read exactly, as templates show them."""

from __future__ import annotations

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from knowledge.rules.controls import show_controls

register = template.Library()


@register.filter
def controls(text: str) -> SafeString:
    """The text, escaped, with the characters that turn the direction of writing made to be seen."""
    return mark_safe(show_controls(escape(text)))  # noqa: S308 (escaped on this line)
