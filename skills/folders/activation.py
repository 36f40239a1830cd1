"""The skill tool: one call, every check in its order, one answer.

`activate` is the tool without memory, for a caller that keeps sessions elsewhere; `SkillTool` is a session that keeps
its own. Both read the same `Discovery`, and `obstacle` is asked by the catalogue too, so that what is listed can be
activated and what cannot be activated is explained.

The order (contract §4): parameters and aliases, already loaded, lookup, front matter, disabled, argument shape, fence,
sensitive folders, trust and permission, load, substitute.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from skills.folders import answers, arguments, fence, permission
from skills.folders.answers import Answer, Failed, Turn
from skills.folders.arguments import Given
from skills.folders.codes import SKILL_FILE, ErrorCode
from skills.folders.parameters import Malformed, read_call
from skills.folders.permission import Audit, AuditRecord, Denied, HookRequest, Policy, Reason
from skills.folders.registry import BrokenSkill, Discovery, SkillEntry, SkillRegistry, Unreadable

SIBLINGS = 3
SIMILARITY = 0.6
"""Contract §4, decision 3."""


def activate(
    params: object,
    *,
    registry: SkillRegistry,
    discovery: Discovery,
    policy: Policy,
    loaded: Mapping[str, Turn],
    user_initiated: bool = False,
    audit: Audit | None = None,
) -> Answer:
    """Answer one call of the tool. Never raises over what a model or an author wrote.

    `loaded` maps the names the session has loaded to the turn of each; the caller adds the name of an `Activated`
    answer to it. `audit` hears every decision about a skill's folder and permission.
    """
    call = read_call(params)
    if isinstance(call, Malformed):
        return answers.failed(ErrorCode.INVALID_PARAM, call.message)
    name = call.name
    if name in loaded:
        return answers.already_loaded(name=name, at_turn=loaded[name])
    entry = discovery.find(name)
    if entry is None:
        near = siblings_of(name, discovery, registry=registry, policy=policy, user_initiated=user_initiated)
        return answers.not_found(name=name, siblings=near)
    if isinstance(entry, BrokenSkill):
        return failure_of_broken(name, entry)
    return (
        disabled(entry, user_initiated=user_initiated)
        or _wrong_form(entry, given=call.arguments)
        or misplaced(entry, registry=registry, policy=policy, audit=audit)
        or _forbidden(entry, policy=policy, user_initiated=user_initiated, audit=audit)
        or _load(entry, registry=registry, given=call.arguments)
    )


class SkillTool:
    """The tool for one session: its catalogue as it was when first asked for, and what it has loaded.

    Calls are answered one after the other, so that two activations of one skill load it once. Nothing is written down:
    a new session begins afresh, and reads the folders anew.
    """

    def __init__(self, registry: SkillRegistry, *, policy: Policy | None = None, audit: Audit | None = None) -> None:
        self.registry = registry
        self.policy = policy or Policy()
        self._audit = audit
        self._lock = threading.Lock()
        self._discovery: Discovery | None = None
        self._loaded: dict[str, Turn] = {}

    @property
    def discovery(self) -> Discovery:
        """What this session can see, read once."""
        with self._lock:
            return self._discover()

    def call(self, params: object, *, turn: Turn, user_initiated: bool = False) -> Answer:
        """Answer one call made in a turn of the session."""
        with self._lock:
            answer = activate(
                params,
                registry=self.registry,
                discovery=self._discover(),
                policy=self.policy,
                loaded=self._loaded,
                user_initiated=user_initiated,
                audit=self._audit,
            )
            if isinstance(answer, answers.Activated):
                self._loaded[answer.name] = turn
            return answer

    def _discover(self) -> Discovery:
        if self._discovery is None:
            self._discovery = self.registry.discover()
        return self._discovery


def siblings_of(
    name: str, discovery: Discovery, *, registry: SkillRegistry, policy: Policy, user_initiated: bool = False
) -> tuple[str, ...]:
    """Up to three names of the catalogue that are like a name, the likest first, ties by name.

    What a call would be refused for is not named: it is not in the catalogue either.
    """
    scored = (
        (Levenshtein.normalized_similarity(name, entry.name, score_cutoff=SIMILARITY), entry)
        for entry in discovery.entries
    )
    near = sorted((-score, entry.name, entry) for score, entry in scored if score >= SIMILARITY)
    named = (
        candidate
        for _, candidate, entry in near
        if obstacle(entry, registry=registry, policy=policy, user_initiated=user_initiated) is None
    )
    return tuple(islice(named, SIBLINGS))


def obstacle(
    entry: SkillEntry, *, registry: SkillRegistry, policy: Policy, user_initiated: bool = False
) -> Failed | None:
    """What would refuse a well-formed call for this skill before a hook is asked; None when nothing would."""
    return (
        disabled(entry, user_initiated=user_initiated)
        or misplaced(entry, registry=registry, policy=policy, audit=None)
        or (_untrusted_without_hook(entry, policy=policy) if policy.hook is None else None)
    )


def disabled(entry: SkillEntry, *, user_initiated: bool) -> Failed | None:
    """Whether the skill's author keeps it from whoever calls."""
    if entry.skill.disable_model_invocation and not user_initiated:
        message = f'skill "{entry.name}" can only be activated by a person (disable-model-invocation); do not retry'
        return answers.failed(ErrorCode.DISABLED, message)
    if not entry.skill.user_invocable and user_initiated:
        message = f'skill "{entry.name}" is not for people to activate (user-invocable: false)'
        return answers.failed(ErrorCode.DISABLED, message)
    return None


