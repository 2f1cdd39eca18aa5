"""What was and what will be: schedules and beats, for a calendar."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Protocol

from pydantic import Field

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import MOST_SEQ, Params, Seq
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time

MOST_ROWS: Final = 500


class CalendarList(Params):
    """`calendar.list`."""

    since_ms: Seq = 0
    """UTC milliseconds."""
    until_ms: Seq = MOST_SEQ
    """The same; not within the span."""


@dataclass(frozen=True, slots=True)
class CalendarRow:
    """One thing in a calendar."""

    at_ms: Annotated[Time, Field(alias="at")]
    kind: Literal["schedule", "beat"]
    schedule: str
    """The schedule's id; empty for a beat that none has begun."""
    agent: str
    """Whose beat it is; empty for what schedules do."""
    title: str
    """What the schedule is called, or what it does; of a beat, what it was about."""
    what: str
    """`due` for what will be. Of a schedule what happened (`fired`, `begun`, `succeeded`, `failed`, `cancelled`,
    `missed`, `skipped`), of a beat how it ended."""
    why: str
    """The reason; empty where there is none to tell."""
    thread_id: str
    """Where it can be seen; empty for nowhere."""


@dataclass(frozen=True, slots=True)
class CalendarRows:
    """The answer to `calendar.list`: by time."""

    rows: tuple[CalendarRow, ...]
    more: bool
    """Whether there is more than is shown: ask for a shorter span."""


class CalendarService(Protocol):
    """Knows what was and what will be."""

    async def list(self, since_ms: int, until_ms: int) -> CalendarRows:
        """All of a span.

        Args:
            since_ms: UTC milliseconds.
            until_ms: UTC milliseconds; not within it.

        Raises:
            StoreUnavailable: the store does not answer.
        """


async def _list(service: CalendarService, params: CalendarList, context: Context) -> CalendarRows:
    return await service.list(params.since_ms, params.until_ms)


METHODS: Final[Methods[CalendarService]] = Methods(
    "calendar",
    (
        Method(
            "calendar.list",
            CalendarList,
            CalendarRows,
            "read",
            _list,
            Rest(
                "GET", "/calendar", "What schedules and beats have done and will do.", numbers=("since_ms", "until_ms")
            ),
            Example(
                {
                    "rows": [
                        {
                            "at": "2027-01-15T08:00:00.000Z",
                            "kind": "schedule",
                            "schedule": "morning",
                            "agent": "",
                            "title": "message to its own thread: What is on today?",
                            "what": "due",
                            "why": "",
                            "thread_id": "",
                        }
                    ],
                    "more": False,
                }
            ),
            needs="store",
        ),
    ),
)
