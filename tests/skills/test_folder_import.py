"""The importer: one verdict for every file, repairs that are shown, and none that widens what a skill may do."""

from __future__ import annotations

import json
import os
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills import frontmatter
from skills.folders import (
    Accepted,
    Activated,
    ErrorCode,
    Failed,
    Rejected,
    SkillTool,
    catalogue,
    check_file,
    check_text,
)
from skills.folders.arguments import substitute
from skills.folders.importing import FileReport, Verdict, check_tree, judge, problem_lines
from skills.folders.importing.trees import in_one_library
from skills.prompts.documents import PromptSkill, read_prompt_skill
from skills.prompts.envelopes import message_of
from skills.prompts.matching import Matcher
from tests.data import data_file
from tests.skills.folders import tool_for, write_files, write_skill

pytestmark = pytest.mark.covers("HS-05")


def judged(front: str, *, folder: str | None = "berths", body: str = "# Berths\n") -> FileReport:
    return judge("berths/SKILL.md", f"---\n{front}\n---\n{body}".encode(), folder=folder)


def test_a_good_file_is_taken_in_as_it_is() -> None:
    report = judged("name: berths\ndescription: d")
    assert report.verdict is Verdict.OK
    assert report.text == "---\nname: berths\ndescription: d\n---\n# Berths\n"
    assert (report.repairs, report.problems) == ((), ())


@pytest.mark.parametrize(
    ("front", "field", "value", "line"),
    [
        ("name: berths\ndescription: Use when: a berth is free", "description", "Use when: a berth is free", 3),
        ("name: berths\ndescription: it's a: b", "description", "it's a: b", 3),
        ("name: berths\ndescription: 'one' and more", "description", "'one' and more", 3),
        ("name: berths\ndescription: [beta] berths", "description", "[beta] berths", 3),
        ("name: berths\ndescription: [beta]", "description", "[beta]", 3),
        ("name: berths\ndescription: @here berths", "description", "@here berths", 3),
        ("name: berths\ndescription: `berths` list", "description", "`berths` list", 3),
        ("name: berths\ndescription: one: two\n  three: four\nlicense: MIT", "description", "one: two three: four", 3),
        ("name: berths\ndescription:\n  Use when: free", "description", "Use when: free", 3),
        ("name: berths\ndescription: d\nlicense: MIT: see LICENSE", "license", "MIT: see LICENSE", 4),
        (
            "name: berths\ndescription: d\nmetadata:\n  short: a: b\n  other: c",
            "metadata",
            {"short": "a: b", "other": "c"},
            4,
        ),
        ("name: Berths\ndescription: d", "name", "berths", 2),
        ("name:\ndescription: d", "name", "berths", 2),
        ("name: [berths]\ndescription: d", "name", "berths", 2),
        ("description: d", "name", "berths", None),
        (
            "name: berths\ndescription: d\nmetadata:\n  a: 1\n  b:\n    c: x\n    d: [y, z]\n  e: null\nlicense: MIT",
            "metadata",
            {"a": "1", "b.c": "x", "b.d": "y, z", "e": "null"},
            4,
        ),
        ("name: berths\ndescription: d\nmetadata: {a: {b: 1.10}}", "metadata", {"a.b": "1.10"}, 4),
    ],
)
def test_what_the_author_plainly_meant_is_repaired_and_shown(
    front: str, field: str, value: object, line: int | None
) -> None:
    report = judged(front)
    assert report.verdict is Verdict.REPAIRED, list(problem_lines(report))
    assert report.skill is not None
    assert report.skill.frontmatter[field] == value
    assert (field, line) in [(repair.field, repair.line) for repair in report.repairs]
    assert report.problems
    assert report.text is not None
    assert isinstance(check_text(report.text, folder=report.name), Accepted)
    assert report.text.endswith("---\n# Berths\n")


def test_a_folder_named_otherwise_takes_the_skills_own_name() -> None:
    report = judged("name: moorings\ndescription: d")
    assert (report.verdict, report.name) == (Verdict.REPAIRED, "moorings")
    assert report.text == "---\nname: moorings\ndescription: d\n---\n# Berths\n"
    assert "the folder 'berths' is taken in as 'moorings'" in report.repairs[0].text


