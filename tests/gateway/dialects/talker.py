"""A client of AG-UI: its messages are kept as the protocol says, and every event is one of the protocol's own types."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from ag_ui.core import (
    BaseEvent,
    Event,
    Interrupt,
    MessagesSnapshotEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    ResumeEntry,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from pydantic import TypeAdapter

from tests.gateway.peer import PATIENCE_S

_EVENTS: TypeAdapter[Any] = TypeAdapter(Event)


def parsed(raw: str) -> BaseEvent:
    """The event in a block of a stream; nothing in it may be unknown to the protocol."""
    assert raw.startswith("data: "), raw
    event: BaseEvent = _EVENTS.validate_json(raw.removeprefix("data: "))
    unknown = [event.model_extra] if event.model_extra else []
    assert unknown == [], raw
    return event


@dataclass
class Heard:
    """One run, as its client understands it."""

    messages: list[dict[str, Any]]
    """The conversation, its end included."""
    events: list[BaseEvent] = field(default_factory=list)
    thoughts: str = ""
    _open: set[tuple[str, str]] = field(default_factory=set)

    @property
    def types(self) -> list[str]:
        return [str(event.type.value) for event in self.events]

    @property
    def last(self) -> BaseEvent:
        return self.events[-1]

    @property
    def outcome(self) -> str:
        """How it ended: ``success``, ``interrupt``, ``cancelled``, ``error``, or ``cut`` if it did not."""
        match self.last:
            case RunErrorEvent():
                return "error"
            case RunFinishedEvent(outcome=outcome):
                return "success" if outcome is None else outcome.type
            case _:
                return "cut"

    @property
    def interrupts(self) -> list[Interrupt]:
        found = getattr(self.last, "outcome", None)
        return found.interrupts if found is not None and found.type == "interrupt" else []

    @property
    def error(self) -> RunErrorEvent:
        assert isinstance(self.last, RunErrorEvent)
        return self.last

    @property
    def texts(self) -> list[str]:
        """What the agent has said in the whole conversation."""
        return [one["content"] for one in self.messages if one["role"] == "assistant" and one.get("content")]

    @property
    def calls(self) -> list[tuple[str, str]]:
        """The names of its calls, and their arguments."""
        asked = [call for one in self.messages for call in one.get("toolCalls", [])]
        return [(call["function"]["name"], call["function"]["arguments"]) for call in asked]

    @property
    def results(self) -> list[str]:
        return [one["content"] for one in self.messages if one["role"] == "tool"]

    def take(self, event: BaseEvent) -> None:
        """See one more event.

        Raises:
            AssertionError: it may not come here.
        """
        assert bool(self.events) != isinstance(event, RunStartedEvent), self.types
        assert not self.events or not isinstance(self.last, RunErrorEvent | RunFinishedEvent), self.types
        self.events.append(event)
        match event:
            case TextMessageStartEvent():
                self._begin("text", event.message_id)
                self._message(event.message_id)
            case TextMessageContentEvent():
                self._in("text", event.message_id)
                message = self._message(event.message_id)
                message["content"] = message.get("content", "") + event.delta
            case TextMessageEndEvent():
                self._finish("text", event.message_id)
            case MessagesSnapshotEvent():
                self.messages = [one.model_dump(by_alias=True, exclude_none=True) for one in event.messages]
            case RunFinishedEvent():
                assert self._open == set()
            case _:
                self._take_call(event)

    def _take_call(self, event: BaseEvent) -> None:
        match event:
            case ToolCallStartEvent():
                self._begin("call", event.tool_call_id)
                called = {"name": event.tool_call_name, "arguments": ""}
                assert event.parent_message_id is not None
                calls = self._message(event.parent_message_id).setdefault("toolCalls", [])
                assert all(call["id"] != event.tool_call_id for call in calls), "its arguments would be told twice"
                calls.append({"id": event.tool_call_id, "type": "function", "function": called})
            case ToolCallArgsEvent():
                self._in("call", event.tool_call_id)
                self._called(event.tool_call_id)["function"]["arguments"] += event.delta
            case ToolCallEndEvent():
                self._finish("call", event.tool_call_id)
            case ToolCallResultEvent():
                self._called(event.tool_call_id)
                result = {"id": event.message_id, "role": "tool", "content": event.content}
                self.messages.append({**result, "toolCallId": event.tool_call_id})
            case _:
                self._take_thought(event)

    def _take_thought(self, event: BaseEvent) -> None:
        match event:
            case ReasoningStartEvent():
                self._begin("span", event.message_id)
            case ReasoningMessageStartEvent():
                self._begin("thought", event.message_id)
            case ReasoningMessageContentEvent():
                self._in("thought", event.message_id)
                self.thoughts += event.delta
            case ReasoningMessageEndEvent():
                self._finish("thought", event.message_id)
            case ReasoningEndEvent():
                self._finish("span", event.message_id)
            case _:
                assert isinstance(event, RunStartedEvent | RunErrorEvent), event

    def _message(self, message_id: str) -> dict[str, Any]:
        for message in self.messages:
            if message["id"] == message_id:
                return message
        self.messages.append({"id": message_id, "role": "assistant"})
        return self.messages[-1]

    def _called(self, call_id: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = [call for one in self.messages for call in one.get("toolCalls", [])]
        return next(call for call in found if call["id"] == call_id)

    def _begin(self, kind: str, name: str) -> None:
        assert (kind, name) not in self._open
        self._open.add((kind, name))

    def _in(self, kind: str, name: str) -> None:
        assert (kind, name) in self._open

    def _finish(self, kind: str, name: str) -> None:
        self._open.remove((kind, name))


def heard(raw: str, messages: list[dict[str, Any]]) -> Heard:
    """What a client that had these messages makes of an answer."""
    found = Heard([{**one} for one in messages])
    for block in raw.split("\n\n"):
        if block and not block.startswith(":"):
            found.take(parsed(block))
    return found


class Talker:
    """A client of one conversation.

    Args:
        url: of the agent.
        key: the token.
        thread: the conversation's name.
    """

    def __init__(self, url: str, key: str, thread: str = "kitchen") -> None:
        self.url = url
        self.http = httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, trust_env=False, timeout=PATIENCE_S)
        self.thread = thread
        self.messages: list[dict[str, Any]] = []
        self._runs = 0

    def body(self, **more: Any) -> dict[str, Any]:
        """What the next request says."""
        self._runs += 1
        given = {"threadId": self.thread, "runId": f"run-{self._runs}", "messages": self.messages, "state": {}}
        asked = RunAgentInput.model_validate({"protocolVersion": "1.0", **given, "forwardedProps": {}, **more})
        return asked.model_dump(mode="json", by_alias=True, exclude_none=True)

    def add(self, text: Any, message_id: str = "") -> None:
        """The person says something."""
        self.messages.append({"id": message_id or f"u{len(self.messages)}", "role": "user", "content": text})

    async def post(self, **more: Any) -> httpx.Response:
        """The answer as it is."""
        return await self.http.post(self.url, json=self.body(**more))

    async def run(self, **more: Any) -> Heard:
        """A run to its end."""
        answer = await self.post(**more)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        found = heard(answer.text, self.messages)
        started = found.events[0]
        assert isinstance(started, RunStartedEvent)
        assert (started.thread_id, started.run_id) == (self.thread, f"run-{self._runs}")
        self.messages = found.messages
        return found

    async def say(self, text: Any, **more: Any) -> Heard:
        """Say something, and hear the answer."""
        self.add(text)
        return await self.run(**more)

    async def answer(self, *entries: tuple[str, Any]) -> Heard:
        """Go on with answers: interrupts' ids, and what to say; None for nothing."""
        resume = [
            ResumeEntry(interrupt_id=name, status="cancelled")
            if payload is None
            else ResumeEntry(interrupt_id=name, status="resolved", payload=payload)
            for name, payload in entries
        ]
        return await self.run(resume=[one.model_dump(by_alias=True, exclude_none=True) for one in resume])


@asynccontextmanager
async def talking(url: str, key: str, thread: str = "kitchen") -> AsyncIterator[Talker]:
    """A client, while it is needed."""
    talker = Talker(url, key, thread)
    async with talker.http:
        yield talker
