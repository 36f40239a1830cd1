"""Bringing skill folders in by a form: what would become of every file is shown first, and done on a second yes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from company.rules.actors import Actor, Scope
from company.rules.permissions import require_admin
from company.rules.refusals import Code, Refused
from company.views.screens import is_fragment, screen
from skills.folders.codes import SKILL_FILE
from skills.folders.importing import Verdict
from skills.writes.library import Imported, check_upload_size, import_upload
from skills.writes.publishing import skills_home

SHOWN_AS_THEY_ARE = 200
"""So many files that need no look are listed by name; a tree of thousands has its sum besides."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What became, or would become, of an upload: the files that need a look, those taken as they are, and the sums.

    `digest` is that of the upload, by which a second yes is known to be about what was shown.
    """

    name: str
    digest: str
    done: bool
    refused: tuple[Imported, ...]
    repaired: tuple[Imported, ...]
    plain: tuple[Imported, ...]
    outcomes: tuple[tuple[str, int], ...]

    @property
    def unlisted(self) -> int:
        """How many of the files taken as they are have no line of their own."""
        return max(0, len(self.plain) - SHOWN_AS_THEY_ARE)

    @property
    def listed(self) -> tuple[Imported, ...]:
        """The files taken as they are that have one."""
        return self.plain[:SHOWN_AS_THEY_ARE]

    @property
    def waits(self) -> bool:
        """Whether something was brought in that waits for review."""
        return any(one.waits for one in (*self.repaired, *self.plain))


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def import_skills(request: HttpRequest, actor: Actor) -> HttpResponse:
    """GET gives the form. POST shows what an upload would do, or does it (`do=import`) where it is the very upload
    whose report was shown (`checked`)."""
    require_admin(actor, Scope.WRITE)
    skills_home()
    if request.method != "POST":
        return _shown(request)
    file = request.FILES.get("file")
    try:
        if file is None:
            raise Refused(Code.REQUIRED, "Choose a zip of skill folders, or one SKILL.md.", attr="file")
        check_upload_size(file.size or 0)
        data, name = file.read(), file.name or SKILL_FILE
        digest = hashlib.sha256(data).hexdigest()
        earnest = request.POST.get("do") == "import"
        known = request.POST.get("checked") == digest
        found = import_upload(actor=actor, name=name, data=data, dry_run=not (earnest and known))
    except Refused as refused:
        return _shown(request, refused=refused)
    report = _report(found, name=name, digest=digest, done=earnest and known)
    return _shown(request, report=report, other=earnest and not known)


def _report(found: Sequence[Imported], *, name: str, digest: str, done: bool) -> Report:
    def of(verdict: Verdict) -> tuple[Imported, ...]:
        return tuple(one for one in found if one.report.verdict is verdict)

    sums = Counter(one.outcome.value for one in found if one.outcome is not None)
    return Report(
        name=name,
        digest=digest,
        done=done,
        refused=of(Verdict.REFUSED),
        repaired=of(Verdict.REPAIRED),
        plain=of(Verdict.OK),
        outcomes=tuple(sorted(sums.items())),
    )


def _shown(
    request: HttpRequest, *, report: Report | None = None, refused: Refused | None = None, other: bool = False
) -> HttpResponse:
    context = {"section": "skills", "report": report, "refused": refused, "other": other}
    template = "skills/import.html#report" if is_fragment(request) else "skills/import.html"
    status = refused.status if refused and not is_fragment(request) else 200  # htmx shows no fragment of another status
    return render(request, template, context, status=status)
