"""Skill folders as zips: byte for byte there and back, and nothing unsafe on the way in."""

from __future__ import annotations

import io
import stat
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills.folders import packing
from skills.folders.importing import Verdict, in_one_library, judge_archive
from skills.folders.packing import Archive, BadArchive, PackedFile

pytestmark = pytest.mark.covers("HS-04")

FILES = (
    PackedFile(path="scripts/audit.sh", data=b"#!/bin/sh\n", executable=True),
    PackedFile(path="SKILL.md", data=b"---\r\nname: berths\r\n---\r\n"),
    PackedFile(path="assets/größe.bin", data=bytes(range(256)) * 100),
    PackedFile(path="references/empty.md", data=b""),
)


def opened(data: bytes) -> Archive:
    archive = packing.open_archive(data)
    assert isinstance(archive, Archive), archive
    return archive


def refused(data: bytes) -> str:
    archive = packing.open_archive(data)
    assert isinstance(archive, BadArchive), archive
    return archive.detail


def zipped(*names: str, data: bytes = b"x", mode: int = 0o100644) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()


def test_a_folder_comes_back_byte_for_byte_with_its_modes() -> None:
    archive = opened(packing.pack("berths", FILES))
    assert sorted(archive.members) == sorted(f"berths/{file.path}" for file in FILES)
    for file in FILES:
        back = archive.read(f"berths/{file.path}")
        assert isinstance(back, PackedFile)
        assert (back.data, back.executable) == (file.data, file.executable)


def test_the_same_folder_gives_the_same_zip_and_digest_in_any_order() -> None:
    assert packing.pack("berths", FILES) == packing.pack("berths", FILES[::-1])
    assert packing.digest(FILES) == packing.digest(FILES[::-1])


@pytest.mark.parametrize(
    "changed",
    [
        (*FILES[:3], PackedFile(path="references/other.md", data=b"")),
        (*FILES[:3], PackedFile(path="references/empty.md", data=b"x")),
        (*FILES[:3], PackedFile(path="references/empty.md", data=b"", executable=True)),
        FILES[:3],
    ],
)
def test_any_change_of_a_folder_changes_its_digest(changed: tuple[PackedFile, ...]) -> None:
    assert packing.digest(changed) != packing.digest(FILES)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "a//b", "./a", "C:/x", "a\\b", "a/b\nc", "a/\u0085"])
def test_a_path_that_leaves_the_folder_refuses_the_zip(name: str) -> None:
    assert refused(zipped("good/SKILL.md", name))
    with pytest.raises(ValueError, match=r"Use|Rename"):
        packing.pack("berths", [PackedFile(path=name, data=b"")])


def test_links_refuse_the_zip() -> None:
    assert "link" in refused(zipped("a/SKILL.md", data=b"/etc/passwd", mode=stat.S_IFLNK | 0o777))


def test_a_file_that_unpacks_to_more_than_is_taken_refuses_the_zip(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "26214401 bytes" in refused(zipped("a/SKILL.md", data=b"\0" * (25 * 1024 * 1024 + 1)))
    monkeypatch.setattr(packing, "MAX_ARCHIVE_BYTES", 3)
    assert "together" in refused(zipped("a", "b", data=b"xx"))
    monkeypatch.undo()
    monkeypatch.setattr(packing, "MAX_ARCHIVE_FILES", 1)
    assert "more than 1 files" in refused(zipped("a", "b"))


def test_a_damaged_file_is_told_when_it_is_read() -> None:
    data = zipped("a/SKILL.md", data=b"some text that is long enough")
    at = data.index(b"SKILL.md") + len(b"SKILL.md") + 4
    archive = packing.open_archive(data[:at] + b"\xff\xff\xff" + data[at + 3 :])
    assert isinstance(archive, Archive)
    assert isinstance(archive.read("a/SKILL.md"), BadArchive)


@pytest.mark.covers("HS-05")
def test_a_zip_of_many_skills_is_judged_like_the_tree_it_holds() -> None:
    good = b"---\nname: berths\ndescription: d\n---\nx"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("skills/berths/SKILL.md", good)
        archive.writestr("skills/berths/scripts/a.py", b"")
        archive.writestr("skills/moorings/SKILL.md", good)
        archive.writestr("README.md", b"")
    report = judge_archive(opened(buffer.getvalue()))
    assert [(file.path, file.verdict, file.files) for file in report.files] == [
        ("skills/berths/SKILL.md", Verdict.OK, ("scripts/a.py",)),
        ("skills/moorings/SKILL.md", Verdict.REPAIRED, ()),
    ]
    assert report.others == ("README.md",)
    assert [file.verdict for file in in_one_library(report).files] == [Verdict.OK, Verdict.REFUSED]
    alone = judge_archive(opened(packing.pack("x", [PackedFile(path="SKILL.md", data=good)])))
    assert alone.files[0].name == "berths"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 200), st.binary(max_size=4))
def test_no_bytes_make_the_reader_raise(junk: bytes, at: int, damage: bytes) -> None:
    good = packing.pack("berths", FILES[:2])
    for data in (junk, good[:at] + damage + good[at + len(damage) :], good[at:], good[: len(good) - at]):
        archive = packing.open_archive(data)
        if isinstance(archive, Archive):
            for path in archive.members:
                archive.read(path)
