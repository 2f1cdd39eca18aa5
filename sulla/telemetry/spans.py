"""Turns as spans: `invoke_agent` for what one process works on a run, and its model and tool calls below it.

They are made of the same facts as everything else, when something is over, with the times at which it began and ended.
What people and models said is in none of them.
"""

from __future__ import annotations

from typing import Final

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from sulla.core.ids import RunId
from sulla.telemetry import names
from sulla.telemetry.timeline import CallDone, Piece, RunBegan, RunOver, RunSetAside, SpanRun, ToolDone
from sulla.threads.log.usage import Usage

_NS_PER_MS: Final = 1_000_000
_FAILED: Final = frozenset({"failed", "abandoned"})

Attributes = dict[str, AttributeValue]


class Spans:
    """Makes spans of pieces of time. The timeline that they come from bounds how many are open.

    Args:
        tracer: makes them.
        provider: the service that answers, e.g. ``anthropic``.
        model: what it calls the model.
    """

    def __init__(self, tracer: Tracer, provider: str, model: str) -> None:
        self._tracer = tracer
        self._provider = provider
        self._model = model
        self._open: dict[RunId, Span] = {}

    def read(self, piece: Piece) -> None:
        """Begin or end what a piece says."""
        match piece:
            case RunBegan():
                self._begin(piece)
            case RunSetAside(whose, at_ms, why):
                self._end(whose, at_ms, {names.OUTCOME: why})
            case RunOver(whose, at_ms, outcome, reason, usage):
                self._end(whose, at_ms, {names.OUTCOME: outcome, **_used(usage)}, _fault(outcome, reason))
            case CallDone():
                self._call(piece)
            case ToolDone():
                self._tool(piece)
            case _:
                return  # no time that anything took

    def _begin(self, began: RunBegan) -> None:
        attributes: Attributes = {
            names.OPERATION: names.INVOKE_AGENT,
            names.PROVIDER: self._provider,
            names.REQUEST_MODEL: began.model or self._model,
            **_of(began.whose),
        }
        if began.again:
            attributes[names.AGAIN] = began.again
        self._open[began.whose.run_id] = self._tracer.start_span(
            f"{names.INVOKE_AGENT} {began.whose.agent}",
            kind=SpanKind.INTERNAL,
            attributes=attributes,
            start_time=began.at_ms * _NS_PER_MS,
        )

    def _end(self, whose: SpanRun, at_ms: int, attributes: Attributes, fault: str = "") -> None:
        span = self._open.pop(whose.run_id, None)
        if span is not None:
            _finish(span, at_ms, attributes, fault)

    def _call(self, call: CallDone) -> None:
        if call.began_ms is None:
            return
        attributes: Attributes = {
            names.OPERATION: names.CHAT,
            names.PROVIDER: self._provider,
            names.REQUEST_MODEL: self._model,
            names.PURPOSE: call.purpose,
            names.ATTEMPT: call.attempt,
            names.OUTCOME: call.outcome,
            **_of(call.whose),
            **_used(call.usage),
        }
        if call.outcome == "ok":
            attributes[names.FINISH_REASONS] = (call.reason,)
        if call.first_ms is not None:
            attributes[names.FIRST_CHUNK] = (call.first_ms - call.began_ms) / 1000
        if call.stand_in:
            attributes[names.STAND_IN] = call.stand_in
        span = self._child(call.whose, f"{names.CHAT} {self._model}", SpanKind.CLIENT, call.began_ms)
        _finish(span, call.ended_ms, attributes, _fault(call.outcome, call.reason))

    def _tool(self, tool: ToolDone) -> None:
        attributes: Attributes = {
            names.OPERATION: names.EXECUTE_TOOL,
            names.TOOL: tool.name,
            names.TOOL_CALL: tool.call_id,
            names.OUTCOME: tool.outcome,
            **_of(tool.whose),
        }
        span = self._child(tool.whose, f"{names.EXECUTE_TOOL} {tool.name}", SpanKind.INTERNAL, tool.began_ms)
        _finish(span, tool.ended_ms, attributes, "tool_error" if tool.outcome == "error" else "")

    def _child(self, whose: SpanRun, name: str, kind: SpanKind, began_ms: int) -> Span:
        parent = self._open.get(whose.run_id)
        context = set_span_in_context(parent) if parent is not None else None
        return self._tracer.start_span(name, context, kind, start_time=began_ms * _NS_PER_MS)


def _finish(span: Span, at_ms: int, attributes: Attributes, fault: str) -> None:
    span.set_attributes(attributes)
    if fault:
        span.set_attribute(names.ERROR, fault)
        span.set_status(Status(StatusCode.ERROR))
    span.end(at_ms * _NS_PER_MS)


def _fault(outcome: str, reason: str) -> str:
    return (reason or outcome) if outcome in _FAILED else ""


def _of(whose: SpanRun) -> Attributes:
    return {names.AGENT: whose.agent, names.CONVERSATION: whose.thread_id, names.RUN: whose.run_id}


def _used(usage: Usage) -> Attributes:
    counts = {
        names.INPUT_TOKENS: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.CACHE_READ_TOKENS: usage.cache_read_tokens,
        names.CACHE_WRITE_TOKENS: usage.cache_write_tokens,
        names.COST_MICRO: usage.cost_micro or 0,
    }
    return {name: count for name, count in counts.items() if count}
