"""Tools that a model's service runs itself, in a whole daemon over the wires of two services: passed on as the owner
wrote them, what they did goes back as it came, and whoever reads it is told that it is from outside.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest

from sulla.core.errors import SettingsError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.providers import native_tools
from sulla.daemon.settings.config import load_settings
from sulla.gateway.commands import Event
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.host.system import SystemClock
from sulla.models.catalog import ModelName
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Reply, Rule, Script, ToolUse

REAL = SystemClock()
SEARCH: JsonObject = {"type": "web_search_20250305", "name": "web_search", "max_uses": 2}
CALLED: JsonObject = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {"query": "weather Rome"},
}
FOUND: JsonObject = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [{"type": "web_search_result", "url": "https://x.org", "title": "Rain", "encrypted_content": "Eq=="}],
}
LOST: JsonObject = {**CALLED, "id": "srvtoolu_2"}
ITEM: JsonObject = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "weather Rome"},
}
RAIN = "Rain. ![x](https://x.org/?q=1) <AGENT_DONE>ok</AGENT_DONE>"
BYE = Rule(Reply("Bye. <AGENT_DONE>ok</AGENT_DONE>"))
ANTHROPIC = (
    f'[model]\nnative_tools = {{anthropic = [{{type = "{SEARCH["type"]}", name = "web_search", max_uses = 2}}]}}\n'
)
OPENAI = '[model]\nopenai_form = "responses"\nnative_tools = {openai = [{type = "web_search"}]}\n'


@asynccontextmanager
async def daemon(home: Path, service: str, url: str, toml: str) -> AsyncIterator[System]:
    """A daemon on a service, with these settings."""
    (home / "sulla.toml").write_text(toml)
    (home / "workspace").mkdir()
    numbers = count(1)
    place = Place(REAL, lambda prefix: f"{prefix}_{next(numbers)}", "home:boot", lambda: 0.5)
    name = service.upper()
    environ = {
        "SULLA_STORE": "memory:",
        "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
        f"{name}_API_KEY": "sk-0123456789",
        f"{name}_BASE_URL": url,
    }
    system = build(load_settings(environ, {}, home), Choice(ModelName(service, "m-1"), "a test says so"), place)
    await system.store.open()
    try:
        yield system
    finally:
        await system.models.close()
        await system.store.close()


async def ask(system: System, *texts: str) -> list[Event]:
    """Turns of one thread; its events."""
    thread_id = await system.service.create_thread(None, "", None, None)
    for number, text in enumerate(texts):
        await system.service.send(TurnSend(thread_id=thread_id, message_id=f"msg_{number}", text=text), "owner")
        await system.turns.attend(ThreadId(thread_id))
    return list(await system.service.history(thread_id, 0, None, 100))


def replies(events: list[Event]) -> list[tuple[Json, Json]]:
    """The replies, and whether each is from outside."""
    said = [event.data for event in events if event.type == "TEXT_MESSAGE_END"]
    return [(data["text"], data.get("tainted", False)) for data in said]


def tools_of(request: Any) -> list[Any]:
    """What a request offers under the name of a search."""
    return [one for one in request["tools"] if "web_search" in (one.get("name"), one.get("type"))]


async def test_anthropics_own_tool_is_passed_on_and_its_blocks_go_back_as_they_came(tmp_path: Path) -> None:
    rain = Rule(Reply(RAIN, native=(CALLED, FOUND, LOST)), text="weather")
    async with (
        FakeAnthropic(Script([rain, BYE]), REAL) as fake,
        daemon(tmp_path, "anthropic", fake.url, ANTHROPIC) as system,
    ):
        events = await ask(system, "What is the weather?", "Thanks.")
        first, second = (orjson.loads(orjson.dumps(seen.body)) for seen in fake.requests)
    assert [{name: one[name] for name in SEARCH} for one in tools_of(first)] == [SEARCH]
    assert second["messages"][1]["content"][:2] == [CALLED, FOUND]
    assert [block["type"] for block in second["messages"][1]["content"]] == [CALLED["type"], FOUND["type"], "text"]
    assert replies(events) == [("Rain. ! [x](https://x.org/?q=1)", True), ("Bye.", False)]


async def test_what_the_services_tool_found_makes_the_next_outward_call_a_question(tmp_path: Path) -> None:
    call = ToolUse("web_fetch", {"url": "https://y.org/?what=they-said"})
    rain = Rule(Reply("I look.", native=(CALLED, FOUND), tools=(call,)), text="weather", results=0)
    async with (
        FakeAnthropic(Script([rain, BYE]), REAL) as fake,
        daemon(tmp_path, "anthropic", fake.url, ANTHROPIC) as system,
    ):
        events = await ask(system, "What is the weather?")
    assert events[-1].type == "SUSPENDED"


async def test_an_agent_whose_list_leaves_it_out_is_not_given_it(tmp_path: Path) -> None:
    (tmp_path / "agents" / "sulla").mkdir(parents=True)
    (tmp_path / "agents" / "sulla" / "agent.toml").write_text('tools = ["read_file"]\n')
    async with (
        FakeAnthropic(Script([BYE]), REAL) as fake,
        daemon(tmp_path, "anthropic", fake.url, ANTHROPIC) as system,
    ):
        events = await ask(system, "What is the weather?")
        (request,) = (seen.body for seen in fake.requests)
    assert tools_of(request) == []
    assert replies(events) == [("Bye.", False)]


async def test_openais_own_tool_is_passed_on_and_its_items_go_back_as_they_came(tmp_path: Path) -> None:
    rain = Rule(Reply(RAIN, native=(ITEM,)), times=1)
    async with (
        FakeOpenAi(Script([rain, BYE]), REAL) as fake,
        daemon(tmp_path, "openai", fake.url, OPENAI) as system,
    ):
        events = await ask(system, "What is the weather?", "Thanks.")
        first, second = fake.requests
    assert tools_of(first) == [{"type": "web_search"}]
    assert ITEM in second["input"]  # type: ignore[operator]  # a list
    assert replies(events) == [("Rain. ! [x](https://x.org/?q=1)", True), ("Bye.", False)]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[model]\nnative_tools = {anthropic = [{name = "web_search"}]}\n', "expected a table with the tool's `type`"),
        ('[model]\nnative_tools = {ollama = [{type = "x"}]}\n', "native_tools"),
    ],
)
def test_a_slip_in_the_setting_is_told(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "sulla.toml").write_text(toml)
    with pytest.raises(SettingsError, match=said):
        load_settings({}, {}, tmp_path)


def test_openais_tools_need_the_form_that_says_what_they_did(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text('[model]\nnative_tools = {openai = [{type = "web_search"}]}\n')
    with pytest.raises(SettingsError, match='openai_form = "responses" alone'):
        load_settings({}, {}, tmp_path)
    form = {"SULLA_MODEL__OPENAI_FORM": "responses"}
    settings = load_settings(form, {}, tmp_path).model
    assert [tool.name for tool in native_tools(settings, "openai")] == ["web_search"]
    assert native_tools(settings, "anthropic") == ()
