"""Clients of ``/hub`` that lose their sockets again and again: every message is heard once, every answer told."""

from __future__ import annotations

from random import Random

import pytest
from websockets.exceptions import ConnectionClosed

from sulla.gateway.server.server import Server
from tests.gateway.conftest import Start
from tests.gateway.dialects.desktop import Desktop
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.peer import PATIENCE_S, until
from tests.kits.points import some

MESSAGES = 12


def answers(number: int) -> list[str]:
    return [f"first of {number}", f"second of {number}"]


def turn(run: Run) -> None:
    number = len(run.commands.runs)  # type: ignore[attr-defined]  # they are played
    for text in answers(number):
        run.say(text)
        run.call("look", "seen", f"call_{number}")
    run.finish()


async def chat(desktop: Desktop, chance: Random, words: list[str]) -> None:
    """Say what is left to say; the socket is lost somewhere on the way."""
    left = chance.randrange(1, 40)
    while words or desktop.pending or desktop.running:
        if not desktop.pending and not desktop.running:
            if not words:
                return
            await desktop.say(words.pop(0))
        if left == 0:
            await desktop.vanish()
            return
        left -= 1
        await desktop.hear()


@pytest.mark.parametrize("seed", some(range(12), 2, "storms of the hub"))
async def test_nothing_is_lost_and_nothing_is_heard_twice(server: Server, commands: Played, seed: int) -> None:
    chance, desktop = Random(seed), Desktop()
    desktop.thread = "thread_1"
    words = [f"message {number}" for number in range(MESSAGES)]
    expected = list(words)
    commands.turns = [turn] * MESSAGES
    while words or desktop.pending or desktop.running:
        async with desktop.connected(server):
            try:
                await chat(desktop, chance, words)
            except ConnectionClosed:
                continue
    assert commands.texts == expected
    assert len(commands.runs) == MESSAGES
    told = {one["id"]: one["data"]["content"] for one in desktop.frames if one["type"] == "assistant_message"}
    assert sorted(told.values()) == sorted(text for number in range(1, MESSAGES + 1) for text in answers(number))
    assert len(desktop.tools) == MESSAGES
    assert {card["status"] for card in desktop.tools.values()} == {"success"}


async def test_a_client_that_reads_nothing_is_closed_and_holds_up_nobody(start: Start, commands: Played) -> None:
    server = await start(queue_bytes=64 * 1024, stall_s=0.3, close_s=PATIENCE_S)
    stuck, other = Desktop(), Desktop("workbench")
    commands.turns = [says("Hello."), says("Hi.")]
    async with stuck.connected(server):
        await stuck.say("hello")
        await stuck.rest()
        (run,) = commands.runs
        stuck.stall()
        for _ in range(200):
            run.say("x" * 100_000)
        async with other.connected(server):
            await other.say("hello")
            await other.rest()
            assert other.said == ["Hi."]
        await until(lambda: commands.listeners(run.thread_id) == 0)
        stuck.go_on()
        assert (await stuck.closed())[0] == 1013
