"""The command line of skills: `skills check`, `import`, `export` and `sync`.

Results go to standard output, one line each; progress and sums go to standard error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skills.commands.checking import check_files
from skills.commands.exporting import export_files
from skills.commands.importing import import_files
from skills.commands.syncing import TOKEN_VARIABLE, sync_folder


def register(commands: Any) -> None:
    """Add `skills` and what stands below it."""
    skills = commands.add_parser("skills", help="check, import, export and mirror skills kept as files")
    below = skills.add_subparsers(dest="skills_command", metavar="<what>", required=True)

    check = below.add_parser(
        "check",
        help="say what is wrong with the skills in a file or folder",
        description="Reads skill folders, tool skills and prompt skills, and prints 'path:line: field: code: detail' "
        "for each problem. Exits with 1 where there is one.",
    )
    check.add_argument("path", type=Path, help="a file, or a folder that is searched for skills")
    check.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    check.set_defaults(run=check_files, needs_servers=False)

    publish = below.add_parser(
        "import",
        help="publish the skills in a file or folder",
        description="Publishes each skill on the page that has its key or name, or on a new one; a skill folder with "
        "its files. What can be repaired is, and said. What is there already stays as it is, so a second run changes "
        "nothing. Exits with 1 where a file was refused.",
    )
    publish.add_argument("path", type=Path, help="a file, or a folder that is searched for skills")
    publish.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    publish.set_defaults(run=import_files)

    export = below.add_parser(
        "export",
        help="write every skill into a folder",
        description="Writes each skill folder with its files and modes, and each tool skill and prompt skill as a "
        "file of its own. A file that holds another content is left alone and reported, unless --force is given.",
    )
    export.add_argument("path", type=Path, help="the folder; it is made where it is not there")
    export.add_argument("--force", action="store_true", help="write over files that hold another content")
    export.set_defaults(run=export_files)

    sync = below.add_parser(
        "sync",
        help="keep a folder the same as the library of a deployment",
        description="Fetches the skill folders that have changed since the last run, each whole or not at all, and "
        "removes those that have left the library. What it did not write itself, or somebody has changed, is left "
        "alone and reported. Needs no deployment on this machine.",
    )
    sync.add_argument("path", type=Path, help="the folder, such as a harness's own skills directory")
    sync.add_argument("--url", required=True, help="the deployment's address, such as https://crewlet.example")
    sync.add_argument("--token", help=f"a token that may read (default: ${TOKEN_VARIABLE})")
    sync.set_defaults(run=sync_folder, needs_servers=False)
