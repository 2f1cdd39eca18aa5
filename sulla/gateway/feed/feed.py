"""What one subscriber is shown of a thread, and in which order. Pure.

There are two sources: the log, which has everything that is kept, in order; and signals, which are quick but may be
lost, doubled or late. Events with a number come from the log alone; a signal only says that there are more. A live text
is shown only while the log says that its message is being written, and only where it goes on from what was shown.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from sulla.core.dataclass import dataclass
from sulla.gateway.commands import Advanced, Event, Live, Over, Signal

TEXT = "TEXT_MESSAGE_CONTENT"
REASONING = "REASONING_MESSAGE_CONTENT"
PROGRESS = "TOOL_CALL_PROGRESS"
_MESSAGE_BEGINS = "MODEL_STARTED"
_MESSAGE_ENDS = frozenset({"TEXT_MESSAGE_END", "MODEL_ABANDONED"})
_CALL_BEGINS = "TOOL_CALL_START"
_CALL_ENDS = "TOOL_CALL_RESULT"
_RUN_ENDS = frozenset({"RUN_FINISHED", "RUN_ERROR"})

LOOK_BACK = 256
"""Events before the subscriber's place that are looked at for what is going on. Behind the beginning of a message that
is still being written there are only inputs, and of these a thread holds 100 (design §4.8)."""
_T = TypeVar("_T")
_OPEN = 64
_IGNORED = 256
_HELD = 256


@dataclass(frozen=True, slots=True)
class Show:
    """Give this to the client."""

    event: Event


@dataclass(frozen=True, slots=True)
class Gap:
    """Tell the client that the log no longer has what lies between two numbers."""

    after: int
    """The last one that the client has."""
    following: int
    """The one that comes next."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read a page of the log behind `after`, then tell by `Feed.read`."""

    after: int


@dataclass(frozen=True, slots=True)
class AskForText:
    """Ask for the text so far."""


Effect = Show | Gap | Read | AskForText


@dataclass(slots=True)
class _Message:
    """A message that is being written."""

    run_id: str | None
    shown: int = 0
    """Code points of its text that the client has."""
    thought: int = 0
    """The same for its reasoning."""


