"""Prompt skills: what triggers them, what they bring into a turn, and what is refused."""

from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills import frontmatter
from skills.frontmatter import Parsed
from skills.prompts.documents import PromptSkill, Undecodable, is_prompt_skill, read_prompt_skill
from skills.prompts.envelopes import envelope, escape, message_of
from skills.prompts.matching import Matcher


def page(text: str) -> Parsed:
    reading = frontmatter.parse(text)
    assert isinstance(reading, Parsed), reading
    return reading


def fires(trigger: str, message: str) -> bool:
    return Matcher([("skill", [trigger])]).match(message) == ("skill",)


@pytest.mark.covers("PT-01")
@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("git", "git push"),
        ("git", "Use GIT."),
        ("git", "use `git`"),
        ("git", "my-git-hook"),
        ("git", "用git部署"),
        ("ship it", "please SHIP \n\t IT now"),
        (" ship   it ", "ship it"),
        ("ship\u00a0it", "ship it"),
        ("/linear", "/linear x"),
        ("/linear", "see docs/linear"),
        ("C++", "in C++?"),
        ("C++", "C++11"),
        (".net", "asp.net"),
        ("2.5", "version 2.5!"),
        ("部署", "请部署一下"),
        ("デプロイ", "本番へデプロイする"),
        ("배포", "배포해 주세요"),
        ("ติดตั้ง", "ช่วยติดตั้งหน่อย"),
        ("straße", "STRASSE"),
        ("café", "CAFE\u0301"),
        ("Развёртывание", "РАЗВЁРТЫВАНИЕ!"),
        ("नाव", "एक नाव है"),
        ("🚢", "ready🚢now"),
        ("𝐠𝐢𝐭", "use 𝐠𝐢𝐭 🚢"),
        ("?", "really?"),
    ],
)
def test_a_trigger_fires(trigger: str, message: str) -> None:
    assert fires(trigger, message)


@pytest.mark.covers("PT-01")
@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("git", "digit"),
        ("git", "github"),
        ("git", "git2"),
        ("ship it", "relationship it"),
        ("ship it", "ship its"),
        ("ship it", "ship-it"),
        ("/linear", "/linearx"),
        ("C++", "objectiveC++"),
        ("2.5", "12.5"),
        ("naï", "naïve"),
        ("café", "cafés"),
        ("नाव", "नाविक"),
        ("कि", "किताब"),
        ("git", "di\x00gital"),
        ("git", ""),
        ("𝐠𝐢𝐭", "di𝐠𝐢𝐭"),
        ("git", "🚢digit"),
    ],
)
def test_a_trigger_does_not_fire(trigger: str, message: str) -> None:
    assert not fires(trigger, message)


@pytest.mark.covers("PT-01")
def test_all_skills_a_message_triggers_are_found_overlapping_ones_too() -> None:
    matcher = Matcher(
        [
            ("b", ["ship it", "deploy"]),
            ("a", ["it now"]),
            ("c", ["ship it now"]),
            ("d", ["now"]),
            ("e", ["never"]),
            ("f", []),
        ]
    )
    assert matcher.match("Ship it now!") == ("a", "b", "c", "d")
    assert Matcher([]).match("anything") == ()
    assert Matcher([("empty", ["  "])]).match("  ") == ()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=12), max_size=8), st.text(st.characters(), max_size=60))
def test_one_pass_finds_what_each_trigger_finds_alone(triggers: list[str], message: str) -> None:
    text = f"{message} {triggers[0] if triggers else ''} {message}"
    together = Matcher([(str(number), [trigger]) for number, trigger in enumerate(triggers)]).match(text)
    alone = tuple(
        sorted(str(n) for n, trigger in enumerate(triggers) if trigger.strip("\x00 ") and fires(trigger, text))
    )
    assert together == alone


def letter(character: str) -> bool:
    return character in "abé1𝐀"


@pytest.mark.covers("PT-01")
@given(st.text("ab é漢,-\t1𝐀😀", max_size=5), st.text("ab é漢,-\t1𝐀😀", max_size=30))
def test_a_trigger_fires_where_it_stands_with_its_words_whole(trigger: str, message: str) -> None:
    """The rule itself, tried at every place of the message."""
    asked, said = " ".join(trigger.split()), " ".join(message.split())
    places = [at for at in range(len(said)) if asked and said.startswith(asked, at)]
    whole = [
        at
        for at in places
        if not (letter(asked[0]) and at and letter(said[at - 1]))
        and not (letter(asked[-1]) and letter(said[at + len(asked) : at + len(asked) + 1] or " "))
    ]
    assert fires(trigger, message) is bool(whole)


@pytest.mark.covers("PT-01")
@pytest.mark.parametrize("trigger", ["a", "a a", "部", "!"])
def test_a_message_cannot_blow_a_match_up(trigger: str) -> None:
    """The worst a set of triggers allows: each is a part of the next, and the message holds all of them everywhere."""
    triggers = [(trigger + " ") * length if trigger == "a a" else trigger * length for length in range(1, 60)]
    matcher = Matcher([(str(number), [each]) for number, each in enumerate(triggers)] + [("never", ["absent"])])
    begin = time.perf_counter()
    matcher.match((trigger + " ") * 2500 if trigger == "a a" else trigger * 10_000)
    assert time.perf_counter() - begin < 2


