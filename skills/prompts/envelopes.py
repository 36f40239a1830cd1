"""How a prompt skill reaches the model: user-role text in an envelope the system prompt teaches it to read. Pure.

Nothing inside may close the envelope or open another: both tags are escaped in any case, also with blanks in them.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(\s{0,64}/?\s{0,64}system-reminder[^<>]{0,200})(>?)", re.IGNORECASE)


def envelope(*, heading: str, content: str) -> str | None:
    """The text of one message; None where there is nothing to say."""
    if not content.strip():
        return None
    body = escape(content).strip("\r\n")
    return f"<system-reminder>\n## {escape(' '.join(heading.split()))}\n{body}\n</system-reminder>"


def message_of(*, name: str, body: str) -> dict[str, str] | None:
    """The message that brings a skill into a turn; None for a skill without a body."""
    content = envelope(heading=f"Loaded skill: {name}", content=body)
    return None if content is None else {"role": "user", "content": content}


def escape(text: str) -> str:
    """The text with the envelope's own tags as entities."""
    return _TAG.sub(lambda match: f"&lt;{match[1]}{'&gt;' if match[2] else ''}", text)
