"""The 30 points of the skill tool's source (§13.1), one test each, named after its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills.folders import (
    Activated,
    AlreadyLoaded,
    Answer,
    ErrorCode,
    Failed,
    NotFound,
    Policy,
)
from tests.skills.folders import BODY, tool_for, write_files, write_skill

pytestmark = pytest.mark.covers("HS-02")


def refused(answer: Answer, code: ErrorCode) -> Failed:
    assert isinstance(answer, Failed), answer
    assert answer.code is code, answer
    assert answer.output == f"Error [{code}]: {answer.message}"
    return answer


def activated(answer: Answer) -> Activated:
    assert isinstance(answer, Activated), answer
    return answer


def test_01_an_empty_name_is_an_invalid_parameter(tmp_path: Path) -> None:
    refused(tool_for(tmp_path).call({"name": ""}, turn=1), ErrorCode.INVALID_PARAM)


@pytest.mark.parametrize(
    "name", ["Release", "release_notes", "-release", "release-", "a--b", "release notes", "é", "a\n"]
)
def test_02_a_name_that_is_not_kebab_case_is_an_invalid_parameter(tmp_path: Path, name: str) -> None:
    answer = refused(tool_for(tmp_path).call({"name": name}, turn=1), ErrorCode.INVALID_PARAM)
    assert "skill name must be lowercase-kebab-case" in answer.message


def test_03_a_name_over_64_characters_is_an_invalid_parameter(tmp_path: Path) -> None:
    refused(tool_for(tmp_path).call({"name": "a" * 65}, turn=1), ErrorCode.INVALID_PARAM)
    assert isinstance(tool_for(tmp_path).call({"name": "a" * 64}, turn=1), NotFound)


def test_04_an_unknown_name_is_not_found_with_names_like_it(tmp_path: Path) -> None:
    for name in ("release-notes", "release-note", "release-votes", "release-nodes", "berths"):
        write_skill(tmp_path, name)
    answer = tool_for(tmp_path).call({"name": "release-notis"}, turn=1)
    assert isinstance(answer, NotFound)
    assert answer.siblings == ("release-notes", "release-nodes", "release-note")
    assert answer.output == (
        '(No skill matches "release-notis". Did you mean: release-notes, release-nodes, release-note? '
        "Run with a listed name from the catalog.)"
    )


def test_04_what_could_not_be_activated_is_not_suggested(tmp_path: Path) -> None:
    write_skill(tmp_path, "release-notes", extra="disable-model-invocation: true\n")
    write_skill(tmp_path, "release-nodes")
    answer = tool_for(tmp_path).call({"name": "release-notis"}, turn=1)
    assert isinstance(answer, NotFound)
    assert answer.siblings == ("release-nodes",)
    answer = tool_for(tmp_path).call({"name": "release-notis"}, turn=1, user_initiated=True)
    assert isinstance(answer, NotFound)
    assert answer.siblings == ("release-notes", "release-nodes")


@pytest.mark.parametrize(
    ("alias", "word"),
    [
        ("skill_name", "'name'"),
        ("params", "'arguments'"),
        ("reload", "skills load once per session; edit the skill file and restart the session to refresh"),
        ("context", "skill context is session-scoped; no per-call override"),
        ("fork", "subagent-forked skills deferred to v1.1"),
        ("paths", "v1.1"),
        ("effort", "model / effort overrides are harness concerns, not tool parameters"),
        ("skill_path", "skills dispatch by name, not path; the harness owns discovery"),
        ("invoke", "activates"),
        ("verbose", "unknown parameter 'verbose'"),
    ],
)
def test_05_an_alias_is_pushed_back_with_what_to_write_instead(tmp_path: Path, alias: str, word: str) -> None:
    write_skill(tmp_path)
    for params in ({alias: "release-notes"}, {"name": "release-notes", alias: "x"}):
        answer = refused(tool_for(tmp_path).call(params, turn=1), ErrorCode.INVALID_PARAM)
        assert f"'{alias}'" in answer.message
        assert word in answer.message


def test_06_a_name_that_is_not_its_folder_is_a_name_mismatch(tmp_path: Path) -> None:
    write_skill(tmp_path, "bar", text="---\nname: foo\ndescription: d\n---\nx")
    tool = tool_for(tmp_path)
    for name in ("bar", "foo"):
        answer = refused(tool.call({"name": name}, turn=1), ErrorCode.NAME_MISMATCH)
        assert "on line 2" in answer.message
    assert tool.discovery.entries == ()


def test_07_malformed_yaml_is_invalid_front_matter_with_path_and_line(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, text="---\nname: release-notes\ndescription: Use when: cut\n---\nx")
    answer = refused(tool_for(tmp_path).call({"name": "release-notes"}, turn=1), ErrorCode.INVALID_FRONTMATTER)
    assert answer.message.startswith('skill "release-notes" has malformed YAML frontmatter.')
    assert f"Path: {folder / 'SKILL.md'}" in answer.message
    assert "on line 3" in answer.message


def test_08_a_missing_description_is_invalid_front_matter(tmp_path: Path) -> None:
    write_skill(tmp_path, text="---\nname: release-notes\n---\nx")
    answer = refused(tool_for(tmp_path).call({"name": "release-notes"}, turn=1), ErrorCode.INVALID_FRONTMATTER)
    assert "'description' is required" in answer.message


def test_09_an_unknown_field_is_kept_in_the_output(tmp_path: Path) -> None:
    write_skill(tmp_path, extra="hooks:\n  PreToolUse: [lint]\n")
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert answer.frontmatter["hooks"] == {"PreToolUse": ["lint"]}
    assert "PreToolUse" in answer.output


def test_10_a_folder_that_leaves_its_root_is_outside_the_workspace(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write_skill(outside)
    write_skill(outside, "linked-file")
    root.mkdir()
    (root / "release-notes").symlink_to("../outside/release-notes")
    (root / "linked-file").mkdir()
    (root / "linked-file" / "SKILL.md").symlink_to(outside / "linked-file" / "SKILL.md")
    for name in ("release-notes", "linked-file"):
        refused(tool_for(root).call({"name": name}, turn=1), ErrorCode.OUTSIDE_WORKSPACE)


def test_11_a_folder_among_secrets_without_a_hook_is_sensitive(tmp_path: Path) -> None:
    root = tmp_path / "secrets" / "skills"
    write_skill(root)
    refused(tool_for(root).call({"name": "release-notes"}, turn=1), ErrorCode.SENSITIVE)
    allowed = tool_for(root, policy=Policy(hook=lambda _: "allow"))
    activated(allowed.call({"name": "release-notes"}, turn=1))


def test_12_a_model_cannot_activate_what_is_disabled_for_models(tmp_path: Path) -> None:
    write_skill(tmp_path, extra="disable-model-invocation: true\n")
    refused(tool_for(tmp_path).call({"name": "release-notes"}, turn=1), ErrorCode.DISABLED)


def test_13_a_person_can_activate_what_is_disabled_for_models(tmp_path: Path) -> None:
    write_skill(tmp_path, extra="disable-model-invocation: true\n")
    activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1, user_initiated=True))


def test_14_an_untrusted_root_without_a_hook_is_not_trusted(tmp_path: Path) -> None:
    write_skill(tmp_path)
    refused(tool_for(tmp_path, trusted=False).call({"name": "release-notes"}, turn=1), ErrorCode.NOT_TRUSTED)


def test_15_an_untrusted_root_activates_where_the_session_allows_skills_without_a_hook(tmp_path: Path) -> None:
    write_skill(tmp_path)
    tool = tool_for(tmp_path, policy=Policy(unsafe_allow_skill_without_hook=True))
    activated(tool.call({"name": "release-notes"}, turn=1))


def test_16_the_first_activation_brings_the_body(tmp_path: Path) -> None:
    folder = write_skill(tmp_path)
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert answer.kind == "ok"
    assert answer.body == BODY
    assert answer.bytes == len(BODY.encode())
    assert answer.output == (
        f'<skill name="release-notes" dir="{folder}">\n'
        "<frontmatter>\nname: release-notes\ndescription: Use when a release is cut.\n</frontmatter>\n"
        f"<instructions>\n{BODY}\n</instructions>\n</skill>\n"
        f'(Skill "release-notes" activated. Body is {len(BODY)} bytes. '
        "Scripts available via bash(<skill-dir>/scripts/<name>). "
        "References via read(<skill-dir>/references/<name>).)"
    )


def test_17_the_second_activation_adds_nothing(tmp_path: Path) -> None:
    write_skill(tmp_path)
    tool = tool_for(tmp_path)
    tool.call({"name": "release-notes"}, turn=4)
    answer = tool.call({"name": "release-notes"}, turn=9)
    assert isinstance(answer, AlreadyLoaded)
    assert answer.at_turn == 4
    assert answer.output == (
        '(Skill "release-notes" is already active in this session. Body was loaded at turn 4. '
        "No new content was added.)"
    )


def test_18_arguments_as_text_fill_the_placeholder(tmp_path: Path) -> None:
    write_skill(tmp_path, body="Notes for $ARGUMENTS, from $1 to $ARGUMENTS[1].")
    answer = activated(tool_for(tmp_path).call({"name": "release-notes", "arguments": "v1 v2"}, turn=1))
    assert answer.body == "Notes for v1 v2, from v1 to v2."
    assert answer.body in answer.output


DECLARED = "arguments:\n  tag: {type: string, required: true, description: The tag}\n  since:\n    required: false\n"


def test_19_named_arguments_fill_their_placeholders(tmp_path: Path) -> None:
    write_skill(tmp_path, extra=DECLARED, body="From ${since} to ${tag}: $ARGUMENTS; ${other} stays.")
    call = {"name": "release-notes", "arguments": {"tag": "v2", "since": "v1"}}
    answer = activated(tool_for(tmp_path).call(call, turn=1))
    assert answer.body == "From v1 to v2: tag=v2 since=v1; ${other} stays."


def test_20_named_arguments_for_a_skill_that_declares_none_are_invalid(tmp_path: Path) -> None:
    write_skill(tmp_path)
    call = {"name": "release-notes", "arguments": {"tag": "v2"}}
    answer = refused(tool_for(tmp_path).call(call, turn=1), ErrorCode.INVALID_PARAM)
    assert answer.message == "skill release-notes does not accept named arguments"


def test_21_text_for_a_skill_that_declares_named_arguments_is_invalid(tmp_path: Path) -> None:
    write_skill(tmp_path, extra=DECLARED)
    call = {"name": "release-notes", "arguments": "v2"}
    answer = refused(tool_for(tmp_path).call(call, turn=1), ErrorCode.INVALID_PARAM)
    assert answer.message == "skill release-notes expects named arguments: tag, since"


def test_22_the_names_of_resources_are_listed(tmp_path: Path) -> None:
    folder = write_skill(tmp_path)
    write_files(folder, "scripts/a.py", "scripts/b.sh", "references/r.md", "assets/deep/logo.svg", "notes.txt")
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert answer.resources == ("scripts/a.py", "scripts/b.sh", "references/r.md", "assets/deep/logo.svg")
    assert (
        "<resources>\nscripts/a.py\nscripts/b.sh\nreferences/r.md\nassets/deep/logo.svg\n</resources>" in answer.output
    )


def test_23_more_than_ten_names_of_a_folder_are_counted(tmp_path: Path) -> None:
    folder = write_skill(tmp_path)
    write_files(folder, *(f"scripts/{number:02}.py" for number in range(13)), "references/r.md")
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert len(answer.resources) == 11
    assert "scripts/09.py\n(... 3 more)\nreferences/r.md\n" in answer.output


def test_24_a_hook_that_denies_is_permission_denied(tmp_path: Path) -> None:
    write_skill(tmp_path)
    for trusted in ((tmp_path,), ()):
        tool = tool_for(tmp_path, policy=Policy(hook=lambda _: "deny", trusted_roots=trusted))
        refused(tool.call({"name": "release-notes"}, turn=1), ErrorCode.PERMISSION_DENIED)


def test_25_a_hook_that_asks_is_a_denial(tmp_path: Path) -> None:
    write_skill(tmp_path)
    tool = tool_for(tmp_path, policy=Policy(hook=lambda _: "ask"))
    refused(tool.call({"name": "release-notes"}, turn=1), ErrorCode.PERMISSION_DENIED)


def test_26_allowed_tools_as_text_are_divided(tmp_path: Path) -> None:
    write_skill(tmp_path, extra="allowed-tools: Read, Grep\n")
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert answer.frontmatter["allowed-tools"] == ["Read", "Grep"]


def test_27_allowed_tools_as_a_list_are_accepted(tmp_path: Path) -> None:
    write_skill(tmp_path, extra="allowed-tools: [Read, Grep]\n")
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert answer.frontmatter["allowed-tools"] == ["Read", "Grep"]


@pytest.mark.covers("HS-01")
def test_28_the_earlier_root_wins_a_name_and_says_what_it_shadows(tmp_path: Path) -> None:
    project, user = tmp_path / "project", tmp_path / "user"
    write_skill(project, body="project")
    shadowed = write_skill(user, body="user")
    tool = tool_for(project, user)
    (entry,) = tool.discovery.entries
    assert entry.root_index == 0
    assert entry.shadowed == (str(shadowed),)
    assert activated(tool.call({"name": "release-notes"}, turn=1)).body == "project"


def test_29_a_folder_without_a_skill_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("not a folder")
    write_skill(tmp_path)
    discovery = tool_for(tmp_path).discovery
    assert [entry.name for entry in discovery.entries] == ["release-notes"]
    assert discovery.broken == ()


def test_30_crlf_line_ends_are_read_and_kept_in_the_body(tmp_path: Path) -> None:
    text = "---\r\nname: release-notes\r\ndescription: d\r\n---\r\n# A\r\n\r\nB\r\n"
    write_skill(tmp_path, text=text)
    answer = activated(tool_for(tmp_path).call({"name": "release-notes"}, turn=1))
    assert answer.body == "# A\r\n\r\nB\r\n"
    assert answer.frontmatter == {"name": "release-notes", "description": "d"}
