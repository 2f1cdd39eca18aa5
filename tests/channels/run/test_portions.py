"""A service that tells any number of things in one answer: they are taken in portions, and others work in between."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sulla.channels.base import Arrived
from sulla.channels.run.incoming import PORTION, Incoming
from sulla.channels.telegram import channel as telegram
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.kit import opened
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock

MANY = 1_000


class Talkative(TelegramWire):
    """Tells all at once, whatever it was asked for."""

    async def _get_updates(self, args: Mapping[str, Any]) -> web.Response:
        return await super()._get_updates({**args, "limit": 10 * MANY})


async def test_of_one_answer_of_telegrams_no_more_is_taken_than_was_asked_for(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, sizes = Talkative(clock), list[int]()
    read = telegram.TelegramChannel._read

    def noted(channel: telegram.TelegramChannel, updates: Mapping[int, Mapping[str, Any]]) -> object:
        sizes.append(len(updates))
        return read(channel, updates)

    monkeypatch.setattr(telegram.TelegramChannel, "_read", noted)
    await wire.start()
    try:
        async with opened(wire) as (_, reading):
            for number in range(MANY):
                await wire.say(wire.place(1), wire.person(1), f"word {number}")
            found = [await reading.next() for _ in range(MANY)]
    finally:
        await wire.stop()
    assert [one.text for one in found] == [f"word {number}" for number in range(MANY)]
    assert max(sizes) <= 100


async def test_a_batch_of_any_length_is_taken_in_portions(
    clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, taken, ticks = Talkative(clock), list[tuple[int, int]](), 0
    take = Incoming._take_portion

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    async def noted(incoming: Incoming, arrived: Sequence[Arrived], places: dict[str, None]) -> bool:
        taken.append((ticks, len(arrived)))
        return await take(incoming, arrived, places)

    monkeypatch.setattr(telegram, "_MOST_UPDATES", 10 * MANY)
    monkeypatch.setattr(Incoming, "_take_portion", noted)
    await wire.start()
    try:
        for number in range(MANY):  # before it is read: so it comes at once
            await wire.say(wire.place(number + 2), wire.person(number + 2), "hello")
        other = asyncio.create_task(tick())
        async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
            await scene.until(lambda: sum(size for _, size in taken) == MANY, "that all is taken")
        other.cancel()
    finally:
        await wire.stop()
    assert max(size for _, size in taken) == PORTION
    assert len({when for when, _ in taken}) == len(taken)
