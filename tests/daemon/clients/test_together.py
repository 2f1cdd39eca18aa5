"""One turn, read at once in several dialects by real clients over real sockets: all of them tell the same."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import openai
import pytest
from httpx2 import EventSource
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.daemon.running import AFRESH, PATIENCE_S, Daemon, Place, Service, service
from tests.gateway.dialects.desktop import Desktop
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(3)

WORDS = "What is in the (house)?"
TEXT = "Let me look.\n\none two three four five six seven eight"
HELLO = {"client": {"name": "test", "version": "1"}, "protocol": 1}


@dataclass(frozen=True)
class Heard:
    """What a client has read of a turn."""

    text: str
    """What people see."""
    calls: list[str]
    """Its calls of tools: names, and arguments where they are told."""
    results: int
    """How many of them came to something."""


ALL = Heard(TEXT, ['list_dir {"path": "."}'], 1)
NAMED = Heard(TEXT, ["list_dir"], 1)


@dataclass(frozen=True)
class Scene:
    """What all readers need."""

    url: str
    token: str
    thread: str
    half: threading.Barrier
    """Where every reader waits once it has seen what the tool came to, so that all of them read at once."""

    def http(self) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx2.Client(base_url=self.url, headers=headers, trust_env=False, timeout=PATIENCE_S)

    def wait(self) -> None:
        self.half.wait(PATIENCE_S)


Read = Callable[[Scene, str | None], Heard]
"""Reads the turn of the message of that id, or says something first, if there is none."""


def named(message: str | None) -> dict[str, str]:
    """Whoever says the same under the same name in the same thread asks for the same turn."""
    return {} if message is None else {"Idempotency-Key": message}


def call(name: str, args: object) -> str:
    return f"{name} {json.dumps(args)}"


def read_openai(scene: Scene, message: str | None) -> Heard:
    text, calls, results = "", list[str](), 0
    http = httpx2.Client(trust_env=False, timeout=PATIENCE_S, limits=httpx2.Limits(**AFRESH))
    with openai.OpenAI(base_url=f"{scene.url}/v1", api_key=scene.token, http_client=http, max_retries=0) as api:
        stream = api.chat.completions.create(
            model="sulla",
            messages=[{"role": "user", "content": WORDS}],
            stream=True,
            extra_body={"thread_id": scene.thread, "sulla_tools": True},
            extra_headers=named(message),
        )
        for chunk in stream:
            text += "".join(choice.delta.content or "" for choice in chunk.choices)
            told: dict[str, Any] = getattr(chunk, "sulla", {})
            if "tool_call" in told:
                calls.append(call(told["tool_call"]["name"], told["tool_call"]["arguments"]))
            if "tool_result" in told:
                results += 1
                scene.wait()
    return Heard(text, calls, results)


def read_snippbot(scene: Scene, message: str | None) -> Heard:
    text, calls, results, name, value = "", list[str](), 0, "", dict[str, Any]()
    body = {"message": WORDS, "session_id": scene.thread}
    for name, data in posted(scene, "/api/chat/sulla", body, message):
        value = json.loads(data)
        text += value["text"] if name == "delta" else ""
        calls += [call(value["tool"], value["input"])] if name == "tool_use" else []
        if name == "tool_result":
            results += 1
            scene.wait()
    assert (name, value["status"]) == ("done", "done")
    return Heard(text, calls, results)


def read_abi(scene: Scene, message: str | None) -> Heard:
    lines, calls, results, name, data = list[str](), list[str](), 0, "", ""
    body = {"prompt": WORDS, "thread_id": scene.thread}
    for name, data in posted(scene, "/agents/sulla/stream-completion", body, message):
        lines += [data] if name == "message" else []
        calls += [data] if name == "tool_usage" else []
        if name == "tool_response":
            results += 1
            scene.wait()
    assert (name, data) == ("done", "[DONE]")
    return Heard("\n".join(lines), calls, results)


def read_rest(scene: Scene, message: str | None) -> Heard:
    path, body = f"/api/threads/{scene.thread}/turns", {"text": WORDS, "agent": "sulla"}
    return heard(scene, (json.loads(data) for _, data in posted(scene, path, body, message)))


def read_agui(scene: Scene, message: str | None) -> Heard:
    assert message is None
    texts, calls, results, value = dict[str, str](), list[str](), 0, dict[str, Any]()
    body = {"threadId": scene.thread, "runId": "run-1", "messages": [{"id": "m-1", "role": "user", "content": WORDS}]}
    for _, data in posted(scene, "/agui/sulla", body, None):
        match value := json.loads(data):
            case {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": delta}:
                texts[id_] = texts.get(id_, "") + delta
            case {"type": "TOOL_CALL_START", "toolCallName": name}:
                calls.append(name)
            case {"type": "TOOL_CALL_ARGS", "delta": args}:
                calls[-1] = call(calls[-1], json.loads(args))
            case {"type": "TOOL_CALL_RESULT"}:
                results += 1
                scene.wait()
    assert value["type"] == "RUN_FINISHED"
    return Heard("\n\n".join(texts.values()), calls, results)


def read_mcp(scene: Scene, message: str | None) -> Heard:
    asking: dict[str, Any] = {"message": WORDS, "agent": "sulla", "thread_id": scene.thread}

    async def ask() -> types.CallToolResult:
        headers = {"Authorization": f"Bearer {scene.token}"}
        http = httpx2.AsyncClient(trust_env=False, timeout=PATIENCE_S, headers=headers, limits=httpx2.Limits(**AFRESH))
        async with http, McpClient(streamable_http_client(f"{scene.url}/mcp", http_client=http)) as client:
            return await client.call_tool("ask", asking if message is None else {**asking, "request_id": message})

    reply: Any = asyncio.run(ask()).structured_content
    assert reply["status"] == "done"
    tools = reply["tools"]
    return Heard(reply["text"], [call(tool["name"], tool["arguments"]) for tool in tools], len(tools))


def posted(scene: Scene, path: str, body: object, message: str | None) -> Iterator[tuple[str, str]]:
    """The events of an answer, as they come."""
    headers = {"Accept": "text/event-stream", **named(message)}
    with scene.http() as http, http.stream("POST", path, json=body, headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        for event in EventSource(answer):
            if event.data:  # else it only says that somebody is there
                yield event.event, event.data


def heard(scene: Scene, events: Iterator[dict[str, Any]]) -> Heard:
    """What the events of our own protocol say of the first turn that ends."""
    texts, calls, results = list[str](), list[str](), 0
    for event in events:
        data = event["data"]
        match event["type"]:
            case "TEXT_MESSAGE_END":
                texts.append(data["text"])
            case "TOOL_CALL_START":
                calls.append(call(data["name"], data["args"]))
            case "TOOL_CALL_RESULT":
                results += 1
                scene.wait()
            case "RUN_FINISHED" | "RUN_ERROR":
                break
    return Heard("\n\n".join(texts), calls, results)


def read_ws(scene: Scene, found: Callable[[str], None]) -> Heard:
    """Reads the thread from its beginning, and tells the id of the message that it finds."""
    headers = {"Authorization": f"Bearer {scene.token}"}
    url = scene.url.replace("http", "ws", 1) + "/ws"
    with connect(url, subprotocols=[Subprotocol("sulla.v1")], additional_headers=headers, proxy=None) as socket:

        def events() -> Iterator[dict[str, Any]]:
            while True:
                frame = json.loads(socket.recv(PATIENCE_S))
                assert "error" not in frame, frame
                if frame.get("method") == "event":
                    event = frame["params"]
                    if event["type"] == "INPUT":
                        found(event["data"]["message_id"])
                    yield event

        for number, (method, params) in enumerate(
            [("hello", HELLO), ("events.subscribe", {"thread_id": scene.thread, "after": 0})]
        ):
            socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return heard(scene, events())


def read_hub(scene: Scene, message: str | None) -> Heard:
    assert message is None

    async def read() -> Desktop:
        desktop = Desktop()
        desktop.thread = scene.thread
        async with desktop.connected(scene, f"Bearer {scene.token}"):
            await desktop.say(WORDS, agentId="sulla")
            await desktop.until(lambda: any(card["status"] == "success" for card in desktop.tools.values()))
            await asyncio.to_thread(scene.wait)
            await desktop.rest()
        return desktop

    desktop = asyncio.run(read())
    cards = desktop.tools.values()
    return Heard("\n\n".join(desktop.said), [call(card["name"], card["args"]) for card in cards], len(cards))


@dataclass(frozen=True)
class Client:
    """How one of them reads."""

    read: Read
    hears: Heard = ALL
    joins: bool = True
    """Whether it can be told of a turn by the id of its message; if not, it has to say that itself."""
    watches: bool = True
    """Whether it is told anything before the turn's end."""


