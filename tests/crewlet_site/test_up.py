"""`crewlet up` as an operator meets it."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.deployments import Deployment, clean_environment, crewlet, data_directory, processes_of, running, until

pytestmark = [pytest.mark.slow, pytest.mark.covers("OP-01")]

WORDS = ("--no-example",)


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """A data directory that has been used before, so that each test here is a second start."""
    with data_directory() as path:
        with running(path, *WORDS):
            pass
        yield path


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A place for another one, as `data_directory` says why."""
    with data_directory() as path:
        yield path


def children_of(deployment: Deployment) -> dict[str, psutil.Process]:
    """The supervised processes by name."""
    return {
        process.cmdline()[-1]: process
        for process in psutil.Process(deployment.process.pid).children()
        if "crewlet_site.child" in process.cmdline()
    }


def test_a_first_start_makes_everything_and_ctrl_c_leaves_no_process_behind(tmp_path: Path) -> None:
    data_dir = tmp_path / "new"
    with running(data_dir, *WORDS) as deployment:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", deployment.url)
        assert httpx.get(f"{deployment.url}/healthz").json() == {"status": "ok"}
        assert httpx.get(f"{deployment.url}/readyz").status_code == 200
        assert set(children_of(deployment)) == {"web-1", "web-2", "indexer", "worker", "beat"}
        assert deployment.interrupt() == 0
    assert processes_of(data_dir) == []
    assert not list(data_dir.glob("*/*.sock"))


def test_a_second_start_finds_everything_made_and_makes_nothing_again(data_dir: Path) -> None:
    """How long it takes is a figure of the bench (`./crewlet bench start`)."""
    with running(data_dir, *WORDS) as deployment:
        assert httpx.get(f"{deployment.url}/readyz").status_code == 200
        for step in ("migrating", "example_loading", "server_restarted"):
            assert step not in deployment.terminal


def test_a_second_up_on_the_same_data_directory_is_refused_and_names_the_first(data_dir: Path) -> None:
    with running(data_dir, *WORDS) as deployment:
        second = crewlet("up", "--port", "0", data_dir=data_dir)
        assert second.returncode == 1
        assert second.stderr.count("\n") == 1
        assert f"already running at {deployment.url}" in second.stderr
        assert httpx.get(f"{deployment.url}/readyz").status_code == 200


def test_two_data_directories_run_side_by_side(data_dir: Path, tmp_path: Path) -> None:
    with running(data_dir, *WORDS) as one, running(tmp_path / "other", *WORDS) as other:
        assert one.url != other.url
        other.interrupt()
        assert httpx.get(f"{one.url}/readyz").status_code == 200


