"""A turn as a chat completion: in pieces, or whole. Pure."""

from __future__ import annotations

from dataclasses import replace

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import ShuttingDown
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.dialects.content import ShownText
from sulla.gateway.dialects.openai.form import error_body, error_headers
from sulla.gateway.dialects.questions import aside
from sulla.gateway.dialects.steps import (
    ChildAsks,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepSuggests,
    StepUsage,
    StepWaits,
    ToolBegun,
    ToolEnded,
)
from sulla.gateway.problems import DEFECT, Headers, Problem
from sulla.gateway.rest.models import Reason
from sulla.gateway.rest.sse import HEADERS, KEEP_ALIVE

DONE = b"data: [DONE]\n\n"
_STOPPING = Problem(503, ShuttingDown.code, "the daemon is stopping: ask again when it is back", retryable=True)
_JSON: Headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]


@dataclass(frozen=True, slots=True)
class CompletionReply:
    """What all answers to one request have in common."""

    id: str
    model: str
    """The agent that answers."""
    created_s: int
    thread_id: str
    may_answer: bool
    """Whether the client's token allows it to answer questions."""
    usage: bool = False
    tools: bool = False


class Chunks:
    """Keeps `telling.Projection`: a completion in pieces.

    Args:
        reply: what all pieces say.
    """

    opening = b""
    keep_alive = KEEP_ALIVE
    rests = True

    def __init__(self, reply: CompletionReply) -> None:
        self._reply = reply
        self._opened = False
        self._suggests: tuple[str, ...] = ()
        self.content = ShownText(may_answer=reply.may_answer, agent=reply.model)

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        return 200, HEADERS

    def show(self, step: Step) -> bytes:
        """What a step adds; the first one that says who speaks, or anything, also the beginning."""
        shown = self._show(step)
        if self._opened or not (shown or isinstance(step, StepBegun)):
            return shown
        self._opened = True
        return self._chunk({"role": "assistant", "content": ""}) + shown

    def _show(self, step: Step) -> bytes:
        piece = self.content.take(step)
        shown = self._chunk({"content": piece}) if piece else b""
        match step:
            case (
                StepWaits() | ChildAsks()
            ):  # beside the answer: what shows a model's thoughts shows it, and nothing else reads it
                return self._chunk({"reasoning_content": aside(step)})
            case StepAsked():
                return shown + self._finish(StepUsage())
            case StepEnded(problem=None):
                return shown + self._finish(step.spent)
            case StepEnded(problem=Problem() as problem):
                return shown + b"data: " + error_body(problem) + b"\n\n" + DONE
            case StepSuggests(questions):
                self._suggests = questions
                return shown
            case ToolBegun() | ToolEnded() if self._reply.tools:
                return shown + self._data([], {"sulla": tool_json(step)})
            case _:
                return shown

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """What went wrong, and the end."""
        return b"data: " + error_body(_why(reason, problem)) + b"\n\n" + DONE

    def _finish(self, spent: StepUsage) -> bytes:
        last = self._chunk({}, "stop", _suggested(self._suggests))
        if self._reply.usage:
            last += self._data([], {"usage": usage_json(spent)})
        return last + DONE

    def _chunk(self, delta: JsonObject, finish: str | None = None, beside: JsonObject | None = None) -> bytes:
        more: JsonObject = {**({"usage": None} if self._reply.usage else {}), **(beside or {})}
        return self._data([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}], more)

    def _data(self, choices: list[Json], more: JsonObject) -> bytes:
        value: JsonObject = {
            **_head(_by(self._reply, self.content.agent), "chat.completion.chunk"),
            "choices": choices,
            **more,
        }
        return b"data: " + orjson.dumps(value) + b"\n\n"


