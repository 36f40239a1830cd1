"""Follows the change log on behalf of one process, and tells whoever in it has to read something again.

One daemon thread: a nudge on Valkey wakes it, and where no nudge is heard it polls, so the log in Postgres is the
truth and a nudge only makes it fast. What a listener is told, it is told at least once and in commit order; a
listener that fails is told again with the next round. Refuses to know what the listeners keep.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import redis
import structlog
from django.conf import settings
from django.db import Error, connection
from redis.backoff import NoBackoff
from redis.client import PubSub
from redis.retry import Retry

from company import live
from company.models.changes import Change, ChangeKind
from company.nudges import CHANNEL, WALKS
from company.reads.changes import ChangeReader

POLL_WHILE_DEAF = 2.0
"""Seconds between reads while Valkey is away: what a hot apply may take at most (CO-04)."""
POLL_WHILE_HEARING = 10.0
"""Seconds between reads while nudges are heard, for the one that was lost."""
_WAKE_EVERY = 1.0
_CONFIRMED_WITHIN = 2.0
_NUDGES_AT_ONCE = 1000

Listener = Callable[[list[Change]], object]
WalkListener = Callable[[], object]

log = structlog.get_logger(__name__)


@dataclass
class _Subscription:
    """A listener and what it has yet to be told; of equal changes the last one stands for all."""

    kind: ChangeKind
    listener: Listener
    pending: dict[tuple[int, str, str], Change] = field(default_factory=dict)

    def owe(self, change: Change) -> None:
        key = (change.object_id, change.container, change.was_container)
        self.pending.pop(key, None)
        self.pending[key] = change


@dataclass
class _WalkSubscription:
    listener: WalkListener
    pending: bool = False


class Follower:
    """Register with `on` and `on_walk`, then `start`. Without a thread, `step` is one round (tests, pipelines)."""

    def __init__(
        self, *, poll_while_deaf: float = POLL_WHILE_DEAF, poll_while_hearing: float = POLL_WHILE_HEARING
    ) -> None:
        self._reader = ChangeReader()
        self._poll_while_deaf = poll_while_deaf
        self._poll_while_hearing = poll_while_hearing
        self._subscriptions: list[_Subscription] = []
        self._walks: list[_WalkSubscription] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._ear = _Ear()
        self.on(ChangeKind.DOCUMENT, lambda _changes: live.current_for_write())

    def on(self, kind: ChangeKind, listener: Listener) -> None:
        """Call `listener(changes)` with every batch of changes of a kind, oldest first. It must bear repetition."""
        self._subscriptions.append(_Subscription(kind, listener))

    def on_walk(self, listener: WalkListener) -> None:
        """Call `listener()` when somebody asks for a walk, and when the log cannot tell what changed."""
        self._walks.append(_WalkSubscription(listener))

    @property
    def hears(self) -> bool:
        """Whether nudges reach this process; without them it polls."""
        return self._ear.hears

    def start(self) -> None:
        """Take a place in the log and follow it from here on in a thread of its own.

        Whoever reads the whole state afterwards misses nothing. While the database is away the thread keeps
        trying, and asks for a walk once it has its place.
        """
        if self._thread is not None:
            raise RuntimeError("this follower has been started")
        try:
            self.step()
        except Error as error:
            log.warning("change_log_unreachable", error=str(error))
            self._owe_walk()
        finally:
            connection.close()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop following; returns when the thread has ended, at most some seconds later."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def step(self) -> None:
        """Read what is new and tell the listeners. Raises `django.db.Error` when the database is away."""
        news = self._reader.read()
        if news.replaced:
            log.warning("change_log_replaced")
            live.current_for_write()
            self._owe_walk()
        for change in news.changes:
            for subscription in self._subscriptions:
                if subscription.kind == change.kind:
                    subscription.owe(change)
        self._tell()

    def ask_walk(self) -> None:
        """Tell every walk listener now."""
        self._owe_walk()
        self._tell()

    def _owe_walk(self) -> None:
        for subscription in self._walks:
            subscription.pending = True

    def _tell(self) -> None:
        """Tell each listener what it is owed; one that fails keeps its debt, and the others do not notice."""
        for subscription in self._subscriptions:
            if subscription.pending:
                try:
                    subscription.listener(list(subscription.pending.values()))
                except Exception:
                    log.exception("change_listener_failed", kind=subscription.kind.value)
                else:
                    subscription.pending.clear()
        for walk in self._walks:
            if walk.pending:
                try:
                    walk.listener()
                except Exception:
                    log.exception("walk_listener_failed")
                else:
                    walk.pending = False

    @property
    def _owes(self) -> bool:
        return any(subscription.pending for subscription in self._subscriptions) or any(
            walk.pending for walk in self._walks
        )

    def _run(self) -> None:
        reachable = True
        while not self._stopping.is_set():
            try:
                heard = self._listen()
                if self._stopping.is_set():
                    break
                if heard.walk:
                    self._owe_walk()
                self.step()
                if not reachable:
                    log.info("change_log_reachable")
                reachable = True
            except Error as error:
                if reachable:
                    log.warning("change_log_unreachable", error=str(error))
                reachable = False
            except Exception:
                log.exception("follower_failed")
                self._stopping.wait(_WAKE_EVERY)
            finally:
                connection.close()
        self._ear.close()

    def _listen(self) -> _Heard:
        """Wait for a nudge, or until it is time to poll."""
        began = time.monotonic()
        heard = _Heard()
        while not self._stopping.is_set() and not heard.anything:
            patience = self._poll_while_hearing if self._ear.hears and not self._owes else self._poll_while_deaf
            left = began + patience - time.monotonic()
            if left <= 0:
                break
            heard = self._ear.listen(min(left, _WAKE_EVERY), self._stopping)
        return heard


@dataclass(frozen=True, kw_only=True)
class _Heard:
    nudge: bool = False
    walk: bool = False

    @property
    def anything(self) -> bool:
        return self.nudge or self.walk


@dataclass(frozen=True)
class _Line:
    """A subscription and the client it belongs to, which would close it on being collected."""

    client: redis.Redis
    pubsub: PubSub

    def close(self) -> None:
        self.pubsub.close()
        self.client.close()


class _Ear:
    """The subscription to Valkey. Comes and goes with it; never raises because it is away."""

    def __init__(self) -> None:
        self._line: _Line | None = None
        self._missed_before = False

    @property
    def hears(self) -> bool:
        return self._line is not None

    def listen(self, seconds: float, stopping: threading.Event) -> _Heard:
        """What was said within `seconds`; whatever waits in line is taken as one. Counts as a nudge when it could be
        reached again, because of what may have been said in between."""
        try:
            if self._line is None:
                self._line = _subscribed()
                if self._missed_before:
                    log.info("nudges_heard")
                self._missed_before = False
                return _Heard(nudge=True)
            return _take(self._line.pubsub, seconds)
        except (redis.RedisError, OSError) as error:
            if not self._missed_before:
                log.warning("nudges_not_heard", error=str(error))
            self._missed_before = True
            self.close()
            stopping.wait(seconds)
            return _Heard()

    def close(self) -> None:
        """Hang up."""
        line, self._line = self._line, None
        if line is not None:
            line.close()


def _subscribed() -> _Line:
    """A subscription that is confirmed: what is said from now on is heard. Raises RedisError or OSError."""
    # A client of its own: it must notice a lost connection at once, where others had better try again.
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0)
    )
    pubsub: PubSub = client.pubsub()  # type: ignore[no-untyped-call]  # redis leaves this one untyped
    line = _Line(client, pubsub)
    try:
        pubsub.subscribe(CHANNEL, WALKS)
        unconfirmed = {CHANNEL.encode(), WALKS.encode()}
        deadline = time.monotonic() + _CONFIRMED_WITHIN
        while unconfirmed:
            left = deadline - time.monotonic()
            if left <= 0:
                raise redis.TimeoutError("the subscription was not confirmed in time")
            message = pubsub.get_message(timeout=left)
            if message is not None and message["type"] == "subscribe":
                unconfirmed.discard(message["channel"])
    except BaseException:
        line.close()
        raise
    return line


def _take(pubsub: PubSub, seconds: float) -> _Heard:
    """What waits in line, after at most `seconds`."""
    channels: set[bytes] = set()
    message = pubsub.get_message(timeout=seconds)
    for _ in range(_NUDGES_AT_ONCE):
        if message is None:
            break
        if message["type"] == "message":
            channels.add(message["channel"])
        elif message["type"] == "subscribe":  # the client lost its connection and made it again by itself
            channels.add(CHANNEL.encode())
        message = pubsub.get_message(timeout=0)
    return _Heard(nudge=CHANNEL.encode() in channels, walk=WALKS.encode() in channels)
