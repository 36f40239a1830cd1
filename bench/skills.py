"""Skill folders and prompt skills: judging files, rendering the catalogue, matching a message. No server."""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable

from bench.figures import Row, Timing, figures_of, median_of, timing_of
from bench.options import Options
from bench.site import Site
from skills.folders import Accepted, Skill, SkillEntry, catalogue, check_file
from skills.prompts.matching import Matcher

FILES = 400
SKILLS = 1_000
TRIGGERS = 5_000
MESSAGES = 500
MESSAGE_BYTES = 10_000
AIM_MS = 2.0


def run(site: Site, options: Options) -> list[Row]:
    """Three rows, on texts made up from a fixed seed."""
    site.say(f"{TRIGGERS} triggers, {SKILLS} skills")
    chance = random.Random(5)  # the same texts on every machine, no secret
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(3, 9))) for _ in range(8_000)]
    return [_judging(chance, words, options), _rendering(chance, words, options), _matching(chance, words, options)]


def _judging(chance: random.Random, words: list[str], options: Options) -> Row:
    files = [_file(f"skill-{number}", chance, words) for number in range(FILES)]

    def judge(number: int) -> None:
        if not isinstance(check_file(files[number], folder=f"skill-{number}"), Accepted):
            raise ValueError("a file of the bench is not a good skill")

    timing = _runs(judge, FILES, options)
    return Row(
        bench="skills",
        what="parse and validate a SKILL.md",
        figures=figures_of(timing) | {"files/s": round(1000 / timing.p50_ms)},
        note=f"{FILES} files of about {sum(map(len, files)) // FILES} bytes; files/s are by the median.",
    )


def _rendering(chance: random.Random, words: list[str], options: Options) -> Row:
    entries = [
        SkillEntry(
            skill=Skill(name=f"skill-{number}", description=" ".join(chance.choices(words, k=30))), dir="/skills"
        )
        for number in range(SKILLS)
    ]
    size = len(catalogue.render(entries).encode())
    timing = _runs(lambda _: catalogue.render(entries), 20, options)
    note = f"{SKILLS} skills, {size} bytes."
    return Row(bench="skills", what="render the catalogue", figures=figures_of(timing), note=note)


def _matching(chance: random.Random, words: list[str], options: Options) -> Row:
    triggers = [" ".join(chance.sample(words, chance.randint(1, 3))) for _ in range(TRIGGERS)]
    matcher = Matcher([(f"skill-{number % SKILLS}", [trigger]) for number, trigger in enumerate(triggers)])
    messages = [" ".join(chance.choices(words, k=2_000))[:MESSAGE_BYTES] for _ in range(MESSAGES)]
    timing = _runs(lambda number: matcher.match(messages[number]), MESSAGES, options)
    worked = _runs(lambda number: matcher.match(messages[number]), MESSAGES, options, clock=time.thread_time)
    return Row(
        bench="skills",
        what="match a message against the triggers of prompt skills",
        figures=figures_of(timing) | {f"cpu {name}": value for name, value in figures_of(worked).items()},
        aim=f"p99 under {AIM_MS:g} ms",
        met=timing.p99_ms < AIM_MS,
        note=f"{TRIGGERS} triggers of one to three words, messages of {MESSAGE_BYTES} bytes.",
    )


def _file(name: str, chance: random.Random, words: list[str]) -> bytes:
    """A SKILL.md of common size: five fields, and a body of about 6 kB."""
    description = " ".join(chance.choices(words, k=25))
    body = "\n\n".join(" ".join(chance.choices(words, k=60)) for _ in range(14))
    front = f"name: {name}\ndescription: {description}\nlicense: MIT\nallowed-tools: Read, Bash(git log:*)\n"
    return f"---\n{front}metadata:\n  author: {words[0]}\n---\n\n{body}\n".encode()


def _runs(
    work: Callable[[int], object], times: int, options: Options, *, clock: Callable[[], float] = time.perf_counter
) -> Timing:
    """The median of the runs, after one that is thrown away. The processor's own clock leaves out what others took."""
    runs: list[Timing] = []
    for _ in range(options.runs + 1):
        seconds: list[float] = []
        for number in range(times):
            began = clock()
            work(number)
            seconds.append(clock() - began)
        runs.append(timing_of(seconds))
    return median_of(runs[1:])
