"""`sulla audit`: which routes turns took."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home
from sulla.terminal.place import door, home_of
from sulla.terminal.table import Paper, one_line, paper


def arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of `sulla audit`."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    text = "list the turns that took a route, the newest first, or forget those before a day"
    one = below.add_parser("routes", help=text, description=f"{text[0].upper()}{text[1:]}.")
    add_home(one, below=True)
    one.add_argument("--since", metavar="DAY", type=_day, help="none that began before, such as 2027-01-15 (UTC)")
    one.add_argument("--limit", metavar="N", type=int, default=100, help="so many at the most; 100 unless said")
    one.add_argument("--purge-before", metavar="DAY", type=_day, help="forget those of all days before this one (UTC)")
    one.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    return asyncio.run(_audit(given))


async def _audit(given: argparse.Namespace) -> Exit:
    async with open_client(door(home_of(given))) as client:
        if given.purge_before is not None:
            gone = await client.call("route.purge", before_ms=given.purge_before)
            print(json.dumps(gone) if given.json else f"forgotten: {gone['rows']} turns")
            return Exit.OK
        found = await client.call("route.audit", since_ms=given.since or 0, limit=given.limit)
    if given.json:
        print(json.dumps(found))
        return Exit.OK
    for line in lines(found["rows"], paper()):
        print(line)
    return Exit.OK


def lines(rows: list[dict[str, Any]], paper: Paper) -> Iterator[str]:
    """What is printed of turns that took a route.

    Args:
        rows: as `route.audit` gives them.
        paper: what it is printed on.
    """
    if not rows:
        yield "no turn has taken a route"
    for row in rows:
        by = f" by {one_line(row['gate'])}" if row["gate"] else ""
        first = f", first {one_line(row['first_route'])}" if row["first_route"] else ""
        how = [row["mode"] or "no reply", *(["called in the model's place"] if row["made"] else [])]
        how += [f"style {one_line(row['style'])}"] if row.get("style") else []
        how += [f"fixed text: {one_line(row['fixed_why'])}"] if row["fixed_why"] else []
        whose = f"  {paper.faint(one_line(row['thread_id']))}" if row["thread_id"] else ""
        yield (
            f"{paper.faint(row['at'])}  {one_line(row['route'])} ({row['kind']}){by}{first}: {', '.join(how)}; "
            f"{one_line(row['outcome'])} after {row['took_ms']} ms{whose}"
        )


def _day(text: str) -> int:
    """A day's beginning, UTC milliseconds."""
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a day such as 2027-01-15") from None
    return round(day.timestamp() * 1000)
