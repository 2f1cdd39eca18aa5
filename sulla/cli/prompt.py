"""`sulla prompt`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sulla.cli.exits import Exit
from sulla.cli.options import add_home
from sulla.cli.place import home_of, settings_of
from sulla.cli.table import harmless, paper
from sulla.cli.thread_pages import Pages, all_events
from sulla.daemon import SystemClock
from sulla.daemon.agents import Prompt, prompt_of


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
    home = home_of(given)
    pieces = list(_stable(prompt_of(settings_of(given), SystemClock(), given.agent)))
    if given.thread:
        with Pages(home) as pages:
            pieces += _volatile(all_events(pages, given.thread, 0, None))
    if given.json:
        print(json.dumps([{"name": one.name, "stable": one.stable, "text": one.text, **one.more} for one in pieces]))
        return Exit.OK
    sheet = paper()
    for one in pieces:
        size = f", about {one.more['tokens']} tokens" if "tokens" in one.more else ""
        print(sheet.bold(f"[{one.name}: {'stable' if one.stable else 'changes from turn to turn'}{size}]"))
        print(harmless(one.text), end="\n\n")
    return Exit.OK


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    stable: bool
    text: str
    more: dict[str, Any]


def _stable(prompt: Prompt) -> Iterator[_Piece]:
    names = "\n".join(f"{tool.name}: {tool.description.splitlines()[0]}" for tool in prompt.tools)
    yield _Piece("tools", True, names, {"tokens": prompt.tool_tokens, "tools": [tool.name for tool in prompt.tools]})
    for section in prompt.sections:
        yield _Piece(section.name, section.stable, section.text, {"tokens": prompt.tokens(section)})


def _volatile(events: Iterator[dict[str, Any]]) -> list[_Piece]:
    """What the log has of it: the newest summary, and the context of the last turn."""
    found: dict[str, _Piece] = {}
    for event in events:
        data = event["data"]
        if event["type"] == "SUMMARY":
            found["summary"] = _Piece("summary", False, data["text"], {"covers_seq": data["covers_seq"]})
        elif event["type"] == "RUN_STARTED":
            found["context"] = _Piece("context", False, data.get("context", ""), {"model": data.get("model", "")})
    return [found[name] for name in ("summary", "context") if name in found]
