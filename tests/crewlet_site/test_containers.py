"""One process a container: the image's files fit the code, and each role runs alone on servers of one's own."""

from __future__ import annotations

import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import yaml
from django.conf import settings
from django.db import connection
from psycopg import sql

from crewlet_site.cli import parser
from crewlet_site.environment import Environment
from tests.deployments import ROOT, clean_environment, crewlet, data_directory, until

ROLES = ("web", "indexer", "worker", "beat")
OF_OTHERS = {"CREWLET_DASHBOARD_URL", "FORWARDED_ALLOW_IPS"}
"""What a container is told beside the settings: the document refers to the one, uvicorn reads the other."""


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return loaded


@pytest.mark.covers("OP-02")
def test_compose_has_a_container_for_every_role_and_its_commands_are_the_command_lines() -> None:
    services = compose()["services"]
    assert set(ROLES) <= set(services)
    assert services["web"]["deploy"]["replicas"] == 2
    for role in ROLES:
        given = parser(with_apps=False).parse_args(services[role]["command"])
        assert given.role == role
        assert services[role]["read_only"]
        assert services[role]["cap_drop"] == ["ALL"]


def test_compose_sets_no_setting_that_is_not_one() -> None:
    known = {
        str(field.validation_alias or f"CREWLET_{name.upper()}") for name, field in Environment.model_fields.items()
    }
    for role in ROLES:
        assert set(compose()["services"][role]["environment"]) <= known | OF_OTHERS


def test_compose_asks_for_what_the_example_of_its_environment_lists() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text()))
    listed = set(re.findall(r"^(\w+)=", (ROOT / "compose.env").read_text(), re.MULTILINE))
    assert asked == listed


def test_the_image_copies_what_is_there_and_every_folder_of_the_code() -> None:
    lines = (ROOT / "Dockerfile").read_text()
    copied = {name for line in re.findall(r"^COPY (?!--)(.+)$", lines, re.MULTILINE) for name in line.split()[:-1]}
    assert all((ROOT / name).exists() for name in copied)
    code = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench"}
    assert code | {"templates", "static", "examples"} <= copied
    let_in = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    assert copied <= let_in
    assert "USER crewlet" in lines


@contextmanager
def database() -> Iterator[str]:
    """An empty database on the tests' server; its URL."""
    params = connection.get_connection_params()
    place: dict[str, Any] = {key: params[key] for key in ("host", "port", "user", "password") if params.get(key)}
    name = f"alone_{secrets.token_hex(4)}"
    with psycopg.connect(**place, dbname="postgres", autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"postgresql:///{name}?" + "&".join(f"{key}={value}" for key, value in place.items())
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def started(role: str, environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "crewlet_site.cli", "run", role, *words],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.xdist_group("containers")
@pytest.mark.covers("OP-02")
def test_each_role_alone_makes_up_a_deployment_and_ends_politely() -> None:
    from bench.site import free_port

    with data_directory() as path, database() as url, ExitStack() as stack:
        environment = clean_environment(
            DATABASE_URL=url, REDIS_URL=settings.REDIS_URL, CREWLET_DATA_DIR=str(path), CREWLET_SECRET_KEY="k" * 50
        )
        ports = [free_port(), free_port()]
        running = {f"web {port}": started("web", environment, "--port", str(port)) for port in ports}
        running |= {role: started(role, environment) for role in ROLES[1:]}
        for process in running.values():
            stack.callback(process.communicate)
            stack.callback(process.kill)

        def answers(port: int) -> bool:
            ended = {name: process.poll() for name, process in running.items() if process.poll() is not None}
            assert not ended
            try:
                return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=10).status_code == 200
            except httpx.TransportError:
                return False

        for port in ports:
            until(lambda port=port: answers(port), 240)  # type: ignore[misc] # mypy takes no default of a lambda
        applied = crewlet("config", "apply", "examples/company.yaml", data_dir=path, environment=environment)
        assert applied.returncode == 0, applied.stderr
        made = crewlet("iam", "token", "alone", "--scopes", "read,write,admin", data_dir=path, environment=environment)
        headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
        one, two = (
            httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", headers=headers, timeout=60) for port in ports
        )
        with one, two:
            page = {"container": "ENG", "title": "Alone", "body": "wombat crossing"}
            until(lambda: one.post("/pages", json=page).status_code == 201, 60)  # once the document is in force there
            until(lambda: bool(_hits(two, "wombat crossing")), 60)
        for process in running.values():
            process.send_signal(signal.SIGTERM)
        codes = {name: process.wait(60) for name, process in running.items()}
        # uvicorn, when it is done, ends of the signal it was sent.
        assert set(codes.values()) <= {0, -signal.SIGTERM}, codes


def _hits(api: httpx.Client, words: str) -> list[Any]:
    answer = api.get("/search/pages", params={"q": words, "mode": "keyword"})
    return list(answer.json().get("hits", []))


def test_a_role_without_servers_of_its_own_is_refused_in_one_line(tmp_path: Path) -> None:
    refused = crewlet("run", "web", data_dir=tmp_path)
    assert refused.returncode == 1
    assert refused.stderr == "DATABASE_URL is not set. `run` is for servers of your own; `up` brings its own.\n"
