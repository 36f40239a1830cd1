"""`skills check`, `import` and `export` with skill folders and prompt skills beside tool skills."""

from __future__ import annotations

import json
import os
import stat
import tarfile
from pathlib import Path

import pytest
from pytest_django import Settings

from crewlet_site.cli import parser
from crewlet_site.environment import storage_of
from knowledge.models import Attachment, Page, Revision
from skills.files import scan
from skills.folders.importing import Verdict, in_one_library
from skills.reads.library import library_now
from tests.data import data_file
from tests.factories import install_company
from tests.skills.folders import write_files, write_skill
from tests.skills.served import DEPLOY
from tests.skills.texts import skill_text

pytestmark = pytest.mark.covers("HS-04", "HS-05")


def run(*words: str) -> int:
    arguments = parser().parse_args(["skills", *words])
    return int(arguments.run(arguments))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """One skill of each dialect, one to be repaired, one to be refused, and files that are none."""
    made = tmp_path / "tree"
    berths = write_skill(made / "skills", "berths", text="---\r\nname: berths\r\ndescription: d\r\n---\r\n# B\r\n")
    (berths / "scripts").mkdir()
    (berths / "scripts" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (berths / "scripts" / "run.sh").chmod(0o755)
    (berths / "references").mkdir()
    (berths / "references" / "more.md").write_text(skill_text("tool:not-one", phases="[plan]"))
    write_skill(made / "skills", "colon", text="---\nname: colon\ndescription: Use when: free\n---\nx")
    write_skill(made / "skills", "bad", text="---\nname: bad\n---\nx")
    (made / "github.md").write_text(skill_text("mcp:github", title="GitHub"))
    (made / "deploy.md").write_text(DEPLOY)
    (made / "worker.md").write_text("---\nname: worker\ndescription: An agent.\ntools: Read, Grep\n---\nNo skill.\n")
    (made / "README.md").write_text("# Prose\n")
    return made


@pytest.fixture
def harbour(db: None, settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=tmp_path / "attachments")}
    install_company()


def test_checking_covers_every_dialect_in_one_run(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "ads.md").write_text("---\nname: ads\ndescription: d\ntriggers: [on]\n---\nx")
    assert run("check", str(tree)) == 1
    shown = capsys.readouterr()
    assert [line.split(": ")[0:3] for line in shown.out.splitlines()] == [
        [f"{tree}/ads.md:4", "triggers[0]", "invalid"],
        [f"{tree}/skills/bad/SKILL.md:1", "description", "required"],
        [f"{tree}/skills/colon/SKILL.md:3", "frontmatter", "invalid"],
    ]
    assert shown.err == (
        "8 files, 1 tool skill, 2 prompt skills, 3 skill folders (1 ok, 1 repaired, 1 refused), 3 problems.\n"
    )
    run("check", str(tree), "--format", "json")
    files = {
        Path(file["path"]).relative_to(tree).as_posix(): file for file in json.loads(capsys.readouterr().out)["files"]
    }
    assert {name: (file["kind"], file["key"], file.get("verdict")) for name, file in files.items()} == {
        "README.md": ("page", None, None),
        "ads.md": ("prompt_skill", None, None),
        "deploy.md": ("prompt_skill", "deploy-staging", None),
        "github.md": ("tool_skill", "mcp:github", None),
        "skills/bad/SKILL.md": ("agent_skill", "bad", "refused"),
        "skills/berths/SKILL.md": ("agent_skill", "berths", "ok"),
        "skills/colon/SKILL.md": ("agent_skill", "colon", "repaired"),
        "worker.md": ("page", None, None),
    }
    assert len(files["skills/colon/SKILL.md"]["repairs"]) == 1
    assert run("check", str(tree / "skills" / "berths" / "SKILL.md")) == 0
    assert run("check", str(tree / "skills" / "bad" / "SKILL.md")) == 1


def test_a_tree_comes_in_whole_and_goes_out_as_it_was(
    harbour: None, tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("import", str(tree)) == 1
    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1] == "2 ignored, 4 created, 1 refused."
    lines = shown.out.splitlines()
    assert any(line.startswith(f"{tree}/skills/colon/SKILL.md: repaired: line 3: description: ") for line in lines)
    assert f"{tree}/skills/bad/SKILL.md:1: description: required: " in "\n".join(lines)
    before = (Page.objects.count(), Revision.objects.count(), Attachment.objects.count())
    assert before[0] == 4
    out = tmp_path / "out"
    assert run("export", str(out)) == 0
    for name in ("SKILL.md", "scripts/run.sh", "references/more.md"):
        there, back = tree / "skills" / "berths" / name, out / "berths" / name
        assert back.read_bytes() == there.read_bytes()
        assert bool(back.stat().st_mode & stat.S_IXUSR) is (name == "scripts/run.sh")
    assert (out / "mcp-github.md").read_bytes() == (tree / "github.md").read_bytes()
    assert (out / "deploy-staging.md").read_bytes() == (tree / "deploy.md").read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["berths", "colon", "deploy-staging.md", "mcp-github.md"]
    capsys.readouterr()
    assert run("import", str(out)) == 0
    assert capsys.readouterr().err == "4 unchanged.\n"
    assert (Page.objects.count(), Revision.objects.count(), Attachment.objects.count()) == before
    (out / "berths" / "SKILL.md").write_text("my own")
    assert run("export", str(out)) == 1
    assert (out / "berths" / "SKILL.md").read_text() == "my own"


