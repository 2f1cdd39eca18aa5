"""Looks at what agents remember. The file is not opened as a database: that would already change it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import JsonObject
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, fault, ok, warning
from sulla.host.store_url import named_store, store_file
from sulla.memory.adapters import MEMORY_SUFFIX
from sulla.memory.settings import MemorySettings
from sulla.memory.vectors.ways import has_numpy

MAGIC: Final = b"SQLite format 3\0"
"""How each file of SQLite begins (https://sqlite.org/fileformat.html)."""


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
    return (
        found + judge_file(path, await asyncio.to_thread(_mode, path), await asyncio.to_thread(_beginning, path)) + way
    )


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


def judge_file(path: Path, mode: int | None, beginning: bytes) -> list[Finding]:
    """What the file comes to.

    Args:
        path: where it is.
        mode: its permission bits; None if it is not there.
        beginning: its first bytes.
    """
    if mode is None:
        return ok(f"{path} does not exist yet: the first start makes it")
    if beginning not in (b"", MAGIC):
        remedy = "move it away to begin anew; episodes are written again from the threads, facts are not"
        return [fault(f"{path} is no file of SQLite", remedy)]
    if mode & 0o077:
        return [warning(f"others may read {path} (mode {mode:04o})", f"chmod 600 '{path}'")]
    return ok(f"{path}, mode {mode:04o}")


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o777
    except (FileNotFoundError, NotADirectoryError):
        return None


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC))
    except FileNotFoundError:
        return b""


CHECKS = (Check("memory", memory),)
