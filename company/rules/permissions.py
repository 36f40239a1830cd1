"""Who may: the checks that come before every rule of one's own. The contract's section 7 in code.

Each raises `Refused` with a sentence for the person it reaches. Scope is told before proof.
"""

from __future__ import annotations

from datetime import datetime

from company.rules.actors import Actor, Permission, Scope
from company.rules.refusals import Code, Refused

_APP_NAMES = {Permission.KNOWLEDGE: "the knowledge app", Permission.TRACKER: "the tracker", Permission.ADMIN: "admin"}


def require_scope(actor: Actor, scope: Scope) -> None:
    """Refuse a credential that does not reach as far as `scope` (`scope_missing`)."""
    if not actor.has_scope(scope):
        raise Refused(
            Code.SCOPE_MISSING,
            f"This needs a token with the scope '{scope}'. Make one that has it, or ask whoever made yours.",
        )


def require_app(actor: Actor, permission: Permission, scope: Scope) -> None:
    """Refuse a credential without the scope (`scope_missing`) or a holder without the app (`forbidden`)."""
    require_scope(actor, scope)
    if not actor.holds(permission):
        raise Refused(
            Code.FORBIDDEN, f"This needs {_APP_NAMES[permission]}, which you do not hold. Ask an administrator for it."
        )


def require_admin(actor: Actor, scope: Scope) -> None:
    """Refuse whoever does not administer the company; an agent never does (`scope_missing`, `forbidden`)."""
    require_scope(actor, scope)
    if not actor.is_admin:
        raise Refused(Code.FORBIDDEN, "Only an administrator may do this. Ask one to do it, or to make you one.")


def require_proof(actor: Actor, now: datetime) -> None:
    """Refuse a credential whose holder has not proven who they are within the last 15 minutes (`proof_required`)."""
    if actor.proven_until is None or actor.proven_until <= now:
        raise Refused(
            Code.PROOF_REQUIRED,
            "This cannot be undone. Give your password again (POST /api/v1/proof), then repeat it within 15 minutes.",
        )
