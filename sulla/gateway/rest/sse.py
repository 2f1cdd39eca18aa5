"""Events as a stream that browsers and curl can read (HTML, "Server-sent events"). Pure."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.event_json import event_json
from sulla.gateway.feed.backlog import Backlog
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason

KEEP_ALIVE = b":\n\n"
"""A comment: says to proxies and clients that somebody is still there."""
HEADERS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
RETRY_MS = 2000
END = "end"
GAP = "gap"
_BEGINS = "RUN_STARTED"
_ENDS = frozenset({"RUN_FINISHED", "RUN_ERROR"})


def retry_block(wait_ms: int) -> bytes:
    """Says how long a client should wait before it comes back, in milliseconds."""
    return b"retry: %d\n\n" % wait_ms


def event_block(event: Event) -> bytes:
    """An event. Only kept ones have an id: from there a client can go on."""
    place = b"" if event.seq is None else b"id: %d\n" % event.seq
    return b"%bevent: %b\ndata: %b\n\n" % (place, event.type.encode(), orjson.dumps(event_json(event)))


def gap_block(thread_id: str, after: int, following: int) -> bytes:
    """A hole in the log."""
    return _named(GAP, {"thread_id": thread_id, "after": after, "next": following})


def end_block(reason: Reason, problem: Problem | None = None) -> bytes:
    """The last block of a stream."""
    said: JsonObject = {"reason": reason}
    if problem is not None:
        said["error"] = problem.error()
    return _named(END, said)


class OneTurn:
    """Makes blocks of one turn's events, and of others nothing; the turn's last event is followed by the stream's.

    Args:
        run_id: the turn.
        seen: up to which number the client has its events already.
    """

    def __init__(self, run_id: str, seen: int = 0) -> None:
        self._run_id = run_id
        self._seen = seen
        self.begun = False
        """Whether somebody works on it, or did."""
        self.over = False

    def block(self, event: Event) -> bytes:
        """The event's block; empty if the event is another turn's, or the client has it."""
        about = event.data.get("run_id", event.run_id)  # a turn that joined another is ended by that one
        if self._run_id not in (about, event.run_id):
            return b""
        self.begun = self.begun or event.type == _BEGINS
        last = event.type in _ENDS and about == self._run_id
        self.over = self.over or last
        shown = b"" if event.seq is not None and event.seq <= self._seen else event_block(event)
        return shown + end_block("finished") if last else shown


class Blocks:
    """Tells (see `rest_shown.Telling`) a thread's events as they are, or those of one turn.

    Args:
        turn: the turn; None for the whole thread, without end.
    """

    keep_alive = KEEP_ALIVE
    told = False

    def __init__(self, turn: OneTurn | None = None) -> None:
        self._turn = turn
        self.opening = retry_block(RETRY_MS)

    @property
    def begun(self) -> bool:
        """Whether somebody works on the turn, or did."""
        return self._turn is not None and self._turn.begun

    @property
    def over(self) -> bool:
        """Whether the turn is over."""
        return self._turn is not None and self._turn.over

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        return 200, HEADERS

    def backlog(self, finish: Callable[[], None]) -> Backlog:
        """What waits to be sent; `finish` is called when nothing more is to come."""

        def form(event: Event) -> bytes:
            if self._turn is None:
                return event_block(event)
            block = self._turn.block(event)
            if self._turn.over:
                finish()
            return block

        return Backlog(form)

    def learn(self, event: Event) -> None:
        """See an event that nobody is shown."""
        if self._turn is not None:
            self._turn.block(event)

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """A hole in the log."""
        return gap_block(thread_id, after, following)

    def end(self, reason: Reason, problem: Problem | None = None) -> bytes:
        """The last block, if the turn's own end was not."""
        return end_block(reason, problem)

    def cut(self, reason: Reason, problem: Problem) -> bytes:
        """The same, at once."""
        return end_block(reason, problem)


def _named(name: str, data: JsonObject) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), orjson.dumps(data))
