"""`skills check`, `import` and `export`, as somebody with a folder of files meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from company.rules.refusals import Code, Refused
from crewlet_site.cli import parser
from knowledge.models import Page, Revision
from knowledge.writes.pages import create_page, rename_page, save_page, trash_page
from tests.data import data_file
from tests.factories import admin, install_company
from tests.skills.texts import skill_text


def run(*words: str) -> int:
    """One command as the command line runs it, without the servers it would find or start."""
    arguments = parser().parse_args(["skills", *words])
    return int(arguments.run(arguments))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two good skills, a README, and one skill with two faults."""
    made = tmp_path / "files"
    (made / "below").mkdir(parents=True)
    (made / "a.md").write_text(skill_text("mcp:github", title="GitHub"))
    (made / "below" / "b.md").write_bytes(skill_text("tool:b", title="Bé").replace("\n", "\r\n").encode())
    (made / "README.md").write_text("# Not a skill\n")
    (made / "bad.md").write_text(skill_text("tool:bad", phases="[plan]", required="maybe"))
    return made


@pytest.mark.covers("TS-01")
def test_checking_prints_path_line_field_code_and_sentence_and_fails(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", str(folder)) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        f"{folder}/bad.md:4: phases[0]: invalid: There is no phase 'plan'. The phases are execute, review, subagent.",
        f"{folder}/bad.md:7: required: invalid: 'required' is true or false, without quotes; leave it out for true.",
    ]
    assert shown.err == "4 files, 3 tool skills, 2 problems.\n"


def test_checking_can_answer_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", str(folder / "bad.md"), "--format", "json") == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["problems"] == 2
    assert shown["files"][0]["problems"][0]["line"] == 4


def test_checking_what_is_right_succeeds_and_a_path_that_is_not_there_is_an_error(folder: Path) -> None:
    assert run("check", str(folder / "a.md")) == 0
    with pytest.raises(FileNotFoundError):
        run("check", str(folder / "nothing"))


def test_checking_finds_a_key_that_stands_in_two_files_and_files_that_are_no_text(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.md").write_bytes(b"---\ntrigger: \xff\n")
    (folder / "c.md").write_text(skill_text("mcp:github"))
    assert run("check", str(folder)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{folder}/bad.md:2: file: invalid: ")
    assert lines[1].startswith(f"{folder}/c.md:2: key: invalid: ")


@pytest.mark.django_db
def test_importing_publishes_what_is_right_refuses_the_rest_and_changes_nothing_the_second_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_company()
    assert run("import", str(folder)) == 1
    shown = capsys.readouterr()
    pages = {page.title: page for page in Page.objects.filter(container="TS")}
    assert sorted(pages) == ["Bé", "GitHub"]
    assert pages["Bé"].body == (folder / "below" / "b.md").read_bytes().decode()
    assert shown.out.splitlines() == [
        f"{folder}/README.md: ignored: it is no tool skill",
        f"{folder}/a.md: created: mcp:github on page {pages['GitHub'].pk}",
        f"{folder}/bad.md:4: phases[0]: invalid: There is no phase 'plan'. The phases are execute, review, subagent.",
        f"{folder}/bad.md:7: required: invalid: 'required' is true or false, without quotes; leave it out for true.",
        f"{folder}/below/b.md: created: tool:b on page {pages['Bé'].pk}",
    ]
    assert shown.err.splitlines()[-1] == "1 ignored, 2 created, 1 refused."
    revisions = Revision.objects.count()
    run("import", str(folder))
    assert "2 unchanged" in capsys.readouterr().err
    assert Revision.objects.count() == revisions


@pytest.mark.django_db
def test_importing_updates_the_page_that_has_the_key_whatever_it_is_called_now(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_company()
    path = folder / "a.md"
    run("import", str(path))
    page = Page.objects.get()
    rename_page(actor=admin(), page_id=page.pk, title="Forge")
    save_page(actor=admin(), page_id=page.pk, base_version=2, body=skill_text("mcp:github", phases="[plan]"))
    assert run("import", str(path)) == 0
    page.refresh_from_db()
    assert (page.title, page.body) == ("GitHub", path.read_text())
    trash_page(actor=admin(), page_id=page.pk)
    assert run("import", str(path)) == 0
    assert "created: mcp:github" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.django_db
def test_importing_refuses_a_title_another_page_has_and_a_company_without_a_skills_container(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_company()
    create_page(actor=admin(), container="TS", title="GitHub", body="prose")
    assert run("import", str(folder / "a.md")) == 1
    assert f"{folder}/a.md:1: title: title_taken: " in capsys.readouterr().out
    install_company(skills_container=None)
    for words in (("import", str(folder)), ("export", str(folder / "out"))):
        with pytest.raises(Refused) as refused:
            run(*words)
        assert refused.value.code is Code.UNKNOWN_CONTAINER
    assert not (folder / "out").exists()


@pytest.mark.django_db
def test_exporting_writes_each_skill_as_it_is_and_spares_what_somebody_changed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_company()
    run("import", str(folder))
    create_page(actor=admin(), container="TS", title="Broken", body=skill_text("TOOL:B", phases="[plan]"))
    create_page(actor=admin(), container="TS", title="Prose", body="prose")
    out = tmp_path / "out"
    assert run("export", str(out)) == 0
    broken = Page.objects.get(title="Broken").pk
    assert sorted(path.name for path in out.iterdir()) == [f"TOOL-B-{broken}.md", "mcp-github.md", "tool-b.md"]
    assert (out / "tool-b.md").read_bytes() == (folder / "below" / "b.md").read_bytes()
    (out / "tool-b.md").write_text("my own")
    capsys.readouterr()
    assert run("export", str(out)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["unchanged", "left alone", "unchanged"]
    assert run("export", str(out), "--force") == 0
    assert (out / "tool-b.md").read_bytes() == (folder / "below" / "b.md").read_bytes()
    with pytest.raises(Refused):
        run("export", str(folder / "a.md"))


@pytest.mark.covers("TS-01")
@pytest.mark.django_db
def test_a_folder_written_for_older_phases_is_refused_line_by_line_and_served_once_they_are_edited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = data_file("crewlet-examples/tool-skills")
    install_company()
    texts = {path.name: path.read_text() for path in source.glob("*.md")}
    assert len(texts) == 11
    assert run("import", str(source)) == 1
    refused = capsys.readouterr().out.splitlines()
    assert len(refused) == 11
    assert all(": phases[0]: invalid: There is no phase 'plan'." in line for line in refused)
    for name, text in texts.items():
        (tmp_path / name).write_text(text.replace("[plan, ", "[").replace("[plan]", "[execute]"))
    assert run("import", str(tmp_path)) == 0
    from skills import registry
    from skills.registry.sync import SkillSync

    SkillSync(report=lambda _report: None).run_pending()
    assert len(registry.current().by_key) == 11