def test_a_data_directory_with_a_path_too_long_for_sockets_works(tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 20) / ("deeper" * 10)
    with running(deep, *WORDS) as deployment:
        assert httpx.get(f"{deployment.url}/readyz").status_code == 200
    assert processes_of(deep) == []


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = crewlet("up", "--port", port, data_dir=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"Port {port} of 127.0.0.1 is taken. Choose another one with --port.\n"
    assert processes_of(tmp_path) == []


def test_a_process_that_dies_is_started_again_while_the_others_serve(data_dir: Path) -> None:
    with running(data_dir, *WORDS) as deployment:
        for name in ("web-1", "worker", "indexer", "beat"):
            before = children_of(deployment)
            before[name].kill()
            assert httpx.get(f"{deployment.url}/readyz", timeout=10).status_code == 200
            until(lambda: name in (now := children_of(deployment)) and now[name].pid != before[name].pid, 20)  # noqa: B023
            after = children_of(deployment)
            assert {other: process.pid for other, process in after.items() if other != name} == {
                other: process.pid for other, process in before.items() if other != name
            }


def test_a_killed_supervisor_leaves_no_process_behind(data_dir: Path) -> None:
    with running(data_dir, *WORDS) as deployment:
        assert len(deployment.processes()) > 5
        deployment.process.kill()
        until(lambda: processes_of(data_dir) == [], 30)
        assert deployment.end(signal.SIGKILL) == -signal.SIGKILL


def test_a_start_after_everything_was_killed_finds_its_data(data_dir: Path) -> None:
    with running(data_dir, *WORDS) as deployment:
        for process in psutil.process_iter():
            try:
                line = " ".join(process.cmdline())
            except psutil.Error:
                continue
            if str(data_dir) in line and process.pid != os.getpid():
                process.kill()
        until(lambda: deployment.process.poll() is not None)
        deployment.end(signal.SIGKILL)
    until(lambda: processes_of(data_dir) == [], 30)
    with running(data_dir, *WORDS) as deployment:
        assert httpx.get(f"{deployment.url}/readyz").status_code == 200


def test_a_killed_postgres_comes_back_and_the_site_with_it(data_dir: Path) -> None:
    with running(data_dir, *WORDS) as deployment:
        postmaster = int((data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        psutil.Process(postmaster).kill()
        until(lambda: not psutil.pid_exists(postmaster) or not psutil.Process(postmaster).is_running())
        until(lambda: _status(f"{deployment.url}/readyz") == 200, 30)


def _status(url: str) -> int:
    try:
        return httpx.get(url, timeout=15).status_code
    except httpx.HTTPError:
        return 0


def test_every_process_logs_json_lines_into_the_data_directory(data_dir: Path) -> None:
    with running(data_dir, *WORDS):
        pass
    for name in ("web-1", "web-2", "indexer", "worker", "supervisor", "postgres", "valkey"):
        lines = (data_dir / "logs" / f"{name}.jsonl").read_text().splitlines()
        assert lines, name
        for line in lines:
            assert {"event", "level", "at"} <= set(json.loads(line)), line


def test_with_database_url_and_redis_url_it_uses_those_servers_and_starts_none(data_dir: Path, tmp_path: Path) -> None:
    with running(data_dir, *WORDS):
        urls = {
            "DATABASE_URL": f"postgresql://postgres@/postgres?host={data_dir}/postgres",
            "REDIS_URL": f"unix://{data_dir}/valkey/valkey.sock?db=1",
        }
        with running(tmp_path, *WORDS, environment=clean_environment(**urls)) as deployment:
            assert httpx.get(f"{deployment.url}/readyz").status_code == 200
            assert not (tmp_path / "postgres").exists()
            assert not (tmp_path / "valkey").exists()


def test_a_database_url_that_leads_nowhere_is_told_in_one_line_without_its_password(tmp_path: Path) -> None:
    environment = clean_environment(
        DATABASE_URL="postgresql://someone:hunter22@127.0.0.1:1/none", REDIS_URL="redis://127.0.0.1:1/0"
    )
    done = crewlet("up", "--port", "0", data_dir=tmp_path, environment=environment)
    assert done.returncode == 1
    answer = [line for line in done.stderr.splitlines() if line.startswith("The database")]
    assert len(answer) == 1
    assert "hunter22" not in done.stderr
    assert "Traceback" not in answer[0]


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become somebody else")
def test_the_servers_run_as_oneself_where_that_is_not_root(tmp_path: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(tmp_path, nobody.pw_uid, nobody.pw_gid)
    code = (
        "from pathlib import Path; from crewlet_site.embedded import servers\n"
        f"with servers.use(Path({str(tmp_path / 'mine')!r})) as both: print([str(s.places.kind) for s in both])"
    )
    done = subprocess.run(
        # It may read what it does not own, because root's interpreter and this checkout may be closed to others.
        ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups",
         "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", sys.executable, "-c", code],
        check=False, env=clean_environment(HOME=str(tmp_path)), cwd="/", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == "['postgres', 'valkey']\n", done.stderr
    assert (tmp_path / "mine" / "postgres").stat().st_uid == nobody.pw_uid
    assert processes_of(tmp_path / "mine") == []