def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    harbour: None, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("import", str(tree), "--dry-run") == 1
    shown = capsys.readouterr()
    assert f"{tree}/skills/berths/SKILL.md: created: berths" in shown.out.splitlines()
    assert shown.err.startswith("Nothing is written: ")
    assert not Page.objects.exists()
    run("import", str(tree))
    (tree / "skills" / "berths" / "scripts" / "run.sh").write_bytes(b"#!/bin/bash\n")
    capsys.readouterr()
    run("import", str(tree), "--dry-run")
    lines = capsys.readouterr().out
    assert f"{tree}/skills/berths/SKILL.md: updated: berths on page " in lines
    assert f"{tree}/github.md: unchanged: mcp:github on page " in lines
    assert Attachment.objects.count() == 2


def test_a_link_that_leaves_the_tree_is_not_followed_in_or_out(
    harbour: None, tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (tree / "skills" / "berths" / "references" / "link.md").symlink_to(secret)
    run("import", str(tree))
    assert "'skills/berths/references/link.md' is a link that leaves the tree" in capsys.readouterr().out
    assert "berths" not in library_now().folders
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "colon").symlink_to(elsewhere)
    assert run("export", str(out)) == 1
    assert list(elsewhere.iterdir()) == []


def test_whatever_lies_in_a_tree_is_answered_on_one_line_and_nothing_outside_is_read(
    harbour: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    write_skill(tree, "name\nof two lines", text="---\nname: a\x1b[31m: b\n---\nx")
    write_skill(tree, "turned\u202e", text='---\nname: "x\\n\\e[2J"\ndescription: d\n---\nx')
    (tree / os.fsdecode(b"no-text-\xff.md")).write_text(skill_text("tool:x", phases="[plan]"))
    outside.mkdir()
    (outside / "secret.md").write_text(skill_text("tool:secret"))
    (tree / "link.md").symlink_to(outside / "secret.md")
    (tree / "nowhere.md").symlink_to("nowhere")
    (tree / "loop.md").symlink_to("loop.md")
    os.mkfifo(tree / "pipe.md")
    with (tree / "vast.md").open("wb") as vast:
        vast.truncate(30 * 1024 * 1024)
    for name in ("linked-folder", "linked-file"):
        write_skill(tree, name)
    (tree / "linked-folder" / "references").symlink_to(outside)
    (tree / "linked-file" / "more.md").symlink_to(outside / "secret.md")
    assert run("check", str(tree)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(f"{tree}/") and line.isprintable() for line in lines)
    for name in ("link.md", "nowhere.md", "loop.md", "pipe.md", "vast.md", "name\\nof two lines", "no-text-\\udcff.md"):
        assert any(line.startswith(f"{tree}/{name}") for line in lines), name
    run("check", str(tree), "--format", "json")
    told = capsys.readouterr().out
    assert all(line.isprintable() for line in told.splitlines())
    assert {Path(file["path"]) for file in json.loads(told)["files"]} > set(tree.glob("*.md"))
    assert run("import", str(tree)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(f"{tree}/") and line.isprintable() for line in lines)
    for name in ("linked-folder", "linked-file"):
        assert any(line.startswith(f"{tree}/{name}/SKILL.md:1: file: invalid: ") for line in lines), name
    assert list(library_now().folders) == ["x-2j"], "of the two that hold a link nothing is taken in"


@pytest.mark.parametrize(
    ("body", "name"),
    [("x" * 600_000, ""), ("x", "references/" + "a" * 201), ("x", "references/turned\u202e.md"), ("x", "a:b")],
)
def test_what_the_library_cannot_keep_is_refused_by_a_dry_run_too(
    harbour: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, name: str
) -> None:
    folder = write_skill(tmp_path / "tree", "berths", body=body)
    if name:
        write_files(folder, name)
    said = []
    for words in (("--dry-run",), ()):
        assert run("import", str(tmp_path / "tree"), *words) == 1
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert said[0].startswith(f"{folder}/SKILL.md:1: ")
    assert not Page.objects.exists()


@pytest.mark.parametrize("marks", [1, 2])
def test_a_byte_order_mark_is_judged_kept_and_served_alike(
    harbour: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], marks: int
) -> None:
    text = "\ufeff" * marks + "---\nname: berths\ndescription: d\n---\nx"
    folder = write_skill(tmp_path / "tree", "berths", text=text)
    assert run("check", str(tmp_path / "tree")) == (0 if marks == 1 else 1)
    run("import", str(tmp_path / "tree"))
    run("export", str(tmp_path / "out"))
    assert list(library_now().folders) == (["berths"] if marks == 1 else [])
    if marks == 1:
        assert (tmp_path / "out" / "berths" / "SKILL.md").read_bytes() == (folder / "SKILL.md").read_bytes()


@pytest.mark.slow
def test_422_real_skills_come_in_and_go_out_byte_for_byte(
    harbour: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    with tarfile.open(data_file("skill-folders.tar.gz")) as archive:
        archive.extractall(tree, filter="data")
    found = scan(tree)
    assert len(found.tree.files) == 422
    taken = [report for report in in_one_library(found.tree).files if report.verdict is not Verdict.REFUSED]
    run("import", str(tree))
    assert sorted(library_now().folders) == sorted(report.name or "" for report in taken)
    assert run("export", str(out)) == 0
    for report in taken:
        source, back = tree / report.path, out / (report.name or "") / "SKILL.md"
        assert back.read_bytes() == (
            source.read_bytes() if report.verdict is Verdict.OK else (report.text or "").encode()
        )
        for name in report.files:
            assert (back.parent / name).read_bytes() == (source.parent / name).read_bytes()
    capsys.readouterr()
    assert run("import", str(out)) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"{len(taken)} unchanged."
