"""What goes over a channel beside talk: files of an agent's, notices, and what a voice note says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from sulla.channels.base import Place
from sulla.channels.lines import Lines
from sulla.channels.run.recognizer import Recognizer
from sulla.channels.tools import channel_tools
from sulla.core.errors import Conflict, NotFound, Unavailable
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider


def _scene(wire: TelegramWire, clock: ManualClock, folder: Path, provider: ScriptedProvider) -> Scene:
    tools = channel_tools(lambda *given: Lines({"chat": scene.line}, scene.people).send_file(*given))
    scene = Scene(wire, folder, store=MemoryStore(clock, random_id), clock=clock, provider=provider, tools=tools)
    return scene


async def test_an_agent_sends_a_file_once(wire: TelegramWire, clock: ManualClock, tmp_path: Path) -> None:
    call = ToolCall(CallId("c1"), "send_file", {"path": "report.txt", "caption": "The report."})
    escape = ToolCall(CallId("c2"), "send_file", {"path": "../secret.txt"})
    provider = ScriptedProvider([Say(calls=(call,)), Say(calls=(escape,)), "There it is."])
    (tmp_path / "report.txt").write_text("all is well")
    (tmp_path.parent / "secret.txt").write_text("secret")
    async with _scene(wire, clock, tmp_path, provider) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "send me the report")
        await scene.until(lambda: "There it is." in scene.texts(1), "the answer")
        files = [one.file for one in wire.seen(wire.place(1)) if one.file is not None]
        assert files == [b"all is well"]
        thread = scene.keeper.said[0][0]
        lines = Lines({"chat": scene.line}, scene.people)
        for _ in range(2):
            assert await lines.send_file(thread, "report.txt", "", "again", 11) == ""
        await scene.until(lambda: len(wire.seen(wire.place(1))) == 3, "one more")
        await scene.pass_time(20)
        assert len(wire.seen(wire.place(1))) == 3
        assert "may be sent here" in await lines.send_file(thread, "report.txt", "", "large", 10**9)
        assert "held on no channel" in await lines.send_file(await scene.world.thread(), "report.txt", "", "k", 11)


async def test_what_stands_below_a_file_is_formed_as_all_words_are(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    (tmp_path / "report.txt").write_text("all is well")
    async with _scene(wire, clock, tmp_path, ScriptedProvider(["Well."])) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        wire.lose(1)
        thread = scene.keeper.said[0][0]
        assert await scene.line.send_file(thread, "report.txt", "The **report**.", "k1", 11) == ""
        await scene.until(lambda: len(scene.texts(1)) == 3, "it is sent, and once more")
        assert scene.texts(1)[1:] == ["The report.", "(This may have been sent before.)\n\nThe report."]


async def test_whoever_is_forgotten_has_no_buttons_any_more(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    call = ToolCall(CallId("c1"), "send_file", {"path": "report.txt"})
    (tmp_path / "report.txt").write_text("all is well")
    async with _scene(wire, clock, tmp_path, ScriptedProvider([Say(calls=(call,))])) as scene:
        await scene.pair(1, "bob")
        await scene.pair(2, "ann")
        await wire.say(wire.place(1), wire.person(1), "send it", forwarded=True)
        await scene.until(lambda: scene.texts(1), "a question")
        (asked,) = wire.seen(wire.place(1))
        assert asked.buttons
        lines = Lines({"chat": scene.line}, scene.people)
        await lines.forget_person("bob")
        await scene.until(lambda: not wire.seen(wire.place(1))[0].buttons, "its buttons are gone")
        assert scene.texts(1)[0].endswith(
            "Nobody here may answer this. ann may, and whoever uses sulla approvals or the console may."
        )
        await wire.press(wire.place(1), wire.person(1), asked.ref, next(iter(asked.buttons.values())))
        await scene.pass_time(20)
        assert len(wire.seen(wire.place(1))) == 1
        assert scene.line.held is not None
        (question,) = scene.line.held.book.questions.values()  # it is asked by others
        assert question.choices == ()


async def test_a_notice_goes_out_once_under_its_key(wire: TelegramWire, clock: ManualClock, tmp_path: Path) -> None:
    async with _scene(wire, clock, tmp_path, ScriptedProvider(["Well."])) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        lines, where = Lines({"chat": scene.line}, scene.people), f"channel://chat/{wire.place(1).id}"
        for _ in range(2):
            assert await lines.notify(where, "Sulla: a notice", "The tea is ready.", "k1", "") == ""
        await scene.until(lambda: len(scene.texts(1)) == 2, "the notice")
        await scene.pass_time(20)
        assert scene.texts(1)[1:] == ["Sulla: a notice\n\nThe tea is ready."]
        for address, why in (
            ("channel://chat/77", "nobody has written to the channel 'chat' at '77' yet"),
            ("channel://chat", "nobody has written to the channel 'chat' at '' yet"),
            ("channel://other/77", "there is no channel 'other'; there are: chat"),
        ):
            assert lines.notice_fault(address) == await lines.notify(address, "t", "x", "k2", "") == why
        held, scene.line.held = scene.line.held, None
        assert lines.notice_fault("channel://chat/77") == ""  # nobody knows who has written there
        scene.line.held = held
        assert lines.notice_fault(where) == ""


async def test_what_a_conversation_says_at_its_place_is_no_notice_there(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    async with _scene(wire, clock, tmp_path, ScriptedProvider(["Well.", "Good."])) as scene:
        await scene.pair(1, "ann")
        await scene.pair(2, "bob")
        for number in (1, 2):
            await wire.say(wire.place(number), wire.person(number), "hello")
            await scene.until(lambda: scene.texts(number), "an answer")  # noqa: B023 - at once
        lines, thread = Lines({"chat": scene.line}, scene.people), scene.keeper.said[0][0]
        here, there = (f"channel://chat/{wire.place(number).id}" for number in (1, 2))
        matters = (f"wait:{thread}:approval:x", f"notice:{thread}", f"failed:{thread}")
        for matter in matters:
            assert await lines.notify(here, "Sulla: somebody is asked", "May I?", f"here {matter}", matter) == ""
            assert await lines.notify(there, "Sulla: somebody is asked", "May I?", f"there {matter}", matter) == ""
        other = await scene.world.thread()
        for matter in (f"wait:{other}:approval:x", "broken:chat", ""):
            assert await lines.notify(here, "Sulla: news", "of others", f"here {matter}", matter) == ""
        await scene.until(lambda: len(scene.texts(1)) + len(scene.texts(2)) == 8, "the notices")
        await scene.pass_time(20)
        # What is asked stands to the letter above what the daemon says of it.
        assert scene.texts(1)[1:] == ["of others\nSulla: news", *["Sulla: news\n\nof others"] * 2]
        asked = "Sulla: somebody is asked"
        where = "It is asked at the channel chat (fake), in the private chat with ann."
        assert scene.texts(2)[1:] == [f"May I?\n{asked}\n\n{where}", *[f"{asked}\n\nMay I?"] * 2]
        lines = Lines({"chat": scene.line}, scene.people)
        held, scene.line.held = scene.line.held, None
        why = await lines.notify(here, "Sulla: somebody is asked", "May I?", "k", matters[0])
        assert why == "this daemon does not have the channel 'chat' now (well)"
        scene.line.held = held


async def test_a_notice_to_a_place_of_threads_goes_to_the_newest(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    chat, ann = wire.place(1), wire.person(1)
    older, newer = replace(chat, topic="7"), replace(chat, topic="9")
    async with _scene(wire, clock, tmp_path, ScriptedProvider(["One.", "Two.", "Three."])) as scene:
        await scene.pair(1, "ann")
        lines = Lines({"chat": scene.line}, scene.people)
        for number, topic in enumerate((older, newer, older), 1):
            await wire.say(topic, ann, f"hello {number}")
            await scene.until(lambda: len(scene.keeper.said) == number, "it was taken in")  # noqa: B023 - at once
            assert await lines.notify(f"channel://chat/{chat.id}", "Tea", f"notice {number}", f"k{number}", "") == ""
        assert await lines.notify(f"channel://chat/{chat.id}%0A9", "Tea", "by its key", "k4", "") == ""
        await scene.until(lambda: len(wire.seen(chat)) == 7, "answers and notices")

        def notices(topic: Place) -> list[str]:
            return [one.text.split()[-1] for one in wire.seen(topic) if one.text.startswith("Tea")]

        assert notices(older) == ["1", "3"]
        assert notices(newer) == ["2", "key"]


async def test_people_are_told_with_whom_the_settings_let_in(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    async with _scene(wire, clock, tmp_path, ScriptedProvider([])) as scene:
        await scene.pair(1, "ann")
        named = {wire.person(1).id: "eve", wire.person(2).id: "ann", wire.person(3).id: "bob"}
        line = scene.line
        line.said = replace(line.said, rules=replace(line.said.rules, people=named))
        lines = Lines({"chat": line}, scene.people)
        found = {one.person: one.identities for one in (await lines.list_people()).people}
        assert {name: [(one.sender, one.in_settings) for one in each] for name, each in found.items()} == {
            "ann": [(wire.person(1).id, False), (wire.person(2).id, True)],
            "bob": [(wire.person(3).id, True)],
        }
        for name in ("ann", "bob", "eve"):
            with pytest.raises(Conflict, match=r"sulla\.toml"):
                await lines.forget_person(name)
        line.said = replace(line.said, rules=replace(line.said.rules, people={}))
        await lines.forget_person("ann")
        assert (await lines.list_people()).people == ()


async def test_a_stranger_waits_with_his_name_until_he_is_refused(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    async with _scene(wire, clock, tmp_path, ScriptedProvider([])) as scene:
        lines = Lines({"chat": scene.line}, scene.people)
        await wire.say(wire.place(1), wire.person(1), "let me in")
        await scene.until(lambda: scene.texts(1), "a code")
        (row,) = (await lines.list_codes()).codes
        assert (row.channel, row.sender, row.called) == ("chat", wire.person(1).id, "Person 1")
        assert row.code in scene.texts(1)[0]
        (account,) = (await lines.list_channels()).channels
        assert (account.state, account.failed_ms, account.since_ms > 0) == ("well", None, True)
        await lines.refuse(row.code)
        assert (await lines.list_codes()).codes == ()
        with pytest.raises(NotFound):
            await lines.pair(row.code, "eve", None)


async def test_a_voice_note_is_written_down_or_it_is_said_why_not() -> None:
    heard: list[tuple[str, bytes, str]] = []

    async def transcribe(request: web.Request) -> web.Response:
        data = await request.post()
        file = data["file"]
        assert isinstance(file, web.FileField)
        heard.append((file.filename, file.file.read(), request.headers["authorization"]))
        return web.json_response({"text": " buy milk "}) if len(heard) == 1 else web.Response(status=500)

    app = web.Application()
    app.router.add_post("/audio/transcriptions", transcribe)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/audio/transcriptions"
    recognizer = Recognizer(address, "key", "whisper-1")
    assert await recognizer("voice.ogg", b"sound") == "buy milk"
    assert heard == [("voice.ogg", b"sound", "Bearer key")]
    with pytest.raises(Unavailable, match="answered with 500"):
        await recognizer("voice.ogg", b"sound")
    await runner.cleanup()
    with pytest.raises(Unavailable, match="does not answer"):
        await recognizer("voice.ogg", b"sound")
