"""Literal secrets of a document: hidden in every read, kept by a write of `***`."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from company.rules.document.secrets import mask, mask_source, restore
from company.rules.document.text import load_text
from company.rules.refusals import Refused
from tests.data import data_file

pytestmark = pytest.mark.covers("CO-03")

SOURCE = """\
name: Harbour  # the ferry people
integrations:
  confluence: {url: "https://wiki.harbour.example", token: 'pier & 1', webhook_secret: "${HOOK}"}
providers:
  embeddings: {type: openai, api_key: sk-plain, max_batch_tokens: 8000}
  llm:
    default:
      api_keys:
        - first
        - "${SECOND}"
token_budget: 5
mcp_servers:
  - name: chat
    env: {CHAT_URL: chat.harbour.example, RETRIES: 3, VERBOSE: true}
  - name: store
    url: "https://pier:gate@store.harbour.example"
    headers: {Authorization: "Bearer ${STORE}"}
units:
  - name: Engineering
    mcp_env:
      github:
        KEY: |
          begin
          end
        OTHER: "${OTHER}"
    roles:
      - name: Engineer Bot
        mcp_env: {github: {KEY: of-the-bot}}
"""
LITERALS = ("pier & 1", "sk-plain", "first", "chat.harbour.example", "gate@", "begin", "of-the-bot", "RETRIES: 3")


def data(text: str) -> Any:
    return load_text(text).data


def test_no_literal_secret_is_shown_and_everything_else_is() -> None:
    shown = mask_source(SOURCE)

    assert not [literal for literal in LITERALS if literal in shown]
    assert "name: Harbour  # the ferry people" in shown
    assert '"${HOOK}"' in shown
    assert "max_batch_tokens: 8000" in shown
    assert "token_budget: 5" in shown
    assert "VERBOSE: true" in shown
    assert data(shown) == mask(data(SOURCE))


def test_what_was_shown_can_be_written_back_unchanged() -> None:
    loaded, text = restore(load_text(mask_source(SOURCE)), mask_source(SOURCE), data(SOURCE))

    assert loaded.data == data(SOURCE)
    assert data(text) == data(SOURCE)


def test_the_same_holds_for_json() -> None:
    shown = json.dumps(mask(data(SOURCE)))

    loaded, _ = restore(load_text(shown), shown, data(SOURCE))

    assert loaded.data == data(SOURCE)


def test_secrets_stay_with_their_seat_when_others_come_before_it_or_it_moves() -> None:
    edited = yaml.safe_load(mask_source(SOURCE))
    bot = edited["units"][0]["roles"].pop()
    edited["roles"] = [{"name": "New Bot"}, bot]
    edited["mcp_servers"].reverse()
    text = yaml.safe_dump(edited)

    restored = restore(load_text(text), text, data(SOURCE))[0].data

    assert restored["roles"][1]["mcp_env"]["github"]["KEY"] == "of-the-bot"
    assert restored["mcp_servers"][1]["env"]["CHAT_URL"] == "chat.harbour.example"
    assert restored["mcp_servers"][0]["url"] == "https://pier:gate@store.harbour.example"


def test_a_mask_where_nothing_is_stored_is_refused_at_its_path() -> None:
    text = 'name: Harbour\nroles:\n- {name: New Bot, mcp_env: {github: {KEY: "***"}}}\n'

    with pytest.raises(Refused) as raised:
        restore(load_text(text), text, data(SOURCE))

    assert [problem.attr for problem in raised.value.problems] == ["roles.0.mcp_env.github.KEY"]


def test_three_stars_in_prose_are_prose() -> None:
    text = 'name: Harbour\nmission: "***"\n'

    assert restore(load_text(text), text, data(SOURCE))[1] == text


def test_a_real_users_document_shows_its_references_and_hides_its_literals() -> None:
    text = data_file("crewlet-examples/nimbus.company.yaml").read_text()
    shown = mask_source(text)

    assert "${GITLAB_TOKEN_SWE}" in shown
    assert "GITLAB_HOST: gitlab.com" not in shown
    assert data(restore(load_text(shown), shown, data(text))[1]) == data(text)
    assert len(shown.splitlines()) == len(text.splitlines())
