"""No write to the database stands outside a `writes/` room.

`python -m crewlet_site.checks.writes` prints `path:line: what` for each one and exits 1. Looked for are the calls by
which Django's ORM writes (`.save(`, `.objects….update(` and so on), by name: a name alone cannot tell a queryset from
a dictionary, so `update`, `delete`, `create`, `save` and `add` count only on what is visibly a model or a
queryset, and the names nothing else has count everywhere. SQL by a cursor may read: a literal, in place or as a
constant of the module, that begins with SELECT or WITH and holds no writing word.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent.parent

ALLOWED_ROOMS = frozenset({"writes", "migrations"})
ALLOWED_FILES: dict[str, str] = {
    "tests": "tests and their factories make what they need",
    "crewlet_site/backup": "puts a whole database in the place of an empty one",
    "bench": "measures on a database of its own, as a test does",
}
"""What else may write, and why: a path, and everything below it."""
FOLDERS = ("company", "knowledge", "skills", "tracker", "crewlet_site", "examples")

ONLY_THE_ORM = frozenset({
    "bulk_create", "bulk_update", "get_or_create", "update_or_create", "abulk_create", "abulk_update",
    "aget_or_create", "aupdate_or_create", "acreate", "aupdate", "adelete", "asave", "raw_delete",
})  # fmt: skip
ON_A_QUERYSET = frozenset({"create", "update", "delete"})
QUERYSET_STEPS = frozenset({
    "objects", "filter", "exclude", "all", "order_by", "select_for_update", "annotate", "using", "distinct",
    "select_related", "prefetch_related", "only", "defer", "alias",
})  # fmt: skip
ON_A_ROW = frozenset({"save", "delete", "set_password_and_save"})
ON_A_CURSOR = frozenset({"execute", "executemany", "copy"})
READS = ("select", "show", "explain", "with")
WRITES = re.compile(r"\b(insert|update|delete|merge|into|truncate|alter|create|drop|copy)\b")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A write where none may stand."""

    line: int
    call: str


def findings(source: str) -> list[Finding]:
    """The database writes of a module, by line. Raises SyntaxError for what is no Python."""
    tree = ast.parse(source)
    return sorted(_calls(tree, _texts(tree)), key=lambda found: found.line)


def _texts(module: ast.Module) -> dict[str, str]:
    """The constants of a module that are texts."""
    return {
        target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _calls(tree: ast.AST, texts: dict[str, str]) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, owner = node.func.attr, node.func.value
        if (
            name in ONLY_THE_ORM
            or (name in ON_A_QUERYSET and _is_queryset(owner))
            or (name in ON_A_ROW and _is_row(name, node, owner))
            or (name in ON_A_CURSOR and _is_cursor(owner) and not _reads(node, texts))
        ):
            yield Finding(line=node.lineno, call=f".{name}(")


def _is_queryset(owner: ast.expr) -> bool:
    """Whether an expression is visibly a manager or a queryset: `X.objects…`, or a name that says so."""
    while True:
        if isinstance(owner, ast.Call):
            owner = owner.func
        elif isinstance(owner, ast.Attribute):
            if owner.attr in QUERYSET_STEPS or owner.attr.endswith("_set"):
                return True
            owner = owner.value
        elif isinstance(owner, ast.Name):
            return owner.id in ("queryset", "rows", "qs") or owner.id.endswith(("_queryset", "_rows"))
        else:
            return False


def _is_row(name: str, call: ast.Call, owner: ast.expr) -> bool:
    """`.save()` of anything, unless it is handed something to save; `.delete()` of a plain name without arguments."""
    if name == "save":
        return not call.args
    return isinstance(owner, ast.Name | ast.Attribute) and not call.args and not call.keywords


def _is_cursor(owner: ast.expr) -> bool:
    last = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    if isinstance(owner, ast.Call):
        return _is_cursor(owner.func)
    return "cursor" in last or "connection" in last


def _reads(call: ast.Call, texts: dict[str, str]) -> bool:
    """Whether the SQL is a text known here that reads and nothing else."""
    said = call.args[0] if call.args else None
    if isinstance(said, ast.Constant) and isinstance(said.value, str):
        sql = said.value.lower()
    elif isinstance(said, ast.Name) and said.id in texts:
        sql = texts[said.id].lower()
    else:
        return False
    return sql.lstrip().startswith(READS) and WRITES.search(sql) is None


def may_write(path: PurePosixPath) -> bool:
    """Whether a file may write, by where it is."""
    if ALLOWED_ROOMS & set(path.parts[:-1]):
        return True
    return any(path == PurePosixPath(allowed) or PurePosixPath(allowed) in path.parents for allowed in ALLOWED_FILES)


def main() -> int:
    """Look through the code; returns the exit code."""
    failed = False
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            path = PurePosixPath(file.relative_to(ROOT).as_posix())
            if may_write(path):
                continue
            for found in findings(file.read_text(encoding="utf-8")):
                failed = True
                print(f"{path}:{found.line}: {found.call} writes to the database outside a writes/ room")  # noqa: T201
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
