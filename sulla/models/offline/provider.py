"""A model for a machine without a key and without a network: fixed rules that use the agent's ordinary tools."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from sulla.core.ids import CallId, MessageId, derived_id
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.models.base import ChatRequest, Completed, Delta, Stop, TextDelta, TokenUsage
from sulla.models.offline.beats import next_beat_step, wake_of
from sulla.models.offline.forced import forced_args
from sulla.models.offline.projects import TOOLS, USAGE, OfflineStep, PlannedEnd, next_step, project_of
from sulla.models.offline.rules import help_text, wish_of

NOTICE = "(I am the offline stand-in: fixed rules, not a language model. `sulla status` says how to configure one.)"
"""Ends every answer."""

SHOWN_CHARS = 4000
"""How much of a tool's result is repeated in the answer."""

CHARS_PER_TOKEN = 4
"""The rule by which a reply is cut; no tokenizer is at hand."""

_PIECE_CHARS = 24


class OfflineProvider:
    """Implements `models.Provider`. The same request always gets the same reply."""

    name = "offline"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`; no service can fail here."""
        text, calls = _reply(request)
        stop: Stop = "tool_calls" if calls else "end"
        if len(text) > request.max_tokens * CHARS_PER_TOKEN:
            text, stop = text[: request.max_tokens * CHARS_PER_TOKEN], "max_tokens"
        for start in range(0, len(text), _PIECE_CHARS):
            yield TextDelta(text[start : start + _PIECE_CHARS])
        parts = (*((Text(text, "agent"),) if text else ()), *calls)
        message = Message(MessageId(derived_id("msg", *_place(request))), "assistant", parts)
        yield Completed(message, TokenUsage(), stop)  # no service was asked, so nothing was used

    async def close(self) -> None:
        """Nothing to let go of."""


_OPENINGS = {
    **dict.fromkeys(("", "help", "what can you do"), ""),
    **dict.fromkeys(("hello", "hi", "hey", "good morning", "good evening"), "Hello."),
}
"""What a reply that only says what can be asked begins with, by what the person said."""


def _reply(request: ChatRequest) -> tuple[str, tuple[ToolCall, ...]]:
    words, results = _last_turn(request)
    tools = frozenset(tool.name for tool in request.tools)
    if (forced := request.forced) is not None:
        args = forced_args(forced, words)
        if args is None:
            return _closing(f"The question does not say what {forced.name} is to be called with.", "", "No answer."), ()
        return "", (_call(request, forced.name, args),)
    wake = wake_of(words)
    if wake is not None and not wake.message and tools >= TOOLS:
        return _worked(request, next_beat_step(wake, results, tools))
    words = wake.message if wake is not None else words
    if (project := project_of(words)) and tools >= TOOLS:
        return _worked(request, next_step(project, results, tools))
    wish = wish_of(words)
    if wish is None:
        first = _OPENINGS.get(words.strip(" ?!.,").lower(), "I do not understand that.")
        return _closing(first, _help(tools), "Said what can be asked."), ()
    if results:
        return _closing(wish.intro, _quote(results[-1]), f"Used {wish.rule.tool}."), ()
    if wish.rule.tool not in tools:
        lacking = f"That needs the tool {wish.rule.tool}, which I was not given."
        return _closing(lacking, _help(tools), f"Could not use {wish.rule.tool}."), ()
    return "", (_call(request, wish.rule.tool, wish.args),)


def _worked(request: ChatRequest, next_one: OfflineStep | PlannedEnd) -> tuple[str, tuple[ToolCall, ...]]:
    match next_one:
        case OfflineStep(tool, args):
            return "", (_call(request, tool, args),)
        case PlannedEnd(said, summary):
            return _closing(said, "", summary), ()


def _call(request: ChatRequest, tool: str, args: JsonObject) -> ToolCall:
    return ToolCall(CallId(derived_id("call", *_place(request))), tool, args)


def _help(tools: frozenset[str]) -> str:
    return help_text(tools, (USAGE,) if tools >= TOOLS else ())


def _last_turn(request: ChatRequest) -> tuple[str, list[ToolResult]]:
    """What the person said last, and the results of the tools used since."""
    results: list[ToolResult] = []
    for message in reversed(request.messages):
        results[:0] = [part for part in message.parts if isinstance(part, ToolResult)]
        if message.role == "user" and not message.hidden:
            # What follows the first text is context that the agent adds.
            return next((part.text for part in message.parts if isinstance(part, Text)), ""), results
    return "", []


def _closing(first: str, body: str, summary: str) -> str:
    spoken = "\n".join(part for part in (first, body) if part)
    return f"{spoken}\n\n{NOTICE}\n<AGENT_DONE>{summary}</AGENT_DONE>"


def _quote(result: ToolResult) -> str:
    """A result, marked as quoted line by line, so that nothing in it can be taken for the answer's own markup."""
    text = result.text if len(result.text) <= SHOWN_CHARS else f"{result.text[:SHOWN_CHARS]}\n(more is left out)"
    quoted = "\n".join(f"> {line}" for line in text.splitlines()) or "> (nothing)"
    return f"It failed:\n{quoted}" if result.is_error else quoted


def _place(request: ChatRequest) -> tuple[str, ...]:
    """What names this point of the conversation, so that ids are new at each and the same when asked again."""
    last = request.messages[-1].id if request.messages else ""
    return ("offline", str(len(request.messages)), last)
