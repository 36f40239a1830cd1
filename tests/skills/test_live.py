"""Skills in a running deployment: what one process saves, every process serves."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from crewlet_site.embedded.places import Kind, Places
from tests.deployments import Deployment, until
from tests.skills.texts import skill_text

SERVED_WITHIN = 2.0


def registries(connection: psycopg.Connection) -> dict[str, int]:
    """How many skills each process says that it serves."""
    rows = connection.execute("SELECT process, skills FROM skills_syncstate WHERE state = 'synced'").fetchall()
    return {str(process): int(skills) for process, skills in rows}


@pytest.mark.slow
@pytest.mark.covers("TS-08")
def test_a_published_skill_is_served_by_every_process_within_two_seconds(
    deployment: Deployment, tmp_path: Path
) -> None:
    # The deployment is shared with other tests, so this one is about a tool that no other test asks for.
    text = skill_text("tool:live", trigger="{tool: tool_of_this_test}", title="A skill that has just been written")
    (tmp_path / "live.md").write_text(text)
    with psycopg.connect(Places(deployment.data_dir, Kind.POSTGRES).url, autocommit=True) as connection:
        before = registries(connection)
        assert len(before) >= 2
        deployment.crewlet("skills", "import", str(tmp_path))
        grown = {process: skills + 1 for process, skills in before.items()}
        took = until(lambda: registries(connection) == grown, 10)
    assert took < SERVED_WITHIN
