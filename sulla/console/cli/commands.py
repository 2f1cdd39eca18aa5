"""`sulla console`: open the console in a browser, signed in."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.place import door, home_of


def arguments(command: argparse.ArgumentParser) -> None:
    """What it takes."""
    command.add_argument("--print", action="store_true", dest="shown", help="print the address, and open nothing")
    command.add_argument("--json", action="store_true", help="print JSON, and open nothing")


def run(given: argparse.Namespace) -> Exit:
    """Have the daemon make a ticket, and open the page with it; print the address where there is no browser."""
    import asyncio
    import json
    import webbrowser
    from typing import Any

    from sulla.console.place import HOW, is_built
    from sulla.terminal.client import open_client
    from sulla.terminal.output import tell
    from sulla.terminal.place import has_browser
    from sulla.terminal.program import program
    from sulla.terminal.times import second, zone_word

    where = door(home_of(given))

    async def ticket() -> dict[str, Any]:
        async with open_client(where) as client:
            return await client.call("token.ticket", use="console")

    made = asyncio.run(ticket())
    url = where.url + made["path"]
    if not is_built():
        tell(f"the console was not built: {HOW}")
    if given.json:
        print(json.dumps({"url": url, "expires_at": made["expires_at"]}))
        return Exit.OK
    if not given.shown and has_browser() and webbrowser.open(url):
        tell(f"opened the console at {where.url} in a browser; `{program()} console --print` prints an address instead")
        return Exit.OK
    tell(f"good once, until {second(made['expires_at'])[11:]} {zone_word()}; it is not shown again:")
    print(url)
    return Exit.OK
