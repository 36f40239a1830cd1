"""Pages out into a zip and in from files: the same bytes after a journey, nothing twice, every file accounted for."""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from company.models import AuditEntry, Change, Event
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from crewlet_site.environment import storage_of
from knowledge import commands
from knowledge.exchange.exporting import export_branch, export_spaces
from knowledge.exchange.importing import import_tree
from knowledge.exchange.trees import open_tree
from knowledge.models import Attachment, Page, PageStatus, Revision
from knowledge.rules.importing.report import Report, Verdict
from knowledge.rules.limits import ATTACHMENT_BYTES, BODY_BYTES
from knowledge.writes.attachments import attach_file
from knowledge.writes.containers import sync_containers
from knowledge.writes.pages import move_page, rename_page, save_page, set_labels, trash_page
from tests.data import data_file
from tests.factories import admin, agent, human, person
from tests.knowledge.pages import page, row

pytestmark = pytest.mark.usefixtures("kept_here")

PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)


@pytest.fixture
def kept_here(tmp_path: Path, settings: Settings, harbour: Company) -> Path:
    """A folder of its own for the bytes of attachments, and the rows of the company's spaces."""
    sync_containers(harbour)
    kept = tmp_path / "attachments"
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=kept)}
    return kept


def exported(container: str | None = None, **more: Any) -> bytes:
    to = io.BytesIO()
    export_spaces(actor=more.pop("by", admin()), to=to, container=container, **more)
    return to.getvalue()