def test_several_repairs_of_one_file_are_all_shown_with_the_lines_of_the_original() -> None:
    text = "\n\n---\r\ndescription: a: b\r\nmetadata:\r\n  x:\r\n    y: z\r\n---\r\nbody\r\n"
    report = judge("berths/skill.md", text.encode(), folder="berths")
    assert [(repair.field, repair.line) for repair in report.repairs] == [
        ("file", None),
        ("file", 1),
        ("description", 4),
        ("metadata", 5),
        ("name", None),
    ]
    assert report.text == "---\r\nname: berths\r\ndescription: 'a: b'\r\nmetadata:\r\n  x.y: z\r\n---\r\nbody\r\n"


@pytest.mark.parametrize(
    "front",
    [
        "name: berths\ndescription: one\ndescription: two",
        "name: berths\ndescription: !!python/object/apply:os.system ['id']",
        "name: berths\ndescription: &x d\nlicense: *x",
        "name: berths\ndescription: d\nallowed-tools: Bash(git log",
        "name: berths\ndescription: d\nallowed-tools: Read: Grep",
        "name: berths\ndescription: d\nallowed-tools: {Read: true}",
        "name: berths\ndescription: d\ndisable-model-invocation: maybe",
        "name: berths\ndescription: d: e\ndisable-model-invocation: true: no",
        "name: berths\ndescription: Use when: x\n  allowed-tools: Bash",
        "name: berths\ndescription:\n  allowed-tools: Bash",
        "name: berths\ndescription: Use when: x\nno colon here\nallowed-tools: Bash",
        "name: berths\ndescription: 'never closed\nallowed-tools: Read",
        "name: berths\ndescription: d\nmetadata:\n  a.b: 1\n  a:\n    b: 2",
        "name: berths\ndescription: " + "d" * 1025,
        "name: berths",
        "name: ''\ndescription: ''",
        "- name: berths",
        "name: berths\ndescription: \x85\x85- Use when: x",
    ],
)
def test_what_could_be_meant_otherwise_is_refused_with_field_and_line(front: str) -> None:
    report = judged(front)
    assert report.verdict is Verdict.REFUSED
    assert report.text is None
    assert report.problems
    assert all(problem.field and problem.line for problem in report.problems)


def test_a_refused_file_hears_also_of_what_a_repair_would_have_brought_to_light() -> None:
    report = judged(f"name: berths\ndescription: d: e\ncompatibility: {'c' * 501}")
    assert [(problem.field, problem.line) for problem in report.problems] == [("frontmatter", 3), ("compatibility", 4)]


def test_the_report_speaks_like_a_linter_and_like_the_answer_of_an_import() -> None:
    report = judged("name: berths")
    assert list(problem_lines(report)) == [
        "berths/SKILL.md:1: description: required: 'description' is required. Write it in the front matter."
    ]
    answer = report.as_dict()
    assert set(answer) == {"path", "name", "verdict", "repairs", "problems"}
    json.dumps(answer)


@pytest.mark.covers("HS-04")
def test_every_violation_is_reported_with_its_field_line_and_code() -> None:
    text = f"""---
name: berths
description: {"d" * 1025}
compatibility: ""
version: latest
argument-hint: {"h" * 201}
metadata:
  a: [b]
allowed-tools: [Read, 5]
user-invocable: perhaps
arguments:
  1st: {{required: x}}
license: [MIT]
---
"""
    checked = check_text(text, folder="moorings")
    assert isinstance(checked, Rejected)
    assert checked.code is ErrorCode.INVALID_FRONTMATTER
    assert [(problem.line, problem.field, str(problem.code)) for problem in checked.problems] == [
        (2, "name", "invalid"),
        (3, "description", "too_long"),
        (4, "compatibility", "invalid"),
        (5, "version", "invalid"),
        (6, "argument-hint", "too_long"),
        (8, "metadata.a", "invalid"),
        (9, "allowed-tools[1]", "invalid"),
        (10, "user-invocable", "invalid"),
        (12, "arguments.1st", "invalid"),
        (12, "arguments.1st.required", "invalid"),
        (13, "license", "invalid"),
    ]


@pytest.mark.covers("HS-04")
def test_a_slip_in_a_fields_name_and_fields_of_other_harnesses_are_warned_of() -> None:
    checked = check_text(
        "---\nname: a\ndescription: d\nallowed_tools: Read\nmodel: x\nversion: 1.0\n---\nb", folder="a"
    )
    assert isinstance(checked, Accepted)
    assert [(warning.line, warning.field) for warning in checked.warnings] == [
        (4, "allowed_tools"),
        (5, "model"),
        (6, "version"),
        (6, "version"),
    ]
    assert "Did you mean 'allowed-tools'?" in checked.warnings[0].detail


