"""Reads the daemon's log and the audit log for clients."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from sulla.access.audit import FILE as AUDIT_FILE
from sulla.core.errors import InvalidInput, NotAvailable
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.methods.logs import AuditEntry, AuditPage, AuditRead, LogEntry, LogPage, LogRead
from sulla.rpc.row import size_of
from sulla.telemetry.logs import FILE as LOG_FILE
from sulla.telemetry.tail import Place, Tail, look_back

LOGS: Final = "logs"
"""The folder of the home that the log is in."""
LEVELS: Final = ("debug", "info", "warning", "error", "critical")
_OF_LOG: Final = frozenset(("at", "level", "logger", "event", "thread_id", "run_id"))
_OF_AUDIT: Final = frozenset(("at", "token", "method", "code", "way", "address", "about"))
T = TypeVar("T")


class LogReading:
    """Does `gateway.methods.logs`. It lives as long as the daemon, and keeps no file open.

    Args:
        home: where the files are.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    async def log(self, asked: LogRead, page_bytes: int) -> LogPage:
        """See `LogService`."""
        least = LEVELS.index(asked.level)

        def read(line: bytes) -> LogEntry | None:
            entry = _entry(line, asked.words)
            level = _text(entry, "level")
            if entry is None or (level in LEVELS and LEVELS.index(level) < least):
                return None
            found = _log_entry(entry, level)
            return found if asked.thread_id in (None, found.thread_id) else None

        path = self._home / LOGS / LOG_FILE
        tail = await _look(path, asked.before, asked.limit, page_bytes, read, LogEntry)
        return LogPage(tail.found, _cursor(tail.next))

    async def audit(self, asked: AuditRead, page_bytes: int) -> AuditPage:
        """See `LogService`."""

        def read(line: bytes) -> AuditEntry | None:
            entry = _entry(line, asked.words)
            if entry is None:
                return None
            found = _audit_entry(entry)
            whose = found.about.get("thread_id", found.more.get("thread_id"))
            fits = (not asked.by or found.token == asked.by) and asked.thread_id in (None, whose)
            return found if fits else None

        tail = await _look(self._home / AUDIT_FILE, asked.before, asked.limit, page_bytes, read, AuditEntry)
        return AuditPage(tail.found, _cursor(tail.next))


async def _look(
    path: Path, before: str | None, limit: int, page_bytes: int, read: Callable[[bytes], T | None], kind: type[T]
) -> Tail[T]:
    """A page: at least one entry, however large, so that a client always gets on."""
    place, count, size = _place(before), 0, 0

    def take(entry: T) -> bool:
        nonlocal count, size
        count, size = count + 1, size + size_of(kind, entry)
        return count == 1 or (count <= limit and size <= page_bytes)

    try:
        return await asyncio.to_thread(look_back, path, place, read, take)
    except OSError as error:
        why = f"cannot read {path.name}: {error.strerror}"
        raise NotAvailable(f"{why}; see who owns it, and `sulla doctor`") from None


def _entry(line: bytes, words: str) -> JsonObject | None:
    """What a line holds; None for one that is damaged, or has not these words."""
    try:
        entry: Json = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    return entry if not words or words.casefold() in json.dumps(entry, ensure_ascii=False).casefold() else None


def _log_entry(entry: JsonObject, level: str) -> LogEntry:
    more = {name: value for name, value in entry.items() if name not in _OF_LOG}
    logger, text, thread_id, run_id = (_text(entry, name) for name in ("logger", "event", "thread_id", "run_id"))
    return LogEntry(_text(entry, "at"), level, logger, text, thread_id, run_id, more)


def _audit_entry(entry: JsonObject) -> AuditEntry:
    about = entry.get("about")
    more = {name: value for name, value in entry.items() if name not in _OF_AUDIT}
    at, token, method = (_text(entry, name) for name in ("at", "token", "method"))
    code, way, address = (_text(entry, name) for name in ("code", "way", "address"))
    return AuditEntry(at, token, method, code, way, address, about if isinstance(about, dict) else {}, more)


def _text(entry: JsonObject | None, name: str) -> str:
    value = entry.get(name) if entry is not None else None
    return value if isinstance(value, str) else ""


def _cursor(place: Place | None) -> str | None:
    return f"{place.inode}.{place.offset}" if place is not None else None


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    inode, dot, offset = cursor.partition(".")
    if not dot or not (inode + offset).isascii() or not (inode.isdecimal() and offset.isdecimal()):
        raise InvalidInput(f"before: got {cursor!r}, expected what the page before gave as `next`")
    return Place(int(inode), int(offset))
