"""`config` and `iam` on the command line."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import pytest

from company.commands import register
from company.models import AuditEntry, Person, Revision
from company.reads.actors import actor_of_secret
from company.rules.actors import Door, Scope
from company.rules.refusals import Refused
from tests.company.documents import HARBOUR
from tests.data import data_file
from tests.factories import install_company, person

pytestmark = pytest.mark.django_db


def run(*words: str | Path) -> int:
    top = argparse.ArgumentParser()
    register(top.add_subparsers())
    parsed = top.parse_args([str(word) for word in words])
    code: int = parsed.run(parsed)
    return code


@pytest.mark.covers("CO-01")
def test_applying_a_real_users_document_lists_what_it_ignores(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("config", "apply", data_file("crewlet-examples/nimbus.company.yaml")) == 0

    told = capsys.readouterr().out
    revision = Revision.objects.get()
    assert f"Revision {revision.pk} is in force." in told
    assert "  learning\n" in told
    assert "  units.*.children.*.roles.*.goal (7 times)\n" in told
    assert AuditEntry.objects.get().door == "command"


def test_a_document_with_problems_is_told_line_by_line_and_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "company.yaml"
    path.write_text("name: Harbour\nunits: [{name: E, space: eng, lead: x}]\n")

    for action in ("check", "apply"):
        assert run("config", action, path) == 1
        assert len(capsys.readouterr().err.splitlines()) == 2
    assert not Revision.objects.exists()


def test_a_check_changes_nothing_and_a_second_apply_goes_on_top(tmp_path: Path) -> None:
    path = tmp_path / "company.yaml"
    path.write_text(HARBOUR)

    assert run("config", "check", path) == 0
    assert not Revision.objects.exists()
    assert run("config", "apply", path) == 0
    assert run("config", "apply", path, "--summary", "again") == 0
    assert Revision.objects.count() == 2


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        run("config", "check", tmp_path / "nothing.yaml")


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("config", "schema") == 0
    assert json.loads(capsys.readouterr().out)["required"] == ["name"]


@pytest.mark.covers("CO-08")
def test_a_token_command_prints_the_secret_alone(capsys: pytest.CaptureFixture[str]) -> None:
    install_company()
    person("ada")
    holders: tuple[tuple[tuple[str, ...], str], ...] = (
        (("--seat", "engineer-bot"), "engineer-bot"),
        (("--login", "ada"), "ada"),
        ((), "main job"),
    )
    for words, author in holders:
        assert run("iam", "token", "main job", *words, "--scopes", "read,write", "--days", "3") == 0
        secret = capsys.readouterr().out.removesuffix("\n")
        actor, token = actor_of_secret(secret, door=Door.REST)
        assert (actor.author.name, actor.scopes) == (author, frozenset({Scope.READ, Scope.WRITE}))
        assert token.expires_at is not None


@pytest.mark.covers("CO-08")
def test_a_person_is_made_and_changed_by_the_same_command(monkeypatch: pytest.MonkeyPatch) -> None:
    install_company()
    monkeypatch.setattr("sys.stdin", io.StringIO("tide and timber\n"))
    assert run("iam", "person", "Ada", "--seat", "ada-marsh", "--permissions", "admin", "--password-stdin") == 0
    assert run("iam", "person", "ada", "--name", "Ada Marsh") == 0

    ada = Person.objects.get()
    assert (ada.login, ada.name, ada.seat, ada.permissions) == ("ada", "Ada Marsh", "ada-marsh", ["admin"])
    assert ada.check_password("tide and timber")


@pytest.mark.covers("CO-08")
def test_a_person_without_a_password_is_made_and_the_operator_told_how_they_get_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    install_company()
    assert run("iam", "person", "ada", "--permissions", "knowledge") == 0
    assert capsys.readouterr().out == (
        "ada has a login now, and no password yet. Make the link that lets them in under Company, People.\n"
    )
    assert not Person.objects.get().has_usable_password()