CLIENTS = {
    "openai": Client(read_openai),
    "snippbot": Client(read_snippbot),
    "abi": Client(read_abi, NAMED),
    "rest": Client(read_rest),
    "ag-ui": Client(read_agui, joins=False),
    "mcp": Client(read_mcp, watches=False),
    "hub": Client(read_hub, joins=False),
}
"""Every dialect has its line here."""


@pytest.fixture
def model() -> Iterator[Service]:
    look = Reply("Let me look.", tools=(ToolUse("list_dir", {"path": "."}),))
    rest = Reply(f"{TEXT.rpartition(chr(10))[2]}<AGENT_DONE/>", pieces=8, hold="gate", hold_after=3)
    with service(Script([Rule(look, text="(house)", results=0), Rule(rest, text="(house)", results=1)])) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    return Place(tmp_path / "home", **model.environ, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0")


def scene_of(daemon: Daemon, place: Place, model: Service, watching: int) -> Scene:
    token = (place.home / "token").read_text().strip()
    half = threading.Barrier(watching, lambda: model.release("gate"))
    with Scene(daemon.url, token, "", half).http() as http:
        made = http.post("/api/threads", json={})
    return Scene(daemon.url, token, made.json()["thread_id"], half)


@pytest.mark.parametrize("first", CLIENTS)
def test_one_turn_is_the_same_for_all_who_read_it_at_once_whoever_began_it(
    place: Place, model: Service, first: str
) -> None:
    names = [first, *(name for name, client in CLIENTS.items() if client.joins and name != first)]
    begin, *join = [CLIENTS[name] for name in names]
    watching = 1 + sum(client.watches for client in (begin, *join))
    with place.up() as daemon, ThreadPoolExecutor(1 + len(names)) as pool:
        scene, message = scene_of(daemon, place, model, watching), Future[str]()
        everybody = [pool.submit(read_ws, scene, message.set_result), pool.submit(begin.read, scene, None)]
        waited: list[Future[Any]] = [message, *everybody]
        wait(waited, PATIENCE_S, FIRST_COMPLETED)
        everybody += [pool.submit(client.read, scene, message.result(0)) for client in join]
        wait(everybody, PATIENCE_S, FIRST_EXCEPTION)
        scene.half.abort()  # whoever still waits there waits for one that has failed
        failures = [one.exception(PATIENCE_S) for one in everybody]
        assert [failure for failure in failures if not isinstance(failure, threading.BrokenBarrierError | None)] == []
        watched, *told = [one.result() for one in everybody]
    assert watched == ALL
    assert dict(zip(names, told, strict=True)) == {name: CLIENTS[name].hears for name in names}
    assert model.asked == 2
