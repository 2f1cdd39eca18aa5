"""The conformance kit of channels, of its second part what people are asked. It takes the fixtures of `line_kit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from sulla.channels.machine.asking import HOW, OVER, TAKEN, WORDS, question_of
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.base import Store
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.wire import Seen, Wire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.waits import Wait
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.define import define

ASKED: Final = "Reply to this message"
"""What stands in a question where there are no buttons."""


class AskingKit:
    """What people are asked by a channel, and how they answer there."""

    async def test_a_question_is_asked_once_and_answered_once(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        tool = _reaching(made)
        call = ToolCall(CallId("c1"), tool.name, {})
        provider = ScriptedProvider([Say(calls=(call,)), "Done.", "Good."])
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,))
        place, ann, eve = wire.place(1), wire.person(1), wire.person(2)
        async with scene:
            await scene.pair(1, "ann")
            await wire.say(place, ann, "do it", forwarded=True)
            await scene.until(lambda: scene.texts(1), "a question")
            assert scene.line.held is not None
            question = next(iter(scene.line.held.book.questions.values()))
            token = question.choices[0].token
            if wire.channel().manners.most_buttons:
                asked = wire.seen(place)[0]
                assert token in asked.buttons.values()
                await wire.press(place, eve, asked.ref, token)
                await wire.press(place, ann, asked.ref, "forged")
                await wire.press(wire.place(2), ann, asked.ref, token)
                await scene.pass_time(10)
                assert not made
                await wire.press(place, ann, asked.ref, token)
                await wire.press(place, ann, asked.ref, question.choices[1].token)
            else:
                await wire.say(wire.place(2), eve, f"/pick {token}")
                await wire.say(place, ann, "/pick forged")
                await wire.say(place, ann, f"/pick {token}")
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            await scene.pass_time(30)
            assert len(made) == 1
            assert not any(one.buttons for one in wire.seen(place))

    async def test_where_there_are_no_buttons_a_reply_chooses(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        if wire.channel().manners.most_buttons:
            return
        made: list[str] = []
        tool = _reaching(made)
        calls = [Say(calls=(ToolCall(CallId(f"c{number}"), tool.name, {}),)) for number in (1, 2)]
        provider = ScriptedProvider([*calls, "Done.", "Good.", "Well."])
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,))
        place, ann = wire.place(1), wire.person(1)
        async with scene:
            await scene.pair(1, "ann")
            await wire.say(place, ann, "do it twice", forwarded=True)
            await scene.until(lambda: scene.texts(1), "a question")
            await wire.say(wire.place(2), wire.person(2), "1", reply_to=wire.seen(place)[0].ref)
            await wire.say(place, ann, "1, I think", reply_to=wire.seen(place)[0].ref)
            await scene.until(lambda: len(scene.keeper.said) == 2, "it is a message as any")
            assert not made
            await wire.say(place, ann, "1", reply_to=wire.seen(place)[0].ref)
            await scene.until(lambda: len(_asked(scene)) == 2, "another question")
            assert len(made) == 1
            again = next(one for one in reversed(wire.seen(place)) if ASKED in one.text)
            await wire.say(place, ann, "refuse", reply_to=again.ref)
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            await scene.pass_time(30)
            assert len(made) == 1
            assert [one for one in scene.texts(1) if one in ("Allow.", "Refuse.")] == ["Allow.", "Refuse."]
            assert scene.line.held is not None
            assert not scene.line.held.book.items
            if not wire.channel().manners.edits:
                assert len(_asked(scene)) == 2  # they stand as they were asked

    async def test_words_answer_a_question_that_wants_some_and_nothing_else_does(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        provider, place, ann = _wanderer(), wire.place(1), wire.person(1)
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(_wondering(),))
        async with scene:
            asked = await _asked_for_words(scene)
            assert HOW in asked.text
            await wire.say(place, ann, "", reply_to=asked.ref, files=[("a map", b"Rome", "file")])
            await scene.until(lambda: WORDS in scene.texts(1), "why that is no answer")
            await wire.say(place, ann, "Rome", reply_to=asked.ref)
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            assert "Rome" in str(provider.requests[1].messages[-1])

    async def test_who_may_not_answer_reads_who_may(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        tool = _reaching(made)
        provider = ScriptedProvider([Say(calls=(ToolCall(CallId("c1"), tool.name, {}),)), "Done."])
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,))
        place, bob = wire.place(1), wire.person(1)
        async with scene:
            await scene.pair(1, "bob", ("read", "write"))
            await scene.pair(2, "ann")
            await wire.say(place, bob, "do it", forwarded=True)
            await scene.until(lambda: scene.texts(1), "a question")
            (asked,) = wire.seen(place)
            assert "Nobody here may answer this. ann may" in asked.text
            assert (asked.buttons, "/pick" in asked.text) == ({}, False)
            await wire.say(place, bob, "please do", reply_to=asked.ref)
            told = "waits for somebody who may answer it (ann)"
            await scene.until(lambda: told in scene.texts(1)[-1], "that others answer it")
            await scene.pass_time(10)
            assert len([one for one in scene.texts(1) if told in one]) == 1
            assert [one.text for _, one, _ in scene.keeper.said[1:]] == ["please do"]
            assert not made

    async def test_what_somebody_else_has_chosen_is_told_back_to_the_letter(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        choice = "Send it[](/not) *now*"
        provider, place, ann = _wanderer(), wire.place(1), wire.person(1)
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(_wondering(),))
        async with scene:
            asked = await _asked_for_words(scene)
            assert scene.line.held is not None
            questions = scene.line.held.book.questions
            (known,) = questions.values()
            wait = Wait(known.wait_id, CallId("c1"), "Where to?", choices=(choice, "Wait"))  # as of a playbook
            chosen = question_of(wait, known.place, known.thread, "secret", 0)
            questions[known.id] = question = replace(chosen, id=known.id, ref=known.ref)
            await wire.say(place, ann, f"/pick {question.choices[0].token}")
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            await wire.say(place, ann, "Wait", reply_to=asked.ref)
            await scene.until(lambda: any(OVER in one for one in scene.texts(1)), "that it is over")
            for words, exact in ((TAKEN, choice), (OVER, f"{choice}: ann")):
                assert [one.exact for one in wire.seen(place) if words in one.text] == [(exact,)]
            assert choice in str(provider.requests[1].messages[-1])

    async def test_a_reply_to_a_question_that_is_over_is_told_so_and_is_no_message(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        provider, place, ann = _wanderer(), wire.place(1), wire.person(1)
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(_wondering(),))
        async with scene:
            asked = await _asked_for_words(scene)
            await wire.say(place, ann, "Rome", reply_to=asked.ref)
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
        async with Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, boot=2) as later:
            await wire.say(place, ann, "Paris", reply_to=asked.ref)
            await later.until(lambda: any(OVER in one for one in later.texts(1)), "that it is over")
            await later.pair(1, "ann", ("read", "write"))
            await wire.say(place, ann, "Oslo", reply_to=asked.ref)
            told = "that it is over, also to who could not have answered it"
            await later.until(lambda: sum(OVER in one for one in later.texts(1)) == 2, told)
            await later.pass_time(10)
            assert later.keeper.said == []
            await wire.say(place, ann, "thank you")
            await later.until(lambda: "Good." in later.texts(1), "what is no reply to it is said")


def _asked(scene: Scene) -> list[str]:
    return [one for one in scene.texts(1) if ASKED in one]


def _wanderer() -> ScriptedProvider:
    """A model that has `_wondering` called."""
    return ScriptedProvider([Say(calls=(ToolCall(CallId("c1"), _wondering().name, {}),)), "Done.", "Good."])


async def _asked_for_words(scene: Scene) -> Seen:
    """The question that somebody is asked who says something to such a model."""
    await scene.pair(1, "ann")
    await scene.wire.say(scene.wire.place(1), scene.wire.person(1), "do it")
    await scene.until(lambda: scene.texts(1), "a question")
    (asked,) = scene.wire.seen(scene.wire.place(1))
    return asked


def _wondering() -> Tool:
    """A tool that asks a person for words."""

    async def ask_where(context: ToolContext) -> Result:
        """Ask where to."""
        return Waiting(f"answer:{context.run_id}:{context.call_id}:1", "Where to?")

    return define(ask_where, effect="pure", category="test", timeout_s=10.0)


def _reaching(made: list[str]) -> Tool:
    """A tool that a person is asked about in a conversation that holds words from outside."""

    async def tell_the_world(context: ToolContext) -> Result:
        """Tell the world."""
        made.append(context.call_id)
        return Done(ours("told"))

    return define(tell_the_world, effect="once", category="test", timeout_s=10.0)
