"""The conformance kit of channels, of its second part what people do while a question is open. It takes the fixtures of
`line_kit`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sulla.channels.base import Channel, Press
from sulla.channels.machine.asking import OLD
from sulla.channels.machine.values import Question
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.base import Store
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.wire import Wire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define

REPLIES: Final = 3
"""So many replies to one question."""


class OpenKit:
    """What people say and do while a question is open, and how it is answered all the same."""

    async def test_a_question_can_be_answered_whatever_is_said_before(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        scene = _asking(wire, clock, store, tmp_path, made)
        place, ann = wire.place(1), wire.person(1)
        async with scene:
            question = await asked(scene)
            for number in range(REPLIES):
                await wire.say(place, ann, f"I think about it, {number}", reply_to=question.ref)
            other = await wire.say(place, ann, "and something else")
            await scene.until(lambda: len(scene.keeper.said) == REPLIES + 2, "all is kept")
            await wire.edit(place, ann, other, "and something else, changed")
            await wire.repeat()
            await scene.pass_time(10)
        again = _asking(wire, clock, store, tmp_path, made, boot=2)
        told = _told(again)
        async with again:
            await again.until(lambda: again.settled, "it goes on")
            assert not made
            await _choose(wire, question, 0)
            await again.until(lambda: made, "the call")
            await again.until(lambda: "Done." in again.texts(1), "the answer")
            await _choose(wire, question, 1)
            await again.pass_time(30)
            assert len(made) == 1
            assert not any(one.buttons for one in wire.seen(place))
            assert told in ([], ["Allow.", OLD])


def _asking(wire: Wire, clock: ManualClock, store: Store, tmp_path: Path, made: list[str], *, boot: int = 1) -> Scene:
    """A boot of a daemon whose agent makes a call about which a person is asked."""

    async def tell_the_world(context: ToolContext) -> Result:
        """Tell the world."""
        made.append(context.call_id)
        return Done(ours("told"))

    tool: Tool = define(tell_the_world, effect="once", category="test", timeout_s=10.0)
    begins = [] if boot > 1 else [Say(calls=(ToolCall(CallId("c1"), tool.name, {}),))]
    provider = ScriptedProvider([*begins, "Done.", *("Good.",) * (2 * REPLIES)])
    return Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,), boot=boot)


async def asked(scene: Scene) -> Question:
    """What a person is asked whose agent makes such a call; it stands there.

    Args:
        scene: as `_asking` made it.
    """
    await scene.pair(1, "ann")
    await scene.wire.say(scene.wire.place(1), scene.wire.person(1), "do it", forwarded=True)
    await scene.until(lambda: scene.texts(1) and scene.settled, "a question")
    assert scene.line.held is not None
    (question,) = scene.line.held.book.questions.values()
    assert question.ref == scene.wire.seen(scene.wire.place(1))[-1].ref
    return question


async def _choose(wire: Wire, question: Question, number: int) -> None:
    """Somebody presses a button, or says what is said where there are none."""
    place, ann, token = wire.place(1), wire.person(1), question.choices[number].token
    if wire.channel().manners.most_buttons:
        await wire.press(place, ann, question.ref, token)
    else:
        await wire.say(place, ann, f"/pick {token}")


def _told(scene: Scene) -> list[str]:
    """What whoever presses is told, from now on."""
    told, make = list[str](), scene.line.make

    def listening() -> Channel:
        channel = make()
        answer = channel.answer_press

        async def told_too(press: Press, text: str) -> None:
            told.append(text)
            await answer(press, text)

        channel.answer_press = told_too  # type: ignore[method-assign]
        return channel

    scene.line.make = listening
    return told
