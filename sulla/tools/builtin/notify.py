"""Telling people something beside the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.ids import RunId, ThreadId
from sulla.core.stamp import stamp
from sulla.core.words import Words, ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds

MAX_NOTE: Final = 2000
"""Code points of one note."""

Urgency = Literal["low", "normal", "high"]


@dataclass(frozen=True, slots=True)
class PersonNote:
    """A note for people."""

    thread_id: ThreadId
    run_id: RunId
    agent: str
    words: Words
    urgency: Urgency
    key: str
    """The same for every attempt at a call: each note is kept once."""
    unattended: bool = False
    """Whether nobody is there who asked for this work: then the same is not told twice before it is seen."""


Notify = Callable[[PersonNote], Awaitable[int | None]]
"""Keeps a note for people: when it returns, they get it, now or when they come. It returns None if the note was kept;
where nobody has seen the same yet, when that was told, UTC milliseconds, and nothing is kept."""


def notify_tools(notify: Notify) -> tuple[Tool, ...]:
    """`notify_user`.

    Args:
        notify: where notes go.
    """

    async def notify_user(
        context: ToolContext, *, text: Annotated[str, Bounds(1, MAX_NOTE)], urgency: Urgency = "normal"
    ) -> Result:
        """Tell the user something beside your answer, e.g. that long work has ended or that something needs a look.
        They see it now, or when they come. Not for what belongs into the answer.

        Args:
            text: The note; plain text that can be understood without the conversation.
            urgency: How soon somebody should look.
        """
        if not text.strip():
            raise InvalidInput("the note is empty")
        before_ms = await notify(
            PersonNote(
                *(context.thread_id, context.run_id, context.agent),
                Words(context.redact(text), context.by),
                urgency,
                context.idempotency_key,
                context.unattended,
            )
        )
        if before_ms is not None:
            return Done(
                ours(
                    f"Not told again: the same was said already at {stamp(before_ms)}, and is not seen yet. Go on with "
                    "something else."
                )
            )
        return Done(ours("Noted. The user sees it now, or when a client of theirs next connects."))

    # Its owner is nobody else: nothing leaves the conversation.
    return (define(notify_user, effect="idempotent", reach="inward", category="people", timeout_s=30.0),)
