"""Answers that are sent a piece at a time, whatever server asks.

Under ASGI a plain iterator would be read to its end before the first byte leaves; it is stepped through in the
thread of its request instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Protocol

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse


class Pieces(Protocol):
    """Bytes a piece at a time, from something that has to be closed whether or not it was read."""

    def __iter__(self) -> Iterator[bytes]: ...
    def __next__(self) -> bytes: ...
    def close(self) -> None: ...


class Streamed(StreamingHttpResponse):
    """The answer that sends pieces as they come, and closes where they come from when it is done or given up."""

    def __init__(self, request: HttpRequest, pieces: Pieces, *, content_type: str) -> None:
        self._pieces = pieces
        content = stepped(pieces) if isinstance(request, ASGIRequest) else pieces
        super().__init__(content, content_type=content_type)

    def close(self) -> None:
        """Close the answer and its source; closing either twice does nothing more."""
        self._pieces.close()
        super().close()


async def stepped(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Pieces as they are asked for, each taken in a thread. Left to itself, Django makes a list of all first."""
    step = sync_to_async(lambda: next(pieces, None))
    while (piece := await step()) is not None:
        yield piece
