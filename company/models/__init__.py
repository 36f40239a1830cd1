"""Tables of the company app."""

from company.models.changes import Change
from company.models.credentials import Person, SignInLink, Token
from company.models.records import AuditEntry, Event
from company.models.revisions import Revision

__all__ = ["AuditEntry", "Change", "Event", "Person", "Revision", "SignInLink", "Token"]
