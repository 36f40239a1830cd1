"""The REST door as the holder of a token sees it."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client


class Door:
    """Asks, and fails where the answer has another status than expected."""

    def __init__(self, secret: str | None) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else None)

    def ask(self, method: str, path: str, body: object = None, *, expect: int = 200, **headers: str) -> Any:
        answer = self.client.generic(
            method,
            path if path.startswith("/") else f"/api/v1/{path}",
            data=b"" if body is None else json.dumps(body),
            content_type="application/json",
            headers=headers,
        )
        assert answer.status_code == expect, answer.content
        return answer.json() if answer.content else None

    def get(self, path: str, *, expect: int = 200) -> Any:
        return self.ask("GET", path, expect=expect)

    def post(self, path: str, body: object, *, expect: int = 200) -> Any:
        return self.ask("POST", path, body, expect=expect)
