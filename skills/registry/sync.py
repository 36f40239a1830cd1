"""The sync: one thread a process that owns its registry and is the only one that writes it.

Everything that can change the registry is a request; requests coalesce and are served one read at a time, so that a
later read always sees later state. It walks the container at the start, when the company names another source, when
somebody asks, and by itself after 12 minutes in which it heard nothing; it reads the single page that a change names.
A walk that fails replaces nothing and is repeated after 5 seconds, doubling to 10 minutes.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from datetime import datetime

import structlog
from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from company import live
from company.follower import Follower
from company.models.changes import Change, ChangeKind
from company.rules.chart import Company
from skills import registry
from skills.registry.findings import FindingKind, LogLine, findings
from skills.registry.held import EMPTY, Registry, apply_page, from_pages, source_of
from skills.registry.sources import Off, Readable, Resolution, Unreadable, resolve
from skills.writes.sync import SyncReport, forget_process, note_sync_state

FIRST_RETRY = 5.0
LONGEST_RETRY = 600.0
SILENCE = 720.0
"""Seconds without a walk after which a process walks by itself: the longest the beat's jittered interval can be."""
MANY_PAGES = 50
"""So many single pages at once are cheaper, and no less exact, as one walk."""
HEARTBEAT = 60.0
"""How often a process says that it lives."""

log = structlog.get_logger(__name__)

_ON_EVERY_APPLY = frozenset({FindingKind.UNRESOLVED, FindingKind.DANGLING, FindingKind.MATCHES_NOTHING})


