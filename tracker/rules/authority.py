"""Who may do what to items: the contract's section 7 with a project in the place of a container.

Items know no reserved ground. What is hidden (the trash of others) is `not_found`, never `forbidden`.
"""

from __future__ import annotations

from enum import StrEnum

from company.rules.actors import Actor, Author, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_admin, require_app
from company.rules.refusals import Code, Refused
from company.rules.undeclared import say_undeclared
from knowledge.rules.authority import Standing


class Act(StrEnum):
    """What is done to an item. Changing any of its fields is a save; watching is reading."""

    READ = "read"
    COMMENT = "comment"
    CREATE = "create"
    SAVE = "save"
    MOVE = "move"
    TRASH = "trash"
    RESTORE = "restore"
    PURGE = "purge"


_TIDYING = frozenset({Act.TRASH, Act.RESTORE})


def standing_of(*, actor: Actor, company: Company, project: str, author: Author | None = None) -> Standing:
    """How `actor` stands to an item of `author` in `project`."""
    return Standing(
        owns=author is not None and author == actor.author, leads=company.leads_project(actor.seat, project)
    )


def require_act(act: Act, *, actor: Actor, standing: Standing | None = None) -> None:
    """Let an act through or refuse it (`scope_missing`, `forbidden`)."""
    if act is Act.PURGE:
        require_admin(actor, Scope.ADMIN)
        return
    require_app(actor, Permission.TRACKER, Scope.READ if act is Act.READ else Scope.WRITE)
    standing = standing or Standing()
    if act in _TIDYING and not (standing.owns or standing.leads or actor.is_admin):
        raise Refused(
            Code.FORBIDDEN,
            "Only whoever filed the item, the lead of its project or an administrator may do this. Ask one of them.",
        )


def may_see(*, actor: Actor, standing: Standing, trashed: bool) -> bool:
    """Whether a holder of the app sees an item: a trashed one is theirs who may restore it."""
    return not trashed or standing.owns or standing.leads or actor.is_admin


def require_project(project: str, *, company: Company) -> None:
    """Refuse a project the company does not declare, naming it and how one is declared (`unknown_project`)."""
    if project not in company.project_by_key:
        raise Refused(
            Code.UNKNOWN_PROJECT,
            say_undeclared("project", project, declared=company.project_by_key),
            attr="project",
        )
