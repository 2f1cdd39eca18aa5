"""What the facts about a home's files mean: fine, worth a look, or a fault, and what to do. No file is touched here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.home.workspace import REMEDY
from sulla.host.exposure import check_exposure, check_owner_token, exposure_warnings
from sulla.host.findings import Finding, fault, ok, size, warning
from sulla.host.sections import GatewaySettings

MIB = 1024 * 1024
LOW_BYTES = 1024 * MIB
"""Less free space than this is worth a word."""

NO_BYTES = 64 * MIB
"""Less than this is a fault: SQLite's write-ahead log alone may keep so much."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder as the file system describes it."""

    path: Path
    is_folder: bool
    owner: int
    mode: int
    """The nine permission bits."""
    free_bytes: int
    """What is left on its disk."""


def judge_home(home: Path, entry: Entry | None, user: int) -> list[Finding]:
    """The home: there, its owner's alone, with room.

    Args:
        home: where it should be.
        entry: what is there.
        user: who asks, by number.
    """
    if entry is None:
        return [warning(f"{home} does not exist yet", "`sulla init` makes it; or name another with --home DIR")]
    if not entry.is_folder:
        return [fault(f"{home} is not a folder", "move it away, or name another home with --home DIR")]
    found: list[Finding] = []
    if entry.owner != user:
        remedy = "run this as the user that the daemon runs as, or give the folder to this one with chown"
        found.append(fault(f"{home} belongs to user {entry.owner}, and this is user {user}", remedy))
    if entry.mode & 0o022:
        found.append(fault(f"others may write in {home} (mode {entry.mode:04o})", f"chmod 700 '{home}'"))
    elif entry.mode & 0o055:
        found.append(warning(f"others may look into {home} (mode {entry.mode:04o})", f"chmod 700 '{home}'"))
    if entry.mode & 0o700 != 0o700:
        said = f"its owner may not do everything in {home} (mode {entry.mode:04o})"
        found.append(fault(said, f"chmod 700 '{home}'"))
    found += _space(home, entry.free_bytes)
    return found or ok(f"{home}, mode {entry.mode:04o}, {size(entry.free_bytes)} free")


def _space(home: Path, free_bytes: int) -> list[Finding]:
    said = f"{size(free_bytes)} are free on the disk of {home}"
    if free_bytes < NO_BYTES:
        return [fault(said, "free some space: soon nothing can be kept, and then nothing is accepted")]
    return [warning(said, "free some space")] if free_bytes < LOW_BYTES else []


def judge_settings(
    file: Path,
    entry: Entry | None,
    faults: tuple[str, ...],
    sources: Mapping[tuple[str, str], str],
    secrets: list[str],
    keys: Entry | None = None,
) -> list[Finding]:
    """The settings: each readable, known and right, and no key for others to read.

    Args:
        file: `sulla.toml`.
        entry: what is there.
        faults: what is wrong, each with its place.
        sources: who says what, by (section, key).
        secrets: the settings in the file that hold a secret.
        keys: what there is of `keys.toml`. Whether others may read it is among the faults.
    """
    found = [
        fault(said, "`sulla up` does not start before this is mended; docs/settings.md lists all") for said in faults
    ]
    if entry is not None and entry.mode & 0o077 and secrets:
        said = f"others may read {file} (mode {entry.mode:04o}), which holds {', '.join(secrets)}"
        found.append(fault(said, f"chmod 600 '{file}', and get new keys if others may have read these"))
    where = f"{_count(sources, file)} in {file}" if entry is not None else f"no {file}"
    elsewhere = len(sources) - _count(sources, file)
    if keys is not None:
        held = ", ".join(f"{section}.{key}" for (section, key), source in sources.items() if source == str(keys.path))
        where += f", {held or 'nothing'} in {keys.path}"
        elsewhere -= _count(sources, keys.path)
    return found or ok(f"{where}, {elsewhere} in the environment; all others are defaults")


def _count(sources: Mapping[tuple[str, str], str], path: Path) -> int:
    return sum(source == str(path) for source in sources.values())


def judge_token(path: Path, entry: Entry | None, text: str | None) -> list[Finding]:
    """The owner's token: whole, and nobody else's to read.

    Args:
        path: where it should be.
        entry: what is there.
        text: what it holds; None if it cannot be read, or is no text.
    """
    if entry is None:
        return ok(f"{path} does not exist yet: `sulla init`, or the first start, makes it")
    found: list[Finding] = []
    if entry.mode & 0o077:
        remedy = f"chmod 600 '{path}'; if others may have read it, `sulla token revoke owner` makes another one"
        found.append(fault(f"others may read {path} (mode {entry.mode:04o})", remedy))
    if text is None:
        remedy = (
            "run this as the user that the daemon runs as; if it is damaged, remove it: the next start makes a new one"
        )
        found.append(fault(f"{path} cannot be read", remedy))
    elif not text.strip():
        found.append(warning(f"{path} is empty", "nothing: the next start of the daemon makes a new one"))
    return found or ok(f"{path}, mode {entry.mode:04o}")


def judge_exposure(gateway: GatewaySettings, token: str | None) -> list[Finding]:
    """Where the daemon listens: on this machine alone, or as it was meant.

    Args:
        gateway: the settings.
        token: the owner's; None if it was not made yet, or cannot be read.
    """
    try:
        check_exposure(gateway)
        if token is not None:
            check_owner_token(gateway, token.strip())
    except SettingsError as error:
        return [fault(error.message, "`sulla up` does not start before this is mended")]
    said = exposure_warnings(gateway)
    return [warning(one, "docs/cli.md, *Tokens*, says more") for one in said] or ok(
        f"only this machine reaches {gateway.host}"
    )


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where the agent works."""

    path: Path
    """With links followed."""
    exists: bool
    is_folder: bool
    writable: bool
    """Whether this user may write there; of one that is not there yet, whether it can be made."""
    said_in: str = ""
    """Where a setting says so; empty if none does."""


def judge_shared_marks(why_not: str) -> list[Finding]:
    """Whether other homes on the workspace can be told which of its files are from outside.

    Args:
        why_not: why not; empty if they can.
    """
    if not why_not:
        return []
    said = f"other homes on the workspace are not told which of its files are from outside: {why_not}"
    return [warning(said, "if there are others, let this user write in the folder above it; docs/safety.md says more")]


def judge_workspace(work: Workspace, home: Path) -> list[Finding]:
    """The workspace: can be written to, and the home's own files are out of the agent's reach.

    Args:
        work: the workspace.
        home: the home, with links followed.
    """
    remedy, at = REMEDY, f"{work.said_in}: " if work.said_in else ""
    found: list[Finding] = []
    if home.is_relative_to(work.path):
        said = (
            f"{at}the workspace {work.path} holds the home {home}: the agent's file tools reach the token and the store"
        )
        found.append(fault(f"{at}{said}", "set agent.workspace to a folder of its own, e.g. one in the home"))
    if work.exists and not work.is_folder:
        found.append(fault(f"{at}the workspace {work.path} is not a folder", remedy))
    elif not work.writable:
        what = "cannot be written to" if work.exists else "does not exist and cannot be made"
        found.append(fault(f"{at}the workspace {work.path} {what}", remedy))
    side = "inside the home" if work.path.is_relative_to(home) else f"outside the home {home}"
    state = "can be written to" if work.exists else "is made at the first start"
    return found or ok(f"the workspace {work.path}, {side}, {state}")
