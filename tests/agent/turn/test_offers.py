"""What a model is told of tools by a whole daemon, counted as it is before each request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from sulla.agent.turn.offers import tool_specs
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.memory.memory import Memory
from sulla.models.base import ToolSpec
from sulla.models.catalog import ModelName
from sulla.models.tokens.estimate import count_head, estimate_text
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.web.browse import ALL_TOKENS, FIRST_TOKENS

SEARCH = {"search": "brave", "brave_api_key": "key"}
DONE = "<AGENT_DONE>ok</AGENT_DONE>"


async def _run(args: FrozenJson, context: ToolContext) -> Result:
    return Done(ours("done"))


def from_servers() -> tuple[Tool, ...]:
    """Two hundred tools as MCP servers bring them along: wordy, and with pydantic's schemas."""
    verbs = ("list", "get", "create", "update", "delete", "search", "archive", "share", "export", "watch")
    nouns = ("issue", "calendar_event", "mail", "contact", "invoice", "page", "file", "message", "ticket", "pod")
    field: dict[str, Json] = {"type": "string", "title": "What", "description": "What it is about, in a few words."}
    schema: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"what": field, "limit": {"type": "integer", "title": "Limit", "default": 20}},
        "required": ["what"],
        "additionalProperties": False,
    }
    return tuple(
        Tool(
            f"mcp__{server}__{verb}_{noun}", f"{verb.title()} one {noun}. " + "It says more. " * 20, schema, _run,
            category=server,
        )
        for server in ("hub", "desk")
        for verb in verbs
        for noun in nouns
    )  # fmt: skip


@asynccontextmanager
async def daemon(
    home: Path, provider: ScriptedProvider, extra: tuple[Tool, ...] = (), *, searches: bool = True
) -> AsyncIterator[System]:
    numbers = count(1)
    place = Place(
        ManualClock(),
        lambda prefix: f"{prefix}_{next(numbers)}",
        "home:boot1",
        lambda: 0.5,
        wrap_provider=lambda _: provider,
        extra_tools=extra,
    )
    settings = load_settings({}, {("web", name): value for name, value in SEARCH.items() if searches}, home)
    system = build(settings, Choice(ModelName("anthropic", "claude-x"), "a test says so"), place)
    await system.store.open()
    index = system.host.needed(Memory).index
    await index.open()
    try:
        yield system
    finally:
        await index.close()
        await system.store.close()
        await system.models.close()


async def told(
    home: Path, *script: Say, extra: tuple[Tool, ...] = (), searches: bool = True
) -> list[tuple[ToolSpec, ...]]:
    """What the model is told of tools, at each of its calls."""
    provider = ScriptedProvider(script)
    async with daemon(home, provider, extra, searches=searches) as system:
        thread_id = await system.service.create_thread(None, "", None, None)
        await system.service.send(TurnSend(thread_id=thread_id, message_id="m1", text="Share the ticket."), "owner")
        await system.turns.attend(ThreadId(thread_id))
    assert len(provider.requests) == len(script)
    return [tuple(request.tools) for request in provider.requests]


def cost(tools: tuple[ToolSpec, ...]) -> int:
    return count_head((), tools, estimate_text)


async def test_two_hundred_tools_beside_all_that_a_home_has_cost_little_until_they_are_browsed(tmp_path: Path) -> None:
    extra = from_servers()
    browse = Say("", calls=(ToolCall(CallId("c"), "browse_tools", {"query": "share a ticket", "category": "desk"}),))
    first, second = await told(tmp_path, browse, Say(f"Shared. {DONE}"), extra=extra)
    assert cost(tool_specs(extra)) > 10 * FIRST_TOKENS
    assert cost(first) <= FIRST_TOKENS == 1_500
    names = [spec.name for spec in first]
    assert {"browse_tools", "read_file", "edit_file", "bash", "load_skill", "web_search", "recall"} <= set(names)
    assert second[: len(first)] == first
    assert "mcp__desk__share_ticket" in [spec.name for spec in second[len(first) :]]
    assert cost(second) <= ALL_TOKENS


async def test_all_that_a_home_has_by_itself_is_told_at_once_and_leaves_room_for_some_more(tmp_path: Path) -> None:
    (alone,) = await told(tmp_path, Say(f"No. {DONE}"))
    names = {spec.name for spec in alone}
    assert {"bash", "web_search", "recall", "read_project", "load_skill"} <= names
    assert "browse_tools" not in names
    assert cost(alone) <= ALL_TOKENS - 750


async def test_a_search_that_nobody_has_set_up_is_told_to_no_model_and_found_by_none(tmp_path: Path) -> None:
    for home in ("one", "two"):
        (tmp_path / home).mkdir()
    (alone,) = await told(tmp_path / "one", Say(f"No. {DONE}"), searches=False)
    names = {spec.name for spec in alone}
    assert "web_fetch" in names
    assert "web_search" not in names
    listed = Say("", calls=(ToolCall(CallId("c"), "list_tools_available", {"category": "web"}),))
    browse = Say("", calls=(ToolCall(CallId("d"), "browse_tools", {"category": "web"}),))
    called = Say("", calls=(ToolCall(CallId("e"), "web_search", {"query": "tea"}),))
    script = (listed, browse, called, Say(f"No. {DONE}"))
    *_, last = await told(tmp_path / "two", *script, extra=from_servers(), searches=False)
    assert "web_fetch" in {spec.name for spec in last}
    assert "web_search" not in {spec.name for spec in last}


def test_the_tools_that_every_agent_has_cost_as_little() -> None:
    assert cost(tool_specs(builtin_tools())) <= FIRST_TOKENS
