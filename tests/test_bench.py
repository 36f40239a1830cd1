"""The figures are what they say: percentiles, medians, verdicts, and loads that fail rather than flatter."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from bench import load
from bench.body import BYTES, body
from bench.figures import Row, Timing, as_markdown, figures_of, median_of, percentile
from bench.load import Call, LoadFailed, send
from crewlet_site.environment import ROOT


def test_a_percentile_is_a_sample_that_was_seen() -> None:
    assert percentile([5, 1, 4, 2, 3], 0.50) == 3
    assert percentile([5, 1, 4, 2, 3], 0.99) == 5
    assert percentile([7], 0.01) == 7
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 0.5)


def test_the_median_of_runs_is_taken_figure_by_figure() -> None:
    runs = [Timing(p50_ms=p50, p99_ms=p99, samples=10, per_second=rate) for p50, p99, rate in
            ((1, 9, 100), (3, 7, 50), (2, 8, 75))]  # fmt: skip
    assert median_of(runs) == Timing(p50_ms=2, p99_ms=8, samples=30, per_second=75)


def test_a_table_shows_an_aim_that_was_missed() -> None:
    rows = [
        Row(bench="gate", what="allowed", figures={"p50 ms": 0.1, "queries": 0}, aim="under 1 ms", met=True),
        Row(bench="gate", what="held back", figures={"p50 ms": 2.0}, aim="under 1 ms", met=False, note="A note."),
    ]
    table = as_markdown(rows)
    assert "| allowed | 0.1 | 0 | under 1 ms: met |" in table
    assert "| held back | 2.0 |  | under 1 ms: **missed** |" in table
    assert table.endswith("A note.")


def test_milliseconds_keep_three_digits_that_mean_something() -> None:
    assert figures_of(Timing(p50_ms=0.0123456, p99_ms=1234.56, samples=1)) == {"p50 ms": 0.0123, "p99 ms": 1230.0}


def test_the_body_both_sides_show_has_everything_a_page_has() -> None:
    text = body()
    assert BYTES <= len(text.encode()) < BYTES * 1.5
    for part in ("\n# ", "\n## ", "|---|", "```python", "```bash", "](/knowledge/pages/", "- [ ] "):
        assert part in text, part


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        given = self.rfile.read(int(self.headers["Content-Length"]))
        right = self.headers["X-Key"] == 'a "quoted" one' and given == '{"é": "\\n"}'.encode()
        answer = b"right" if right else b"wrong"
        self.send_response(200 if right else 400)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", "/sign-in")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    listening.daemon_threads = True
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    listening.server_close()


@pytest.fixture(params=["wrk", "ours"])
def generator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "ours":
        monkeypatch.setattr(shutil, "which", lambda _: None)
    elif load.generator() != "wrk":
        pytest.skip("wrk is not installed")
    return str(request.param)


@pytest.mark.usefixtures("generator")
def test_a_load_sends_what_it_was_told_and_counts_the_answers(server: str) -> None:
    call = Call(url=server, method="POST", headers={"X-Key": 'a "quoted" one'}, body='{"é": "\\n"}', expect="right")
    timing = send(call, concurrency=2, seconds=1)
    assert timing.samples > 10
    assert timing.per_second is not None
    assert 0 < timing.p50_ms <= timing.p99_ms


def test_a_redirect_to_the_sign_in_page_is_no_figure(server: str) -> None:
    with pytest.raises(LoadFailed, match="302"):
        send(Call(url=server), concurrency=1, seconds=1)


@pytest.mark.usefixtures("generator")
def test_an_answer_that_is_no_success_is_no_figure(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_look", lambda _: None)
    with pytest.raises(LoadFailed, match="failed"):
        send(Call(url=server, method="POST", body="x"), concurrency=1, seconds=1)


@pytest.mark.parametrize(
    ("words", "said"), [(["nonsense"], "there is no bench 'nonsense'"), (["--runs", "0"], "at least 1")]
)
def test_bad_input_is_one_clear_line(words: list[str], said: str) -> None:
    ran = subprocess.run([sys.executable, "-m", "bench", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_report_as_json_can_be_read_by_a_program() -> None:
    row = Row(bench="gate", what="allowed", figures={"p99 ms": 0.02}, aim="under 1 ms", met=True)
    assert json.loads(json.dumps(row.as_dict()))["figures"] == {"p99 ms": 0.02}