def names(archive: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


def text(archive: bytes, name: str) -> str:
    return zipfile.ZipFile(io.BytesIO(archive)).read(name).decode()


def files(folder: Path, **texts: str | bytes) -> Path:
    """A tree of files; `__` in a name stands for `/`, and a name without an ending is a page's."""
    return tree_of(folder, {name.replace("__", "/") + ("" if "." in name else ".md"): it for name, it in texts.items()})


def tree_of(folder: Path, texts: dict[str, str | bytes]) -> Path:
    for name, content in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def bring(path: Path, container: str | None = "ENG", **more: Any) -> Report:
    tree = open_tree(path)
    try:
        return import_tree(
            actor=more.pop("by", admin()), tree=tree, source=more.pop("source", path.name), container=container, **more
        )
    finally:
        tree.close()


def bring_zip(archive: bytes, folder: Path, container: str | None = None, **more: Any) -> Report:
    path = folder / "pages.zip"
    path.write_bytes(archive)
    return bring(path, container, **more)


def counts(report: Report) -> dict[str, int]:
    return {verdict: number for verdict, number in report.counts().items() if number}


def line(report: Report, path: str) -> Any:
    return next(line for line in report.lines if line.path == path)


def titled(title: str) -> Page:
    return Page.objects.get(title=title)


def a_space_with_everything() -> None:
    """Pages of every kind: nested, ordered, labelled, drafts, linked, with files, with titles no file system takes."""
    guides = page("Guides", body="")
    deploy = page("Deploy: how/why?", parent_id=guides.id, labels=["ops", 'über, "quoted"'])
    con = page("CON", body="\r\nCRLF\r\nno end", parent_id=guides.id)
    page("con.", body="\ufeffbom", container="PROD")
    page("a" * 200 + "é", body="tail\n\n")
    page("README", body="Not an index.", parent_id=guides.id)
    page("---", body="---\ntitle: mine\n---\nkept", parent_id=con.id)
    page("Draft", body="soon", status=PageStatus.DRAFT)
    page("日本語 🚢 [x](y)", body="")
    other = page("Elsewhere (really)", container="PROD", body="")
    picture = attach_file(actor=agent(), page_id=deploy.id, name="quay.png", content=io.BytesIO(PNG))
    attach_file(actor=agent(), page_id=deploy.id, name="QUAY.png", content=io.BytesIO(b"other"))
    attach_file(
        actor=agent(), page_id=con.id, name="run.sh", content=io.BytesIO(b"#!/bin/sh\n"), path="scripts/run.sh",
        executable=True,
    )  # fmt: skip
    body = (
        f"![q]({picture.url}) [up](/knowledge/pages/{guides.id}) [hash](#/knowledge/pages/{con.id}) "
        f"[deep](</pages/{con.id}#a-b>) [abs](https://harbour.example/knowledge/pages/{guides.id})\n\n"
        f"```\n[code](/pages/{con.id})\n```\n`[code](/pages/{con.id})` [ref] "
        f"[other](/pages/{other.id}#x) [gone](/pages/999)\n\n"
        f"[ref]: /pages/{con.id}\n"
    )
    save_page(actor=agent(), page_id=deploy.id, base_version=1, body=body)
    move_page(actor=agent(), page_id=con.id, parent_id=guides.id, before=deploy.id)


def start_over() -> None:
    """An empty deployment with the same company."""
    Page.objects.update(parent=None)
    Page.objects.all().delete()
    assert not Attachment.objects.exists()


@pytest.mark.covers("PG-22")
def test_a_space_that_was_exported_and_imported_is_exported_as_the_same_bytes(tmp_path: Path) -> None:
    a_space_with_everything()
    before = exported()
    start_over()
    report = bring_zip(before, tmp_path)
    assert counts(report) == {"created": 10, "attached": 3}, [line.as_dict() for line in report.telling]
    assert exported() == before
    assert exported("ENG") != before
    assert counts(bring_zip(before, tmp_path)) == {"unchanged": 10, "attached": 3}
    assert exported() == before
    con = titled("CON")
    assert con.body == "\r\nCRLF\r\nno end"
    shell = Attachment.objects.get(path="scripts/run.sh")
    assert (shell.page_id, shell.mode) == (con.pk, 0o755)
    deploy = titled("Deploy: how/why?")
    assert deploy.body == (
        f"![q](/api/v1/attachments/{Attachment.objects.get(name='quay.png').pk}) "
        f"[up](/knowledge/pages/{titled('Guides').pk}) [hash](/knowledge/pages/{con.pk}) "
        f"[deep](</knowledge/pages/{con.pk}#a-b>) [abs](/knowledge/pages/{titled('Guides').pk})\n\n"
        + deploy.body.split("\n\n", 1)[1]
    )
    assert "[other](/knowledge/at/PROD/Elsewhere%20%28really%29#x) [gone](/pages/999)" in deploy.body
    assert f"[ref]: /knowledge/pages/{con.pk}\n" in deploy.body


@pytest.mark.covers("PG-22")
def test_the_names_in_a_zip_are_safe_and_no_two_alike_anywhere() -> None:
    a_space_with_everything()
    inside = names(exported())
    assert len({name.casefold() for name in inside}) == len(inside)
    assert "ENG/Guides/_CON.md" in inside
    assert "ENG/Guides/Deploy- how-why-/_files/quay.png" in inside
    assert "ENG/Guides/Deploy- how-why-/_files/QUAY (2).png" in inside
    assert "ENG/Guides/_CON/_files/run.sh" in inside
    for name in inside:
        assert not set(name) & set('<>:"\\|?*')
        assert all(len(part.encode()) <= 100 and part == part.strip(" .") for part in name.split("/"))
    assert text(exported(), "ENG/Guides/_CON/---.md") == '---\ntitle: "---"\n---\n---\ntitle: mine\n---\nkept'


@pytest.mark.covers("PG-22", "PG-12")
def test_an_export_holds_what_its_reader_sees(tmp_path: Path) -> None:
    page("Draft", by=human("ada-marsh"), status=PageStatus.DRAFT)
    gone, kept = page("Gone"), page("Kept")
    page("Under", parent_id=gone.id)
    trash_page(actor=agent(), page_id=gone.id)
    assert names(exported(by=agent())) == ["crewlet.json", "ENG/Kept.md"]
    assert names(exported(by=admin())) == ["crewlet.json", "ENG/Draft.md", "ENG/Kept.md"]
    with pytest.raises(Refused) as refused:
        exported("NOPE")
    assert refused.value.code is Code.NOT_FOUND
    with pytest.raises(Refused):
        exported(by=agent(scopes=frozenset()))
    to = io.BytesIO()
    page("Below", parent_id=kept.id)
    assert export_branch(actor=agent(), to=to, page_id=kept.id).pages == 2
    assert names(to.getvalue()) == ["crewlet.json", "ENG/Kept.md", "ENG/Kept/Below.md"]
    with pytest.raises(Refused):
        export_branch(actor=agent(), to=to, page_id=gone.id)


@pytest.mark.covers("PG-22")
def test_folders_become_pages_and_links_and_pictures_lead_to_what_was_brought_in(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path / "docs",
        {
            "index.md": "# Welcome *all*\n\n[g](guides/) [d](./guides/deploy.md#step-2) [p](guides/deploy)",
            "guides/README.md": "# Guides\n",
            "guides/deploy.md": "![quay](../img/quay%20two.png) [up](README.md) [root](/index.md) [x](missing.md)",
            "guides/Deep/one.md": "[w](https://harbour.example/a.md) [h](#here) [f](../../img/n.pdf)",
            "img/quay two.png": PNG,
            "img/n.pdf": b"%PDF",
            "img/unused.png": PNG,
            ".git/config.md": "no",
        },
    )
    report = bring(tree)
    assert counts(report) == {"created": 5, "attached": 2, "skipped": 2}
    top, guides, deploy, deep, one = (titled(t) for t in ("Welcome all", "Guides", "deploy", "Deep", "one"))
    assert [p.parent_id for p in (top, guides, deploy, deep, one)] == [None, None, guides.pk, guides.pk, deep.pk]
    assert deep.body == ""
    assert top.body == (
        f"# Welcome *all*\n\n[g](/knowledge/pages/{guides.pk}) [d](/knowledge/pages/{deploy.pk}#step-2) "
        f"[p](/knowledge/pages/{deploy.pk})"
    )
    picture = Attachment.objects.get(name="quay two.png")
    assert picture.page_id == deploy.pk
    assert deploy.body == (
        f"![quay](/api/v1/attachments/{picture.pk}) [up](/knowledge/pages/{guides.pk}) "
        f"[root](/knowledge/pages/{top.pk}) [x](missing.md)"
    )
    assert line(report, "guides/deploy.md").notes == ("links that lead to no file here: missing.md",)
    assert "https://harbour.example/a.md" in one.body
    assert line(report, "img/unused.png").verdict is Verdict.SKIPPED


@pytest.mark.covers("PG-22", "PG-18")
def test_a_vaults_own_links_embeds_and_aliases_are_understood(tmp_path: Path) -> None:
    vault = tree_of(
        tmp_path / "vault",
        {
            ".obsidian/app.json": "{}",
            "Home.md": '---\ntags: [start, "#top"]\n---\nSee [[Berth Plan|the plan]], [[notes/Tides#High water]], '
            "[[BP]], ![[quay.png|300]], ![[Berth Plan]], [[Nowhere]] and `[[Berth Plan]]`.",
            "notes/Berth Plan.md": "---\naliases: [BP]\n---\n[[Home]]",
            "notes/Tides.md": "| a |\n|---|\n| [[Home\\|back]] |",
            "files/quay.png": PNG,
        },
    )
    report = bring(vault)
    assert counts(report) == {"created": 4, "attached": 1, "skipped": 1}
    home, plan, tides = titled("Home"), titled("Berth Plan"), titled("Tides")
    picture = Attachment.objects.get()
    assert (home.labels, picture.page_id) == (["start", "top"], home.pk)
    assert home.body == (
        f"See [the plan](/knowledge/pages/{plan.pk}), [Tides: High water](/knowledge/pages/{tides.pk}#high-water), "
        f"[BP](/knowledge/pages/{plan.pk}), ![quay.png](/api/v1/attachments/{picture.pk}), "
        f"[Berth Plan](/knowledge/pages/{plan.pk}), [[Nowhere]] and `[[Berth Plan]]`."
    )
    assert plan.body == f"---\naliases: [BP]\n---\n[Home](/knowledge/pages/{home.pk})"
    assert f"[back](/knowledge/pages/{home.pk})" in tides.body


@pytest.mark.covers("PG-22", "PG-18")
def test_brackets_and_links_in_code_are_left_as_they_are(tmp_path: Path) -> None:
    code = (
        "`[[Home]]` and ``[h](Home.md)``\n\n```\n[[Home]] [h](Home.md)\n```\n\n    [[Home]] [h](Home.md)\n\n"
        "1. step\n\n       ![[Home]]\n\n\t[[Home]]"
    )
    report = bring(tree_of(tmp_path / "vault", {"Home.md": "# Home", "Code.md": code}))
    home = titled("Home")
    assert titled("Code").body == code.removesuffix("[[Home]]") + f"[Home](/knowledge/pages/{home.pk})"  # in the list
    assert counts(report) == {"created": 2}


@pytest.mark.covers("PG-22", "PG-23")
def test_a_second_run_changes_nothing_and_a_third_only_what_changed(tmp_path: Path) -> None:
    tree = files(tmp_path / "docs", one="# One\n[two](two.md)", two="# Two\n![p](p.png)", **{"p.png": PNG})
    assert counts(bring(tree)) == {"created": 2, "attached": 1}
    ledger = AuditEntry.objects.count(), Event.objects.count(), Change.objects.count(), Revision.objects.count()
    assert ledger == (2, 2, 2, 2)
    assert counts(bring(tree)) == {"unchanged": 2, "attached": 1}
    assert ledger == (
        AuditEntry.objects.count(),
        Event.objects.count(),
        Change.objects.count(),
        Revision.objects.count(),
    )
    files(tree, two="# Two\n![p](p.png) more", three="# Three")
    assert counts(bring(tree, dry_run=True)) == {"created": 1, "updated": 1, "unchanged": 1, "attached": 1}
    assert Page.objects.count() == 2
    assert counts(bring(tree)) == {"created": 1, "updated": 1, "unchanged": 1, "attached": 1}
    assert (titled("Two").version, Attachment.objects.count()) == (2, 1)
    assert counts(bring(tree, source="another")) == {"created": 3, "attached": 1, "repaired": 3}
    assert sorted(Page.objects.values_list("title", flat=True))[:2] == ["One", "One (2)"]


@pytest.mark.covers("PG-22", "PG-05")
def test_an_edit_made_here_is_not_written_over(tmp_path: Path) -> None:
    tree = files(tmp_path / "docs", one="# One\nfile", two="# Two")
    bring(tree)
    one, two = titled("One"), titled("Two")
    save_page(actor=agent(), page_id=one.pk, base_version=1, body="edited here")
    rename_page(actor=admin(), page_id=two.pk, title="Second")
    trash_page(actor=admin(), page_id=two.pk)
    assert counts(bring(tree)) == {"unchanged": 2}
    files(tree, one="# One\nfile again", two="# Two again")
    report = bring(tree)
    assert counts(report) == {"refused": 2}
    assert "version 2" in line(report, "one.md").reason
    assert "in the trash" in line(report, "two.md").reason
    assert row(one.pk).body == "edited here"


@pytest.mark.covers("PG-22", "PG-03")
def test_titles_that_clash_are_made_longer_and_named(tmp_path: Path) -> None:
    page("Overview")
    tree = tree_of(
        tmp_path / "docs",
        {
            "a/one.md": "# Overview",
            "a/two.md": "# OVERVIEW",
            "b/one.md": "---\ntitle: Overview\n---\ntext",
            "b/bad.md": "# bad\x1bchar",
            "b/long.md": "# " + "x" * 300,
            "c/ .md": "\n",
        },
    )
    report = bring(tree)
    assert sorted(Page.objects.values_list("title", flat=True)) == [
        "Overview", "Overview (a)", "Overview (b)", "OVERVIEW (2)", "a", "b", "bad", "c", "long",
    ] or {"Overview", "Overview (a)", "Overview (b)", "a", "b", "bad", "c", "long"} <= set(
        Page.objects.values_list("title", flat=True)
    )  # fmt: skip
    assert line(report, "a/one.md").repairs == ("'Overview' is taken, so it is called 'Overview (a)'",)
    assert line(report, "b/bad.md").repairs
    assert line(report, "b/long.md").repairs
    assert line(report, "c/ .md").verdict is Verdict.REFUSED
    assert titled("Overview (b)").body == "text"
    assert counts(bring(tree)) == {"unchanged": 8, "refused": 1}


@pytest.mark.covers("PG-22", "PG-01")
def test_what_no_page_can_hold_is_refused_by_name_and_the_rest_is_brought_in(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path / "docs",
        {
            "good.md": "[big](big.md) ![h](huge.bin)",
            "big.md": "x" * (BODY_BYTES + 1),
            "exact.md": "x" * BODY_BYTES,
            "latin.md": "caf\xe9".encode("latin-1"),
            "nul.md": "a\x00b",
            "utf16.md": "text".encode("utf-16"),
            "bom.md": b"\xef\xbb\xbftext",
            "huge.bin": bytes(ATTACHMENT_BYTES + 1),
        },
    )
    (tree / "link.md").symlink_to(tree / "good.md")
    os.mkfifo(tree / "pipe.md")
    report = bring(tree)
    assert {it.path: it.reason for it in report.lines if it.verdict is Verdict.REFUSED}.keys() == {
        "big.md", "latin.md", "nul.md", "utf16.md",
    }  # fmt: skip
    assert str(BODY_BYTES) in line(report, "big.md").reason
    assert line(report, "link.md").reason == "a symbolic link"
    assert line(report, "pipe.md").verdict is Verdict.SKIPPED
    assert titled("bom").body == "text"
    assert "byte order mark" in line(report, "bom.md").repairs[0]
    assert titled("good").body == "[big](big.md) ![h](huge.bin)"
    assert any("huge.bin" in note for note in line(report, "good.md").notes)


@pytest.mark.covers("PG-22", "PG-20", "PG-02", "PG-08")
def test_an_import_is_held_back_as_a_create_is(tmp_path: Path) -> None:
    tree = files(tmp_path / "docs", one="# One")
    elsewhere = page("Elsewhere", container="PROD")
    for container, more, code in (
        ("TS", {"by": agent()}, Code.RESERVED_CONTAINER),
        ("HOME", {"by": agent()}, Code.RESERVED_CONTAINER),
        ("TS", {"by": human()}, Code.FORBIDDEN),
        ("NOPE", {}, Code.UNKNOWN_CONTAINER),
        (None, {}, Code.CONTAINER_REQUIRED),
        ("ENG", {"parent_id": elsewhere.id}, Code.PARENT_INVALID),
        ("ENG", {"parent_id": 999_999}, Code.PARENT_INVALID),
    ):
        with pytest.raises(Refused) as refused:
            bring(tree, container, **more)
        assert refused.value.code is code
    assert Page.objects.count() == 1
    report = bring(tree, "PROD", parent_id=elsewhere.id)
    assert (counts(report), titled("One").parent_id) == ({"created": 1}, elsewhere.id)


def hostile(build: Callable[[zipfile.ZipFile], None]) -> bytes:
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.md", "# Good")
        build(archive)
    return to.getvalue()


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename, info.external_attr = name, mode << 16
    return info


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    ("name", "mode", "verdict"),
    [
        ("../out.md", stat.S_IFREG, "refused"),
        ("a/../../out.md", stat.S_IFREG, "refused"),
        ("/etc/out.md", stat.S_IFREG, "refused"),
        ("C:/out.md", stat.S_IFREG, "refused"),
        ("a\\..\\out.md", stat.S_IFREG, "refused"),
        ("a//b.md", stat.S_IFREG, "refused"),
        ("./a.md", stat.S_IFREG, "refused"),
        ("a\x1b[31m.md", stat.S_IFREG, "refused"),
        ("good.md", stat.S_IFREG, "refused"),
        ("device.md", stat.S_IFCHR, "refused"),
        ("link.md", stat.S_IFLNK, "skipped"),
        (".hidden/a.md", stat.S_IFREG, "skipped"),
        ("__MACOSX/a.md", stat.S_IFREG, "skipped"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_hostile_name_in_a_zip_is_named_and_not_taken(tmp_path: Path, name: str, mode: int, verdict: str) -> None:
    archive = hostile(lambda zipped: zipped.writestr(member(name, mode | 0o644), "/etc/passwd"))
    report = bring_zip(archive, tmp_path, "ENG")
    assert counts(report) == {"created": 1, verdict: 1}
    assert Page.objects.get().title == "Good"


@pytest.mark.covers("PG-22")
def test_a_zip_that_unpacks_to_far_more_than_it_is_is_refused(tmp_path: Path) -> None:
    bomb = hostile(lambda zipped: zipped.writestr("bomb.md", bytes(300 * 1024 * 1024)))
    with pytest.raises(Refused) as refused:
        bring_zip(bomb, tmp_path, "ENG")
    assert "200 times" in refused.value.detail
    noise = os.urandom(4 * 1024 * 1024)

    def hidden(zipped: zipfile.ZipFile) -> None:
        zipped.writestr("bomb.md", bytes(300 * 1024 * 1024))
        zipped.writestr("noise.bin", noise)

    report = bring_zip(hostile(hidden), tmp_path, "ENG")
    assert line(report, "bomb.md").reason == "it unpacks to more than 200 times its size"
    assert counts(report) == {"created": 1, "refused": 1, "skipped": 1}


@pytest.mark.covers("PG-22")
def test_a_broken_zip_is_refused_and_a_broken_member_is_named(tmp_path: Path) -> None:
    whole = hostile(lambda zipped: zipped.writestr("noise.md", "".join(map(chr, range(48, 120))) * 20))
    at = whole.rindex(b"noise.md", 0, whole.index(b"PK\x01\x02")) + 20
    broken = whole[:at] + bytes(8) + whole[at + 8 :]
    report = bring_zip(broken, tmp_path, "ENG")
    assert counts(report) == {"created": 1, "refused": 1}
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 no")
    for wrong in ("no.zip", "nowhere"):
        with pytest.raises(Refused):
            bring(tmp_path / wrong)


@pytest.mark.covers("PG-22")
def test_an_own_zip_that_was_tampered_with_breaks_nothing(tmp_path: Path) -> None:
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w") as archive:
        archive.writestr("crewlet.json", json.dumps({"format": "crewlet pages", "version": 1, "spaces": ["ENG"]}))
        archive.writestr("ENG/a.md", "no front matter")
        archive.writestr("ENG/b.md", '---\ntitle: &a "x"\nlabels: [*a, *a]\n---\n')
        archive.writestr(
            "ENG/c.md", '---\ntitle: "C"\nfiles:\n  - {file: "../../x"}\n  - nonsense\n---\n[x](../../../etc/passwd)'
        )
        archive.writestr("ENG/d.md", '---\ntitle: "C"\norder: many\n---\n')
        archive.writestr("OTHER/e.md", '---\ntitle: "E"\n---\n')
    report = bring_zip(to.getvalue(), tmp_path)
    assert counts(report) == {"created": 1, "refused": 3, "skipped": 1}
    assert titled("C").body == "[x](../../../etc/passwd)"
    later = io.BytesIO()
    with zipfile.ZipFile(later, "w") as archive:
        archive.writestr("crewlet.json", json.dumps({"format": "crewlet pages", "version": 2, "spaces": []}))
    with pytest.raises(Refused) as refused:
        bring_zip(later.getvalue(), tmp_path)
    assert "later version" in refused.value.detail


@pytest.mark.covers("PG-22", "PG-11", "PG-23")
def test_an_imported_page_is_like_one_that_was_written_here(tmp_path: Path) -> None:
    bring(files(tmp_path / "docs", one="# One\n@ada-marsh"), by=human("ada-marsh"))
    made = page("Two", "text", by=human("ada-marsh"))
    kept, like = titled("One"), row(made.id)
    for name in ("status", "version", "body_version", "author_name", "author_kind", "saved_by_name", "watchers"):
        assert getattr(kept, name) == getattr(like, name)
    assert Revision.objects.get(page=kept).body == kept.body
    set_labels(actor=agent(), page_id=kept.pk, labels=["x"])
    entries = AuditEntry.objects.filter(verb="create_page").order_by("pk")
    assert entries[0].detail.keys() == entries[1].detail.keys()
    assert (entries[0].actor_name, entries[0].version_after) == (entries[1].actor_name, entries[1].version_after)


@pytest.mark.covers("PG-22")
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_tree_of_real_pages_comes_in_with_a_constant_memory_and_none_twice(tmp_path: Path) -> None:
    """A part of the tree with its largest pages; with CREWLET_TEST_IMPORT=whole all 9 753 of it."""
    with tarfile.open(data_file("markdown-tree.tar.xz")) as archive:
        archive.extractall(tmp_path / "tree", filter="data")
    tree = tmp_path / "tree" / "cpp-docs"
    if os.environ.get("CREWLET_TEST_IMPORT") != "whole":
        tree = tree / "docs" / "mfc"
    pages = [path.relative_to(tree) for path in tree.rglob("*.md")]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = bring(tree)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 300
    refused = [it.path for it in report.lines if it.verdict is Verdict.REFUSED]
    assert [path.rpartition("/")[2] for path in refused] == ["cwnd-class.md"]  # the one that is too large
    made = {it.path for it in report.lines if it.verdict is Verdict.CREATED and not it.path.endswith("/")}
    seen = {str(path) for path in pages if not any(part.startswith(".") for part in path.parts)}
    assert made == seen - set(refused)
    again = bring(tree)
    assert counts(again).get("created", 0) == counts(again).get("updated", 0) == 0


@pytest.mark.covers("PG-22")
def test_a_space_and_a_branch_are_handed_over_as_zips_to_whoever_reads_them() -> None:
    guides = page("Guides: all", body="")
    page("Deploying", parent_id=guides.id)
    page("Beside")
    screens = Client()
    screens.force_login(person("ada", permissions=["knowledge"]))
    whole = screens.get("/knowledge/ENG/export")
    assert whole.headers["Content-Disposition"] == 'attachment; filename="ENG.zip"'
    assert whole.headers["Content-Type"] == "application/zip"
    content = b"".join(whole.streaming_content)  # type: ignore[attr-defined]
    assert len(content) == int(whole.headers["Content-Length"])
    assert names(content) == ["crewlet.json", "ENG/Beside.md", "ENG/Guides- all.md", "ENG/Guides- all/Deploying.md"]
    part = screens.get(f"/knowledge/pages/{guides.id}/export")
    assert part.headers["Content-Disposition"] == 'attachment; filename="Guides- all.zip"'
    assert len(names(b"".join(part.streaming_content))) == 3  # type: ignore[attr-defined]
    assert screens.get("/knowledge/NOPE/export").status_code == 404
    outsider = Client()
    outsider.force_login(person("bo", permissions=["tracker"]))
    assert outsider.get("/knowledge/ENG/export").status_code == 403
    assert Client().get("/knowledge/ENG/export").headers["Location"].startswith("/sign-in")


@pytest.mark.covers("PG-22")
def test_a_new_page_can_start_from_a_template() -> None:
    minutes = page("Minutes", "## Present\n\n## Decided\n", labels=["template"], container="PROD")
    page("Runbook", "## Steps\n", labels=["template"])
    page("Hidden", "x", labels=["template"], by=human(), status=PageStatus.DRAFT)
    screens = Client()
    screens.force_login(person("ada", permissions=["knowledge"]))
    offered = screens.get("/knowledge/new?container=ENG").content.decode()
    assert offered.index("Runbook") < offered.index("Minutes")
    assert "Hidden" not in offered
    begun = screens.get(f"/knowledge/new?container=ENG&template={minutes.id}").content.decode()
    assert "## Present\n\n## Decided\n</textarea>" in begun
    assert screens.get("/knowledge/new?container=ENG&template=999999").status_code == 404


@pytest.mark.covers("PG-22")
def test_the_command_line_exports_imports_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = files(tmp_path / "docs", one="# One", bad=b"\xff", two="# One")
    report = tmp_path / "report.json"

    def run(*words: str) -> int:
        top = argparse.ArgumentParser()
        commands.register(top.add_subparsers())
        parsed = top.parse_args(["pages", *words])
        code: int = parsed.run(parsed)
        return code

    assert run("import", str(tree), "--space", "ENG", "--report", str(report)) == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "bad.md: refused: it is no text in UTF-8",
        "two.md: repaired: 'One' is taken, so it is called 'One (2)'",
        "2 created, 1 refused, 1 repaired.",
    ]
    assert "2 of 2 pages done" in said.err
    kept = json.loads(report.read_text())
    assert kept["counts"]["created"] == 2
    assert [it["path"] for it in kept["files"]] == ["bad.md", "one.md", "two.md"]
    assert run("export", str(tmp_path / "out.zip"), "--space", "ENG") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out.zip'}: 2 pages and 0 files of ENG\n"
    assert (tmp_path / "out.zip").read_bytes() == exported("ENG")
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["out.zip", "report.json"]
    for words in (["import", str(tree)], ["import", "nowhere", "--space", "ENG"], ["export", str(tmp_path)]):
        with pytest.raises(Refused):
            run(*words)
