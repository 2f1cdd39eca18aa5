"""A notice that would say at a place what is said there anyway is not said; every other one is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.channels.lines import Lines
from sulla.core.ids import RunId, ThreadId
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.threads.log.family import Birth
from sulla.threads.log.records import ThreadCreated


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """Two people have talked, each at his place."""
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        for number in (1, 2):
            await scene.pair(number, f"person{number}")
            await wire.say(wire.place(number), wire.person(number), "hello")
        await scene.until(lambda: scene.texts(1) and scene.texts(2) and scene.settled, "they are answered")
        yield scene
    await wire.stop()


def _held_at(scene: Scene, number: int) -> ThreadId:
    """The conversation that is held at somebody's place."""
    assert scene.line.held is not None
    return ThreadId(scene.line.held.book.talks[scene.wire.place(number).key].thread)


async def _sub_agent(scene: Scene, root: ThreadId, *, unattended: bool = False) -> ThreadId:
    """One that works for a conversation."""
    birth = Birth("sub_1", "spawn", root, RunId("run_1"), root, 1, unattended)
    return await scene.world.threads.create(ThreadCreated("sulla", birth=birth))


async def _told(scene: Scene, matter: str, number: int = 1) -> bool:
    """Whether a notice goes out at a place."""
    before = len(scene.texts(number))
    address = f"channel://chat/{scene.wire.place(number).id}"
    assert await Lines({"chat": scene.line}, scene.people).notify(address, "Sulla", matter, matter, matter) == ""
    await scene.pass_time(5)
    texts = scene.texts(number)
    assert len(texts) - before in (0, 1)
    assert len(texts) == before or matter in texts[-1]
    return len(texts) > before


async def test_what_the_conversation_there_asks_and_tells_is_not_said_twice(scene: Scene) -> None:
    thread = _held_at(scene, 1)
    assert not await _told(scene, f"wait:{thread}:approval:1")
    assert not await _told(scene, f"notice:{thread}")
    assert await _told(scene, f"notice:{_held_at(scene, 2)}")
    assert scene.texts(1)[0] == f"{ECHO}hello"


async def test_of_a_sub_agent_the_questions_are_asked_there_and_nothing_else_is_said_there(scene: Scene) -> None:
    child = await _sub_agent(scene, _held_at(scene, 1))
    assert not await _told(scene, f"wait:{child}:approval:1")
    assert await _told(scene, f"notice:{child}")


async def test_of_a_sub_agent_of_another_place_the_question_is_a_notice(scene: Scene) -> None:
    child = await _sub_agent(scene, _held_at(scene, 2))
    assert await _told(scene, f"wait:{child}:approval:1")
    assert not await _told(scene, f"wait:{child}:approval:2", 2)


@pytest.mark.parametrize("child", ["unattended", "gone"])
async def test_of_one_that_asks_nobody_there_the_question_is_a_notice(scene: Scene, child: str) -> None:
    if child == "unattended":
        child = await _sub_agent(scene, _held_at(scene, 1), unattended=True)
    assert await _told(scene, f"wait:{child}:approval:1")


async def test_a_notice_of_a_playbooks_question_says_where_that_is_asked(scene: Scene) -> None:
    assert scene.line.held is not None
    talks, key = scene.line.held.book.talks, scene.wire.place(1).key
    play, elsewhere = await scene.world.thread(), await scene.world.thread()
    talks[key] = replace(talks[key], plays=(play,))
    assert await _told(scene, f"wait:{play}:answer:1", 2)
    where = "It is asked at the channel chat (fake), in"
    assert scene.texts(2)[-1].endswith(f"{where} the private chat with person1.")
    talks[key] = replace(talks[key], place=replace(talks[key].place, kind="group", name="*Home*"))
    assert await _told(scene, f"wait:{play}:answer:2", 2)
    assert scene.texts(2)[-1].endswith(f"{where} the group *Home*.")
    assert await _told(scene, f"wait:{elsewhere}:answer:1", 2)
    assert "It is asked" not in scene.texts(2)[-1]
