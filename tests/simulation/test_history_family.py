"""The judge of histories knows what children and beats promise: told once, counted, and nothing left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.jsontypes import Json
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.codec import Entry
from tests.agent.subagents.test_children import DONE, FOUND, calls, home_of, spawn
from tests.heartbeat.test_node import DONE as BEAT_DONE
from tests.heartbeat.test_node import MORE, Heart
from tests.simulation.history import History, Kept, ThreadHistory, breaches

Log = tuple[Entry, ...]


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def history_of(world: World) -> History:
    """All that a world's threads left behind."""
    threads = []
    for info, state in await world.threads.list():
        assert state is not None
        kept = Kept(state.spending.usage, state.spending.day, state.spending.day_tokens)
        threads.append(ThreadHistory(info.key, tuple(await world.log(state.thread_id)), kept=kept))
    return History(tuple(threads))


async def family(store: MemoryStore) -> History:
    """A parent, two children in turn, and one that is told to end."""
    home = home_of(store, calls(spawn("a", "look")), FOUND, calls(spawn("b", "look", mode="spawn")), DONE)
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    await home.world.turns.attend(await home.child(thread))
    await home.world.work()
    return await history_of(home.world)


async def beats(store: MemoryStore, folder: Path) -> History:
    """Two beats, one of three cycles."""
    heart = Heart(store, folder, ScriptedProvider([MORE, MORE, BEAT_DONE]))
    await heart.open()
    await heart.beat()
    heart.project("tour")
    await heart.beat()
    return await history_of(heart.world)


async def test_what_children_and_beats_leave_behind_is_found_to_be_in_order(store: MemoryStore, tmp_path: Path) -> None:
    of_family = await family(store)
    kinds = {entry.kind for thread in of_family.threads for entry in thread.log}
    assert kinds >= {"CHILD_STARTED", "CHILD_REPORTED", "CHILD_CANCELLED"}
    assert breaches(of_family) == []
    of_beats = await beats(store, tmp_path)
    assert breaches(of_beats) == []


Change = Callable[[Log], Sequence[Entry]]


def without(kind: str) -> Change:
    return lambda log: numbered([entry for entry in log if entry.kind != kind])


def doubled(kind: str) -> Change:
    return lambda log: numbered([one for entry in log for one in [entry] * (1 + (entry.kind == kind))])


def with_data(kind: str, **data: Json) -> Change:
    return lambda log: [replace(e, data={**e.data, **data}) if e.kind == kind else e for e in log]


def numbered(log: Sequence[Entry]) -> list[Entry]:
    return [replace(entry, seq=seq) for seq, entry in enumerate(log, 1)]


DEFECTS: list[tuple[str, str, Change, str]] = [
    ("family", "CHILD_STARTED", without("CHILD_STARTED"), "told once"),
    ("family", "CHILD_STARTED", doubled("CHILD_STARTED"), "told once"),
    ("family", "CHILD_STARTED", with_data("CHILD_STARTED", run_id="another"), "told once"),
    ("family", "CHILD_CANCELLED", doubled("CHILD_CANCELLED"), "told once"),
    ("family", "CHILD_REPORTED", without("CHILD_REPORTED"), "told once"),
    ("family", "CHILD_REPORTED", doubled("CHILD_REPORTED"), "told once"),
    ("family", "ANSWER", with_data("ANSWER", report=None), "told once"),
    ("beats", "BEAT_STARTED", without("BEAT_STARTED"), "in cycles"),
    ("beats", "BEAT_STARTED", doubled("BEAT_STARTED"), "in cycles"),
    ("beats", "BEAT_SKIPPED", doubled("BEAT_SKIPPED"), "in cycles"),
    ("beats", "CYCLE_STARTED", without("CYCLE_STARTED"), "in cycles"),
    ("beats", "CYCLE_STARTED", doubled("CYCLE_STARTED"), "in cycles"),
    ("beats", "CYCLE_ENDED", without("CYCLE_ENDED"), "in cycles"),
    ("beats", "CYCLE_ENDED", doubled("CYCLE_ENDED"), "in cycles"),
    ("beats", "CYCLE_ENDED", with_data("CYCLE_ENDED", status="failed"), "in cycles"),
    ("beats", "CYCLE_ENDED", with_data("CYCLE_ENDED", tokens=1), "in cycles"),
    ("beats", "BEAT_ENDED", without("BEAT_ENDED"), "in cycles"),
    ("beats", "BEAT_ENDED", doubled("BEAT_ENDED"), "in cycles"),
    ("beats", "BEAT_ENDED", with_data("BEAT_ENDED", tokens=1), "in cycles"),
    ("beats", "BEAT_ENDED", with_data("BEAT_ENDED", cycles=1), "in cycles"),
]


@pytest.mark.parametrize(
    ("which", "kind", "change", "rule"), [pytest.param(*one, id=f"{at} {one[1]}") for at, one in enumerate(DEFECTS)]
)
async def test_a_defect_is_found_wherever_it_is_planted(
    store: MemoryStore, tmp_path: Path, which: str, kind: str, change: Change, rule: str
) -> None:
    history = await family(store) if which == "family" else await beats(store, tmp_path)
    there = [thread for thread in history.threads if any(entry.kind == kind for entry in thread.log)]
    assert there
    for thread in there:
        broken = breaches(History((ThreadHistory(thread.thread_id, tuple(change(thread.log))),)))
        assert rule in {breach.rule for breach in broken}, [str(breach) for breach in broken]


async def test_a_parent_that_was_told_something_else_than_its_child_came_to_is_found(store: MemoryStore) -> None:
    history = await family(store)
    lied = [
        replace(thread, kept=None, log=tuple(with_data("ANSWER", report={"status": "failed"})(thread.log)))
        for thread in history.threads
    ]
    assert "told once" in {breach.rule for breach in breaches(History(tuple(lied)))}
