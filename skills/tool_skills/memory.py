"""Sessions in memory, so that a gate with nothing pending asks no database; and how processes keep each other honest.

Every process keeps the sessions it has seen lately. A change commits a higher generation with the row and then tells
it to Valkey; a copy counts only while Valkey knows no higher generation than the copy's. Where Valkey is away or
has forgotten, nothing counts and the row is read. See docs/decisions/session-memory.md.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

import redis
import structlog

from company.nudges import valkey
from skills.tool_skills.sessions import SessionState

CAPACITY = 4_096
REMEMBERED_FOR = 3_600
"""Seconds Valkey keeps a generation; afterwards the row is read once, so a lost announcement cannot last longer."""

# Two writers may announce in the other order than they committed, and a reader may announce what it read before a
# writer committed: the higher generation stays.
_RAISE = """
local known = tonumber(redis.call('GET', KEYS[1]) or '0')
if tonumber(ARGV[1]) >= known then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
return 1
"""

log = structlog.get_logger(__name__)


class SessionMemory:
    """The sessions this process has seen lately, with the generation each copy has."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, SessionState] = OrderedDict()
        self._unannounced: dict[str, int] = {}

    def seen(self, session_id: str) -> SessionState | None:
        """The copy of a session, current or not: whose it is and which phase it has never change."""
        with self._lock:
            return self._kept.get(session_id)

    def current(self, session_id: str) -> SessionState | None:
        """The copy of a session, if it is certain to be what the row has; else None, and the row is to be read."""
        with self._lock:
            kept = self._kept.get(session_id)
            if kept is None:
                return None
            self._kept.move_to_end(session_id)
        self._announce_again()
        try:
            known = valkey().get(_name(session_id))
        except redis.RedisError:
            return None
        if not isinstance(known, bytes) or not known.isdigit() or int(known) > kept.generation:
            return None
        return kept

    def keep(self, state: SessionState) -> None:
        """Remember a session as it was committed or read, and announce its generation."""
        with self._lock:
            kept = self._kept.get(state.id)
            if kept is None or kept.generation <= state.generation:
                self._kept[state.id] = state
                self._kept.move_to_end(state.id)
                while len(self._kept) > self._capacity:
                    self._kept.popitem(last=False)
        self._announce(state.id, state.generation)

    def forget_all(self) -> None:
        """Start empty, as a process that has just begun does."""
        with self._lock:
            self._kept.clear()
            self._unannounced.clear()

    def _announce(self, session_id: str, generation: int) -> None:
        try:
            valkey().eval(_RAISE, 1, _name(session_id), str(generation), str(REMEMBERED_FOR))
        except redis.RedisError as error:
            log.warning("session_generation_unannounced", session=session_id, error=str(error))
            with self._lock:
                if len(self._unannounced) < self._capacity:
                    self._unannounced[session_id] = max(generation, self._unannounced.get(session_id, 0))

    def _announce_again(self) -> None:
        """Say once more what Valkey did not hear, before believing it again."""
        if not self._unannounced:
            return
        with self._lock:
            owed, self._unannounced = self._unannounced, {}
        for session_id, generation in owed.items():
            self._announce(session_id, generation)


def _name(session_id: str) -> str:
    return f"crewlet:session:{session_id}"


sessions = SessionMemory()
"""This process's memory."""
