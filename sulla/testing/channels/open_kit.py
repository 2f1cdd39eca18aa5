"""The conformance kit of channels, of its second part what people do while a question is open. It takes the fixtures of
`line_kit`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sulla.channels.base import Channel, Press
from sulla.channels.machine.admission import READ_ONLY
from sulla.channels.machine.asking import OLD
from sulla.channels.machine.replying import AT_WORK, KEPT
from sulla.channels.machine.values import Question
from sulla.channels.run.door import PATIENCE_S
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.base import Store
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.wire import Wire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
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

    async def test_a_reply_that_plainly_chooses_answers(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        for number, (said, calls) in enumerate((("Yes.", 1), ("refuse", 0), ("2", 0)), 1):
            made: list[str] = []
            scene = _asking(wire, clock, store, tmp_path, made, boot=2 * number - 1)
            await _replied(scene, said)
            assert (len(made), len(scene.keeper.said)) == (calls, 1), said

    async def test_who_may_answer_and_not_write_answers_by_a_reply(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        scene = _asking(wire, clock, store, tmp_path, made)
        async with scene:
            question = await asked(scene)
            await scene.pair(1, "ann", ("read", "approve"))
            await wire.say(wire.place(1), wire.person(1), "do something else", reply_to=question.ref)
            await scene.until(lambda: READ_ONLY in scene.texts(1), "that he may not write")
            await wire.say(wire.place(1), wire.person(1), "yes", reply_to=question.ref)
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            assert (len(made), len(scene.keeper.said)) == (1, 1)

    async def test_who_writes_while_a_question_waits_is_told_so(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        scene = _asking(wire, clock, store, tmp_path, made)
        place, ann = wire.place(1), wire.person(1)

        def told(words: str) -> int:
            return len([one for one in scene.texts(1) if words in one])

        async with scene:
            question = await asked(scene)
            for number in range(REPLIES):
                await wire.say(place, ann, f"something else, {number}")
            await scene.until(lambda: len(scene.keeper.said) == REPLIES + 1 and told(KEPT), "that they are kept")
            await wire.say(place, ann, "later, thanks", reply_to=question.ref)
            await scene.until(lambda: told(KEPT) == 2, "that this answers nothing")
            await wire.say(place, ann, "yes")
            await scene.until(lambda: told("This was not taken"), "that this is no answer")
            await scene.pass_time(10)
            assert (len(scene.keeper.said), made) == (REPLIES + 2, [])
            assert told(KEPT) == 2  # once for the wait, and once for the reply
            scene.keeper.full = True
            await wire.say(place, ann, "one too many")
            await scene.pass_time(2)
            began_s = clock.elapsed()
            await wire.say(place, ann, "yes", reply_to=question.ref)
            await scene.until(lambda: made, "the call")
            assert clock.elapsed() - began_s < PATIENCE_S / 2  # it waits behind nothing
            scene.keeper.full = False
            await scene.until(lambda: told("Good.") == REPLIES + 2, "what was kept gets its turn")

    async def test_who_writes_into_a_turn_that_goes_on_has_a_sign_of_it(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        gate = Gate()
        provider = ScriptedProvider([Say((gate, "Done.")), *("Good.",) * REPLIES])
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider)
        async with scene:
            await scene.pair(1, "ann")
            await wire.say(wire.place(1), wire.person(1), "do it")
            await scene.until(lambda: provider.requests, "it is at work")
            await scene.pass_time(6)
            for number in range(REPLIES):
                await wire.say(wire.place(1), wire.person(1), f"and then, {number}")
            await scene.until(lambda: len(scene.keeper.said) == REPLIES + 1, "all is kept")
            await scene.until(lambda: wire.typing or AT_WORK in scene.texts(1), "a sign")
            gate.open()
            await scene.until(lambda: scene.texts(1).count("Good.") == REPLIES, "the answers")
            assert scene.texts(1).count(AT_WORK) == (0 if wire.channel().manners.typing_s else 1)


def _asking(wire: Wire, clock: ManualClock, store: Store, tmp_path: Path, made: list[str], *, boot: int = 1) -> Scene:
    """A boot of a daemon whose agent makes a call about which a person is asked."""

    async def tell_the_world(context: ToolContext) -> Result:
        """Tell the world."""
        made.append(context.call_id)
        return Done(ours("told"))

    tool: Tool = define(tell_the_world, effect="once", category="test", timeout_s=10.0)
    begins = [] if boot % 2 == 0 else [Say(calls=(ToolCall(CallId("c1"), tool.name, {}),))]
    provider = ScriptedProvider([*begins, "Done.", *("Good.",) * (2 * REPLIES)])
    return Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,), boot=boot)


async def asked(scene: Scene) -> Question:
    """What a person is asked whose agent makes such a call; it stands there.

    Args:
        scene: as `_asking` made it.
    """
    await scene.pair(1, "ann")
    await scene.wire.say(scene.wire.place(1), scene.wire.person(1), "do it", forwarded=True)
    await scene.until(lambda: scene.line.held and scene.line.held.book.questions and scene.settled, "a question")
    assert scene.line.held is not None
    (question,) = scene.line.held.book.questions.values()
    assert question.ref == scene.wire.seen(scene.wire.place(1))[-1].ref
    return question


async def _replied(scene: Scene, said: str) -> None:
    """Somebody replies so to what he is asked; what comes of it is said."""
    async with scene:
        question = await asked(scene)
        await scene.wire.say(scene.wire.place(1), scene.wire.person(1), said, reply_to=question.ref)
        await scene.until(lambda: scene.texts(1)[-1] == "Done.", "the answer")
        await scene.until(lambda: scene.settled, "all is sent")


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

        channel.answer_press = told_too  # type: ignore[method-assign]  # it listens
        return channel

    scene.line.make = listening
    return told
