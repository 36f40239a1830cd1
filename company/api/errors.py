"""Every error of the REST door, in one shape: `{type, errors: [{code, detail, attr}], …extras}`.

`Refused` carries its own codes; what the framework raises is mapped onto the same closed table.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import OperationalError
from django.http import Http404
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import exceptions, status
from rest_framework.response import Response

from company.api.parsers import too_big
from company.rules.refusals import Code, Refused

_FRAMEWORK_CODES = {
    "blank": Code.REQUIRED,
    "required": Code.REQUIRED,
    "null": Code.REQUIRED,
    "max_length": Code.TOO_LONG,
    "max_value": Code.TOO_LONG,
    "unknown_field": Code.UNKNOWN_FIELD,
    "not_authenticated": Code.NOT_AUTHENTICATED,
    "authentication_failed": Code.NOT_AUTHENTICATED,
    "permission_denied": Code.FORBIDDEN,
    "not_found": Code.NOT_FOUND,
    "throttled": Code.RATE_LIMITED,
}
_SENTENCES = {
    "blank": "'{attr}' is empty. Give it a value.",
    "required": "'{attr}' is missing. Give it.",
    "null": "'{attr}' is null. Give it a value.",
    "null_characters_not_allowed": "'{attr}' holds a NUL character. Take it out.",
}
"""What the framework only states, as a sentence that says what to do."""


def answer_error(raised: Exception, context: Any) -> Response | None:
    """DRF's exception handler. None (a 500 that is logged) for what nobody foresaw."""
    if isinstance(raised, Refused):
        return _answer_refusal(raised)
    if isinstance(raised, RequestDataTooBig):
        return _answer_refusal(too_big(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0))
    if isinstance(raised, OperationalError):
        return _answer_refusal(database_away())
    handler = ExceptionHandler(raised, context)
    if isinstance(raised, Http404 | PermissionDenied | exceptions.APIException):
        response = handler.run()
        if response is not None:
            for error in response.data["errors"]:
                if error["attr"] and error["code"] in _SENTENCES:
                    error["detail"] = _SENTENCES[error["code"]].format(attr=error["attr"])
                error["code"] = _FRAMEWORK_CODES.get(error["code"], Code.INVALID).value
        return response
    return None


def envelope_of(refused: Refused) -> dict[str, object]:
    """A refusal as every door that speaks JSON answers it."""
    kind = "client_error"
    if refused.status >= status.HTTP_500_INTERNAL_SERVER_ERROR:
        kind = "server_error"
    elif refused.status in (status.HTTP_400_BAD_REQUEST, status.HTTP_422_UNPROCESSABLE_ENTITY):
        kind = "validation_error"
    return {
        "type": kind,
        "errors": [
            {"code": problem.code.value, "detail": problem.detail, "attr": problem.attr} for problem in refused.problems
        ],
        **refused.extras,
    }


def headers_of(refused: Refused) -> dict[str, str]:
    """The headers a refusal is answered with."""
    headers = {"WWW-Authenticate": "Bearer"} if refused.status == status.HTTP_401_UNAUTHORIZED else {}
    if refused.retry_after is not None:
        headers["Retry-After"] = str(refused.retry_after)
    return headers


def database_away() -> Refused:
    """What is answered while the database cannot be reached."""
    return Refused(Code.NOT_READY, "The database cannot be reached just now. Repeat the request shortly.")


def _answer_refusal(refused: Refused) -> Response:
    return Response(envelope_of(refused), status=refused.status, headers=headers_of(refused))
