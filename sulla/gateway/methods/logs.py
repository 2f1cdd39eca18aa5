"""What the daemon has written down of itself: its log, and what was done by whom."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, JsonValue, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import LINE_PATTERN, Id, Params
from sulla.rpc.method import Example, Method, Methods, Rest

Level = Literal["debug", "info", "warning", "error", "critical"]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=LINE_PATTERN)]
Wanted = Annotated[str, StringConstraints(max_length=200, pattern=LINE_PATTERN)]
Limit = Annotated[int, Field(ge=1, le=200)]


class LogRead(Params):
    """`log.read`."""

    level: Level = "debug"
    """Only this and what is worse."""
    words: Wanted = ""
    """Only entries that contain them, capital or small."""
    thread_id: Id | None = None
    before: Cursor | None = None
    """What the page before gave as `next`."""
    limit: Limit = 100


class AuditRead(Params):
    """`audit.read`."""

    words: Wanted = ""
    by: Wanted = ""
    """Only what was done with the token of this name."""
    thread_id: Id | None = None
    before: Cursor | None = None
    limit: Limit = 100


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of the log."""

    at: str
    level: str
    logger: str
    """The part of the daemon, or the library, that says it."""
    text: str
    thread_id: str
    """Empty for none."""
    run_id: str
    more: dict[str, JsonValue]
    """What else it holds."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry of the audit log."""

    at: str
    token: str
    """The name of the token; empty where there was none."""
    method: str
    code: str
    """``ok``, or why it was refused."""
    way: str
    address: str
    about: dict[str, JsonValue]
    """What was named, without people's words."""
    more: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class LogPage:
    """The answer to `log.read`: the newest first."""

    entries: tuple[LogEntry, ...]
    next: str | None
    """What to give as `before` for the next page, also where this one is empty; null if nothing is left."""


@dataclass(frozen=True, slots=True)
class AuditPage:
    """The answer to `audit.read`: the newest first."""

    entries: tuple[AuditEntry, ...]
    next: str | None


class LogService(Protocol):
    """Reads the files."""

    async def log(self, asked: LogRead, page_bytes: int) -> LogPage:
        """Entries of the log.

        Args:
            asked: which.
            page_bytes: what a page may take.

        Raises:
            InvalidInput: `before` is no place.
            NotAvailable: there is no such file, or it cannot be read.
        """

    async def audit(self, asked: AuditRead, page_bytes: int) -> AuditPage:
        """Entries of the audit log: see `log`."""


async def _log(service: LogService, params: LogRead, context: Context) -> LogPage:
    return await service.log(params, context.page_bytes)


async def _audit(service: LogService, params: AuditRead, context: Context) -> AuditPage:
    return await service.audit(params, context.page_bytes)


METHODS: Final[Methods[LogService]] = Methods(
    "logs",
    (
        Method(
            "log.read",
            LogRead,
            LogPage,
            "admin",
            _log,
            Rest("GET", "/log", "The daemon's log, the newest entries first."),
            Example(
                {
                    "entries": [
                        {
                            "at": "2027-01-15T08:00:00.000Z",
                            "level": "warning",
                            "logger": "sulla.gateway",
                            "text": "a client reads too slowly",
                            "thread_id": "",
                            "run_id": "",
                            "more": {"session": "ses_4f1c"},
                        }
                    ],
                    "next": None,
                }
            ),
        ),
        Method(
            "audit.read",
            AuditRead,
            AuditPage,
            "admin",
            _audit,
            Rest("GET", "/audit", "What was done with which token, the newest entries first."),
            Example(
                {
                    "entries": [
                        {
                            "at": "2027-01-15T08:00:00.000Z",
                            "token": "owner",
                            "method": "thread.delete",
                            "code": "ok",
                            "way": "ws",
                            "address": "127.0.0.1",
                            "about": {"thread_id": "thr_0old"},
                            "more": {"took_ms": 3.1},
                        }
                    ],
                    "next": None,
                }
            ),
        ),
    ),
)
