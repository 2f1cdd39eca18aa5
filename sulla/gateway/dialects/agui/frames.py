"""A turn as events of AG-UI 1.0. Pure.

Every run begins with `RUN_STARTED` and ends with `RUN_FINISHED` or `RUN_ERROR`; what it opens it closes before.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.gateway.dialects.agui.form import answer_schema
from sulla.gateway.dialects.breaks import why
from sulla.gateway.dialects.content import AGAIN, ShownText
from sulla.gateway.dialects.questions import aside
from sulla.gateway.dialects.steps import (
    ChildAsks,
    Dropped,
    Step,
    StepAsked,
    StepEnded,
    StepQuestion,
    StepSaid,
    StepSuggests,
    StepText,
    StepUsage,
    StepWaits,
    Thought,
    ToolBegun,
    ToolEnded,
)
from sulla.gateway.problems import Headers, Problem
from sulla.gateway.rest.models import Reason
from sulla.gateway.rest.sse import HEADERS, KEEP_ALIVE

PROTOCOL = "1.0"
KEPT_CHARS = 1_000_000
"""How much of a run is remembered, to be restated without words that turned out void."""
_REASONS = {"human": "confirmation", "review": "input_required", "answer": "input_required"}
_WAITS = "This waits for somebody whose token may approve: `sulla approvals` shows it."


@dataclass(frozen=True, slots=True)
class AguiRun:
    """What all events of a run have in common."""

    thread: str
    """What the client calls the conversation."""
    run: str
    """What it calls the run."""
    parent: str
    thread_id: str
    """The thread's own id."""
    may_answer: bool
    """Whether the client's token allows it to answer questions."""


class AguiTranscript:
    """What the client has of the conversation.

    Args:
        messages: what it had when the run began.
    """

    def __init__(self, messages: Sequence[JsonObject]) -> None:
        self._before = messages
        self._own: dict[str, JsonObject] = {}
        self._chars = 0

    @property
    def messages(self) -> list[Json] | None:
        """All of it; None if it is more than is remembered."""
        return None if self._chars > KEPT_CHARS else [*self._before, *self._own.values()]

    def add_text(self, message_id: str, delta: str) -> None:
        """A piece of a reply."""
        message = self._reply(message_id, len(delta))
        message["content"] = f"{message.get('content', '')}{delta}"

    def add_call(self, message_id: str, call: JsonObject, chars: int) -> None:
        """A reply's call of a tool."""
        message = self._reply(message_id, chars)
        calls = message.setdefault("toolCalls", [])
        if isinstance(calls, list):
            calls.append(call)

    def add_result(self, result: JsonObject, chars: int) -> None:
        """What a call came to."""
        self._chars += chars
        self._own[str(result["id"])] = result

    def drop(self, message_id: str) -> None:
        """A reply is void."""
        self._own.pop(message_id, None)

    def _reply(self, message_id: str, chars: int) -> JsonObject:
        self._chars += chars
        if self._chars > KEPT_CHARS:
            self._own.clear()
            return {}
        return self._own.setdefault(message_id, {"id": message_id, "role": "assistant"})


