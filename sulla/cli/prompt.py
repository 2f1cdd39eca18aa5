"""`sulla prompt`."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from sulla.agent.turn.offers import tool_tokens
from sulla.cli.settings import settings_of
from sulla.cli.thread.pages import Pages, all_events
from sulla.core.dataclass import dataclass
from sulla.core.errors import Unavailable
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.daemon.doctor.prompt import Known, Prompt, prompt_of
from sulla.host.system import SystemClock
from sulla.mcp.settings import McpSettings
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.table import Paper, Table, harmless, one_line, paper


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    kinds = command.add_subparsers(dest="kind", metavar="KIND", required=True)
    show = kinds.add_parser("show", help="print what a model is told before and beside a conversation")
    add_home(show, below=True)
    show.add_argument(
        "--thread", metavar="ID", help="also what changes from turn to turn, as of this thread's last turn"
    )
    show.add_argument("--agent", metavar="ID", default="", help="of this agent (else the home's own)")
    show.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Print the prompt, piece by piece, in the order in which a model gets it."""
    home, settings = home_of(given), settings_of(given)
    talk, thread_id = _Talk(), ""
    if given.thread:
        with Pages(home) as pages:
            thread_id = pages.whole(given.thread)
            talk = _read(all_events(pages, thread_id, 0, None))
    known = asyncio.run(_ask(home, thread_id))
    if known is None and settings.section(McpSettings).servers:
        tell("no daemon runs, so the tools of MCP servers are not among these")
    prompt = prompt_of(settings, SystemClock(), given.agent, known, talk.calls)
    pieces = [*_stable(prompt), *talk.pieces.values()]
    if given.json:
        print(json.dumps([{"name": one.name, "stable": one.stable, "text": one.text, **one.more} for one in pieces]))
        return Exit.OK
    sheet = paper()
    for one in pieces:
        size = f", about {one.more['tokens']} tokens" if "tokens" in one.more else ""
        print(sheet.bold(f"[{one.name}: {'stable' if one.stable else 'changes from turn to turn'}{size}]"))
        for line in _tools(prompt, sheet) if one.name == "tools" else (harmless(one.text),):
            print(line)
        print()
    return Exit.OK


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    stable: bool
    text: str
    more: dict[str, Any]


@dataclass(slots=True)
class _Talk:
    """What a conversation adds."""

    pieces: dict[str, _Piece] = field(default_factory=dict)
    """What its log has of what changes from turn to turn."""
    calls: list[ToolCall] = field(default_factory=list)


def _stable(prompt: Prompt) -> Iterator[_Piece]:
    text = "\n".join(f"{tool.name}: {tool.description.splitlines()[0]}" for tool in prompt.tools)
    each = {tool.name: tool_tokens(tool) for tool in prompt.tools}
    more = {"tokens": prompt.tool_tokens, "tools": list(each), "tool_tokens": each, "others": list(prompt.others)}
    yield _Piece("tools", True, text, more)
    for section in prompt.sections:
        yield _Piece(section.name, section.stable, section.text, {"tokens": prompt.tokens(section)})


def _tools(prompt: Prompt, sheet: Paper) -> Iterator[str]:
    """The tools as a table: name, tokens, what it does."""
    table = Table(("TOOL", "TOKENS", "WHAT IT DOES"), (max([4, *(len(tool.name) for tool in prompt.tools)]), 6), sheet)
    yield table.head()
    for tool in prompt.tools:
        yield table.row((tool.name, tool_tokens(tool), tool.description.splitlines()[0]))
    if prompt.others:
        yield f"and {len(prompt.others)} more, which browse_tools finds:"
        yield from (f"  {one_line(name)}" for name in prompt.others)


async def _ask(home: Path, thread_id: str) -> Known | None:
    """What a running daemon knows, also of a conversation where one is named; None if none runs."""
    try:
        where = door(home)
    except Unavailable:
        return None
    async with open_client(where) as client:
        tools, agents = await asyncio.gather(client.call("tool.list"), client.call("agent.list"))
        thread = await client.call("thread.get", thread_id=thread_id) if thread_id else None
        return Known(tools["tools"], agents["agents"], thread)


def _read(events: Iterable[dict[str, Any]]) -> _Talk:
    """What the log has: the newest summary, what the last turn was told, and calls of tools."""
    talk = _Talk()
    for event in events:
        data = event["data"]
        match event["type"]:
            case "SUMMARY":
                talk.pieces["summary"] = _Piece("summary", False, data["text"], {"covers_seq": data["covers_seq"]})
            case "RUN_STARTED":
                for name in ("memory", "environment", "context"):
                    if text := data.get(name, ""):
                        talk.pieces[name] = _Piece(name, False, text, {"model": data.get("model", "")})
            case "TOOL_CALL_START":
                talk.calls.append(ToolCall(CallId(data["call_id"]), data["name"], data.get("args", {})))
    return talk
