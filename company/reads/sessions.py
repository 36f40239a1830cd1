"""Who a browser's cookie belongs to: the two statements that every request of somebody signed in begins with.

Sessions and people are Django's; only these two reads are written out, because building them anew for every request
costs more than Postgres takes to answer them.
"""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from company.models.credentials import Person

_SESSION = "SELECT session_data, expire_date FROM django_session WHERE session_key = %s AND expire_date > %s"
_PERSON = """
SELECT id, password, last_login, login, name, seat, permissions, is_active, created_at FROM company_person WHERE id = %s
"""


class SessionStore(DatabaseSessions):
    """Django's sessions in the database."""

    def _get_session_from_db(self) -> Session | None:
        key = self.session_key
        with connection.cursor() as cursor:
            cursor.execute(_SESSION, [key, timezone.now()])
            row = cursor.fetchone()
        if key is None or row is None:
            self._session_key = None  # as Django does: a key that is not known is not taken up
            return None
        return Session(session_key=key, session_data=row[0], expire_date=row[1])


class People(ModelBackend):
    """Django's backend for people with a password."""

    def get_user(self, user_id: int) -> Person | None:
        """The person of a session, unless they may not sign in any more."""
        with connection.cursor() as cursor:
            cursor.execute(_PERSON, [user_id])
            row, names = cursor.fetchone(), [column.name for column in cursor.description]
        if row is None:
            return None
        person = Person.from_db(connection.alias, names, row)
        return person if self.user_can_authenticate(person) else None
