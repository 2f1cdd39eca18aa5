"""Reading what a model writes costs about what it is long, and others come to their turn meanwhile."""

from __future__ import annotations

import asyncio
from time import thread_time

import pytest

from sulla.agent.model import pictures
from sulla.agent.model.model import MOST_AT_ONCE
from sulla.agent.model.pictures import PictureFilter
from sulla.agent.model.wrappers import Stripper
from sulla.agent.model.written.calls import MAX_CALL
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from tests.channels.test_costs import LEAST_S, TIMES

SIZE = MAX_CALL + 1_000
"""What is looked for is held back up to there: a cost beyond it grows with the length or with its square."""
UNITS = ("<", "`<", 'bash(a=\\"', "bash(a='", '{"name":', '{"name":\\"', '[{"name":"bash",', "<a ")


def _read(text: str, size: int) -> None:
    stripper, shown = Stripper(("bash", "read_file")), PictureFilter()
    for at in range(0, len(text), size):
        shown.feed(stripper.feed(text[at : at + size]))
    shown.feed(stripper.finish()[0])
    shown.finish()


@pytest.mark.parametrize("size", [7, 4 * SIZE])
@pytest.mark.parametrize("unit", UNITS)
def test_what_a_model_writes_costs_what_it_is_long(unit: str, size: int) -> None:
    taken_s = []
    for many in (SIZE, 4 * SIZE):
        began = thread_time()
        _read((unit * many)[:many], size)
        taken_s.append(thread_time() - began)
    assert taken_s[1] < TIMES * taken_s[0] + 20 * LEAST_S


@pytest.mark.parametrize("mark", ["<", "!", "&#33", "&", "<a", "\uff1c"])
def test_a_mark_with_much_behind_it_that_nobody_sees_is_looked_at_once(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0

    class Counted:
        @staticmethod
        def search(text: str) -> object:
            nonlocal looked
            looked += len(text)
            return search(text)

    search = pictures._UNDECIDED.search
    monkeypatch.setattr(pictures, "_UNDECIDED", Counted)
    shown = PictureFilter()
    whole = mark + "\u200b" * 9_000 + "[img"
    said = [shown.feed(whole[at : at + 3]) for at in range(0, len(whole), 3)]
    assert "".join([*said, shown.finish()]).replace(" ", "") == whole
    assert looked < 4 * len(whole) + (1_000_000 if mark == "<a" else 0)  # of an element so much is looked at anew


async def test_others_come_to_their_turn_while_a_long_answer_is_read(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks, fed = 0, list[tuple[int, int]]()
    feed = Stripper.feed

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    def noted(stripper: Stripper, delta: str) -> str:
        fed.append((ticks, len(delta)))
        return feed(stripper, delta)

    monkeypatch.setattr(Stripper, "feed", noted)
    text = "<" * (5 * MOST_AT_ONCE) + "\n<AGENT_DONE>ok</AGENT_DONE>"
    world = World(store, ScriptedProvider((text,)))
    thread = await world.thread()
    other = asyncio.create_task(tick())
    await world.ask(thread, "hello")
    other.cancel()
    assert sum(size for _, size in fed) == len(text)
    assert max(size for _, size in fed) <= MOST_AT_ONCE
    assert len({when for when, _ in fed}) == len(fed) == 6
