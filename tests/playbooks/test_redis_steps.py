"""What a step of a playbook costs on Redis, in round trips."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.host.system import SystemClock, random_id
from sulla.store.redis.line import Command, RedisLine, Reply
from sulla.store.redis.store import RedisStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger, ledger_tools
from tests.doubles.play_world import PlayWorld
from tests.servers.stores.redis import RedisServer, redis_server

__all__ = ["redis_server"]

BAR = 10
"""Round trips of a durable step, whatever else the run needs divided among its steps."""


@pytest.fixture
async def store(redis_server: RedisServer) -> AsyncIterator[RedisStore]:
    store = RedisStore(redis_server.new_url(), SystemClock(), random_id)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def chain(steps: int) -> str:
    lines = (f"  - {{id: s{n}, tool: note_once, with: {{what: done {n}}}}}\n" for n in range(steps))
    return f"name: chain{steps}\nsteps:\n{''.join(lines)}"


async def test_a_durable_step_is_one_more_round_trip_and_a_chain_of_ten_is_far_below_ten_each(
    store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = EffectLedger(tmp_path / "effects")
    texts = {f"chain{steps}": chain(steps) for steps in (1, 10, 20)}
    world = PlayWorld(store, ScriptedProvider(), texts, tools=ledger_tools(ledger), clock=SystemClock())
    asked: list[Command] = []
    whole = RedisLine.ask

    async def counted(line: RedisLine, commands: list[Command]) -> list[Reply]:
        asked.append(commands[-1])
        return await whole(line, commands)

    monkeypatch.setattr(RedisLine, "ask", counted)
    trips: dict[int, tuple[int, int]] = {}
    for steps in (1, 10, 20):
        run = await world.play(f"chain{steps}")
        asked.clear()
        await world.turns.attend(run)
        # What is published nobody waits for.
        trips[steps] = (len(asked), sum(command[0] != "PUBLISH" for command in asked))
        assert (await world.now(run)).newest.outcome.status == "done"
    assert len(ledger.read()) == 31
    assert trips[10][0] / 10 <= BAR, "with what is published, and with what the run itself needs"
    assert trips[20][1] - trips[10][1] == 10, "of those that are waited for, one a step"
    assert trips[20][0] - trips[10][0] <= 2 * 10
    assert trips[1][1] <= BAR, "a run of one step, from the lease to the end"
