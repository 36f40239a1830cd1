"""The command line: help everywhere, one clear line on bad input, and never a traceback."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from company.rules.refusals import Code, Problem, Refused
from crewlet_site import cli
from tests.deployments import clean_environment, crewlet, processes_of

pytestmark = pytest.mark.covers("OP-01")


def leaves(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command, as the words that lead to it."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield words
    for action in below:
        for name, inner in action.choices.items():
            yield from leaves(inner, (*words, name))


def test_every_command_has_help_that_names_the_data_directory(capsys: pytest.CaptureFixture[str]) -> None:
    commands = list(leaves(cli.parser()))
    assert {("up",), ("test",), ("check",), ("bench",)} <= set(commands)
    for words in commands:
        with pytest.raises(SystemExit) as ended:
            cli.parser().parse_args([*words, "--help"])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        assert f"usage: crewlet {' '.join(words)}" in said
        assert words in (("test",), ("bench",)) or "--data-dir" in said


def test_every_command_of_the_apps_has_something_to_run() -> None:
    for words in leaves(cli.parser()):
        if words[0] in ("up", "test", "check", "bench"):
            continue
        parser: argparse.ArgumentParser = cli.parser()
        for word in words:
            (action,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
            parser = action.choices[word]
        assert callable(parser.get_default("run")), words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["up", "--data-dir", "/a"], "/a"),
        (["iam", "token", "x", "--data-dir=/b/../c"], "/c"),
        (["up"], "/from/environment"),
    ],
)
def test_the_data_directory_is_the_option_else_the_variable(
    words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWLET_DATA_DIR", "/from/environment")
    assert cli.data_dir_of(words) == Path(expected)


def test_without_either_it_is_beside_manage_py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREWLET_DATA_DIR", raising=False)
    assert cli.data_dir_of(["up"]) == cli.ROOT / ".crewlet"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["up", "--port", "many"], "'many' is no port"),
        (["up", "--port", "70000"], "'70000' is no port"),
        (["nonsense"], "invalid choice"),
    ],
)
def test_bad_words_are_told_with_the_usage(words: list[str], line: str, tmp_path: Path) -> None:
    done = crewlet(*words, data_dir=tmp_path)
    assert done.returncode == 2
    assert line in done.stderr
    assert "Traceback" not in done.stderr


def test_no_words_at_all_are_answered_with_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 2
    assert "usage: crewlet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("DATABASE_URL", "sqlite:///x", "DATABASE_URL is not valid: give the URL of a Postgres"),
        ("REDIS_URL", "host:6379", "REDIS_URL is not valid: give the URL of a Valkey or Redis"),
        ("CREWLET_RATE_LIMITS", "maybe", "CREWLET_RATE_LIMITS is not valid"),
        ("CREWLET_ALLOWED_HOSTS", "example.com", "lists are JSON"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named_in_one_line(
    variable: str, value: str, line: str, tmp_path: Path
) -> None:
    done = crewlet("up", "--port", "0", data_dir=tmp_path, environment=clean_environment(**{variable: value}))
    assert done.returncode == 1
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
    assert processes_of(tmp_path) == []


def test_a_data_directory_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = crewlet("up", "--port", "0", data_dir=tmp_path / "file" / "below")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "cannot be used" in done.stderr


def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: object) -> int:
    """Run a made-up command that needs no servers."""
    monkeypatch.setattr("crewlet_site.logs.configure", lambda **_: None)
    return cli._run(argparse.Namespace(command="made-up", run=command, needs_servers=False), tmp_path)


def test_a_refusal_is_one_line_a_problem_with_its_code_and_exits_with_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_arguments: argparse.Namespace) -> int:
        raise Refused.of(
            (
                Problem(code=Code.CONFIG_INVALID, detail="There is no name.", attr="name"),
                Problem(code=Code.CONFIG_INVALID, detail="There are no seats."),
            )
        )

    assert run(monkeypatch, tmp_path, refuse) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "name: config_invalid: There is no name.\nconfig_invalid: There are no seats.\n"


def test_a_file_that_is_not_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path, lambda _: len((tmp_path / "none.yaml").read_text())) == 1
    assert capsys.readouterr().err == f"{tmp_path / 'none.yaml'}: No such file or directory\n"


def test_what_nobody_foresaw_is_one_line_that_says_where_to_read_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path, lambda _: dict[str, int]()["key"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("This should not have happened: KeyError: 'key'")
    assert str(tmp_path / "logs" / "command.jsonl") in said
