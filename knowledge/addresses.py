"""The addresses by which a request's links lead back into this app."""

from __future__ import annotations

from django.http import HttpRequest

from company import live


def base_urls(request: HttpRequest) -> tuple[str, ...]:
    """The addresses that are this app itself: what the company names, and what the request came to."""
    return base_urls_of(f"{request.scheme}://{request.get_host()}")


def base_urls_of(own: str) -> tuple[str, ...]:
    """The same for a request that came to the address `own`."""
    named = live.current().dashboard_base_url.rstrip("/")
    return (named, own) if named and named != own else (own,)
