"""A turn as the events of ``stream-completion``, or as the text of ``completion``. Pure.

The events are those of seed 000, "Event Streaming"; their data is text.
"""

from __future__ import annotations

import re

import orjson

from sulla.gateway.dialects.abi.form import error_body
from sulla.gateway.dialects.breaks import why
from sulla.gateway.dialects.content import ShownText
from sulla.gateway.dialects.questions import aside
from sulla.gateway.dialects.steps import (
    Called,
    ChildAsks,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepSaid,
    StepText,
    StepWaits,
    ToolBegun,
    ToolEnded,
)
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason
from sulla.gateway.rest.sse import HEADERS, KEEP_ALIVE

DONE = b"event: done\ndata: [DONE]\n\n"
_BREAK = re.compile(r"\r\n|\r|\n")
_JSON: Headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
_BETWEEN = "\n\n"


class AbiSpoken:
    """Puts the text of a turn together; only whole replies, so that it holds no words that were taken back.

    Args:
        may_answer: whether the client's token allows it to answer questions.
    """

    def __init__(self, *, may_answer: bool) -> None:
        self.content = ShownText(may_answer=may_answer)

    @property
    def text(self) -> str:
        """All of it."""
        return self.content.text

    def take(self, step: Step) -> str:
        """What a step adds, as a message of its own."""
        match step:
            case StepText() | Dropped():
                return ""
            case StepSaid(message_id, _, text):
                return self.content.take(StepText(message_id, 0, text)).removeprefix(_BETWEEN) if text else ""
            case _:
                return self.content.take(step).removeprefix(_BETWEEN)


class AbiStream:
    """Keeps `telling.Projection`: a turn as events.

    Args:
        thread_id: where it is.
        may_answer: whether the client's token allows it to answer questions.
    """

    opening = KEEP_ALIVE
    keep_alive = KEEP_ALIVE
    rests = True

    def __init__(self, thread_id: str, *, may_answer: bool) -> None:
        self._thread_id = thread_id
        self._spoken = AbiSpoken(may_answer=may_answer)

    @property
    def content(self) -> ShownText:
        """What was said, and how it ended."""
        return self._spoken.content

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        return 200, [*HEADERS, thread_header(self._thread_id)]

    def show(self, step: Step) -> bytes:
        """What a step looks like."""
        before = self.content.agent
        said = self._spoken.take(step)
        shown = _event("ai_message", said) if said else b""
        match step:
            case StepBegun(_, agent) if agent != before:
                return shown + _event("agent_routing", agent)
            case Called(_, agent):
                return shown + _event("call_model", agent)
            case StepWaits() | ChildAsks():
                return shown + _event("ai_message", aside(step).strip("\n"))
            case ToolBegun(_, _, name):
                return shown + _event("tool_usage", name)
            case ToolEnded(_, _, text):
                return shown + _event("tool_response", text)
            case StepEnded(problem=Problem() as problem):
                return shown + self._fail(problem)
            case StepAsked() | StepEnded():
                return shown + last_events(self._spoken.text)
            case _:
                return shown

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """What went wrong, and the end."""
        return self._fail(why(reason, problem))

    def _fail(self, problem: Problem) -> bytes:
        """Clients that do not know of errors are told in the text."""
        said = [text for text in (self._spoken.text, f"(This broke off: {problem.message})") if text]
        return _event("error", problem.message) + last_events(_BETWEEN.join(said))


class AbiWhole:
    """Keeps `telling.Projection`: a turn as a text.

    Args:
        thread_id: where it is.
        may_answer: whether the client's token allows it to answer questions.
    """

    opening = b""
    keep_alive = b""
    rests = True

    def __init__(self, thread_id: str, *, may_answer: bool) -> None:
        self._thread_id = thread_id
        self._spoken = AbiSpoken(may_answer=may_answer)
        self._problem: Problem | None = None

    @property
    def content(self) -> ShownText:
        """What was said, and how it ended."""
        return self._spoken.content

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        headers = [*_JSON, thread_header(self._thread_id)]
        return (200, headers) if self._problem is None else (self._problem.status, headers + self._problem.headers())

    def show(self, step: Step) -> bytes:
        """The whole answer, with the last step."""
        self._spoken.take(step)
        match step:
            case StepEnded(problem=Problem() as problem):
                return self._fail(problem)
            case StepAsked() | StepEnded():
                return orjson.dumps(self._spoken.text)
            case _:
                return b""

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """What went wrong."""
        return self._fail(why(reason, problem))

    def _fail(self, problem: Problem) -> bytes:
        self._problem = problem
        return error_body(problem)


def last_events(text: str) -> bytes:
    """What a turn came to, line by line, and the end."""
    return b"".join(_event("message", line) for line in _lines(text)) + DONE


def said_events(text: str) -> bytes:
    """All events of an answer that is known already."""
    return _event("ai_message", text) + last_events(text)


def thread_header(thread_id: str) -> tuple[bytes, bytes]:
    """Says which thread it is: there is no other place for that."""
    return b"x-thread-id", thread_id.encode()


def _lines(text: str) -> list[str]:
    """The lines of a text; joined by line breaks they are the text. An empty one is part of the one before it, or else
    of the one behind it, because browsers pass over events without data.
    """
    found = list[str]()
    for line in _BREAK.split(text):
        if found and (not line or not found[-1].strip("\n")):
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


def _event(name: str, text: str) -> bytes:
    data = "".join(f"data: {line}\n" for line in _BREAK.split(text))
    return f"event: {name}\n{data}\n".encode()
