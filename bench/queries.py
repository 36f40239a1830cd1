"""Counts what goes to the database: `with connection.execute_wrapper(queries)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Queries:
    """`count` grows with each statement, transactions' own left out."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.count += 1
        return execute(*arguments)
