"""What `sulla pause` and `sulla resume` do: by a daemon if one runs, else in its store, under the home's lock."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from sulla.cli.settings import settings_of
from sulla.host.home import Home
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line
from sulla.terminal.times import minute

State = dict[str, Any]


def pause(given: argparse.Namespace) -> Exit:
    """Have all work stand still, and say since when it does."""
    state = asyncio.run(_pause(given))
    if given.json:
        print(json.dumps(state))
        return Exit.OK
    why = f": {one_line(state['reason'], 200)}" if state["reason"] else ""
    print(f"paused by {one_line(state['by'])} since {minute(state['since'])}{why}")
    print(f"messages are still taken; `{program()} resume` has work go on where it was")
    return Exit.OK


def resume(given: argparse.Namespace) -> Exit:
    """Have work go on."""
    state = asyncio.run(_resume(given))
    print(json.dumps(state) if given.json else "work goes on")
    return Exit.OK


async def _pause(given: argparse.Namespace) -> State:
    if _has_daemon(given):
        return await _ask(given, "system.pause", reason=given.reason)
    from sulla.daemon.access.switch_admin import open_switch

    async with open_switch(settings_of(given)) as desk:
        return {"paused": True, **(await desk.pause(given.reason)).shown()}


async def _resume(given: argparse.Namespace) -> State:
    if _has_daemon(given):
        return await _ask(given, "system.resume")
    from sulla.daemon.access.switch_admin import open_switch

    async with open_switch(settings_of(given)) as desk:
        await desk.resume()
    return {"paused": False, "since": None, "by": "", "reason": ""}


def _has_daemon(given: argparse.Namespace) -> bool:
    return Home(home_of(given)).whereabouts() is not None


async def _ask(given: argparse.Namespace, method: str, **params: object) -> State:
    async with open_client(door(home_of(given))) as client:
        return await client.call(method, **params)
