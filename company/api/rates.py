"""Request limits of the REST and MCP doors: by credential, and by address for whoever has none that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils.decorators import sync_and_async_middleware

from company.api.errors import envelope_of, headers_of
from company.models.credentials import Person
from company.reads.rates import count_request
from company.rules.rates import OF_A_CREDENTIAL, OF_AN_ADDRESS, Rate
from company.rules.refusals import Code, Refused

PATHS = ("/api/", "/agent/", "/operator/")
UNAUTHENTICATED = 401


@sync_and_async_middleware
def rate_limits(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware. Counts every request at the doors, answers 429 past the limit, and tells the rest where they stand.

    A request with a token that turns out to be none counts for its address, so that guessing is as slow as asking
    without one.
    """

    async def answer_later(request: HttpRequest) -> HttpResponseBase:
        if not _is_limited(request):
            return cast("HttpResponseBase", await get_response(request))
        rate, refusal = await sync_to_async(_before)(request)
        if refusal is not None:
            return refusal
        return await sync_to_async(_after)(request, await get_response(request), rate)

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not _is_limited(request):
            return cast("HttpResponseBase", get_response(request))
        rate, refusal = _before(request)
        return refusal if refusal is not None else _after(request, get_response(request), rate)

    return answer_later if iscoroutinefunction(get_response) else answer


def _is_limited(request: HttpRequest) -> bool:
    return bool(settings.RATE_LIMITS) and request.path.startswith(PATHS)


def _before(request: HttpRequest) -> tuple[Rate | None, JsonResponse | None]:
    words = request.headers.get("Authorization", "").split()
    if len(words) == 2 and words[0].lower() == "bearer":
        rate = count_token(words[1])
    elif isinstance(request.user, Person):
        rate = count_request(f"login:{request.user.login}", limit=OF_A_CREDENTIAL)
    else:
        rate = count_address(request.META.get("REMOTE_ADDR"))
    return rate, _refusal(rate) if rate is not None and rate.exceeded else None


def _after(request: HttpRequest, response: HttpResponseBase, rate: Rate | None) -> HttpResponseBase:
    had_a_token = request.headers.get("Authorization", "") != ""
    if response.status_code == UNAUTHENTICATED and had_a_token:
        rate = count_address(request.META.get("REMOTE_ADDR"))
        if rate is not None and rate.exceeded:
            return _refusal(rate)
    if rate is not None:
        _tell(response, rate)
    return response


def count_token(secret: str) -> Rate | None:
    """Count one request with a token, known or not; None while nothing can be counted."""
    return count_request(f"token:{secret}", limit=OF_A_CREDENTIAL)


def count_address(address: str | None) -> Rate | None:
    """Count one request of an address without a credential that is known; None while nothing can be counted."""
    return count_request(f"address:{address}", limit=OF_AN_ADDRESS)


def refused_by(rate: Rate) -> Refused:
    """The refusal of whoever asked too often."""
    return Refused(
        Code.RATE_LIMITED,
        f"More than {rate.limit} requests within a minute. Wait {rate.reset} seconds, then go on.",
        retry_after=rate.reset,
    )


def headers_of_rate(rate: Rate) -> dict[str, str]:
    """The headers that tell where somebody stands."""
    return {
        "X-RateLimit-Limit": str(rate.limit),
        "X-RateLimit-Remaining": str(rate.remaining),
        "X-RateLimit-Reset": str(rate.reset),
    }


def _refusal(rate: Rate) -> JsonResponse:
    refused = refused_by(rate)
    response = JsonResponse(envelope_of(refused), status=refused.status, headers=headers_of(refused))
    _tell(response, rate)
    return response


def _tell(response: HttpResponseBase, rate: Rate) -> None:
    for name, value in headers_of_rate(rate).items():
        response.headers[name] = value
