"""What did not end well says whose it is, by the beginning of the message, and answers it where the service can."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.channels.base import Channel, Outcome, Place, Said
from sulla.channels.machine.quoting import about, begins, broken_off
from sulla.channels.machine.values import MOST_ASKED
from sulla.channels.run.whose import Whose, whose
from sulla.core.ids import RunId, ThreadId
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.threads.log.records import RunError

LONG = f"third {'and so on ' * 50}".strip()


class Spied:
    """Notes what each message of a channel's answers."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.answers: dict[str, str] = {}
        self._send = channel.send

    async def send(self, place: Place, said: Said) -> Outcome:
        """See `Channel.send`."""
        self.answers[said.text] = said.reply_to
        return await self._send(place, said)


async def test_of_several_that_wait_each_failure_names_its_own(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("", gate, "")), "", "Well.", "", "", "Good."])
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider) as scene:
        await scene.until(lambda: scene.line.held, "it is held")
        assert scene.line.held is not None
        spied = Spied(scene.line.held.channel)
        monkeypatch.setattr(scene.line.held.channel, "send", spied.send)
        await scene.pair(1, "ann")
        place, ann = wire.place(1), wire.person(1)
        sent = [await wire.say(place, ann, text) for text in ("*first* one", "second", LONG, "fourth")]
        await gate.reached()
        gate.open()
        await scene.until(lambda: len(scene.texts(1)) == 4, "an end of each")
        first, second, third, fourth = scene.texts(1)
        assert first.startswith("*first* one\n")
        assert "This did not work: the model's reply was empty" in first
        assert (second, fourth) == ("Well.", "Good.")
        assert third.startswith("third and so on and so on")
        assert "…" in third.splitlines()[0]
        failures = [answers for text, answers in spied.answers.items() if "did not work" in text]
        assert failures == [sent[0], sent[2]]
        assert [theirs for _, theirs in scene.line.held.book.talks[place.key].asked] == [sent[3]]  # no more than that
        thread = scene.keeper.said[0][0]
        errors = [one for one in await scene.world.log(thread) if isinstance(one.fact, RunError)]
        found = [await whose(scene.world.threads, thread, RunId(str(one.origin.run_id)), one.seq) for one in errors]
        assert [one.text for one in found] == ["*first* one", LONG]
        assert await whose(scene.world.threads, thread, RunId("run_none"), 10**6) == Whose()
        assert await whose(scene.world.threads, ThreadId("thr_none"), RunId("run_none"), 9) == Whose()


async def test_so_many_messages_of_a_place_are_remembered(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
        await scene.until(lambda: scene.line.held, "it is held")
        assert scene.line.held is not None
        place = wire.place(1)
        scene.line.held.talk(place)
        for number in range(2 * MOST_ASKED):
            for _ in range(2):
                scene.line.held.note_asked(place, f"msg_{number}", str(number))
        asked = scene.line.held.book.talks[place.key].asked
        assert [theirs for _, theirs in asked] == [str(number) for number in range(MOST_ASKED, 2 * MOST_ASKED)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello", "hello"),
        ("", ""),
        ("  two\n\nlines ", "two lines"),
        ("*x* [a](http://b) <b> `c`", r"\*x\* \[a\]\(http://b\) \<b\> \`c\`"),
        ("a" * 61, "a" * 59 + "…"),
    ],
)
def test_a_message_is_quoted_in_a_line_as_it_stands(text: str, line: str) -> None:
    assert begins(text) == line
    assert about("It failed.", begins(text)) == (f"> {line}\n\nIt failed." if line else "It failed.")
    assert line in broken_off(line)
    assert broken_off("") == "*(This answer was broken off.)*"
