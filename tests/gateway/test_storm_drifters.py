"""The clients of the storms, against a gateway whose log the test writes."""

from __future__ import annotations

from random import Random

from sulla.gateway.server.server import Server
from sulla.host.system import SystemClock
from sulla.terminal.place import Door
from tests.doubles.commands import MemoryCommands
from tests.gateway.storm import Drifter, Habits, mark, ride_out

THREADS = ("thr_1", "thr_2")
TURNS = 40


def _write(commands: MemoryCommands) -> dict[str, list[int]]:
    """Turns in every thread; the marks of what is kept."""
    logs: dict[str, list[int]] = {}
    for thread_id in THREADS:
        commands.make(thread_id)
        kept = [
            commands.add(thread_id, type_, f"run_{turn}")
            for turn in range(TURNS)
            for type_ in ("INPUT", "RUN_STARTED", "RUN_FINISHED")
        ]
        logs[thread_id] = [mark(event.seq or 0, event.type, event.data) for event in kept]
    return logs


def _drifters(server: Server, count: int) -> list[Drifter]:
    habits = Habits(THREADS, TURNS, frames=40, quiet_s=1.0)
    return [Drifter(lambda: Door(server.url, "owner"), habits, Random(seed), SystemClock()) for seed in range(count)]


async def test_they_come_back_until_they_have_everything(server: Server, commands: MemoryCommands) -> None:
    logs, drifters = _write(commands), _drifters(server, 6)
    await ride_out(drifters)
    assert [drifter.verdict(logs) for drifter in drifters] == [[]] * 6
    assert all(drifter.connections > 3 for drifter in drifters)


async def test_what_the_log_has_lost_is_noticed(server: Server, commands: MemoryCommands) -> None:
    logs, (drifter,) = _write(commands), _drifters(server, 1)
    commands.lose("thr_2", 40)
    await ride_out([drifter])
    found = "; ".join(drifter.verdict(logs))
    assert "events.gap came" in found
    assert "event 41 came in the place of 40" in found
    assert "thr_1" not in found


async def test_what_is_in_the_log_as_something_else_is_noticed(server: Server, commands: MemoryCommands) -> None:
    logs, (drifter,) = _write(commands), _drifters(server, 1)
    logs["thr_1"][7] += 1
    await ride_out([drifter])
    (found,) = drifter.verdict(logs)
    assert "event 8 is another one than the one that is kept (1 are)" in found