def test_a_tree_is_told_whole_files_of_no_skill_too(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "skills", "berths")
    write_files(folder, "scripts/a.py", "assets/sample/notes.txt")
    write_skill(folder / "assets", "sample")
    (tmp_path / "README.md").write_text("read me")
    outside = write_skill(tmp_path.parent / f"{tmp_path.name}-outside", "escaped")
    (tmp_path / "escaped").mkdir()
    (tmp_path / "escaped" / "SKILL.md").symlink_to(outside / "SKILL.md")
    os.mkfifo(tmp_path / "escaped" / "pipe")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "SKILL.md").write_text("not a skill")
    report = check_tree(tmp_path)
    assert [(file.path, file.verdict, file.files) for file in report.files] == [
        ("escaped/SKILL.md", Verdict.REFUSED, ("pipe",)),
        ("skills/berths/SKILL.md", Verdict.OK, ("scripts/a.py",)),
        ("skills/berths/assets/sample/SKILL.md", Verdict.OK, ("notes.txt",)),
    ]
    assert report.others == ("README.md",)
    assert report.counts == {Verdict.OK: 2, Verdict.REPAIRED: 0, Verdict.REFUSED: 1}


def test_a_folder_that_is_itself_a_skill_is_judged_by_its_own_name(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "berths")
    assert [file.verdict for file in check_tree(folder).files] == [Verdict.OK]
    with pytest.raises(NotADirectoryError):
        check_tree(folder / "SKILL.md")


def test_a_file_that_has_its_name_goes_before_one_that_a_repair_gave_it(tmp_path: Path) -> None:
    for folder in ("BERTHS", "berths"):
        write_skill(tmp_path, folder, text="---\nname: berths\ndescription: d\n---\nx")
    verdicts = {report.path: report.verdict for report in in_one_library(check_tree(tmp_path)).files}
    assert verdicts == {"BERTHS/SKILL.md": Verdict.REFUSED, "berths/SKILL.md": Verdict.OK}


def test_in_one_library_the_first_file_of_a_name_keeps_it(tmp_path: Path) -> None:
    write_skill(tmp_path / "a", "berths")
    write_skill(tmp_path / "b", "berths")
    report = in_one_library(check_tree(tmp_path))
    assert [file.verdict for file in report.files] == [Verdict.OK, Verdict.REFUSED]
    assert "a/berths/SKILL.md" in report.files[1].problems[0].detail


FRONT = st.lists(
    st.tuples(
        st.sampled_from(
            ["name", "description", "allowed-tools", "metadata", "version", "arguments", "x", "  y", "- z", "#"]
        ),
        st.text(alphabet=st.sampled_from("ab :'\"[]{}|>-#,()!*&@\n\r\t  0.1é\u2028"), max_size=30),
    ),
    max_size=6,
).map(lambda lines: "\n".join(f"{key}: {value}" for key, value in lines))


@settings(max_examples=300, deadline=None)
@given(
    FRONT, st.sampled_from(["---\n", "---\r\n", "\n\n---\n", "---\r", ""]), st.sampled_from(["berths", "Be rths", None])
)
def test_no_front_matter_makes_the_judge_raise_and_no_repair_changes_the_tools(
    front: str, fence: str, folder: str | None
) -> None:
    text = f"{fence}name: a\ndescription: d: e\n{front}\n---\nbody"
    report = judge("berths/SKILL.md", text.encode(), folder=folder)
    if report.verdict is Verdict.REFUSED:
        assert report.problems
        return
    assert report.text is not None
    assert report.skill is not None
    again = check_text(report.text, folder=report.name)
    assert isinstance(again, Accepted)
    assert again.skill == report.skill
    declared = [line for line in front.splitlines() if line.startswith("allowed-tools:")]
    if report.skill.allowed_tools:
        assert declared


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_the_judge_raise(data: bytes) -> None:
    assert judge("a/SKILL.md", data, folder="a").verdict in Verdict
    assert judge("a/SKILL.md", b"---\n" + data + b"\n---\n", folder="a").verdict in Verdict


def fixture(number: str) -> tuple[Path, bytes]:
    place = data_file("skill-fixtures")
    expected: list[dict[str, Any]] = json.loads((place / "expected.json").read_text())
    (row,) = [row for row in expected if row["id"] == number]
    folder = place / row["dir"]
    return folder, (folder / row["file"]).read_bytes()


def accepted(number: str) -> Accepted:
    folder, data = fixture(number)
    checked = check_file(data, folder=folder.name)
    assert isinstance(checked, Accepted), checked
    return checked