class Feed:
    """One subscription.

    Args:
        after: the last number that the client has.
        page: how many events a full page of the log has.
    """

    def __init__(self, after: int, page: int) -> None:
        self.cursor = after
        self._page = page
        self._messages: OrderedDict[str, _Message] = OrderedDict()
        self._calls: OrderedDict[str, str | None] = OrderedDict()
        self._ignored: OrderedDict[str, None] = OrderedDict()
        self._held: list[Event] = []
        self._begun = False
        self._asked = False

    def recall(self, events: Iterable[Event]) -> None:
        """Learn what is going on from events that the client has already."""
        for event in events:
            self._learn(event)

    def catch_up(self) -> list[Effect]:
        """Begin, or begin again after a break in the signals."""
        self._begun = False
        return [Read(self.cursor)]

    def signal(self, signal: Signal) -> list[Effect]:
        """Take a signal."""
        match signal:
            case Live():
                return self._live(signal.event)
            case Advanced(seq, events):
                if seq <= self.cursor:
                    return []
                follows = bool(events) and events[0].seq == self.cursor + 1
                # What is held came before: whether its message has begun is for the log to say.
                return self.read(events) if follows and self._begun and not self._held else [Read(self.cursor)]
            case Over():
                return []

    def tick(self) -> list[Effect]:
        """Some time has passed: heal what was lost."""
        self._asked = False
        return [Read(self.cursor)]

    def read(self, events: Sequence[Event], *, more: bool = False) -> list[Effect]:
        """Take a page of the log.

        Args:
            events: behind the last one that was shown.
            more: there may be more of them, although the page is not full.
        """
        effects: list[Effect] = []
        for event in events:
            if event.seq is not None and event.seq > self.cursor:
                if event.seq > self.cursor + 1:
                    effects.append(Gap(self.cursor, event.seq))
                self.cursor = event.seq
                self._learn(event)
                effects.append(Show(event))
        if more or len(events) >= self._page:
            effects.append(Read(self.cursor))
            return effects
        if not self._begun:
            self._begun = True
            if self._messages:  # a reply is being written: its text so far is wanted
                effects.extend(self._ask())
        held, self._held = self._held, []
        for event in held:
            effects.extend(self._live(event, settled=True))
        return effects

    # ----------------------------------------------------------------------------------------------------- what is kept

    def _learn(self, event: Event) -> None:
        match event.type, event.data:
            case t, {"message_id": str(message_id)} if t == _MESSAGE_BEGINS:
                self._ignored.pop(message_id, None)
                self._messages[message_id] = _Message(event.run_id)
                _bound(self._messages, _OPEN)
            case t, {"message_id": str(message_id)} if t in _MESSAGE_ENDS:
                self._messages.pop(message_id, None)
                self._ignore(message_id)
            case t, {"call_id": str(call_id)} if t == _CALL_BEGINS:
                self._ignored.pop(call_id, None)
                self._calls[call_id] = event.run_id
                _bound(self._calls, _OPEN)
            case t, {"call_id": str(call_id)} if t == _CALL_ENDS:
                self._calls.pop(call_id, None)
                self._ignore(call_id)
            case t, data if t in _RUN_ENDS:
                run_id = data.get("run_id", event.run_id)
                for message_id in [id_ for id_, message in self._messages.items() if message.run_id == run_id]:
                    del self._messages[message_id]
                    self._ignore(message_id)
                for call_id in [id_ for id_, owner in self._calls.items() if owner == run_id]:
                    del self._calls[call_id]
                    self._ignore(call_id)

    def _ignore(self, id_: str) -> None:
        self._ignored[id_] = None
        self._ignored.move_to_end(id_)
        _bound(self._ignored, _IGNORED)

    # ----------------------------------------------------------------------------------------------------- what is live

    def _live(self, event: Event, *, settled: bool = False) -> list[Effect]:
        """Take a live event; `settled` if the log was read since it came."""
        if event.type == TEXT or event.type == REASONING:
            return self._delta(event, settled)
        call_id = event.data.get("call_id") if event.type == PROGRESS else None
        if not isinstance(call_id, str) or call_id in self._calls:
            return [Show(event)]
        return self._unknown(event, call_id, settled)

    def _delta(self, event: Event, settled: bool) -> list[Effect]:
        # By hand, not by patterns: every token of every reply comes by here.
        data = event.data
        message_id, offset, delta = data.get("message_id"), data.get("offset"), data.get("delta")
        if not (isinstance(message_id, str) and isinstance(offset, int) and isinstance(delta, str)):
            return []
        message = self._messages.get(message_id)
        if message is None:
            return self._unknown(event, message_id, settled)
        end = offset + len(delta)
        if event.type == TEXT:
            shown = message.shown
            if offset > shown:
                return self._ask()
            message.shown = max(end, shown)
        else:  # nobody says reasoning again: a hole is better than nothing
            shown = message.thought
            message.thought = max(end, shown)
        if end <= shown:
            return []
        if offset < shown:
            event = event._replace(data={**data, "offset": shown, "delta": delta[shown - offset :]})
        return [Show(event)]

    def _unknown(self, event: Event, about: str, settled: bool) -> list[Effect]:
        """A live event of a message or call that is not going on, as far as is known."""
        if about in self._ignored:
            return []
        if settled:
            self._ignore(about)
            return []
        # Its beginning may be in the log already, and the wake-up lost: look there before anything is decided.
        if len(self._held) < _HELD:
            self._held.append(event)
        return [Read(self.cursor)]

    def _ask(self) -> list[Effect]:
        """At most once between two ticks: whoever asks has everybody on the thread hear the text again."""
        if self._asked:
            return []
        self._asked = True
        return [AskForText()]


def _bound(mapping: OrderedDict[str, _T], limit: int) -> None:
    while len(mapping) > limit:
        mapping.popitem(last=False)