class SkillSync:
    """`start` it once a process. Without a thread, `run_pending` serves what was asked for (tests, commands)."""

    def __init__(
        self,
        *,
        resolve: Callable[[Company], Resolution] = resolve,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = timezone.now,
        report: Callable[[SyncReport], None] = note_sync_state,
    ) -> None:
        self._resolve = resolve
        self._clock = clock
        self._now = now
        self._report = report
        self._process = f"{settings.PROCESS}@{socket.gethostname()}:{os.getpid()}"
        self._wake = threading.Condition()
        self._company_moved = True
        self._walk_wanted = False
        self._pages_wanted: dict[int, None] = {}
        self._walk_due = clock()
        self._attempt = 0
        self._state = "starting"
        self._detail = ""
        self._walked_at: datetime | None = None
        self._reported_at: float | None = None
        self._told: frozenset[LogLine] = frozenset()
        self._first_try = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    # What others call.

    def request_walk(self) -> None:
        """Read the whole container soon."""
        with self._wake:
            self._walk_wanted = True
            self._wake.notify_all()

    def request_page(self, page_id: int) -> None:
        """Read one page soon."""
        with self._wake:
            self._pages_wanted[page_id] = None
            self._wake.notify_all()

    def hear_company(self, _before: Company, _after: Company) -> None:
        """Another revision came into force."""
        with self._wake:
            self._company_moved = True
            self._wake.notify_all()

    def hear_pages(self, changes: Iterable[Change]) -> None:
        """Pages changed: those in the skills container, out of it, or held by the registry are read again."""
        source = source_of(live.current())
        if source is None:
            return
        held = registry.installed().pages
        for change in changes:
            if source.container in (change.container, change.was_container) or change.object_id in held:
                self.request_page(change.object_id)

    def listen_to(self, follower: Follower) -> None:
        """Hear of what this process follows."""
        live.on_change(self.hear_company)
        follower.on(ChangeKind.PAGE, self.hear_pages)
        follower.on_walk(self.request_walk)

    @property
    def has_tried(self) -> bool:
        """Whether a first walk has ended, well or not: until then an empty registry says nothing."""
        return self._first_try.is_set()

    def start(self, *, patience: float = 0.0) -> None:
        """Run in a thread of its own; returns once the first walk has ended, after `patience` seconds at the latest."""
        if self._thread is not None:
            raise RuntimeError("this sync has been started")
        self._thread = threading.Thread(target=self._run, name="skill-sync", daemon=True)
        self._thread.start()
        if patience > 0:
            self._first_try.wait(patience)

    def stop(self) -> None:
        """End the thread; returns when it has ended, at most some seconds later."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=5)

    # What the thread does.

    def _run(self) -> None:
        while True:
            try:
                wait = self.run_pending()
            except Exception:  # the thread outlives whatever a backend or the log may raise
                log.exception("tool_skill_sync_broke")
                wait = FIRST_RETRY
            finally:
                connection.close()
            with self._wake:
                if not self._stopping and not self._wanted():
                    self._wake.wait(timeout=min(wait, HEARTBEAT))
                if self._stopping:
                    break
        try:
            forget_process(self._process)
        except Error as error:
            log.warning("sync_state_not_kept", error=str(error))
        finally:
            connection.close()

    def run_pending(self) -> float:
        """Serve every request that waits and the walk that is due; answers the seconds until the next one is."""
        while True:
            with self._wake:
                if self._clock() >= self._walk_due:
                    self._walk_wanted = True
                moved, walk = self._company_moved, self._walk_wanted or len(self._pages_wanted) > MANY_PAGES
                page_id = None
                if moved:
                    self._company_moved = False
                elif walk:  # a walk that begins now sees whatever these pages have become
                    self._walk_wanted = False
                    self._pages_wanted.clear()
                elif self._pages_wanted:
                    page_id = next(iter(self._pages_wanted))
                    del self._pages_wanted[page_id]
                else:
                    break
            if moved:
                self._follow_company()
            elif walk:
                self._walk()
            elif page_id is not None:
                self._read_page(page_id)
        self._say_that_it_lives()
        return max(0.0, self._walk_due - self._clock())

    def _wanted(self) -> bool:
        return self._company_moved or self._walk_wanted or bool(self._pages_wanted)

    def _follow_company(self) -> None:
        company = live.current()
        resolution = self._resolve(company)
        named = None if isinstance(resolution, Off) else resolution.id
        held = registry.installed()
        moved = held.source is not None and held.source != named
        was_waiting = self._attempt > 0 or self._state in ("starting", "unreadable", "off")
        if moved and held.source is not None:
            registry.install(EMPTY)
            self._told = frozenset()
            log.info("tool_skills_retired", skills=len(held.by_key), container=held.source.container)
        match resolution:
            case Off():
                if self._state != "off":
                    log.info("tool_skills_off")
                self._rest("off")
            case Unreadable(reason=reason):
                log.warning("tool_skill_source_unreadable", reason=reason)
                self._rest("unreadable", detail=reason)
            case Readable():
                if moved or was_waiting:
                    self._attempt = 0 if moved else self._attempt
                    self.request_walk()
                else:
                    self._audit_again(company)

    def _rest(self, state: str, *, detail: str = "") -> None:
        """There is nothing to read until the company changes."""
        self._attempt = 0
        self._walk_due = self._clock() + SILENCE
        self._enter(state, detail)
        self._first_try.set()

    def _walk(self) -> None:
        resolution = self._resolve(live.current())
        if not isinstance(resolution, Readable):
            self._rest("off" if isinstance(resolution, Off) else "unreadable", detail=self._detail)
            return
        before = registry.installed()
        try:
            after = from_pages(resolution.id, resolution.source.pages(), known=before)
        except Exception as error:  # noqa: BLE001 (whatever the backend raises, what was read before goes on being served)
            self._fail(error)
            return
        recovered, self._attempt = self._attempt > 0, 0
        self._walk_due = self._clock() + SILENCE
        self._walked_at = self._now()
        changed = after is not before
        if changed:
            registry.install(after)
        if changed or recovered:
            extra = {"recovered": True} if recovered else {}
            log.info("tool_skills_synced", skills=len(after.by_key), pages=len(after.pages), **extra)
        else:
            log.debug("tool_skills_unchanged", skills=len(after.by_key), pages=len(after.pages))
        if changed:
            self._tell_news(after)
        self._enter("synced", "")
        self._first_try.set()

    def _fail(self, error: Exception) -> None:
        self._attempt += 1
        retry_in = min(FIRST_RETRY * 2 ** min(self._attempt - 1, 10), LONGEST_RETRY)
        self._walk_due = self._clock() + retry_in
        log.error("tool_skill_sync_failed", attempt=self._attempt, retry_in=retry_in, error=str(error))
        self._enter("failing", str(error))
        self._first_try.set()

    def _read_page(self, page_id: int) -> None:
        resolution = self._resolve(live.current())
        before = registry.installed()
        if not isinstance(resolution, Readable) or before.source != resolution.id:
            return  # the walk that is due reads it with the rest
        try:
            page = resolution.source.page(page_id)
        except Exception as error:  # noqa: BLE001 (a walk knows how to wait for a backend that fails)
            log.warning("tool_skill_page_read_failed", page_id=page_id, error=str(error))
            if self._attempt == 0:
                self.request_walk()
            return
        after = apply_page(before, page_id=page_id, page=page)
        if after is before:
            log.debug("tool_skill_page_unchanged", page_id=page_id)
            return
        registry.install(after)
        log.info("tool_skill_page_synced", page_id=page_id, skills=len(after.by_key), pages=len(after.pages))
        self._tell_news(after)
        self._enter(self._state, self._detail)

    def _tell_news(self, held: Registry) -> None:
        """Log what has come to be wrong with this change, and not again what was wrong before."""
        lines = {line: None for finding in findings(held, live.current()) for line in finding.lines}
        for line in lines:
            if line not in self._told:
                _write(line)
        self._told = frozenset(lines)

    def _audit_again(self, company: Company) -> None:
        """Every apply is told what is wrong with triggers and variables as it stands now."""
        found = findings(registry.installed(), company)
        for finding in found:
            if finding.kind in _ON_EVERY_APPLY:
                for line in finding.lines:
                    _write(line)
        self._told = frozenset(line for finding in found for line in finding.lines)

    def _enter(self, state: str, detail: str) -> None:
        self._state, self._detail = state, detail
        self._reported_at = None

    def _say_that_it_lives(self) -> None:
        if self._reported_at is not None and self._clock() - self._reported_at < HEARTBEAT:
            return
        held = registry.installed()
        report = SyncReport(
            process=self._process,
            state=self._state,
            skills=len(held.by_key),
            pages=len(held.pages),
            attempt=self._attempt,
            detail=self._detail,
            walked_at=self._walked_at,
            seen_at=self._now(),
        )
        self._reported_at = self._clock()
        try:
            self._report(report)
        except Error as error:  # the registry does not depend on being seen
            log.warning("sync_state_not_kept", error=str(error))


def _write(line: LogLine) -> None:
    write = log.info if line.level == "info" else log.warning
    write(line.event, **{name: list(value) if isinstance(value, tuple) else value for name, value in line.fields})
