"""Characters that turn the direction of writing, made to be seen where a text is read exactly. Pure.

In prose they are letters of a kind: many texts in Arabic or Hebrew need them, and none reaches past its paragraph. In
code and in differences they make a line read otherwise than it is, so there each is shown by its number and turns
nothing.
"""

from __future__ import annotations

import re

BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_ANY = re.compile(f"[{''.join(sorted(BIDI_CONTROLS))}]")


def show_controls(html: str) -> str:
    """HTML with each such character of its texts in an element of its own, which the stylesheet labels and isolates.

    The character stays, so that what is copied is what was written. They must not stand in attributes.
    """
    return _ANY.sub(_shown, html) if _ANY.search(html) else html


def _shown(found: re.Match[str]) -> str:
    return f'<span class="control" role="img" aria-label="U+{ord(found[0]):04X}">{found[0]}</span>'
