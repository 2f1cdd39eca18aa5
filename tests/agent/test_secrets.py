"""The daemon's own secrets leave by no way, in twenty encodings: not to the model, a client, a file or a tool."""

from __future__ import annotations

import base64
import codecs
import json
import logging
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import orjson
import pytest

from sulla.access.audit import AuditLog
from sulla.agent.calls.guard import CallGuard
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall, ToolResult
from sulla.core.redact import MARK, Redactor
from sulla.core.words import ours
from sulla.journal.lines import to_line
from sulla.store.memory import MemoryStore
from sulla.telemetry.lines import line_formatter
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.bus import LiveSignal, live_channel, unpack
from sulla.threads.log.codec import Entry, Origin
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.attacks import Hooks

SECRET = 'sk-held/0123+4567"89ab~cdef'
RAW = SECRET.encode()
DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"

ENCODINGS: dict[str, str] = {
    "as it is": SECRET,
    "JSON": json.dumps(SECRET)[1:-1],
    "JSON in JSON": json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
    "URL": quote(SECRET, safe=""),
    "URL, every byte": "".join(f"%{byte:02X}" for byte in RAW),
    "backwards": SECRET[::-1],
    "ROT13": codecs.encode(SECRET, "rot13"),
    "hex": RAW.hex(),
    "HEX": RAW.hex().upper(),
    "hex with colons": RAW.hex(":"),
    "hex with blanks": RAW.hex(" "),
    "Base64": base64.b64encode(RAW).decode(),
    "Base64 for URLs": base64.urlsafe_b64encode(RAW).decode(),
    "Base64 behind one byte": base64.b64encode(b":" + RAW + b"tail").decode(),
    "Base64 behind two bytes": base64.b64encode(b"u:" + RAW + b"t").decode(),
    "Base64 of UTF-16": base64.b64encode(SECRET.encode("utf-16-le")).decode(),
    "Base32": base64.b32encode(RAW).decode(),
    "Base85": base64.b85encode(RAW).decode(),
    "HTML": "".join(f"&#{ord(char)};" for char in SECRET),
    "escapes": "".join(f"\\x{byte:02x}" for byte in RAW),
}


def shows(text: str, encoding: str) -> bool:
    """Whether enough of an encoded secret stands in a text to have it back: twelve characters of it in a row."""
    coded = ENCODINGS[encoding]
    inner = coded[4:-4] if encoding.startswith("Base64") else coded
    return any(inner[at : at + 12] in text for at in range(len(inner) - 11))


def texts(value: Json) -> list[str]:
    """Every text in a value."""
    match value:
        case str():
            return [value]
        case dict():
            return [text for inner in value.values() for text in texts(inner)]
        case list():
            return [text for inner in value for text in texts(inner)]
        case _:
            return []


def test_there_are_twenty() -> None:
    assert len(ENCODINGS) == 20


def world_of(store: MemoryStore, hooks: Hooks, *tools: Tool) -> tuple[World, ScriptedProvider]:
    provider = ScriptedProvider()
    guard = CallGuard(redactor=Redactor([SECRET]))
    return World(store, provider, tools=(*tools, hooks.tool("post", "body")), guard=guard), provider


def leaky(coded: str) -> Tool:
    async def leak(context: ToolContext) -> Result:
        """Say what should not be said."""
        context.progress({"line": f"so far {coded}"})
        return Done(ours(f"found {coded} here"))

    return define(leak, effect="pure", reach="inward")


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_what_a_tool_finds_shows_it_to_nobody(store: MemoryStore, encoding: str) -> None:
    world, provider = world_of(store, Hooks(), leaky(ENCODINGS[encoding]))
    provider.add(Say("", (ToolCall(CallId("l"), "leak", {}),)), DONE)
    thread = await world.thread()
    heard: list[bytes | None] = []
    async with store.subscribe(live_channel(thread)) as live:
        live.attach(heard.append)
        await world.ask(thread, "go on")
        shown = [unpack(payload) for payload in heard if payload is not None]
    (result,) = (part for part in provider.requests[-1].messages[-1].parts if isinstance(part, ToolResult))
    assert MARK in result.text
    moments = [moment.data for moment in shown if isinstance(moment, LiveSignal)]
    assert MARK in "".join(texts(list(moments)))
    entries = [dict(entry.data) for entry in await world.log(thread)]
    for text in (result.text, *texts(list(moments)), *texts(list(entries))):
        assert not shows(text, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_the_rest_of_a_long_result_is_put_away_without_it(
    store: MemoryStore, tmp_path: Path, encoding: str
) -> None:
    coded = ENCODINGS[encoding]
    around = 48 * 1024 - 128 - len("It is kept in .sulla/outputs/") - 200

    async def leak(context: ToolContext) -> Result:
        """Say it in the middle, and just where it is cut."""
        return Done(ours(f"{'x' * around}{coded * 8} and once more {coded} {'y' * 100_000}"))

    provider = ScriptedProvider([Say("", (ToolCall(CallId("l"), "leak", {}),)), DONE])
    tools = (define(leak, effect="pure", reach="inward"),)
    world = World(store, provider, tools=tools, guard=CallGuard(redactor=Redactor([SECRET])), workspace=tmp_path)
    await world.ask(await world.thread(), "go on")
    (kept,) = (tmp_path / ".sulla/outputs").iterdir()
    (result,) = (part for part in provider.requests[-1].messages[-1].parts if isinstance(part, ToolResult))
    for text in (kept.read_text(), result.text):
        assert MARK in text
        assert not shows(text, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_question_to_a_person_does_not_show_it(store: MemoryStore, encoding: str) -> None:
    hooks = Hooks()
    asking = replace(hooks.tool("keep", "body", reach="inward"), asks=lambda args, context: f"Keep {args['body']}?")
    world, provider = world_of(store, hooks, asking)
    provider.add(Say("", (ToolCall(CallId("k"), "keep", {"body": ENCODINGS[encoding]}),)))
    thread = await world.thread()
    await world.ask(thread, "go on")
    state = await world.threads.load(thread)
    assert state is not None
    assert state.run is not None
    (wait,) = state.run.waits.values()
    assert not shows(wait.prompt, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_line_that_is_written_for_people_holds_it(tmp_path: Path, encoding: str) -> None:
    redactor, said = Redactor([SECRET]), f"say {ENCODINGS[encoding]} now"
    entry = Entry(1, "INPUT", True, Origin(0), {"message_id": "m", "text": said})
    audit = AuditLog(tmp_path, redactor)
    audit.write({"why": said})
    audit.close()
    record = logging.makeLogRecord({"msg": said, "levelname": "INFO", "name": "x"})
    lines = [
        orjson.loads(to_line(ThreadId("t"), entry, redactor).body),
        orjson.loads((tmp_path / "audit.jsonl").read_bytes()),
        orjson.loads(line_formatter("json", redactor).format(record)),
    ]
    for line in lines:
        assert MARK in "".join(texts(line))
        assert not any(shows(text, encoding) for text in texts(line))


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_no_call_carries_it_out_though_the_owner_asks_and_nothing_is_tainted(
    store: MemoryStore, encoding: str
) -> None:
    hooks = Hooks()
    world, provider = world_of(store, hooks)
    provider.add(Say("", (ToolCall(CallId("p"), "post", {"body": f"x{ENCODINGS[encoding]}y"}),)), DONE)
    thread = await world.thread()
    await world.ask(thread, "send it")
    assert hooks.done == []
    (kept,) = [entry for entry in await world.log(thread) if entry.kind == "TOOL_CALL_RESULT"]
    assert kept.data["failure"] == "denied"
    assert "never leave" in str(kept.data["text"])
