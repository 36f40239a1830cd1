"""What monitoring reads: how requests went, counted in every web process, and how the deployment stands, when asked.

The processes of a host share the counters through files in the data directory, so that it does not matter which of
them is asked. How the deployment stands is read from the database at each scrape; nothing is kept of it here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import structlog
from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponseBase
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis import RedisError

from crewlet_site.environment import metrics_folder

metrics_folder(settings.DATA_DIR).mkdir(parents=True, exist_ok=True)

QUEUE = "celery"
"""The list in Valkey that the worker takes duties from: Celery's own name for it."""

REQUESTS = Counter("crewlet_http_requests", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram(
    "crewlet_http_request_seconds",
    "Time from a request's arrival in its process to its answer.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

log = structlog.get_logger(__name__)

Metrics = GaugeMetricFamily | InfoMetricFamily


def measured(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that counts requests by their route, never by their address: there are as many series as routes."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = get_response(request)
        route = request.resolver_match.route if request.resolver_match else "none"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(method, route, str(response.status_code)).inc()
        SECONDS.labels(route).observe(time.perf_counter() - began)
        return response

    return answer


def exposition() -> tuple[bytes, str]:
    """Everything, and its media type."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # the package leaves it bare
    registry.register(Standing())
    return generate_latest(registry), CONTENT_TYPE_LATEST


class Standing(Collector):
    """How the deployment stands. A server that cannot be reached is 0 in `up`, and its figures are absent."""

    def collect(self) -> Iterator[Metrics]:
        """The figures of Postgres, then those of Valkey."""
        up = GaugeMetricFamily("crewlet_server_up", "Whether a server answers.", labels=["server"])
        try:
            yield from _of_the_database()
            up.add_metric(["postgres"], 1)
        except Error as error:
            log.warning("metrics_without_database", error=str(error).splitlines()[0])
            up.add_metric(["postgres"], 0)
        try:
            yield _gauge("crewlet_queue_duties", "Duties that wait for a worker.", _queued())
            up.add_metric(["valkey"], 1)
        except RedisError as error:
            log.warning("metrics_without_valkey", error=str(error))
            up.add_metric(["valkey"], 0)
        yield up


def _of_the_database() -> list[Metrics]:
    """All of them or, where the database goes away meanwhile, none."""
    from company import live
    from company.reads.revisions import latest_id
    from company.rules.actors import engine_actor
    from knowledge.reads.embedding import embedding_view
    from knowledge.reads.trash import standing_of_trash
    from knowledge.search.progress import index_progress
    from skills.reads.sync import sync_states

    actor = engine_actor("metrics")
    found: list[Metrics] = [
        _gauge("crewlet_document_revision", "The newest revision of the company document.", latest_id()),
        _gauge(
            "crewlet_document_revision_here", "The one in force in the process that was asked.", live.current().revision
        ),
    ]
    index = index_progress()
    found += [
        _gauge("crewlet_index_lag_seconds", "Age of the oldest change the index lacks.", index.lag_seconds),
        _gauge("crewlet_index_changes_waiting", "Changes the index lacks.", index.changes),
    ]
    embedding = embedding_view(actor=actor)
    if embedding.coverage is not None:
        found += [
            _gauge("crewlet_embedding_coverage_ratio", "Sources with a current vector.", embedding.coverage.share),
            _gauge("crewlet_embedding_alarm", "Whether coverage is below what alarms.", embedding.is_alarmed),
        ]
    found += [
        _gauge("crewlet_embedding_held_sources", "Texts the provider refused.", embedding.held_total),
        _gauge("crewlet_embedding_failures", "Runs of the embedding duty that failed in a row.", embedding.failures),
    ]
    trash = standing_of_trash()
    found.append(_gauge("crewlet_trash_failed_purges", "Purges that wait to be tried again.", trash.failed))
    if trash.last_pass_at is not None:
        found.append(
            _gauge(
                "crewlet_trash_pass_timestamp_seconds",
                "When the trash was last emptied.",
                trash.last_pass_at.timestamp(),
            )
        )
    walked = GaugeMetricFamily(
        "crewlet_skill_sync_timestamp_seconds",
        "When a process last walked the skill pages.",
        labels=["process", "state"],
    )
    skills = GaugeMetricFamily("crewlet_skills", "Skills in a process's registry.", labels=["process"])
    for state in sync_states(actor=actor):
        skills.add_metric([state.process], state.skills)
        if state.walked_at is not None:
            walked.add_metric([state.process, state.state], state.walked_at.timestamp())
    return [*found, walked, skills]


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=float(value))


def _queued() -> int:
    from company.nudges import valkey

    return int(valkey().llen(QUEUE))
