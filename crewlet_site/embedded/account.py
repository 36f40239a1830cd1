"""The account the servers run as: one's own, or where that is root (which Postgres refuses) one made for them."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NAME = "pgserver"


class AccountUnavailable(Exception):
    """There is no account to run the servers as; the text says what to do."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Who runs the servers. `uid` and `gid` are None where it is the process's own account."""

    uid: int | None = None
    gid: int | None = None

    @property
    def switches(self) -> bool:
        """Whether the servers run as somebody else."""
        return self.uid is not None

    def popen_arguments(self) -> dict[str, object]:
        """What `subprocess.Popen` needs to start a program as this account."""
        if not self.switches:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Hand a folder over to the account, closed to everybody else."""
        path.chmod(0o700)
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def reach(self, path: Path, *, say: Callable[[str], None]) -> None:
        """Let the account pass through the folders above `path`, which under root others often may not.

        Only the right to pass is given, not the one to list or read; `say` is told of each folder.
        """
        if not self.switches:
            return
        for folder in path.parents:
            status = folder.stat()
            if status.st_uid != self.uid and not status.st_mode & stat.S_IXOTH:
                folder.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)
                say(f"{folder} was closed to the account '{NAME}' the servers run as; it may pass through now.")

    def can_run(self, program: Path) -> bool:
        """Whether the account may execute a program."""
        try:
            done = subprocess.run(  # noqa: S603 (a program of our own package)
                [program, "--version"],
                check=False,
                capture_output=True,
                cwd="/",
                **self.popen_arguments(),  # type: ignore[call-overload]
            )
        except PermissionError:
            return False
        return bool(done.returncode == 0)

    def open_programs(self, program: Path, *, say: Callable[[str], None]) -> None:
        """Make sure that the account may execute a program of an installed package; raises AccountUnavailable."""
        if not self.switches or self.can_run(program):
            return
        self.reach(program, say=say)
        package = program.parent.parent
        for path in (package, *package.rglob("*")):
            mode = path.stat().st_mode
            wanted = stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0)
            if mode & wanted != wanted:
                path.chmod(stat.S_IMODE(mode) | wanted)
        if not self.can_run(program):
            raise AccountUnavailable(
                f"The account '{NAME}' may not run {program}. Is it on a file system without exec?"
            )


def server_account() -> Account:
    """The account for the servers, made where root starts them for the first time; raises AccountUnavailable."""
    if os.geteuid() != 0:
        return Account()
    for attempt in range(2):
        try:
            entry = pwd.getpwnam(NAME)
        except KeyError:
            if attempt == 0:
                _make_account()
            continue
        return Account(uid=entry.pw_uid, gid=entry.pw_gid)
    raise AccountUnavailable(
        f"Postgres does not run as root, and the account '{NAME}' could not be made. "
        f"Make it (useradd --system {NAME}), run as another user, or set DATABASE_URL and REDIS_URL."
    )


def _make_account() -> None:
    for command in (["useradd", "--system", "--no-create-home"], ["adduser", "-S", "-D", "-H"]):
        program = shutil.which(command[0])
        if program is not None:
            # Its failure is found out by looking for the account: another process may have made it meanwhile.
            subprocess.run([program, *command[1:], NAME], check=False, capture_output=True)  # noqa: S603 (fixed words)
            return
