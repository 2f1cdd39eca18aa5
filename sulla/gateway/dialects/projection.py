"""One turn told in one dialect: what waits for its client, as steps, and what they become. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.gateway.commands import Event
from sulla.gateway.dialects.step_reader import StepReader
from sulla.gateway.dialects.steps import Step, StepAsked, StepEnded, StepSaid, StepText, Thought, ToolBegun, ToolEnded
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason

_STEP_BYTES = 256
"""Roughly what a step weighs beside its text."""
_MERGED_CHARS = 16 * 1024
"""Where merging of pieces stops and a new one begins."""


class Projection(Protocol):
    """What a dialect makes of one turn, for one client. Pure; it is told of the steps in order, each once.

    A dialect whose answer is one piece returns nothing until the last step.
    """

    @property
    def opening(self) -> bytes:
        """What is sent before anything has happened; empty for nothing, and then the head waits too."""

    @property
    def keep_alive(self) -> bytes:
        """What is sent after a long silence; empty for nothing."""

    @property
    def rests(self) -> bool:
        """Whether the answer ends where people are asked, or goes on when they have answered."""

    def head(self) -> tuple[int, Headers]:
        """The status and the headers; asked for once, when the first bytes are made."""

    def show(self, step: Step) -> bytes:
        """What a step looks like; empty for nothing. The last step (`StepEnded`, or `StepAsked` if it `rests`) has to
        make the dialect's terminal frame.
        """

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """The terminal frame of an answer that breaks off before the turn's end.

        Args:
            reason: ``stopping`` (the daemon), ``ended`` (the thread is gone), ``too_slow``, ``revoked``, ``failed``.
            problem: what went wrong; None where nothing did, for ``stopping``.
        """


@dataclass(slots=True)
class _Cut:
    """Where an answer breaks off."""

    reason: Reason
    problem: Problem | None


class StepBacklog:
    """Steps that wait for one client (keeps `outbox.Waiting`): pieces of the same text become one.

    Args:
        retelling: makes steps of events.
        projection: makes frames of steps, when their turn has come.
        finish: is called when nothing is to come any more.
    """

    def __init__(self, retelling: StepReader, projection: Projection, finish: Callable[[], None]) -> None:
        self._retelling = retelling
        self._projection = projection
        self._finish = finish
        self._items: deque[Step | _Cut | bytes] = deque()
        self.size = 0
        """Roughly how many bytes wait."""
        self.urgent = 0
        """How much of what waits are no pieces of text."""
        self.told = False
        """Whether the last step was taken."""
        self._closed = False

    def __len__(self) -> int:
        return len(self._items)

    def add(self, frame: bytes) -> None:
        """Put something finished at the end."""
        if not self._closed:
            self._put(frame)

    def add_event(self, event: Event) -> None:
        """Put what an event comes to at the end."""
        for step in self._retelling.take(event):
            if self._closed:
                return
            self._add(step)
            if self._is_last(step):
                self._closed = True
                self._finish()

    def add_cut(self, reason: Reason, problem: Problem | None) -> None:
        """Break off behind all that waits, unless the last step is among it."""
        if not self._closed:
            self._closed = True
            self._put(_Cut(reason, problem))

    def take(self) -> bytes:
        """What the step at the front looks like; the step is removed.

        Raises:
            IndexError: nothing waits.
        """
        item = self._items.popleft()
        self.size -= _size(item)
        self.urgent -= _is_urgent(item)
        match item:
            case bytes():
                return item
            case _Cut(reason, problem):
                return self._projection.cut(reason, problem)
            case step:
                self.told = self.told or self._is_last(step)
                return self._projection.show(step)

    def _add(self, step: Step) -> None:
        last = self._items[-1] if self._items else None
        if isinstance(step, StepText | Thought) and isinstance(last, StepText | Thought):
            merged = _merged(last, step)
            if merged is not None:
                self.size += _size(merged) - _size(last)
                self._items[-1] = merged
                return
        self._put(step)

    def _put(self, item: Step | _Cut | bytes) -> None:
        self._items.append(item)
        self.size += _size(item)
        self.urgent += _is_urgent(item)

    def _is_last(self, step: Step) -> bool:
        return isinstance(step, StepEnded) or (isinstance(step, StepAsked) and self._projection.rests)


class ProjectedTurn:
    """Keeps `rest_shown.Telling` for one turn in one dialect.

    Args:
        retelling: the turn.
        projection: the dialect's.
    """

    def __init__(self, retelling: StepReader, projection: Projection) -> None:
        self._retelling = retelling
        self._projection = projection
        self._steps: StepBacklog | None = None

    @property
    def opening(self) -> bytes:
        """See `Projection.opening`."""
        return self._projection.opening

    @property
    def keep_alive(self) -> bytes:
        """See `Projection.keep_alive`."""
        return self._projection.keep_alive

    @property
    def begun(self) -> bool:
        """Whether somebody works on the turn, or did."""
        return self._retelling.begun

    @property
    def over(self) -> bool:
        """Whether the turn is over."""
        return self._retelling.over

    @property
    def told(self) -> bool:
        """Whether the next bytes are its end."""
        return self._steps is not None and self._steps.told

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        return self._projection.head()

    def backlog(self, finish: Callable[[], None]) -> StepBacklog:
        """What waits."""
        self._steps = StepBacklog(self._retelling, self._projection, finish)
        return self._steps

    def learn(self, event: Event) -> None:
        """See an event that nobody is shown."""
        self._retelling.take(event)

    def gap(self, thread_id: str, after: int, following: int) -> bytes:
        """No dialect has a word for a hole in the log."""
        return b""

    def child_ended(self, thread_id: str, error: SullaError) -> bytes:
        """No dialect shows what sub-agents do."""
        return b""

    def end(self, reason: Reason, problem: Problem | None = None) -> bytes:
        """Break off behind all that waits."""
        if self._steps is None:
            return self._projection.cut(reason, problem)
        self._steps.add_cut(reason, problem)
        return b""

    def cut(self, reason: Reason, problem: Problem) -> bytes:
        """Break off now."""
        return self._projection.cut(reason, problem)


def _merged(last: StepText | Thought, step: StepText | Thought) -> StepText | Thought | None:
    """Both as one, if they are pieces of one text."""
    if type(last) is not type(step) or last.message_id != step.message_id or len(last.delta) >= _MERGED_CHARS:
        return None
    if last.offset + len(last.delta) != step.offset:
        return None
    return type(last)(last.message_id, last.offset, last.delta + step.delta)


def _size(item: Step | _Cut | bytes) -> int:
    match item:
        case bytes():
            return len(item)
        case StepText() | Thought():
            return _STEP_BYTES + len(item.delta)
        case StepSaid() | ToolEnded():
            return _STEP_BYTES + len(item.text)
        case ToolBegun():
            return _STEP_BYTES + len(orjson.dumps(item.args))
        case StepAsked():
            return _STEP_BYTES + sum(_STEP_BYTES + len(ask.prompt) for ask in item.asks)
        case StepEnded():
            return _STEP_BYTES + len(item.response) + len(item.blocker)
        case _:
            return _STEP_BYTES


def _is_urgent(item: Step | _Cut | bytes) -> bool:
    return not isinstance(item, StepText | Thought)
