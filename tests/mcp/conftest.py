"""What tests of the MCP servers share: one server for all of them, and a company in it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from company.models import Token
from crewlet_site.environment import storage_of
from knowledge.writes.containers import sync_containers
from skills import registry
from skills.registry import EMPTY
from skills.tool_skills.memory import sessions
from tests.factories import install_company, person, token_for
from tests.mcp.doors import OPERATOR, Assistant, Configured, Site, served


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker serves; each of its requests commits, so each test cleans the tables."""
    for item in items:
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("mcp"))


@pytest.fixture(scope="session")
def server() -> Iterator[Site]:
    """The application on a socket."""
    with served() as site:
        yield site


@pytest.fixture
def site(server: Site, transactional_db: None, settings: Settings, tmp_path: Path) -> Iterator[Site]:
    """The application, with the company Harbour in it and nothing else."""
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=tmp_path / "attachments")}
    registry.install(EMPTY)
    sessions.forget_all()
    sync_containers(install_company())
    yield server
    registry.install(EMPTY)
    sessions.forget_all()


@pytest.fixture
def engineer(site: Site) -> Iterator[Assistant]:
    """The engineer agent, connected as the document says for Claude."""
    secret, configured = token_for(seat="engineer-bot"), Configured.of_claude()
    with site.assistant(secret, configured.path, header=configured.with_token(secret)) as assistant:
        yield assistant


@pytest.fixture
def operator(site: Site) -> Iterator[Assistant]:
    """An administrator's assistant, connected as the document says for Codex, a moment after a proof."""
    secret, configured = token_for(holder=person("root", permissions=["admin"]), name="root"), Configured.of_codex()
    Token.objects.update(proven_until=timezone.now() + timedelta(minutes=15))
    with site.assistant(secret, configured.path, header=configured.with_token(secret)) as assistant:
        yield assistant


@pytest.fixture
def ada(site: Site) -> Iterator[Assistant]:
    """The assistant of a person with the knowledge app."""
    secret = token_for(holder=person("ada", permissions=["knowledge"], seat="ada-marsh"), name="ada")
    with site.assistant(secret, OPERATOR) as assistant:
        yield assistant