class AguiFrames:
    """Keeps `telling.Projection`: a turn up to its end, or to where people are asked.

    Args:
        run: what all events say.
        transcript: what the client has.
        restate: whether it may have more than that, which the run is going to tell.
    """

    keep_alive = KEEP_ALIVE
    rests = True

    def __init__(self, run: AguiRun, transcript: AguiTranscript, *, restate: bool = False) -> None:
        self._run = run
        self._transcript = transcript
        self._restate = restate
        self._content = ShownText(may_answer=run.may_answer)
        self._open = ""
        """The reply that is being shown."""
        self._span = ""
        """The thought that is being shown."""
        self._spans = 0
        self.asked: StepAsked | None = None
        """The questions that it ended with."""
        self.failed = False
        """Whether the turn came to nothing."""

    @property
    def opening(self) -> bytes:
        """It has begun."""
        begun: JsonObject = {**self._ids, "protocolVersion": PROTOCOL}
        if self._run.parent:
            begun["parentRunId"] = self._run.parent
        return _event("RUN_STARTED", begun) + (self._snapshot() if self._restate else b"")

    def head(self) -> tuple[int, Headers]:
        """The status and the headers."""
        return 200, [*HEADERS, (b"x-thread-id", self._run.thread_id.encode())]

    def show(self, step: Step) -> bytes:
        """What a step looks like."""
        words = self._content.take(step)
        match step:
            case Thought(message_id, _, delta):
                return self._think(message_id, delta)
            case StepText(message_id, _, delta):
                return self._say(message_id, delta)
            case StepWaits() | ChildAsks():
                return self._close() + self._think("waits", aside(step).strip("\n")) + self._close()
            case StepSaid() | StepSuggests():
                return self._close() + _suggested(step)
            case Dropped(message_id, shown):
                return self._close() + (self._void(message_id) if shown else b"")
            case ToolBegun():
                return self._close() + self._call(step)
            case ToolEnded():
                return self._close() + self._result(step)
            case StepAsked(asks):
                self.asked = step
                return self._close() + self.interrupt(asks)
            case StepEnded():
                return self._end(step, words.strip())
            case _:
                return b""

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        """What went wrong, and the end. The turn goes on."""
        return _error(why(reason, problem), StepUsage())

    def words(self, message_id: str, text: str) -> bytes:
        """A whole message."""
        return self._say(message_id, text) + self._close()

    def interrupt(self, asks: Sequence[StepQuestion]) -> bytes:
        """The end of a run that waits for people."""
        interrupts: list[Json] = [self._interrupt(ask) for ask in asks]
        return _event("RUN_FINISHED", {**self._ids, "outcome": {"type": "interrupt", "interrupts": interrupts}})

    # ------------------------------------------------------------------------------------------------------- messages

    def _say(self, message_id: str, delta: str) -> bytes:
        shown = b""
        if self._open != message_id:
            start: JsonObject = {"messageId": message_id, "role": "assistant"}
            if self._content.agent:
                start["name"] = self._content.agent
            shown = self._close() + _event("TEXT_MESSAGE_START", start)
            self._open = message_id
        self._transcript.add_text(message_id, delta)
        return shown + _event("TEXT_MESSAGE_CONTENT", {"messageId": message_id, "delta": delta})

    def _think(self, message_id: str, delta: str) -> bytes:
        shown = b""
        if not self._span:
            self._spans += 1
            self._span = f"{message_id}_thought_{self._spans}"
            span: JsonObject = {"messageId": self._span}
            shown = self._close_text() + _event("REASONING_START", span)
            shown += _event("REASONING_MESSAGE_START", {**span, "role": "reasoning"})
        return shown + _event("REASONING_MESSAGE_CONTENT", {"messageId": self._span, "delta": delta})

    def _close(self) -> bytes:
        span, self._span = self._span, ""
        if not span:
            return self._close_text()
        closed: JsonObject = {"messageId": span}
        return _event("REASONING_MESSAGE_END", closed) + _event("REASONING_END", closed) + self._close_text()

    def _close_text(self) -> bytes:
        message_id, self._open = self._open, ""
        return _event("TEXT_MESSAGE_END", {"messageId": message_id}) if message_id else b""

    def _void(self, message_id: str) -> bytes:
        """Take words back; where that takes too much memory, say so behind them."""
        self._transcript.drop(message_id)
        if self._transcript.messages is None:
            return self.words(message_id, f"\n\n{AGAIN}")
        return self._snapshot()

    def _snapshot(self) -> bytes:
        return _event("MESSAGES_SNAPSHOT", {"messages": self._transcript.messages})

    # ---------------------------------------------------------------------------------------------------------- calls

    def _call(self, begun: ToolBegun) -> bytes:
        args = orjson.dumps(begun.args).decode()
        called: JsonObject = {"name": begun.name, "arguments": args}
        call: JsonObject = {"id": begun.call_id, "type": "function", "function": called}
        self._transcript.add_call(begun.message_id, call, len(args))
        name: JsonObject = {"toolCallId": begun.call_id}
        start: JsonObject = {**name, "toolCallName": begun.name}
        if begun.message_id:
            start["parentMessageId"] = begun.message_id
        said = _event("TOOL_CALL_START", start) + _event("TOOL_CALL_ARGS", {**name, "delta": args})
        return said + _event("TOOL_CALL_END", name)

    def _result(self, ended: ToolEnded) -> bytes:
        result: JsonObject = {"id": f"{ended.call_id}_result", "role": "tool", "content": ended.text}
        result["toolCallId"] = ended.call_id
        if ended.is_error:
            failed: JsonObject = {"is_error": True, "failure": ended.failure or "failed"}
            result["metadata"] = {"sulla": failed}
        self._transcript.add_result(result, len(ended.text))
        told = {name: value for name, value in result.items() if name != "id"}
        return _event("TOOL_CALL_RESULT", {"messageId": result["id"], **told})

    # ----------------------------------------------------------------------------------------------------------- ends

    def _interrupt(self, ask: StepQuestion) -> JsonObject:
        message = ask.prompt.strip() or "The agent needs an answer."
        usual = "tool_call" if ask.call_id else "confirmation"
        asked: JsonObject = {
            "id": ask.id,
            "reason": _REASONS.get(ask.kind, usual),
            "message": message if self._run.may_answer else f"{message}\n\n{_WAITS}",
            "responseSchema": answer_schema(ask.kind, ask.choices, target=bool(ask.target)),
            "metadata": {"sulla": {"kind": ask.kind, "tool": ask.tool, "target": ask.target}},
        }
        if ask.call_id:
            asked["toolCallId"] = ask.call_id
        if ask.expires_ms is not None:
            asked["expiresAt"] = stamp(ask.expires_ms)
        return asked

    def _end(self, ended: StepEnded, words: str) -> bytes:
        shown, self.failed = self._close(), ended.problem is not None
        if ended.status == "cancelled":
            return shown + _event(
                "RUN_FINISHED", {**self._ids, "outcome": {"type": "cancelled"}, **_usage(ended.spent)}
            )
        if ended.problem is not None:
            return shown + _error(ended.problem, ended.spent)
        if words:
            shown += self.words(f"{self._run.run}_end", words)
        result: JsonObject = {"status": ended.status}
        if ended.reason:
            result["reason"] = ended.reason
        success: JsonObject = {"result": result, "outcome": {"type": "success"}, **_usage(ended.spent)}
        return shown + _event("RUN_FINISHED", {**self._ids, **success})

    @property
    def _ids(self) -> JsonObject:
        return {"threadId": self._run.thread, "runId": self._run.run}


def _suggested(step: Step) -> bytes:
    """What might be asked next, where a step says so."""
    if not isinstance(step, StepSuggests):
        return b""
    return _event("CUSTOM", {"name": "suggestions", "value": [*step.questions]})


def _usage(spent: StepUsage) -> JsonObject:
    if spent == StepUsage():
        return {}
    tokens: JsonObject = {
        "inputTokens": spent.input_tokens,
        "outputTokens": spent.output_tokens,
        "totalTokens": spent.input_tokens + spent.output_tokens,
        "cachedInputTokens": spent.cached_tokens,
    }
    return {"usage": [tokens]}


def _error(problem: Problem, spent: StepUsage) -> bytes:
    return _event("RUN_ERROR", {"message": problem.message, "code": problem.code, **_usage(spent)})


def _event(kind: str, data: JsonObject) -> bytes:
    return b"data: %b\n\n" % orjson.dumps({"type": kind, **data})