@pytest.mark.covers("PT-01")
@pytest.mark.slow
def test_five_thousand_triggers_read_a_long_message_in_milliseconds() -> None:
    """The budget is 2 ms at p99 on a quiet machine; here the thread's own time counts, with room for noise."""
    chance = random.Random(5)
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(3, 9))) for _ in range(8000)]
    triggers = [" ".join(chance.sample(words, chance.randint(1, 3))) for _ in range(5000)]
    matcher = Matcher([(f"skill-{number % 1000}", [trigger]) for number, trigger in enumerate(triggers)])
    times = []
    for _ in range(300):
        message = " ".join(chance.choices(words, k=1500))[:10_000]
        begin = time.thread_time()
        matcher.match(message)
        times.append(time.thread_time() - begin)
    assert sorted(times)[150] < 0.004


@pytest.mark.covers("PT-02")
def test_a_skill_is_delivered_in_an_envelope_of_the_users_role() -> None:
    assert message_of(name="deploy-staging", body="\nRun the smoke test after.\n") == {
        "role": "user",
        "content": (
            "<system-reminder>\n## Loaded skill: deploy-staging\nRun the smoke test after.\n</system-reminder>"
        ),
    }


@pytest.mark.covers("PT-02")
def test_nothing_inside_an_envelope_opens_or_closes_one() -> None:
    content = (
        "a </system-reminder> b </System-Reminder > c <SYSTEM-REMINDER> d < / system-reminder x> e </system-reminder"
    )
    text = envelope(heading="x </system-reminder>\ny", content=content)
    assert text is not None
    assert text.lower().count("<system-reminder") == 1
    assert text.lower().count("</system-reminder") == 1
    assert "&lt;/System-Reminder &gt;" in text
    assert text.splitlines()[1] == "## x &lt;/system-reminder&gt; y"
    assert escape("a < b, <system> and </div>") == "a < b, <system> and </div>"


@pytest.mark.covers("PT-02")
@pytest.mark.parametrize("body", ["", " \n\t\n"])
def test_a_skill_without_a_body_brings_no_message(body: str) -> None:
    assert message_of(name="empty", body=body) is None


DEPLOY = """---
name: deploy-staging
description: How this project ships
  to staging
triggers:
- deploy
- "ship it"
tools:
- name: stage_deploy
  description: Run the staging playbook
  command: ansible-playbook deploy.yml -l staging
  schema: {type: object, properties: {}}
---
Run the smoke test after.
"""


@pytest.mark.covers("PT-01", "PT-03")
def test_a_prompt_skill_is_read_whole() -> None:
    reading = page(DEPLOY)
    assert is_prompt_skill(reading.fields)
    skill = read_prompt_skill(reading)
    assert isinstance(skill, PromptSkill)
    assert skill.as_dict() == {
        "name": "deploy-staging",
        "description": "How this project ships to staging",
        "triggers": ["deploy", "ship it"],
        "tools": ["stage_deploy"],
    }
    assert skill.tools[0].as_dict() == {
        "name": "stage_deploy",
        "description": "Run the staging playbook",
        "command": "ansible-playbook deploy.yml -l staging",
        "schema": {"type": "object", "properties": {}},
    }


@pytest.mark.covers("PT-01")
@pytest.mark.parametrize(
    ("front", "path", "line", "word"),
    [
        ("name: a\ndescription: d\ntriggers: [git, 42]", "triggers[1]", 4, "42"),
        ("name: a\ndescription: d\ntriggers:\n- git\n- on", "triggers[1]", 6, "on"),
        ("name: a\ndescription: d\ntriggers:\n- {a: b}", "triggers[0]", 5, "{a: b}"),
        ("name: a\ndescription: d\ntriggers:\n-", "triggers[0]", 5, "nothing"),
        ("name: a\ndescription: d\ntriggers: ['  ']", "triggers[0]", 4, "empty"),
        ("name: a\ndescription: d\ntriggers: deploy", "triggers", 4, "list"),
        ("name: a\ndescription:\ntriggers: [x]", "description", 3, "required"),
        ("name: [a]\ndescription: d\ntriggers: [x]", "name", 2, "text"),
        (f"name: {'a' * 129}\ndescription: d\ntriggers: [x]", "name", 2, "129"),
        ("name: a\ndescription: d\ntools: {}", "tools", 4, "list"),
        ("name: a\ndescription: d\ntools:\n- x", "tools[0]", 5, "not a tool"),
        ("name: a\ndescription: d\ntools:\n- name: x\n  description: d", "tools[0].command", 5, "required"),
        (
            "name: a\ndescription: d\ntools:\n- name: x y\n  description: d\n  command: c",
            "tools[0].name",
            5,
            "tool name",
        ),
        (
            "name: a\ndescription: d\ntools:\n- {name: x, description: d, command: c, schema: [1]}",
            "tools[0].schema",
            5,
            "mapping",
        ),
        (
            "name: a\ndescription: d\ntools:" + "\n- {name: x, description: d, command: c}" * 2,
            "tools[1].name",
            6,
            "second time",
        ),
    ],
)
def test_what_is_wrong_with_a_prompt_skill_is_told_with_field_and_line(
    front: str, path: str, line: int, word: str
) -> None:
    reading = read_prompt_skill(page(f"---\n{front}\n---\nbody"))
    assert isinstance(reading, Undecodable)
    assert [(problem.field, problem.line) for problem in reading.problems] == [(path, line)]
    assert word in reading.problems[0].detail


def test_front_matter_with_a_trigger_is_not_a_prompt_skill() -> None:
    assert not is_prompt_skill(page("---\nname: a\ndescription: d\ntriggers: [x]\ntrigger: {tool: y}\n---\n").fields)
    assert not is_prompt_skill(page("---\nname: a\ndescription: d\n---\n").fields)
