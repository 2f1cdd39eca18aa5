"""The same turn in all dialects: the same text, the same calls of tools, and one terminal frame each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sulla.gateway.dialects.abi import frames as abi
from sulla.gateway.dialects.agui import frames as agui
from sulla.gateway.dialects.mcp.projection import McpProjection, reply_json
from sulla.gateway.dialects.openai.frames import Chunks, CompletionReply, CompletionWhole
from sulla.gateway.dialects.projection import ProjectedTurn, Projection
from sulla.gateway.dialects.snippbot.frames import SnippbotFrames
from sulla.gateway.dialects.step_reader import StepReader
from tests.gateway.dialects.events import Log, full_turn
from tests.gateway.dialects.talker import heard

TEXT = "Let me look.\n\nIt did not work."
CALLS = [("look", {"at": "home"}), ("post", {"text": "grüß 🙂"})]
REPLY = CompletionReply("chatcmpl-1", "sulla", 1, "thr_1", may_answer=True, usage=True, tools=True)


@dataclass(frozen=True)
class Reading:
    """What a client makes of an answer."""

    text: str
    """What people read, without what asks them."""
    calls: list[Any]
    terminal: int
    """How many frames say that this was all."""


@dataclass(frozen=True)
class Spoken:
    """One dialect: how it is told, and how its client reads it."""

    make: Callable[[], Projection]
    read: Callable[[bytes], Reading]
    calls: list[Any] = field(default_factory=lambda: CALLS)
    """As much of the calls as it tells."""


class GoesOn(Chunks):
    """As it is, but that it does not end where people are asked."""

    rests = False

    def show(self, step: Any) -> bytes:
        return b"" if type(step).__name__ == "StepAsked" else super().show(step)


class WholeGoesOn(CompletionWhole):
    """The same for an answer in one piece."""

    rests = False

    def show(self, step: Any) -> bytes:
        return b"" if type(step).__name__ == "StepAsked" else super().show(step)


def blocks(raw: bytes) -> list[str]:
    return [block.removeprefix("data: ") for block in raw.decode().split("\n\n") if block.startswith("data: ")]


def tool(one: Any) -> list[tuple[str, Any]]:
    return [(call["name"], call["arguments"])] if (call := one.get("tool_call")) else []


def read_chunks(raw: bytes) -> Reading:
    found = [json.loads(block) for block in blocks(raw) if block != "[DONE]"]
    text = "".join(choice["delta"].get("content") or "" for one in found for choice in one["choices"])
    calls = [call for one in found for call in tool(one.get("sulla", {}))]
    return Reading(_final(text), calls, blocks(raw).count("[DONE]"))


def read_whole(raw: bytes) -> Reading:
    value = json.loads(raw)
    calls = [call for one in value["sulla"]["tools"] for call in tool(one)]
    return Reading(_final(value["choices"][0]["message"]["content"]), calls, 1)


def _final(text: str) -> str:
    """Without words that were taken back."""
    return text.rpartition("begins again.)\n\n")[2]


class AbiGoesOn(abi.AbiStream):
    """The same for ABI's events."""

    rests = False

    def show(self, step: Any) -> bytes:
        return b"" if type(step).__name__ == "StepAsked" else super().show(step)


class AbiWholeGoesOn(abi.AbiWhole):
    """The same for ABI's text."""

    rests = False

    def show(self, step: Any) -> bytes:
        return b"" if type(step).__name__ == "StepAsked" else super().show(step)


class McpGoesOn(McpProjection):
    """The reply of a tool, once it is there."""

    rests = False

    def show(self, step: Any) -> bytes:
        super().show(step)
        return json.dumps(reply_json(self, "thr_1", "run_1", 0)).encode() if type(step).__name__ == "StepEnded" else b""


def read_mcp(raw: bytes) -> Reading:
    reply = json.loads(raw)
    return Reading(reply["text"], [(tool["name"], tool["arguments"]) for tool in reply["tools"]], 1)


def events(raw: bytes) -> list[tuple[str, str]]:
    """Names and data, but for comments."""
    found = list[tuple[str, str]]()
    for block in raw.decode().split("\n\n"):
        lines = [line.partition(": ")[::2] for line in block.split("\n")]
        data = [value for name, value in lines if name == "data"]
        found += [(value, "\n".join(data)) for name, value in lines if name == "event"]
    return found


def read_snippbot(raw: bytes) -> Reading:
    found = [(name, json.loads(data)) for name, data in events(raw)]
    text = "".join(data["text"] for name, data in found if name == "delta")
    calls = [(data["tool"], data["input"]) for name, data in found if name == "tool_use"]
    return Reading(_final(text), calls, [name for name, _ in found].count("done"))


def read_abi(raw: bytes) -> Reading:
    found = events(raw)
    text = "\n".join(data for name, data in found if name == "message")
    assert text == "\n\n".join(data for name, data in found if name == "ai_message")
    return Reading(text, [data for name, data in found if name == "tool_usage"], found.count(("done", "[DONE]")))


class AguiGoesOn(agui.AguiFrames):
    """The same for AG-UI."""

    rests = False

    def show(self, step: Any) -> bytes:
        return b"" if type(step).__name__ == "StepAsked" else super().show(step)


def read_agui(raw: bytes) -> Reading:
    found = heard(raw.decode(), [])
    calls = [(name, json.loads(args)) for name, args in found.calls]
    return Reading("\n\n".join(found.texts), calls, found.types.count("RUN_FINISHED"))


SPOKEN = {
    "openai in pieces": Spoken(lambda: GoesOn(REPLY), read_chunks),
    "openai in one piece": Spoken(lambda: WholeGoesOn(REPLY), read_whole),
    "snippbot": Spoken(lambda: SnippbotFrames("s", "thr_1", "run_1"), read_snippbot),
    "abi in events": Spoken(lambda: AbiGoesOn("thr_1", may_answer=True), read_abi, [name for name, _ in CALLS]),
    "abi in one piece": Spoken(
        lambda: AbiWholeGoesOn("thr_1", may_answer=True), lambda raw: Reading(json.loads(raw), [], 1), []
    ),
    "ag-ui": Spoken(
        lambda: AguiGoesOn(agui.AguiRun("t", "r", "", "thr_1", may_answer=True), agui.AguiTranscript(())), read_agui
    ),
    "mcp": Spoken(McpGoesOn, read_mcp),
}
"""Every dialect has its lines here."""


def told(projection: Projection, log: Log, *, every: int) -> bytes:
    """All bytes of an answer, of which some are taken after each `every` events."""
    telling = ProjectedTurn(StepReader("run_1"), projection)
    over = list[bool]()
    waiting = telling.backlog(lambda: over.append(True))
    sent = telling.opening
    for number, event in enumerate(log.events):
        if not over:
            waiting.add_event(event)
        while waiting and number % every == 0:
            sent += waiting.take()
    while waiting:
        sent += waiting.take()
    assert over == [True]
    assert telling.told
    return sent


@pytest.mark.parametrize("every", [1, 2, 5, 100])
@pytest.mark.parametrize("name", SPOKEN)
def test_the_same_turn_says_the_same_in_every_dialect_however_slowly_it_is_read(name: str, every: int) -> None:
    spoken = SPOKEN[name]
    assert spoken.read(told(spoken.make(), full_turn(), every=every)) == Reading(TEXT, spoken.calls, 1)