def misplaced(entry: SkillEntry, *, registry: SkillRegistry, policy: Policy, audit: Audit | None) -> Failed | None:
    """Whether the skill's folder has left its roots or lies among secrets. Skills that come from no disk never have."""
    if entry.root is None:
        return None
    folder = Path(entry.dir)
    files = [place for place in (folder, folder / SKILL_FILE) if os.path.lexists(place)]
    if not all(fence.is_inside(place, registry.roots) for place in files):
        message = f'skill "{entry.name}" lies outside the session\'s skill roots: {entry.dir}'
        return _misplaced(entry, ErrorCode.OUTSIDE_WORKSPACE, message, audit)
    if policy.hook is None:
        for place in (folder, *(file.resolve().parent for file in files)):
            pattern = fence.matching_pattern(place, policy.sensitive_patterns)
            if pattern is not None:
                message = (
                    f'skill "{entry.name}" lies in a sensitive folder ({pattern}), and there is no permission hook'
                )
                return _misplaced(entry, ErrorCode.SENSITIVE, message, audit)
    return None


def failure_of_broken(name: str, broken: BrokenSkill) -> Failed:
    """The answer to activating a folder whose SKILL.md may not be used."""
    first = broken.problems[0]
    where = f" on line {first.line}" if first.line is not None else ""
    more = f" ({len(broken.problems) - 1} more)" if len(broken.problems) > 1 else ""
    path = Path(broken.dir) / SKILL_FILE
    if broken.code is ErrorCode.NAME_MISMATCH:
        what = f'skill "{name}" is named otherwise in its front matter than its folder.'
        hint = "the name in the front matter has to be the name of the folder."
    elif broken.code is ErrorCode.IO_ERROR:
        what = f'skill "{name}" could not be read.'
        hint = "SKILL.md has to be a regular file this process may read."
    else:
        what = f'skill "{name}" has malformed YAML frontmatter.'
        hint = (
            "front matter is YAML between two '---' lines at the top of the file, with at least name and description."
        )
    reason = (
        f"{first.field}: {first.detail}{where}{more}"
        if first.field != "frontmatter"
        else f"{first.detail}{where}{more}"
    )
    return answers.failed(broken.code, f"{what}\nPath: {path}\nReason: {reason}\nHint: {hint}")


def _misplaced(entry: SkillEntry, code: ErrorCode, message: str, audit: Audit | None) -> Failed:
    if audit is not None:
        audit(
            AuditRecord(
                name=entry.name,
                path=entry.dir,
                reason=Reason.NORMAL,
                allowed=False,
                answer=None,
                code=code,
                detail=message,
            )
        )
    return answers.failed(code, message)


def _wrong_form(entry: SkillEntry, *, given: Given) -> Failed | None:
    form = arguments.refusal_of_form(skill=entry.name, declared=entry.skill.arguments, given=given)
    return answers.failed(ErrorCode.INVALID_PARAM, form) if form else None


def _load(entry: SkillEntry, *, registry: SkillRegistry, given: Given) -> Answer:
    loaded = registry.load(entry)
    if isinstance(loaded, Unreadable):
        return answers.failed(ErrorCode.IO_ERROR, f'skill "{entry.name}" could not be loaded: {loaded.detail}')
    return answers.activated(
        name=entry.name,
        directory=entry.dir,
        body=arguments.substitute(loaded.skill.body, declared=entry.skill.arguments, given=given),
        frontmatter=loaded.skill.frontmatter,
        folders=loaded.resources,
    )


def _forbidden(entry: SkillEntry, *, policy: Policy, user_initiated: bool, audit: Audit | None) -> Failed | None:
    request = _request(entry, policy=policy, user_initiated=user_initiated)
    decision = permission.decide(policy=policy, request=request)
    if audit is not None:
        audit(decision.record)
    return answers.failed(decision.code, decision.message) if isinstance(decision, Denied) else None


def _untrusted_without_hook(entry: SkillEntry, *, policy: Policy) -> Failed | None:
    request = _request(entry, policy=policy, user_initiated=False)
    decision = permission.without_hook(policy=policy, request=request)
    return answers.failed(decision.code, decision.message) if isinstance(decision, Denied) else None


def _request(entry: SkillEntry, *, policy: Policy, user_initiated: bool) -> HookRequest:
    # Trust follows where the files really are: a link from a trusted root into another one is not trusted. A
    # folder that is gone is judged by its root; loading it fails in any case.
    places = [place for place in (Path(entry.dir), Path(entry.dir) / SKILL_FILE) if os.path.lexists(place)]
    trusted = entry.root is None or all(
        fence.is_inside(place, policy.trusted_roots) for place in places or [entry.root]
    )
    return HookRequest(
        name=entry.name,
        path=entry.dir,
        root_index=entry.root_index,
        frontmatter=entry.skill.frontmatter,
        allowed_tools=entry.skill.allowed_tools,
        reason=Reason.NORMAL if trusted else Reason.UNTRUSTED,
        user_initiated=user_initiated,
    )
