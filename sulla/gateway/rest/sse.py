"""Events as a stream that browsers and curl can read (HTML, "Server-sent events"). Pure."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.event_json import event_json
from sulla.gateway.feed.backlog import Backlog
from sulla.gateway.problems import Headers, Problem, problem_of
from sulla.gateway.rest.models import Reason
from sulla.rpc.family_place import CHILD_STARTED, FamilyPlace

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
CHILD_ENDED = "child_ended"
_BEGINS = "RUN_STARTED"
_ANSWER = "ANSWER"
_ENDS = frozenset({"RUN_FINISHED", "RUN_ERROR"})


def retry_block(wait_ms: int) -> bytes:
    """Says how long a client should wait before it comes back, in milliseconds."""
    return b"retry: %d\n\n" % wait_ms


def event_block(event: Event, place: FamilyPlace | None = None) -> bytes:
    """An event. Only kept ones have an id: from there a client can go on.

    Args:
        event: it.
        place: what its client has with it; None for a stream without sub-agents.
    """
    id_ = b"" if event.seq is None else b"id: %b\n" % (place.text if place is not None else str(event.seq)).encode()
    return b"%bevent: %b\ndata: %b\n\n" % (id_, event.type.encode(), orjson.dumps(event_json(event)))


def gap_block(thread_id: str, after: int, following: int) -> bytes:
    """A hole in the log."""
    return _named(GAP, {"thread_id": thread_id, "after": after, "next": following})


def child_ended_block(thread_id: str, error: SullaError) -> bytes:
    """A sub-agent can be followed no longer."""
    return _named(CHILD_ENDED, {"thread_id": thread_id, "error": problem_of(error).error()})


def end_block(reason: Reason, problem: Problem | None = None) -> bytes:
    """The last block of a stream."""
    said: JsonObject = {"reason": reason}
    if problem is not None:
        said["error"] = problem.error()
    return _named(END, said)


class TurnFamily:
    """The sub-agents of one turn, and how much of them its client has. It lives as long as the turn is shown.

    Args:
        seen: what the client had when it came.
    """

    def __init__(self, seen: FamilyPlace) -> None:
        self._seen = seen
        self._threads: set[str] = set()
        self.place = FamilyPlace(seen.thread_id)
        """What the client has, or had already."""

    def is_child(self, thread_id: str) -> bool:
        """Whether a thread is that of a sub-agent, of the turn's or of any other."""
        return thread_id != self.place.thread_id

    def shows(self, thread_id: str) -> bool:
        """Whether a sub-agent is one of the turn's, and not one that the client has to its end."""
        return thread_id in self._threads

    def take(self, event: Event) -> bool:
        """Learn from an event of the turn, or of one of its sub-agents.

        Args:
            event: it.

        Returns:
            Whether the client does not have it yet.
        """
        if event.seq is None:
            return True
        seen = self._seen
        number = seen.children.get(event.thread_id, 0) if self.is_child(event.thread_id) else seen.after
        self.place.take(event.thread_id, event.seq, event.type, event.data)
        is_new = event.seq > number
        if event.type == CHILD_STARTED:
            child = str(event.data["thread_id"])
            if is_new or child in seen.children:
                self._threads.add(child)
            else:  # it was not named: the client has all of it
                self.place.forget(child)
        return is_new


class OneTurn:
    """Makes blocks of one turn's events, and of others nothing; the turn's last event is followed by the stream's.

    Args:
        run_id: the turn.
        seen: up to which number the client has its events already.
        family: its sub-agents, if they are shown, too; then that knows what the client has.
    """

    def __init__(self, run_id: str, seen: int = 0, family: TurnFamily | None = None) -> None:
        self._run_id = run_id
        self._awaited: set[str] = set()
        self._seen = seen
        self._family = family
        self.begun = False
        """Whether somebody works on it, or did."""
        self.over = False

    def block(self, event: Event) -> bytes:
        """The event's block; empty if the event is another turn's, or the client has it."""
        if self._family is not None and self._family.is_child(event.thread_id):
            return self._shown(event) if self._family.shows(event.thread_id) else b""
        about = event.data.get("run_id", event.run_id)  # a turn that joined another is ended by that one
        if event.type == _ANSWER and event.data.get("wait_id") in self._awaited:  # whoever gives one names no turn
            return self._shown(event)
        if self._run_id not in (about, event.run_id):
            return b""
        self._await(event)
        self.begun = self.begun or event.type == _BEGINS
        last = event.type in _ENDS and about == self._run_id
        self.over = self.over or last
        return self._shown(event) + (end_block("finished") if last else b"")

    def _await(self, event: Event) -> None:
        """Learn what the turn waits for, so that its answers are known."""
        match event:
            case Event(type="SUSPENDED", data={"waits": list(waits)}):
                self._awaited.update(str(wait["wait_id"]) for wait in waits if isinstance(wait, dict))
            case Event(type="CHILD_STARTED", data={"id": str(child)}):
                self._awaited.add(f"child:{child}")
            case _:
                pass

    def _shown(self, event: Event) -> bytes:
        if self._family is not None:
            return event_block(event, self._family.place) if self._family.take(event) else b""
        return b"" if event.seq is not None and event.seq <= self._seen else event_block(event)


class Blocks:
    """Tells (see `rest_shown.Telling`) a thread's events as they are, or those of one turn.

    Args:
        turn: the turn; None for the whole thread, without end.
        place: what the client has of the whole thread, where its sub-agents are shown, too.
    """

    keep_alive = KEEP_ALIVE
    told = False

    def __init__(self, turn: OneTurn | None = None, place: FamilyPlace | None = None) -> None:
        self._turn = turn
        self._place = place
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
                if self._place is not None and event.seq is not None:
                    self._place.take(event.thread_id, event.seq, event.type, event.data)
                return event_block(event, self._place)
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

    def child_ended(self, thread_id: str, error: SullaError) -> bytes:
        """A sub-agent can be followed no longer."""
        if self._place is not None:
            self._place.forget(thread_id)
        return child_ended_block(thread_id, error)

    def end(self, reason: Reason, problem: Problem | None = None) -> bytes:
        """The last block, if the turn's own end was not."""
        return end_block(reason, problem)

    def cut(self, reason: Reason, problem: Problem) -> bytes:
        """The same, at once."""
        return end_block(reason, problem)


def _named(name: str, data: JsonObject) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), orjson.dumps(data))
