"""What `sulla channel list` shows of how channels do."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from sulla.channels.cli import asked
from sulla.channels.machine.people import MOST_CODES
from sulla.terminal.exits import Exit
from sulla.terminal.place import Door
from sulla.terminal.times import minute


class Answering:
    """Plays a daemon whose channel is well, and was refused two messages for good."""

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        row = {"channel": "tg", "kind": "telegram", "account": "sulla_bot", "state": "well", "why": "", "waiting": 0}
        last = {"at": "2027-01-15T08:00:00.000Z", "place": "5001", "called": "Ann\n\x1b[2J", "why": "it is \u202egone"}
        plain = row | {"channel": "dc", "given_up": 0, "last_given_up": None}
        return {"channels": [row | {"given_up": 2, "last_given_up": last}, plain]}


@asynccontextmanager
async def answering(where: Door) -> AsyncIterator[Answering]:
    yield Answering()


async def test_the_list_shows_what_a_service_has_refused_for_good_and_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(asked, "open_client", answering)
    given = argparse.Namespace(below="list", json=False)
    assert await asked.ask(given, cast("Door", None)) is Exit.OK
    head, row, last, other = capsys.readouterr().out.splitlines()
    assert "GIVEN UP" in head
    assert row.split() == ["tg", "telegram", "sulla_bot", "0", "2", "well"]
    assert last == f"  given up last, {minute('2027-01-15T08:00:00.000Z')}, for Ann [2J (5001): it is gone"
    assert other.split() == ["dc", "telegram", "sulla_bot", "0", "0", "well"]


class Without(Answering):
    """Plays a daemon all of whose codes at one channel are given."""

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        code = {"code": "ABCD2345", "sender": "7", "called": "Eve", "until_at": "2027-01-15T08:00:00.000Z"}
        return {"codes": [code | {"channel": "slack"}, *([code | {"channel": "tg"}] * MOST_CODES)]}


async def test_it_says_where_no_codes_are_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @asynccontextmanager
    async def without(where: Door) -> AsyncIterator[Without]:
        yield Without()

    monkeypatch.setattr(asked, "open_client", without)
    given = argparse.Namespace(below="codes", json=False)
    assert await asked.ask(given, cast("Door", None)) is Exit.OK
    told = capsys.readouterr()
    lines = [line for line in (told.out + told.err).splitlines() if "all its codes are given" in line]
    assert [line.partition(":")[0] for line in lines] == ["tg"]
