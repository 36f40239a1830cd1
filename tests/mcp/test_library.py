"""The library over MCP: every skill to every client, to the byte, by a client that is not ours."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from fastmcp import Client as FastClient
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.skills.client import SkillsClientExtension

from company.models.records import AuditEntry
from skills.folders import packing
from skills.folders.packing import PackedFile
from skills.writes.library import import_upload
from tests import loops
from tests.factories import admin, person, token_for
from tests.mcp.doors import AGENT, OPERATOR, Assistant, Site
from tests.mcp.test_skills import walk
from tests.skills.test_rest_library import FILES, SKILL

NOTES = b"""---
name: release-notes
description: Use when a release is cut.
since: 1.10
arguments:
  tag: {type: string, required: true, description: The tag to begin from.}
metadata: {team: core}
---
Since ${tag}.
"""
FOR_MODELS = b"---\nname: quiet\ndescription: Models alone use it.\nuser-invocable: false\n---\nHush.\n"


@pytest.fixture
def library(site: Site) -> None:
    """Three skills: one of many files, one with arguments, one that people do not pick."""
    texts = (
        ("berths", FILES),
        ("release-notes", [PackedFile(path="SKILL.md", data=NOTES)]),
        ("quiet", [PackedFile(path="SKILL.md", data=FOR_MODELS)]),
    )
    for name, files in texts:
        import_upload(actor=admin(), name=f"{name}.zip", data=packing.pack(name, files))
    walk()


@asynccontextmanager
async def fast_client(site: Site, path: str, secret: str) -> AsyncIterator[Any]:
    """FastMCP's client, opted into the Skills extension."""
    transport = StreamableHttpTransport(f"{site.url}{path}", headers={"Authorization": f"Bearer {secret}"})
    async with FastClient(transport, extensions=[SkillsClientExtension()]) as client:
        yield client


@pytest.mark.covers("AP-04")
@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("path", [AGENT, OPERATOR])
def test_fastmcps_client_lists_and_gets_every_skill_of_the_library_with_true_digests(site: Site, path: str) -> None:
    secret = token_for(seat="engineer-bot") if path == AGENT else token_for(holder=person(permissions=["knowledge"]))

    async def look() -> dict[str, dict[str, bytes]]:
        found: dict[str, dict[str, bytes]] = {}
        async with fast_client(site, path, secret) as client:
            for entry in await client.list_skills():
                again = await client.get_skill(entry.uri)
                assert again == entry
                for resource in entry.resources:
                    (content,) = await client.read_resource(resource.uri)
                    data = await client._read_skill_file(resource.uri)
                    assert resource.digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
                    assert resource.size == len(data)
                    assert content.uri
                skill = await client.read_skill(entry.uri)  # checks sizes, digests and the front matter by itself
                found[entry.frontmatter.name] = dict(skill.files)
        return found

    found = loops.run(look)
    assert set(found) == {"berths", "quiet", "release-notes"}
    assert found["berths"] == {file.path: file.data for file in FILES}


@pytest.mark.covers("AP-04")
@pytest.mark.usefixtures("library")
def test_front_matter_is_carried_as_it_is_written_and_an_address_of_no_skill_is_refused(site: Site) -> None:
    async def look() -> Any:
        async with fast_client(site, AGENT, token_for_engineer) as client:
            entry = await client.get_skill("skill://release-notes/SKILL.md")
            with pytest.raises(Exception, match="not_found"):
                await client.get_skill("skill://nobody/SKILL.md")
            return entry.frontmatter.root

    token_for_engineer = token_for(seat="engineer-bot")
    frontmatter = loops.run(look)
    assert list(frontmatter) == ["name", "description", "since", "arguments", "metadata"]
    assert frontmatter["since"] == 1.10
    assert frontmatter["arguments"]["tag"]["required"] is True


@pytest.mark.covers("AP-02")
@pytest.mark.usefixtures("library")
def test_skills_are_resources_and_prompts_too(engineer: Assistant, operator: Assistant) -> None:
    for assistant in (engineer, operator):
        client = assistant.client
        listed = assistant.ask(client.list_resources).resources
        assert [str(each.uri) for each in listed] == [
            f"skill://{name}/SKILL.md" for name in ("berths", "quiet", "release-notes")
        ]
        (text,) = assistant.ask(client.read_resource, "skill://berths/SKILL.md").contents
        assert isinstance(text, types.TextResourceContents)
        assert text.text.encode() == SKILL
        with pytest.raises(Exception, match="not_found"):
            assistant.ask(client.read_resource, "skill://berths/../../etc/passwd")
        prompts = {prompt.name: prompt for prompt in assistant.ask(client.list_prompts).prompts}
        assert set(prompts) == {"berths", "release-notes"}
        arguments = prompts["release-notes"].arguments or []
        assert [(argument.name, argument.required) for argument in arguments] == [("tag", True)]
        said = assistant.ask(client.get_prompt, "release-notes", {"tag": "v1"}).messages
        assert "Since v1." in said[0].content.text
        with pytest.raises(Exception, match="invalid"):
            assistant.ask(client.get_prompt, "release-notes")
        with pytest.raises(Exception, match="not_found"):
            assistant.ask(client.get_prompt, "nobody")
    assert AuditEntry.objects.filter(verb="skill.allow", door="mcp").exists()


def test_a_client_that_knows_resources_alone_finds_the_files_by_the_manifest(
    site: Site, library: None, tmp_path: Path
) -> None:
    secret = token_for(seat="engineer-bot")

    async def look() -> dict[str, bytes]:
        transport = StreamableHttpTransport(f"{site.url}{AGENT}", headers={"Authorization": f"Bearer {secret}"})
        async with FastClient(transport) as client:
            assert len(await client.list_skill_resources()) == 3
            return dict((await client.read_skill("skill://berths/SKILL.md")).files)

    assert loops.run(look) == {file.path: file.data for file in FILES}