@pytest.mark.parametrize("number", ["F-01", "F-03"])
def test_hard_case_an_unquoted_colon_is_refused_by_the_tool_and_repaired_by_the_importer(number: str) -> None:
    folder, data = fixture(number)
    checked = check_file(data, folder=folder.name)
    assert isinstance(checked, Rejected)
    assert (checked.code, checked.problems[0].line) == (ErrorCode.INVALID_FRONTMATTER, 3)
    report = judge("SKILL.md", data, folder=folder.name)
    assert report.verdict is Verdict.REPAIRED
    assert report.skill is not None
    assert report.skill.allowed_tools == (("Read",) if number == "F-03" else ())


@pytest.mark.parametrize(
    ("number", "word"), [("F-05", "UTF-16"), ("F-12", "no front matter"), ("F-26", "second time"), ("F-28", "tag")]
)
def test_hard_case_refused_with_a_clear_reason(number: str, word: str) -> None:
    folder, data = fixture(number)
    checked = check_file(data, folder=folder.name)
    assert isinstance(checked, Rejected)
    assert checked.code is ErrorCode.INVALID_FRONTMATTER
    assert word in checked.problems[0].detail
    assert judge("SKILL.md", data, folder=folder.name).verdict is Verdict.REFUSED
    answer = tool_for(folder.parent).call({"name": folder.name}, turn=1)
    assert isinstance(answer, Failed)
    assert answer.code is ErrorCode.INVALID_FRONTMATTER


def test_hard_case_rules_in_the_body_stay_in_the_body() -> None:
    _, data = fixture("F-07")
    assert accepted("F-07").skill.body.encode() == data.split(b"---\n", 2)[2]


def test_hard_case_block_text_is_stripped() -> None:
    assert accepted("F-09").skill.description == "First line second line."


def test_hard_case_characters_are_counted_not_bytes() -> None:
    assert len(accepted("F-10b").skill.description) == 1024


def test_hard_case_types_lose_nothing() -> None:
    skill = accepted("F-14").skill
    assert skill.allowed_tools == ("Read", "Grep")
    assert (skill.version, skill.argument_hint, skill.user_invocable) == ("1.0", "[issue-number]", True)


def test_hard_case_tools_divide_outside_parentheses() -> None:
    assert accepted("F-15").skill.allowed_tools == ("Bash(git add *)", "Bash(git commit:*)", "Read")


def test_hard_case_prices_stay() -> None:
    body = substitute(accepted("F-17").skill.body, declared=(), given="zed")
    assert body == "Costs $10,000 or $0.06. First: zed.\n"


def test_hard_case_a_description_cannot_leave_the_catalogue() -> None:
    folder, _ = fixture("F-19")
    text = catalogue.render(tool_for(folder.parent).discovery.entries)
    assert text.count("</available_skills>") == 1


def prompt_skill(number: str) -> PromptSkill:
    reading = frontmatter.parse(fixture(number)[1].decode())
    assert isinstance(reading, frontmatter.Parsed)
    skill = read_prompt_skill(reading)
    assert isinstance(skill, PromptSkill)
    return skill


@pytest.mark.covers("PT-02")
def test_hard_case_an_envelope_cannot_be_left() -> None:
    skill = prompt_skill("F-21")
    message = message_of(name=skill.name, body=skill.body)
    assert message is not None
    assert message["content"].lower().count("<system-reminder") == 1
    assert message["content"].lower().count("</system-reminder") == 1


@pytest.mark.covers("PT-01")
def test_hard_case_triggers_fire_as_whole_words() -> None:
    skill = prompt_skill("F-24")
    matcher = Matcher([(skill.name, skill.triggers)])
    for message in ("git push", "please SHIP IT", "/linear x", "in C++?", "请部署一下"):
        assert matcher.match(message), message
    for message in ("digit", "relationship it", "github"):
        assert not matcher.match(message), message


@pytest.mark.covers("HS-04")
@pytest.mark.slow
def test_real_skill_folders_are_judged_and_activated_alike(tmp_path: Path) -> None:
    archive = data_file("skill-folders.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    begin = time.monotonic()
    report = check_tree(tmp_path)
    assert time.monotonic() - begin < 20
    assert len(report.files) == 422
    tools: dict[Path, SkillTool] = {}
    for file in report.files:
        assert (file.skill is None) is (file.verdict is Verdict.REFUSED)
        assert all(problem.line for problem in file.problems)
        folder = (tmp_path / file.path).parent
        tool = tools.setdefault(folder.parent, tool_for(folder.parent))
        answer = tool.call({"name": folder.name}, turn=1)
        assert isinstance(answer, Activated) is (file.verdict is Verdict.OK), file.path
