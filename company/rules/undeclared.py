"""What is said of the key of a space or a project that the company document does not declare."""

from __future__ import annotations

import re
from collections.abc import Collection

from company.rules.document.schema import KEY_PATTERN


def say_undeclared(word: str, key: str, *, declared: Collection[str]) -> str:
    """A sentence that names the key and says what helps: the spelling of one that is declared, or how one is declared.

    `word` is what the document calls it (`space`, `project`), `declared` are the keys it has.
    """
    no = f"The company declares no {word} '{key}'."
    if key.strip().upper() in declared:
        return f"{no} Keys are upper case: write '{key.strip().upper()}'."
    if re.fullmatch(KEY_PATTERN, key):
        return f"{no} An administrator declares one as '{word}: {key}' of a unit or a seat in the company document."
    return (
        f"{no} An administrator declares one as '{word}' of a unit or a seat in the company document; a key is 2 to 10 "
        "capital letters and digits and begins with a letter, such as 'ENG'."
    )
