"""`sulla token create`, `list` and `revoke`: by a daemon if one runs, else in its store, under the home's lock; and
`ticket`, by a daemon.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from sulla.access.principal import OWNER, TokenInfo
from sulla.cli.settings import settings_of
from sulla.core.stamp import stamp
from sulla.host.home import Home
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import Table, one_line, paper
from sulla.terminal.times import minute, second, zone_word

_WIDTHS = (16, 16, 16, 8)


def _create(given: argparse.Namespace) -> Exit:
    made = asyncio.run(_made(given))
    if given.json:
        print(json.dumps(made))
        return Exit.OK
    until = f", until {minute(made['expires_at'])} {zone_word()}" if made["expires_at"] else ""
    allowed = ", ".join(made["scopes"])
    tell(f"token {made['name']!r} ({allowed}{until}); it is not shown again:")
    print(made["token"])
    return Exit.OK


async def _made(given: argparse.Namespace) -> dict[str, Any]:
    scopes = list(dict.fromkeys(given.scope))
    if _has_daemon(given):
        return await _ask(given, "token.create", name=given.name, scopes=scopes, expires_s=given.expires)
    from sulla.daemon.access.token_admin import open_desk

    async with open_desk(settings_of(given), make=True) as desk:
        made = await desk.create(given.name, frozenset(scopes), given.expires)
    return {
        "name": made.name,
        "token": made.secret,
        "scopes": sorted(made.scopes),
        "expires_at": None if made.expires_ms is None else stamp(made.expires_ms),
    }


def _list(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_rows(given))
    heads = ("NAME", f"CREATED ({zone_word()})", f"EXPIRES ({zone_word()})", "BY", "SCOPES")
    table = Table(heads, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    for row in rows:
        if given.json:
            print(json.dumps(row))
            continue
        expires = "expired" if row["expired"] else _minute(row["expires_at"]) or "never"
        print(table.row((row["name"], _minute(row["created_at"]), expires, row["by"], " ".join(row["scopes"]))))
    return Exit.OK


async def _rows(given: argparse.Namespace) -> list[dict[str, Any]]:
    if _has_daemon(given):
        rows: list[dict[str, Any]] = (await _ask(given, "token.list"))["tokens"]
        return rows
    from sulla.daemon.access.token_admin import open_desk

    async with open_desk(settings_of(given), make=False, only_reads=True) as desk:
        return [_row(info) for info in await desk.list()]


def _row(info: TokenInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "scopes": sorted(info.scopes),
        "created_at": None if info.created_ms is None else stamp(info.created_ms),
        "expires_at": None if info.expires_ms is None else stamp(info.expires_ms),
        "expired": info.expired,
        "by": info.by,
    }


def _revoke(given: argparse.Namespace) -> Exit:
    revoked = asyncio.run(_revoked(given))
    if given.json:
        print(json.dumps({"name": given.name, "revoked": revoked}))
    elif given.name == OWNER:
        print(
            f"the owner's token is another one now: `{program()} token` prints it. "
            "The old one is good at no home on this store any more"
        )
    else:
        print(f"revoked {one_line(given.name)}" if revoked else f"{one_line(given.name)} was revoked before")
    return Exit.OK


async def _revoked(given: argparse.Namespace) -> bool:
    if _has_daemon(given):
        return bool((await _ask(given, "token.revoke", name=given.name))["revoked"])
    from sulla.daemon.access.token_admin import open_desk

    async with open_desk(settings_of(given), make=given.name == OWNER) as desk:
        return await desk.revoke(given.name)


def _ticket(given: argparse.Namespace) -> Exit:
    where = door(home_of(given))
    made = asyncio.run(_ask(given, "token.ticket"))
    url = where.url.replace("http", "ws", 1) + made["path"]
    if given.json:
        print(json.dumps({"url": url, "ticket": made["ticket"], "expires_at": made["expires_at"]}))
    else:
        tell(f"good once, until {second(made['expires_at'])[11:]} {zone_word()}; it is not shown again:")
        print(url)
    return Exit.OK


def _has_daemon(given: argparse.Namespace) -> bool:
    return Home(home_of(given)).whereabouts() is not None


async def _ask(given: argparse.Namespace, method: str, **params: object) -> dict[str, Any]:
    async with open_client(door(home_of(given))) as client:
        return await client.call(method, **params)


def _minute(at: str | None) -> str:
    return "" if at is None else minute(at)


CHANGES = {"create": _create, "list": _list, "revoke": _revoke, "ticket": _ticket}
"""What does each command."""
