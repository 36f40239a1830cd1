"""The examples of the CommonMark specification, for the test that holds our renderer against them.

They are not kept here: the source release of the parser carries them, and `./crewlet test` fetches that once into the
environment (`python -m tests.commonmark` does the same). Owns nothing of the specification's text.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

RELEASE = version("markdown-it-py")
KEPT = Path(sys.prefix) / "share" / "crewlet-tests" / f"commonmark-of-{RELEASE}.json"
INSIDE = "tests/test_cmark_spec/commonmark.json"
SPECIFICATION = "0.31.2"
# Of the pairs of markdown and HTML in the npm package `commonmark-spec` of that version.
DIGEST = "666b780f50efd023d556deecc4bff5a47860b48b30b6fc03e272088204a629cf"


@dataclass(frozen=True, kw_only=True)
class Example:
    """One example: its number in the specification, its section, what is written and what has to come out."""

    number: int
    section: str
    markdown: str
    html: str


@cache
def examples() -> tuple[Example, ...]:
    """Every example in order; nothing where they were not fetched yet."""
    if not KEPT.exists():
        return ()
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    return tuple(
        Example(number=row["example"], section=row["section"], markdown=row["markdown"], html=row["html"])
        for row in rows
    )


def digest_of(found: tuple[Example, ...]) -> str:
    """What says whether these are the specification's own examples, all of them and in order."""
    return hashlib.sha256(json.dumps([[one.markdown, one.html] for one in found]).encode()).hexdigest()


def fetch() -> None:
    """Fetch the examples unless they are here. Raises `CalledProcessError` where the registry is out of reach."""
    if KEPT.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--no-binary", "markdown-it-py", "--dest", folder, f"markdown-it-py=={RELEASE}"],
            check=True, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            member = next(name for name in opened.getnames() if name.endswith(f"/{INSIDE}"))
            inside = opened.extractfile(member)
            assert inside is not None
            text = inside.read()
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    fresh = KEPT.with_suffix(".new")
    fresh.write_bytes(text)
    fresh.replace(KEPT)


if __name__ == "__main__":
    try:
        fetch()
    except (subprocess.SubprocessError, OSError, StopIteration, ValueError) as failed:
        words = getattr(failed, "stderr", None) or str(failed)
        sys.exit(f"The examples of CommonMark could not be fetched, so their test will be skipped:\n{words}")
