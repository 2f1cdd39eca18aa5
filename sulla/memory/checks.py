"""Looks at what agents remember."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sulla.core.errors import SettingsError, StoreUnavailable
from sulla.core.jsontypes import JsonObject
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, fault, ok, warning
from sulla.host.store_url import named_store, store_file
from sulla.memory.adapters import MEMORY_SUFFIX
from sulla.memory.settings import MemorySettings
from sulla.memory.vectors.ways import has_numpy


async def memory(of: CheckContext) -> list[Finding]:
    """The memory: whether its file can be one, and whether a running daemon can write it."""
    settings = of.settings
    if not settings.section(MemorySettings).enabled:
        return ok("switched off (memory.enabled)")
    found = judge_status(await of.ask("system.status")) if of.where and not of.silent else []
    way = judge_way(has_numpy()) if settings.section(MemorySettings).embed else []
    try:
        store = store_file(settings)
    except SettingsError:
        return ok("kept where the store is, and the settings name none: see there")
    if store is None:
        return (found or ok(f"kept where the store is ({named_store(settings).scheme or 'memory:'})")) + way
    path = store.with_suffix(MEMORY_SUFFIX)
    return found + await asyncio.to_thread(_look, path) + way


def judge_status(report: JsonObject) -> list[Finding]:
    """What a running daemon says of its memory; nothing if it is well.

    Args:
        report: the answer to `system.status`.
    """
    found: list[Finding] = []
    if report.get("memory") == "failing":
        said = f"turns are not remembered for now: {report.get('memory_error')}"
        found.append(fault(said, "mend that; what is missing is written by itself then"))
    if report.get("memory_vectors") == "failing":
        said = f"new notes are found by words alone for now: {report.get('memory_vectors_error')}"
        found.append(
            warning(said, "mend that, or leave memory.embed empty; what is missing is embedded by itself then")
        )
    if report.get("memory_entities") == "failing":
        said = f"no entities are drawn from what is remembered for now: {report.get('memory_entities_error')}"
        found.append(warning(said, "mend that, or leave memory.entities off; it catches up by itself then"))
    if unreadable := report.get("memory_unreadable"):
        named = ", ".join(map(str, unreadable)) if isinstance(unreadable, list) else str(unreadable)
        said = f"threads that cannot be read are not remembered: {named}"
        found.append(warning(said, "see what is said of the store"))
    return found


def judge_way(numpy: bool) -> list[Finding]:
    """With what notes are searched by meaning.

    Args:
        numpy: whether it is installed, in a version that will do.
    """
    if numpy:
        return ok("searched by meaning with numpy")
    return ok("searched by meaning in plain Python; many notes sooner with pip install 'sulla-agent[vectors]'")


def judge_file(path: Path, mode: int) -> list[Finding]:
    """What a file comes to that can be a memory.

    Args:
        path: where it is.
        mode: its permission bits.
    """
    if mode & 0o077:
        return [warning(f"others may read {path} (mode {mode:04o})", f"chmod 600 '{path}'")]
    return ok(f"{path}, mode {mode:04o}")


def _look(path: Path) -> list[Finding]:
    from sulla.memory.sqlite_file import is_database

    try:
        mode = path.stat().st_mode & 0o777
    except (FileNotFoundError, NotADirectoryError):
        return ok(f"{path} does not exist yet: the first start makes it")
    try:
        usable = is_database(path)
    except StoreUnavailable as error:
        return [fault(f"{path} cannot be read", error.message)]
    if not usable:
        remedy = "move it away to begin anew; episodes are written again from the threads, facts are not"
        return [fault(f"{path} is no file of SQLite", remedy)]
    return judge_file(path, mode)


CHECKS = (Check("memory", memory),)
