"""Whether a skill may be activated here: the trust of its root and the session's permission hook. Pure.

Fail closed: `ask`, an answer nobody knows and a hook that fails are all a denial, and a folder outside the trusted
roots needs a hook that says yes unless the session says otherwise. `allowed-tools` is handed to the hook and opens
nothing by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from skills.folders.codes import ErrorCode
from skills.folders.fence import SENSITIVE_PATTERNS
from skills.frontmatter import Value

logger = logging.getLogger(__name__)


class Decision(StrEnum):
    """What a hook may answer. `ask` counts as `deny`: nobody sits beside an agent to be asked."""

    ALLOW = "allow"
    ALLOW_ONCE = "allow_once"
    DENY = "deny"
    ASK = "ask"


class Untrusted(StrEnum):
    """What a session does about a skill whose root it does not trust."""

    HOOK_REQUIRED = "hook_required"
    WARN = "warn"
    ALLOW = "allow"


class Reason(StrEnum):
    """Why the hook is asked."""

    NORMAL = "normal"
    UNTRUSTED = "untrusted_project_skill"


@dataclass(frozen=True, kw_only=True)
class HookRequest:
    """What the hook is told about an activation."""

    name: str
    path: str
    root_index: int
    frontmatter: Mapping[str, Value]
    allowed_tools: tuple[str, ...]
    reason: Reason
    user_initiated: bool = False

    def as_dict(self) -> dict[str, Value]:
        """The request as a harness or a REST callback gets it."""
        return {
            "tool": "skill",
            "action": "activate",
            "path": self.path,
            "always_patterns": [f"Skill(name:{self.name})"],
            "metadata": {
                "name": self.name,
                "root_index": self.root_index,
                "frontmatter": {**self.frontmatter, "allowed_tools": list(self.allowed_tools)},
                "reason": self.reason.value,
                "user_initiated": self.user_initiated,
            },
        }


class Hook(Protocol):
    """The session's permission hook: any callable from a request to a decision."""

    def __call__(self, request: HookRequest, /) -> Decision | str: ...


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a session lets skills do. `trusted_roots` are folders whose skills need no hook."""

    hook: Hook | None = None
    unsafe_allow_skill_without_hook: bool = False
    trusted_roots: tuple[Path, ...] = ()
    untrusted_project_skills: Untrusted = Untrusted.HOOK_REQUIRED
    sensitive_patterns: tuple[str, ...] = SENSITIVE_PATTERNS


@dataclass(frozen=True, kw_only=True)
class AuditRecord:
    """One decision about an activation, for the record.

    `answer` is the hook's own word, None where no hook was asked; `code` is empty where the activation may go on.
    """

    name: str
    path: str
    reason: Reason
    allowed: bool
    answer: str | None
    code: ErrorCode | None
    detail: str


Audit = Callable[[AuditRecord], None]


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """The activation may go on."""

    record: AuditRecord


@dataclass(frozen=True, kw_only=True)
class Denied:
    """The activation may not go on, and why."""

    code: ErrorCode
    message: str
    record: AuditRecord


@dataclass(kw_only=True)
class _Verdicts:
    """Builds the two verdicts about one request, so that each carries its audit record."""

    request: HookRequest
    answer: str | None = field(default=None)

    def allowed(self, detail: str) -> Allowed:
        return Allowed(record=self._record(None, detail))

    def denied(self, code: ErrorCode, message: str) -> Denied:
        return Denied(code=code, message=message, record=self._record(code, message))

    def _record(self, code: ErrorCode | None, detail: str) -> AuditRecord:
        return AuditRecord(
            name=self.request.name,
            path=self.request.path,
            reason=self.request.reason,
            allowed=code is None,
            answer=self.answer,
            code=code,
            detail=detail,
        )


def decide(*, policy: Policy, request: HookRequest) -> Allowed | Denied:
    """Whether an activation may go on. Asks the hook once where there is one."""
    if policy.hook is not None:
        return _ask(policy.hook, request, _Verdicts(request=request))
    verdict = without_hook(policy=policy, request=request)
    if request.reason is Reason.UNTRUSTED and policy.untrusted_project_skills is Untrusted.WARN:
        logger.warning("skill_of_untrusted_root", extra={"skill": request.name, "folder": request.path})
    return verdict


def without_hook(*, policy: Policy, request: HookRequest) -> Allowed | Denied:
    """What the session says by itself, as if it had no hook."""
    verdicts = _Verdicts(request=request)
    if request.reason is Reason.NORMAL:
        return verdicts.allowed("its root is trusted, and there is no permission hook")
    if policy.unsafe_allow_skill_without_hook:
        return verdicts.allowed("the session allows skills without a permission hook")
    if policy.untrusted_project_skills is not Untrusted.HOOK_REQUIRED:
        return verdicts.allowed(f"the session is set to '{policy.untrusted_project_skills}' skills of untrusted roots")
    message = (
        f'skill "{request.name}" lies in a root this session does not trust, and there is no permission hook to '
        "approve it. Ask a person to review the skill and trust its root."
    )
    return verdicts.denied(ErrorCode.NOT_TRUSTED, message)


def _ask(hook: Hook, request: HookRequest, verdicts: _Verdicts) -> Allowed | Denied:
    name = request.name
    try:
        verdicts.answer = str(hook(request))
    except Exception as error:  # the hook is foreign code: whatever it raises is a denial, on record
        logger.warning("skill_permission_hook_failed", extra={"skill": name}, exc_info=True)
        message = f'the permission hook failed for skill "{name}" ({type(error).__name__}), so it was not activated'
        return verdicts.denied(ErrorCode.PERMISSION_DENIED, message)
    if verdicts.answer in (Decision.ALLOW, Decision.ALLOW_ONCE):
        return verdicts.allowed("the permission hook allowed it")
    return verdicts.denied(ErrorCode.PERMISSION_DENIED, f'the session\'s permission hook did not allow skill "{name}"')
