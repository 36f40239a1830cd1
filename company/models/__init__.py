"""Tables of the company app."""

from company.models.changes import Change, ChangeLogStart
from company.models.credentials import Person, SignInLink, Token
from company.models.idempotency import FirstAnswer
from company.models.records import AuditEntry, Event
from company.models.revisions import Revision
from company.models.throttles import AttemptCount

__all__ = [
    "AttemptCount",
    "AuditEntry",
    "Change",
    "ChangeLogStart",
    "Event",
    "FirstAnswer",
    "Person",
    "Revision",
    "SignInLink",
    "Token",
]
