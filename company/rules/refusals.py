"""Refusals: every way a request can be turned down, its code, its HTTP status and its sentence.

A rule or a write raises `Refused`; a door only translates it. The table of codes is closed: a door never
invents one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Every error code of the public contract."""

    REQUIRED = "required"
    INVALID = "invalid"
    TOO_LONG = "too_long"
    UNKNOWN_FIELD = "unknown_field"
    UNKNOWN_MODE = "unknown_mode"
    NOT_AUTHENTICATED = "not_authenticated"
    TOKEN_EXPIRED = "token_expired"  # noqa: S105 (the name of a code, not a secret)
    FORBIDDEN = "forbidden"
    RESERVED_CONTAINER = "reserved_container"
    PROOF_REQUIRED = "proof_required"
    SCOPE_MISSING = "scope_missing"
    NOT_FOUND = "not_found"
    STALE_VERSION = "stale_version"
    TITLE_TAKEN = "title_taken"
    TRASHED = "trashed"
    UNKNOWN_CONTAINER = "unknown_container"
    UNKNOWN_PROJECT = "unknown_project"
    CONTAINER_REQUIRED = "container_required"
    PARENT_INVALID = "parent_invalid"
    TEXT_NOT_FOUND = "text_not_found"
    TEXT_AMBIGUOUS = "text_ambiguous"
    CONFIG_INVALID = "config_invalid"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    REVISION_ADVANCED = "revision_advanced"
    RATE_LIMITED = "rate_limited"
    NOT_READY = "not_ready"


STATUS: dict[Code, int] = {
    Code.REQUIRED: 400,
    Code.INVALID: 400,
    Code.TOO_LONG: 400,
    Code.UNKNOWN_FIELD: 400,
    Code.UNKNOWN_MODE: 400,
    Code.NOT_AUTHENTICATED: 401,
    Code.TOKEN_EXPIRED: 401,
    Code.FORBIDDEN: 403,
    Code.RESERVED_CONTAINER: 403,
    Code.PROOF_REQUIRED: 403,
    Code.SCOPE_MISSING: 403,
    Code.NOT_FOUND: 404,
    Code.STALE_VERSION: 409,
    Code.TITLE_TAKEN: 409,
    Code.TRASHED: 409,
    Code.UNKNOWN_CONTAINER: 422,
    Code.UNKNOWN_PROJECT: 422,
    Code.CONTAINER_REQUIRED: 422,
    Code.PARENT_INVALID: 422,
    Code.TEXT_NOT_FOUND: 422,
    Code.TEXT_AMBIGUOUS: 422,
    Code.CONFIG_INVALID: 422,
    Code.IDEMPOTENCY_MISMATCH: 422,
    Code.REVISION_ADVANCED: 412,
    Code.RATE_LIMITED: 429,
    Code.NOT_READY: 503,
}


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong: its code, a sentence that says what to do, and where (`attr`, a field path)."""

    code: Code
    detail: str
    attr: str | None = None


class Refused(Exception):
    """A request turned down. Nothing was changed.

    `problems` holds at least one entry; the first one's code decides the status unless `status` overrides it
    (the contract names two such cases: a write of the document without `If-Match` is 428 `required`, and the purge
    of a living page is 409 `invalid`). `extras` stand beside the errors at the top level of an answer. `retry_after`
    is how many seconds to wait (`rate_limited`, `not_ready`); the REST door sends it as the header `Retry-After`.
    """

    def __init__(
        self,
        code: Code,
        detail: str,
        *,
        attr: str | None = None,
        status: int | None = None,
        extras: dict[str, object] | None = None,
        problems: tuple[Problem, ...] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.problems = problems or (Problem(code=code, detail=detail, attr=attr),)
        self.code = self.problems[0].code
        self.detail = self.problems[0].detail
        self.status = status if status is not None else STATUS[self.code]
        self.extras = extras or {}
        self.retry_after = retry_after

    @classmethod
    def of(cls, problems: tuple[Problem, ...], *, extras: dict[str, object] | None = None) -> Refused:
        """A refusal with several problems, in order; raises ValueError when there is none."""
        if not problems:
            raise ValueError("a refusal needs at least one problem")
        first = problems[0]
        return cls(first.code, first.detail, attr=first.attr, problems=problems, extras=extras)
