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


async def test_ids_that_look_alike_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Alike(Answering):
        async def call(self, method: str, **params: object) -> dict[str, Any]:
            code = {"code": "ABCD2345", "channel": "s", "called": "Eve", "until_at": "2027-01-15T08:00:00.000Z"}
            return {"codes": [code | {"sender": sender} for sender in ("U1001", " U1001", "U10\u041e1", "a@b.example")]}

    @asynccontextmanager
    async def alike(where: Door) -> AsyncIterator[Alike]:
        yield Alike()

    monkeypatch.setattr(asked, "open_client", alike)
    assert await asked.ask(argparse.Namespace(below="codes", json=False), cast("Door", None)) is Exit.OK
    told = capsys.readouterr().out
    assert all(one in told for one in ("' U1001'", "'U10\\u041e1'", "a@b.example")), told


async def test_who_is_let_in_is_told_with_what_is_changed_on_all_channels(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked_for: list[dict[str, object]] = []

    class Letting(Answering):
        """Plays a daemon that lets bob in by a second channel."""

        before: tuple[str, ...] = ("read", "write")
        channels: tuple[str, ...] = ("tg", "dc")

        async def call(self, method: str, **params: object) -> dict[str, Any]:
            asked_for.append(params)
            scopes = {"scopes": ["read"], "before": list(self.before), "channels": list(self.channels)}
            return {"person": "bob", "channel": "dc", **scopes}

    @asynccontextmanager
    async def letting(where: Door) -> AsyncIterator[Letting]:
        yield Letting()

    monkeypatch.setattr(asked, "open_client", letting)
    given = argparse.Namespace(below="pair", json=False, code="ABCD2345", person="bob", scopes="read", less=True)
    said = "bob is let in by dc, and may read"
    for before, channels, told in (
        (("read", "write"), ("tg", "dc"), f"{said} by each of tg, dc (before: read, write)"),
        (("read",), ("tg", "dc"), f"{said} by each of tg, dc"),
        ((), ("dc",), said),
    ):
        Letting.before, Letting.channels = before, channels
        assert await asked.ask(given, cast("Door", None)) is Exit.OK
        assert "".join(capsys.readouterr()).strip() == told
    assert asked_for[0] == {"code": "ABCD2345", "person": "bob", "scopes": ["read"], "less": True}
