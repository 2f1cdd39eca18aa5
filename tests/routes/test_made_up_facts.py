"""What a model makes up in a grounded route reaches no client, streamed or not, over every dialect: real clients' bytes
against a real daemon, whose model's service makes things up beside the forced call, before it and in its place.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.daemon.running import AFRESH, PATIENCE_S, Place, service
from tests.gateway.dialects.desktop import Desktop
from tests.servers.script import Reply, Rule, Script, ToolUse

MARK: Final = "zorblax"
"""A part of everything that is made up, and of nothing else."""
LIMITS: Final = {
    "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
    "SULLA_LIMITS__TOKEN_BURST": "1000",
    "SULLA_KNOWLEDGE__PASSAGES": "1",
    "SULLA_MEMORY__ENABLED": "false",
}
ROUTES: Final = """
routes:
  facts: {kind: grounded}
  chat: {kind: default}
gates:
  - {name: people, route: facts, any: [how many people]}
"""


def question(number: int) -> str:
    """What is asked; the knowledge has an answer to each."""
    return f"How many people live in city n{number:03}?"


def fact(number: int) -> str:
    """What the knowledge says to it."""
    return f"{number + 1000} people live in city n{number:03}"


def made_up(number: int) -> str:
    """What the model makes up."""
    return f"As {MARK} {number:03} says, nine million people live there."


LOOK: Final = ToolUse("grounded_lookup", {"question": "how many people"})
INVENTIONS: Final[dict[str, Callable[[str, str], Reply]]] = {
    "beside the call": lambda said, asked: Reply(said, tools=(ToolUse("grounded_lookup", {"question": asked}),)),
    "before another call": lambda said, asked: Reply(said, tools=(ToolUse("recall", {"query": asked}),)),
    "in its place": lambda said, asked: Reply(said, pieces=8),
    "beside a call that cannot be made": lambda said, asked: Reply(said, tools=(ToolUse("grounded_lookup", {"q": 1}),)),
    "while it thinks": lambda said, asked: Reply(
        "", thinking=said, tools=(ToolUse("grounded_lookup", {"question": asked}),)
    ),
    "while it thinks, and in its place": lambda said, asked: Reply(said, thinking=said),
    "around a call in its text": lambda said, asked: Reply(
        f'{said} <tool_call>{{"name": "grounded_lookup", "arguments": {{"question": "{asked}"}}}}</tool_call> {said}'
    ),
}
"""Where a model makes something up."""


@dataclass(frozen=True)
class Scene:
    """Where clients find the daemon."""

    url: str
    token: str

    def http(self) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        limits = httpx2.Limits(**AFRESH)
        return httpx2.Client(base_url=self.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=limits)

    def post(self, path: str, body: object, accept: str = "application/json") -> str:
        """All of an answer, as it came."""
        with self.http() as http:
            answer = http.post(path, json=body, headers={"Accept": accept})
        assert answer.status_code < 300, answer.text
        return answer.text

    def thread(self) -> str:
        """A new conversation."""
        made: str = json.loads(self.post("/api/threads", {}))["thread_id"]
        return made


STREAM: Final = "text/event-stream"
Heard = Callable[[Scene, str], str]
"""Asks something in a new conversation, and gives everything that came back until the turn was over."""


def openai_whole(scene: Scene, asked: str) -> str:
    body = {"model": "sulla", "messages": [{"role": "user", "content": asked}], "sulla_tools": True}
    return scene.post("/v1/chat/completions", body)


def openai_stream(scene: Scene, asked: str) -> str:
    body = {"model": "sulla", "messages": [{"role": "user", "content": asked}], "sulla_tools": True, "stream": True}
    return scene.post("/v1/chat/completions", body, STREAM)


def agui(scene: Scene, asked: str) -> str:
    body = {"threadId": scene.thread(), "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": asked}]}
    return scene.post("/agui/sulla", body, STREAM)


def abi_whole(scene: Scene, asked: str) -> str:
    return scene.post("/agents/sulla/completion", {"prompt": asked, "thread_id": scene.thread()})


def abi_stream(scene: Scene, asked: str) -> str:
    return scene.post("/agents/sulla/stream-completion", {"prompt": asked, "thread_id": scene.thread()}, STREAM)


def snippbot(scene: Scene, asked: str) -> str:
    return scene.post("/api/chat/sulla", {"message": asked, "session_id": scene.thread()}, STREAM)


def mcp_ask(scene: Scene, asked: str) -> str:
    call = {"name": "ask", "arguments": {"message": asked, "thread_id": scene.thread()}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return scene.post("/mcp", body, f"application/json, {STREAM}")


def rest_history(scene: Scene, asked: str) -> str:
    """What is kept: the turn is waited for, and then all of it is read."""
    thread = scene.thread()
    scene.post(f"/api/threads/{thread}/turns", {"text": asked}, STREAM)
    with scene.http() as http:
        return http.get(f"/api/threads/{thread}/events").text


def sse_turn(scene: Scene, asked: str) -> str:
    return scene.post(f"/api/threads/{scene.thread()}/turns", {"text": asked}, STREAM)


def websocket(scene: Scene, asked: str) -> str:
    thread, came = scene.thread(), list[str]()
    calls = itertools.count()
    headers = {"Authorization": f"Bearer {scene.token}"}
    url = scene.url.replace("http", "ws", 1) + "/ws"
    with connect(url, subprotocols=[Subprotocol("sulla.v1")], additional_headers=headers, proxy=None) as socket:
        steps: list[tuple[str, dict[str, Any]]] = [
            ("hello", {"client": {"name": "test", "version": "1"}, "protocol": 1}),
            ("events.subscribe", {"thread_id": thread, "after": 0}),
            ("turn.send", {"thread_id": thread, "message_id": "m1", "text": asked}),
        ]
        for method, params in steps:
            socket.send(json.dumps({"jsonrpc": "2.0", "id": next(calls), "method": method, "params": params}))
        while not any(f'"type":"{end}"' in came[-1] for end in ("RUN_FINISHED", "RUN_ERROR") if came):
            came.append(str(socket.recv(PATIENCE_S)))
    return "\n".join(came)


def hub(scene: Scene, asked: str) -> str:
    async def hear() -> str:
        desktop = Desktop()
        desktop.thread = scene.thread()
        async with desktop.connected(scene, f"Bearer {scene.token}"):
            await desktop.say(asked, agentId="sulla")
            await desktop.until(lambda: len(desktop.said) >= 1)
            await desktop.rest()
        return json.dumps(desktop.frames)

    return asyncio.run(hear())


DIALECTS: Final[dict[str, Heard]] = {
    "OpenAI, whole": openai_whole,
    "OpenAI, streamed": openai_stream,
    "AG-UI": agui,
    "ABI, whole": abi_whole,
    "ABI, streamed": abi_stream,
    "Snippbot": snippbot,
    "MCP ask": mcp_ask,
    "REST, what is kept": rest_history,
    "REST, streamed": sse_turn,
    "WebSocket": websocket,
    "hub": hub,
}


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param(len(DIALECTS) * len(INVENTIONS), id="each kind once"),
        pytest.param(200, id="200", marks=pytest.mark.faults),
    ],
)
def test_no_made_up_fact_reaches_a_client_and_each_gets_what_the_knowledge_says(tmp_path: Path, messages: int) -> None:
    home = tmp_path / "home"
    (home / "knowledge").mkdir(parents=True)
    sections = "\n\n".join(f"## City n{number:03}\n\n{fact(number)}." for number in range(messages))
    (home / "knowledge" / "cities.md").write_text(f"# Cities\n\n{sections}\n", "utf-8")
    (home / "routes.yaml").write_text(ROUTES, "utf-8")
    cases = list(zip(range(messages), itertools.cycle(itertools.product(DIALECTS, INVENTIONS))))
    rules = [
        Rule(INVENTIONS[how](made_up(number), question(number)), text=question(number)) for number, (_, how) in cases
    ]
    with service(Script(rules)) as model:
        place = Place(home, **model.environ, **LIMITS)
        with place.up() as daemon, ThreadPoolExecutor(4) as pool:
            scene = Scene(daemon.url, (home / "token").read_text().strip())
            heard = list(pool.map(lambda case: DIALECTS[case[1][0]](scene, question(case[0])), cases))
        asked = model.asked
    told = list(zip(cases, heard, strict=True))
    leaked = [case for case, came in told if MARK in came.casefold()]
    unanswered = [case for case, came in told if fact(case[0]) not in came]
    said = f"made-up facts that reached a client: {len(leaked)} of {messages}, over {len(DIALECTS)} dialects"
    print(said)  # noqa: T201 - the figure is asked for
    assert leaked == []
    assert unanswered == []
    assert asked == messages  # each was made up for, and none asked again
