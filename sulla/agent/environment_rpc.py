"""How clients tell what a person looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, StringConstraints

from sulla.agent.environment import MAX_AGE_S, MAX_SIGHTS, MAX_TEXT, MAX_TITLE, MAX_URL
from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class EnvironmentEvent(Params):
    """One thing that a person looked at."""

    kind: Literal["page", "navigation", "selection", "click", "dialog", "app"]
    title: Annotated[str, StringConstraints(max_length=MAX_TITLE)] = ""
    url: Annotated[str, StringConstraints(max_length=MAX_URL)] = ""
    text: Annotated[str, StringConstraints(max_length=MAX_TEXT)] = ""
    """What stood there, or was marked."""
    ago_s: Annotated[float, Field(ge=0, le=MAX_AGE_S)] = 0.0
    """How long ago, in seconds."""


class EnvironmentReport(Params):
    """`environment.report`."""

    thread_id: Id
    events: Annotated[list[EnvironmentEvent], Field(min_length=1, max_length=MAX_SIGHTS)]


@dataclass(frozen=True, slots=True)
class EnvironmentReported:
    """The answer to `environment.report`."""

    known: int
    """How much is known now of what the person looks at; of more, the oldest is forgotten."""


class EnvironmentService(Protocol):
    """Takes what people look at, for the turns of their threads."""

    async def report_environment(self, thread_id: str, seen: Sequence[EnvironmentEvent], caller: str) -> int:
        """Take what a person looks at, for the turns of a thread within the next minutes. It may get lost.

        Args:
            thread_id: where they talk.
            seen: what they look at.
            caller: the name of the token that it came with, never the token itself.

        Returns:
            How much of it is known now.

        Raises:
            NotFound: there is no such thread.
            RateLimited: reports come too fast; the error says when this one would be taken.
        """


async def _report(service: EnvironmentService, params: EnvironmentReport, context: Context) -> EnvironmentReported:
    known = await service.report_environment(params.thread_id, params.events, context.caller.name)
    return EnvironmentReported(known)


def _idle_s(params: EnvironmentReport) -> float:
    return min(event.ago_s for event in params.events)


METHODS: Final[Methods[EnvironmentService]] = Methods(
    "environment",
    (
        Method(
            "environment.report",
            EnvironmentReport,
            EnvironmentReported,
            "write",
            _report,
            Rest("POST", "/threads/{thread_id}/environment", "Tell what the person looks at.", 202),
            Example(
                {"known": 1},
                {
                    "events": [
                        {"kind": "page", "title": "Trains to Rome", "url": "https://trains.example/rome", "ago_s": 4}
                    ]
                },
            ),
            idle_s=_idle_s,
            needs="open",
        ),
    ),
)