class CompletionWhole:
    """Keeps `telling.Projection`: a completion in one piece.

    Args:
        reply: what it says beside the text.
    """

    opening = b""
    keep_alive = b""
    rests = True

    def __init__(self, reply: CompletionReply) -> None:
        self._reply = reply
        self._tools: list[Json] = []
        self._suggests: tuple[str, ...] = ()
        self._problem: Problem | None = None
        self.content = ShownText(may_answer=reply.may_answer, agent=reply.model, whole=True)

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        if self._problem is None:
            return 200, _JSON
        return self._problem.status, [*_JSON, *self._problem.headers(), *error_headers(self._problem)]

    def show(self, step: Step) -> bytes:
        """The whole answer, with the last step."""
        self.content.take(step)
        match step:
            case ToolBegun() | ToolEnded():
                self._tools.append(tool_json(step))
                return b""
            case StepSuggests(questions):
                self._suggests = questions
                return b""
            case StepAsked():
                return self._body(StepUsage())
            case StepEnded(problem=None):
                return self._body(step.spent)
            case StepEnded(problem=Problem() as problem):
                # The turn is over: to ask again would begin another one, and whether that helps nobody knows.
                return self._fail(Problem(problem.status, problem.code, problem.message))
            case _:
                return b""

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """What went wrong."""
        return self._fail(_why(reason, problem))

    def _fail(self, problem: Problem) -> bytes:
        self._problem = problem
        return error_body(problem)

    def _body(self, spent: StepUsage) -> bytes:
        by, told = _by(self._reply, self.content.agent), _suggested(self._suggests)
        value = completion_json(by, self.content.text, spent, self._tools)
        sulla = {**_dict(value.get("sulla")), **_dict(told.get("sulla"))}
        return orjson.dumps({**value, "sulla": sulla} if sulla else value)


def completion_json(reply: CompletionReply, text: str, spent: StepUsage, tools: list[Json]) -> JsonObject:
    """A completion in one piece."""
    message: JsonObject = {"role": "assistant", "content": text, "refusal": None}
    choices: list[Json] = [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]
    value: JsonObject = {**_head(reply, "chat.completion"), "choices": choices, "usage": usage_json(spent)}
    return {**value, "sulla": {"tools": tools}} if reply.tools else value


def said_chunks(reply: CompletionReply, text: str) -> bytes:
    """A completion in pieces whose text is known already."""
    chunks = Chunks(reply)
    ended = StepEnded("done", "", 0, response=text)
    return chunks.show(ended)


def _suggested(questions: tuple[str, ...]) -> JsonObject:
    """What might be asked next, in a field that other programs pass over."""
    return {"sulla": {"suggestions": [*questions]}} if questions else {}


def _dict(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def usage_json(spent: StepUsage) -> JsonObject:
    """The tokens of a turn."""
    return {
        "prompt_tokens": spent.input_tokens,
        "completion_tokens": spent.output_tokens,
        "total_tokens": spent.input_tokens + spent.output_tokens,
        "prompt_tokens_details": {"cached_tokens": spent.cached_tokens},
    }


def tool_json(step: ToolBegun | ToolEnded) -> JsonObject:
    """A call, or what it came to; no OpenAI client takes it for one that it should make itself."""
    if isinstance(step, ToolBegun):
        return {"tool_call": {"id": step.call_id, "name": step.name, "arguments": step.args}}
    result: JsonObject = {"id": step.call_id, "name": step.name, "output": step.text, "is_error": step.is_error}
    return {"tool_result": result}


def _by(reply: CompletionReply, agent: str) -> CompletionReply:
    """A model is an agent here: whoever speaks has written the answer, also where another one was asked."""
    return replace(reply, model=agent)


def _head(reply: CompletionReply, kind: str) -> JsonObject:
    head: JsonObject = {"id": reply.id, "object": kind, "created": reply.created_s, "model": reply.model}
    return {**head, "system_fingerprint": None, "thread_id": reply.thread_id}


def _why(reason: Reason, problem: Problem | None) -> Problem:
    if problem is not None:
        return problem
    return _STOPPING if reason == "stopping" else DEFECT
