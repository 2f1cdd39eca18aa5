"""What is wrong is told with its reason and its beginning, for as long as it is wrong."""

from __future__ import annotations

import asyncio

from sulla.core.redact import MARK, Redactor
from sulla.host.health import EVERY_S, Health, Trouble
from sulla.testing.clock import ManualClock


async def test_a_trouble_keeps_its_beginning_until_it_is_over(manual_clock: ManualClock) -> None:
    wrong = ""
    health = Health(manual_clock, Redactor(["a password"]))
    health.watch("log", lambda: wrong, blocks=False)
    assert list(health.troubles()) == []
    async with asyncio.TaskGroup() as group:
        running = group.create_task(health.run())
        wrong = "the disk is full"
        await manual_clock.advance(EVERY_S)
        began_ms = round(manual_clock.now() * 1000)
        await manual_clock.advance(60.0)
        assert list(health.troubles()) == [Trouble("log", "the disk is full", began_ms, blocks=False)]
        wrong = ""
        await manual_clock.advance(EVERY_S)
        wrong = "again"
        (again,) = health.troubles()
        assert again.since_ms > began_ms
        running.cancel()


def test_no_reason_shows_a_secret(manual_clock: ManualClock) -> None:
    health = Health(manual_clock, Redactor(["a password"]))
    health.watch("store", lambda: "no answer from me:a password@host", blocks=True)
    assert [trouble.why for trouble in health.troubles()] == [f"no answer from me:{MARK}@host"]


def test_what_blocks_is_told_first(manual_clock: ManualClock) -> None:
    health = Health(manual_clock, Redactor(["a password"]))
    for what, blocks in (("a", False), ("b", True), ("c", False)):
        health.watch(what, lambda: "wrong", blocks=blocks)
    assert [trouble.what for trouble in health.troubles()] == ["b", "a", "c"]
