"""What `sulla channel` asks of the daemon, and how it shows that."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from typing import Any

from sulla.channels.machine.people import MOST_CODES
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import Door
from sulla.terminal.program import hint
from sulla.terminal.table import Table, one_line, paper
from sulla.terminal.times import minute

_PLAIN = re.compile(r"[!-~]+")
_LISTS = ("channels", "people", "codes")
"""What an answer has of which each row is printed; `codes` of people is a number, and comes behind them."""


def _plainly(sender: str) -> str:
    """A service's id, such that two that differ look so: with a blank, or a letter that looks like another one, it is
    spelled."""
    return sender if _PLAIN.fullmatch(sender) is not None else ascii(sender)


async def ask(given: argparse.Namespace, where: Door) -> Exit:
    """Do what was chosen.

    Args:
        given: what was typed.
        where: the daemon.

    Raises:
        SullaError: the daemon refuses it, or does not answer.
    """
    params: dict[str, Any] = {}
    match given.below:
        case "test":
            method, params = "channel.test", {"channel": given.channel}
        case "pair":
            method, params = "channel.pair", {"code": given.code, "person": given.person}
            params |= {"scopes": [one.strip() for one in given.scopes.split(",")]} if given.scopes else {}
            params |= {"less": True} if given.less else {}
        case "codes":
            method = "channel.codes"
        case "refuse":
            method, params = "channel.refuse", {"code": given.code}
        case "forget":
            method, params = "channel.forget", {"person": given.person}
        case "people":
            method = "channel.people"
        case _:
            method = "channel.list"
    async with open_client(where) as client:
        found: dict[str, Any] = await client.call(method, **params)
    if given.json:
        for one in next((found[key] for key in _LISTS if key in found), [found]):
            print(json.dumps(one))
        return Exit.FAILED if found.get("why") else Exit.OK
    return _shown(method, found)


def _let_in(found: dict[str, Any]) -> str:
    """Who was let in, and what that person may."""
    may = f"{found['person']} is let in by {found['channel']}, and may {', '.join(found['scopes'])}"
    if len(found["channels"]) > 1:
        may += f" by each of {', '.join(found['channels'])}"
    changed = found["before"] and {*found["before"]} != {*found["scopes"]}
    return f"{may} (before: {', '.join(found['before'])})" if changed else may


def _shown(method: str, found: dict[str, Any]) -> Exit:
    rows: list[tuple[str, ...]]
    match method:
        case "channel.test" if found["why"]:
            tell(f"{found['channel']} does not work: {one_line(found['why'], 400)}")
            return Exit.FAILED
        case "channel.test":
            tell(f"{found['channel']} works, as {one_line(found['account'])}")
        case "channel.pair":
            tell(_let_in(found))
        case "channel.refuse":
            tell(f"nobody comes in by {one_line(found['code'])}")
        case "channel.codes":
            table = Table(("CODE", "CHANNEL", "SENDER", "CALLED", "UNTIL"), (10, 16, 24, 30, 20), paper())
            rows = [
                (one["code"], one["channel"], _plainly(one["sender"]), one["called"], minute(one["until_at"]))
                for one in found["codes"]
            ]
            _table(table, rows, "nobody waits to be let in")
            given = Counter(one["channel"] for one in found["codes"])
            for channel in (name for name, count in given.items() if count >= MOST_CODES):
                said = "all its codes are given: no further stranger is answered until one runs out, or is refused"
                tell(f"{one_line(channel)}: {said}")
        case "channel.forget":
            tell(f"{found['person']} may no longer write")
        case "channel.people":
            table = Table(("PERSON", "MAY", "BY"), (20, 30, 40), paper())
            rows = [
                (one["person"], ", ".join(one["scopes"]), ", ".join(each["channel"] for each in one["identities"]))
                for one in found["people"]
            ]
            _table(table, rows, "nobody may write by a channel: docs/channels.md says how somebody is let in")
        case _:
            _channels(found["channels"])
    return Exit.OK


def _table(table: Table, rows: list[tuple[str, ...]], none: str) -> None:
    if not rows:
        tell(none)
        return
    print(table.head())
    for row in rows:
        print(table.row(row))


def _channels(channels: list[dict[str, Any]]) -> None:
    """Each with its last message that was given up below it."""
    if not channels:
        tell(hint("no channels yet: `sulla channel add` sets one up; it begins with the daemon's next start"))
        return
    table = Table(("CHANNEL", "KIND", "ACCOUNT", "WAITING", "GIVEN UP", "STATE"), (16, 10, 24, 7, 8, 40), paper())
    print(table.head())
    for one in channels:
        counts = str(one["waiting"]), str(one["given_up"])
        state = f"{one['state']}: {one['why']}" if one["why"] else one["state"]
        print(table.row((one["channel"], one["kind"], one["account"], *counts, state)))
        if (last := one.get("last_given_up")) is not None:
            print(f"  given up last, {minute(last['at'])}, {_place(last)}: {one_line(last['why'])}")


def _place(last: dict[str, Any]) -> str:
    place = one_line(last["place"], 60)
    return f"for {one_line(last['called'], 60)} ({place})" if last["called"] else f"for {place}"
