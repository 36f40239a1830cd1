"""Who may do what to pages: the contract's section 7 and the rights of its section 12, decided without a database.

A rule here asks four things: the act, who acts, on what ground (an ordinary space, the company's root, the skills
container), and how the actor stands to the page (its creator, its container's lead). Whether a page can be seen at
all is decided first, by `may_see`: what is hidden is `not_found`, never `forbidden`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from company.rules.actors import Actor, Author, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_admin, require_app
from company.rules.refusals import Code, Refused


class Act(StrEnum):
    """What is done to a page. Editing and restoring a revision are saves; watching is reading."""

    READ = "read"
    COMMENT = "comment"
    CREATE = "create"
    SAVE = "save"
    LABEL = "label"
    MOVE = "move"
    RENAME = "rename"
    TRASH = "trash"
    RESTORE = "restore"
    PURGE = "purge"


class Ground(StrEnum):
    """What kind of container an act happens in."""

    ORDINARY = "ordinary"
    ROOT = "root"
    SKILLS = "skills"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How an actor stands to a page or a container: whether they created it, and whether they lead it."""

    owns: bool = False
    leads: bool = False


_TIDYING = frozenset({Act.RENAME, Act.TRASH, Act.RESTORE})
_OPEN_TO_READERS = frozenset({Act.READ, Act.COMMENT})


def ground_of(company: Company, container: str) -> Ground:
    """What kind of ground a container is, by the document in force."""
    if container == company.skills_container:
        return Ground.SKILLS
    if container == company.root_space:
        return Ground.ROOT
    return Ground.ORDINARY


def standing_of(*, actor: Actor, company: Company, container: str, author: Author | None = None) -> Standing:
    """How `actor` stands to a page of `author` in `container`; without an author, to the container alone."""
    return Standing(owns=author is not None and author == actor.author, leads=company.leads(actor.seat, container))


def require_act(act: Act, *, actor: Actor, ground: Ground, standing: Standing | None = None) -> None:
    """Let an act through or refuse it (`scope_missing`, `forbidden`, `reserved_container`)."""
    if act is Act.PURGE:
        require_admin(actor, Scope.ADMIN)
        return
    require_app(actor, Permission.KNOWLEDGE, Scope.READ if act is Act.READ else Scope.WRITE)
    if act is Act.READ:
        return
    if actor.is_agent:
        _hold_back_agents(act, ground)
    if ground is Ground.SKILLS and act not in _OPEN_TO_READERS and not actor.is_admin:
        raise Refused(
            Code.FORBIDDEN,
            "A page here is put before every agent of the company, so only an administrator may write it. Ask one.",
        )
    standing = standing or Standing()
    if act in _TIDYING and not (standing.owns or standing.leads or actor.is_admin):
        raise Refused(
            Code.FORBIDDEN,
            "Only the page's creator, the lead of its space or an administrator may do this. Ask one of them.",
        )


def require_author(author: Author, *, actor: Actor, or_admin: bool = False) -> None:
    """Let the author of a comment through, and an administrator where `or_admin`; anybody else is `forbidden`.

    Editing is the author's alone: nobody puts words into another's mouth. To lead a space is no say over remarks.
    """
    if author == actor.author or (or_admin and actor.is_admin):
        return
    whose = "Only its author or an administrator removes" if or_admin else "Only its author edits"
    raise Refused(Code.FORBIDDEN, f"{whose} a comment. Reply to it instead.")


def _hold_back_agents(act: Act, ground: Ground) -> None:
    if ground is Ground.SKILLS:
        raise Refused(
            Code.RESERVED_CONTAINER,
            "This container holds what the engine tells every agent; agents write nothing in it. Ask a person.",
            attr="container",
        )
    if ground is Ground.ROOT and act is Act.CREATE:
        raise Refused(
            Code.RESERVED_CONTAINER,
            "A new page at the company's root is a person's decision. Put yours in your own team's space.",
            attr="container",
        )


def may_see(*, actor: Actor, ground: Ground, standing: Standing, draft: bool, trashed: bool) -> bool:
    """Whether a holder of the app sees a page: a draft is its author's, its lead's and an admin's, and a trashed
    page theirs who may restore it.
    """
    if not draft and not trashed:
        return True
    if trashed and ground is Ground.SKILLS:
        return actor.is_admin
    return standing.owns or standing.leads or actor.is_admin
