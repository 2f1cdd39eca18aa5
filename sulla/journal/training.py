"""A finished run as an example for fine-tuning, for each agent that spoke in it: the messages and tools of a chat, and
what the run was. Pure.

The form is the one that OpenAI's fine-tuning and most trainers read: ``{"messages": [...], "tools": [...]}``; beside it
``metadata``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import get_args

import orjson

from sulla.agent.model.wrapper import Wrapper
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import Message, Reasoning, ToolResult
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.models.base import ToolSpec
from sulla.threads.log.codec import Entry
from sulla.threads.log.fold import apply_message
from sulla.threads.log.inputs import WaitingInput, waiting_input
from sulla.threads.log.records import Decision, Input, ModelStarted, RunError, RunFinished, RunStarted, TextMessageEnd
from sulla.threads.log.transcript import Transcript

_DECISIONS = get_args(Decision)


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """An agent's system prompt and tools. The log does not hold them, so a training example takes those of now."""

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...] = ()
    wrappers: bool = False
    """Whether that prompt asks for completion wrappers: then replies are given with theirs, which logs keep apart."""


def ended_run(entry: Entry, outcomes: Collection[str]) -> RunId | None:
    """The run that ends with an event, if it ended in one of these ways.

    One whose message joined another run is a part of that.
    """
    match entry.fact:
        case RunFinished(joined=None) | RunError() as end if end.outcome.status in outcomes:
            return end.run_id
        case _:
            return None


def first_event(entries: Sequence[Entry], run_id: RunId) -> int | None:
    """The number of the message that a run took up, if the run's beginning is among the events."""
    for entry in entries:
        if entry.origin.run_id == run_id and isinstance(fact := entry.fact, RunStarted):
            return fact.input_seq
    return None


def speakers(run_id: RunId, entries: Sequence[Entry]) -> tuple[str, ...]:
    """The agents that have said something in a run, in this order.

    Args:
        run_id: the run.
        entries: the thread's events.
    """
    own = [entry for entry in entries if entry.origin.run_id == run_id and isinstance(entry.fact, TextMessageEnd)]
    return tuple(dict.fromkeys(entry.origin.agent for entry in own))


def to_example(
    thread_id: ThreadId, run_id: RunId, entries: Sequence[Entry], frame: PromptFrame, agent: str
) -> JsonObject | None:
    """What an agent did in a run, as an example.

    Args:
        thread_id: whose run it is.
        run_id: the run.
        entries: the thread's events from the run's message to its end; those of other runs are left alone.
        frame: the agent's prompt and tools.
        agent: its id. What others have said whom the conversation was handed to counts for nothing in training
            (`weight` of the form).

    Returns:
        None if there is nothing to learn from it: the model never said a word, the run's ends are not there, or it only
        answered a playbook's question, by a tool that its agent does not have.

    Raises:
        CorruptRecord: the events do not fit together.
    """
    mine = [entry for entry in entries if entry.origin.run_id == run_id]
    started = next((fact for entry in mine if isinstance(fact := entry.fact, RunStarted)), None)
    last = mine[-1] if mine else None
    end = last.fact if last is not None else None
    others = {
        entry.fact.message_id
        for entry in mine
        if isinstance(entry.fact, TextMessageEnd) and entry.origin.agent != agent
    }
    said = list(_messages(_fold(entries, mine, wrappers=frame.wrappers), others))
    while said and (said[-1]["role"] != "assistant" or "weight" in said[-1]):  # what no reply of the agent's follows
        said.pop()
    if last is None or started is None or not isinstance(end, RunFinished | RunError) or not said:
        return None
    if any(isinstance(fact := entry.fact, Input) and fact.question is not None for entry in mine):
        return None
    system = "\n\n".join(text for text in frame.system if text)
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    example: JsonObject = {"messages": messages + list(said)}
    if frame.tools:
        example["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
            }
            for tool in frame.tools
        ]
    example["metadata"] = {
        "thread_id": thread_id,
        "run_id": run_id,
        "input_seq": started.input_seq,
        "seq": last.seq,
        "at": stamp(last.origin.at_ms),
        "agent": agent,
        "model": started.model,
        "outcome": end.outcome.data(),
        "usage": end.usage.data(),
    }
    return example


def to_bytes(example: JsonObject, redactor: Redactor) -> bytes:
    """An example as its line, without secrets."""
    return orjson.dumps(redactor.json(example)) + b"\n"


def _fold(entries: Sequence[Entry], mine: Sequence[Entry], *, wrappers: bool) -> Transcript:
    """What was said in the run, by the fold that shows a conversation to the model; what the daemon itself answered in
    the model's place is left out."""
    inputs: dict[int, WaitingInput] = {}
    for entry in entries:
        if isinstance(fact := entry.fact, Input):
            run_id = entry.origin.run_id or RunId("")
            inputs[entry.seq] = waiting_input(entry.seq, fact, run_id, entry.origin.at_ms)
    script, calls = Transcript(_weightless), set[CallId]()
    for entry in mine:
        fact = entry.fact
        if isinstance(fact, ModelStarted):
            calls.add(fact.call_id)
        if isinstance(fact, TextMessageEnd):
            if fact.call_id not in calls:
                continue
            fact = replace(fact, text=_as_written(fact)) if wrappers else fact
        if isinstance(fact, _DECISIONS):
            apply_message(script, fact, inputs)
    return script


def _as_written(reply: TextMessageEnd) -> str:
    """A reply's text with the wrapper that it had; the text alone where it had none."""
    said = reply.outcome
    if said is None or said.status not in ("done", "blocked", "continue"):
        return reply.text
    told = (said.status_report, said.response, said.blocker_reason, said.unblock_requirements)
    wrapper = Wrapper(said.status, *(text or None for text in told))
    shown = "" if reply.text == wrapper.words else reply.text  # a reply without other words shows the wrapper's
    return "\n\n".join(filter(None, (shown, wrapper.written)))


def _weightless(message: Message) -> int:
    return 0


def _messages(script: Transcript, others: Collection[str]) -> Iterator[JsonObject]:
    for message in script:
        if message.role == "assistant":
            yield from (reply | ({"weight": 0} if message.id in others else {}) for reply in _reply(message))
        elif message.role == "user":
            yield {"role": "user", "content": message.paragraphs}
        else:
            yield from (_result(part) for part in message.parts if isinstance(part, ToolResult))


def _reply(message: Message) -> Iterator[JsonObject]:
    reply: JsonObject = {"role": "assistant", "content": message.text or None}
    if message.calls:
        reply["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": orjson.dumps(dict(call.args)).decode()},
            }
            for call in message.calls
        ]
    thoughts = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
    if thoughts:
        reply["reasoning_content"] = thoughts
    if message.text or message.calls:  # a reply of thoughts alone is none
        yield reply


def _result(part: ToolResult) -> JsonObject:
    # There is no mark for a failure in this form.
    text = f"Error: {part.text}" if part.is_error else part.text
    return {"role": "tool", "tool_call_id": part.call_id, "content": text}
