"""A question that is answered while it is found out where it stands loses its buttons all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.records import Answer
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """Somebody is asked."""

    async def tell_the_world(context: ToolContext) -> Result:
        """Tell the world."""
        return Done(ours("told"))

    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    tool = define(tell_the_world, effect="once", category="test", timeout_s=10.0)
    provider = ScriptedProvider([Say(calls=(ToolCall(CallId("c1"), tool.name, {}),)), "Done."])
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,)) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "do it", forwarded=True)
        await scene.until(lambda: scene.texts(1) and scene.settled, "a question")
        yield scene
    await wire.stop()


async def test_where_it_stands_becomes_known_while_the_answer_is_handed_on(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scene.line.held is not None
    place, questions, answer = scene.wire.place(1), scene.line.held.book.questions, scene.keeper.answer
    (known,) = questions.values()
    questions[known.id] = replace(known, ref="")  # as after a kill within the send

    async def answered(thread_id: ThreadId, said: Answer) -> None:
        await answer(thread_id, said)
        questions[known.id] = known  # the service has been asked

    monkeypatch.setattr(scene.keeper, "answer", answered)
    await scene.wire.press(place, scene.wire.person(1), known.ref, known.choices[0].token)
    await scene.until(lambda: "Done." in scene.texts(1) and scene.settled, "the answer")
    assert not any(one.buttons for one in scene.wire.seen(place))
