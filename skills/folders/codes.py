"""The words of the skill tool: its error codes, the kinds of its answers, its limits. Pure."""

from __future__ import annotations

import re
from enum import StrEnum


class ErrorCode(StrEnum):
    """Why an activation failed (contract §4). The values are public: a harness branches on them."""

    INVALID_PARAM = "INVALID_PARAM"
    NOT_FOUND = "NOT_FOUND"
    SENSITIVE = "SENSITIVE"
    OUTSIDE_WORKSPACE = "OUTSIDE_WORKSPACE"
    INVALID_FRONTMATTER = "INVALID_FRONTMATTER"
    NAME_MISMATCH = "NAME_MISMATCH"
    DISABLED = "DISABLED"
    NOT_TRUSTED = "NOT_TRUSTED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    IO_ERROR = "IO_ERROR"


class Kind(StrEnum):
    """What an answer of the tool is."""

    OK = "ok"
    ALREADY_LOADED = "already_loaded"
    NOT_FOUND = "not_found"
    ERROR = "error"


SKILL_FILE = "SKILL.md"
RESOURCE_FOLDERS = ("scripts", "references", "assets")

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
"""Characters, from the Agent Skills open specification."""
MAX_ARGUMENT_HINT = 200
"""Characters, contract §4."""
MAX_FILE_BYTES = 25 * 1024 * 1024
"""A larger SKILL.md is not read: the limit of an attachment (contract §8), far above any text a model could take in."""

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""Use with `fullmatch`: lower-case ASCII letters and digits in groups divided by single hyphens."""
