"""What is Slack's own, over its real wire: what was missed, more than there is room for, new connections, and files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import web
from pydantic import SecretStr

from sulla.channels.base import Arrived, Attachment, NotSent, Place, Said, SaidFile, Sent, Unknown
from sulla.channels.kinds import KINDS, Wanted
from sulla.channels.opened import kind_of, making
from sulla.channels.run.quiet import hush
from sulla.channels.settings import AccountSettings
from sulla.channels.slack.channel import SlackChannel, make
from sulla.channels.slack.settings import SlackOptions
from sulla.core.errors import NotFound, SettingsError, Unauthorized, Unavailable
from sulla.testing.channels.kit import Reading, opened
from sulla.testing.channels.slack import APP_TOKEN, BOT_TOKEN, SlackWire
from sulla.testing.clock import ManualClock
from tests.soon import PATIENCE_S, a_pause

MANY = 2_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[SlackWire]:
    hush(next(one for one in KINDS if one.name == "slack"))
    wire = SlackWire(clock)
    await wire.start()
    yield wire
    await wire.stop()


async def _until(holds: Callable[[], object], clock: ManualClock | None = None) -> None:
    """Look until something holds; with a clock let time pass meanwhile."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            if clock is not None:
                await clock.advance(1.0)
            await a_pause()


async def _texts(reading: Reading, most: int) -> list[str]:
    """So many different messages, as they came the first time."""
    found: dict[str, Arrived] = {}
    while len(found) < most:
        one = await reading.next()
        found.setdefault(f"{one.place.id} {one.message_id}", one)
    return [one.text for one in found.values()]


async def test_more_than_there_is_room_for_is_read_from_the_history_over_a_kill(wire: SlackWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "first")
        assert (await reading.next()).text == "first"
        for number in range(MANY):
            await wire.say(place, ann, f"word {number}")
        found = dict.fromkeys(await _texts(reading, 250))
    async with opened(wire, reading.cursor) as (_, later):  # some comes again; what was not taken is not passed over
        while len(found) < MANY:
            found.setdefault((await later.next()).text)
        assert list(found) == [f"word {number}" for number in range(MANY)]
        assert wire.asked.count("conversations.history") > MANY // 200
        await wire.say(place, ann, "new")
        while (await later.next()).text != "new":
            pass


async def test_pages_that_were_missed_in_several_channels_come_in_order_and_the_cursor_last(wire: SlackWire) -> None:
    for number in range(450):
        await wire.say(wire.place(1 + number % 2), wire.person(1), f"word {number}")
    channel = wire.channel()
    await channel.open()
    cursor = await channel.first_cursor()
    cursors, by_place = [], dict[str, list[str]]()
    async for batch in channel.receive(cursor):
        cursors.append(batch.cursor)
        for one in batch.arrived:
            by_place.setdefault(one.place.id, []).append(one.text)
        if sum(map(len, by_place.values())) == 450:
            break
    await channel.close()
    for offset, place in enumerate((wire.place(1), wire.place(2))):
        assert by_place[place.id] == [f"word {number}" for number in range(offset, 450, 2)]
    assert set(cursors[:-1]) == {cursor}
    assert cursors[-1] != cursor


async def test_what_was_answered_in_a_thread_meanwhile_comes(wire: SlackWire) -> None:
    group, ann = wire.place(1, group=True), wire.person(1)
    async with opened(wire) as (_, reading):
        root = await wire.say(group, ann, "what is new?", mentions=True)
        assert (await reading.next()).place == Place(group.id, root, "group")
    for number in range(3):
        await wire.say(group, ann, f"and {number}?", mentions=True, reply_to=root)
    async with opened(wire, reading.cursor) as (_, later):
        found = [await later.next() for _ in range(3)]
    assert [one.text for one in found] == ["and 0?", "and 1?", "and 2?"]
    assert {one.place.topic for one in found} == {root}


async def test_what_was_answered_below_its_own_words_meanwhile_comes(wire: SlackWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (channel, reading):
        asked = await channel.send(place, Said("Which one?", key="k1"))
        assert isinstance(asked, Sent)
        await wire.say(place, ann, "wait")
        assert (await reading.next()).text == "wait"
    await wire.say(place, ann, "the second", reply_to=asked.ref)
    async with opened(wire, reading.cursor) as (_, later):
        found = await later.next()
    assert (found.text, found.place, found.reply_to) == ("the second", place, asked.ref)


async def test_an_answer_stands_in_the_thread_of_its_question(wire: SlackWire) -> None:
    group = wire.place(1, group=True)
    async with opened(wire) as (channel, reading):
        root = await wire.say(group, wire.person(1), "what is new?", mentions=True)
        place = (await reading.next()).place
        sent = await channel.send(place, Said("nothing", key="k1"))
        assert isinstance(sent, Sent)
        assert await channel.looked_up(place, "k1") == sent
        (told,) = [one for one in wire.messages(group) if one["ts"] == sent.ref]
        assert told["thread_ts"] == root


async def test_what_was_not_acknowledged_is_told_again_and_is_the_same(wire: SlackWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "zero")
        assert (await reading.next()).text == "zero"
        channel = wire.channel()
    await channel.open()
    batches = channel.receive(reading.cursor)
    assert (await anext(batches)).arrived == ()
    first = asyncio.ensure_future(anext(batches))
    await _until(lambda: wire.events.connections == 2)
    sent = await wire.say(place, ann, "one")
    batch = await first
    assert [one.message_id for one in batch.arrived] == [sent]
    assert len(wire.events.untaken) == 1
    await channel.close()
    async with opened(wire, batch.cursor) as (_, later):  # it was kept, and the daemon died before it said so
        assert (await later.next()).message_id == sent
        await _until(lambda: not wire.events.untaken)


async def test_another_connection_is_made_when_slack_wants_one(wire: SlackWire) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "before")
        assert (await reading.next()).text == "before"
        await wire.refresh()
        await _until(lambda: wire.events.connections == 2)
        await wire.say(wire.place(1), wire.person(1), "after")
        assert (await reading.next()).text == "after"


async def test_a_connection_that_broke_is_told(wire: SlackWire, clock: ManualClock) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "before")
        assert (await reading.next()).text == "before"
        wire.away(True)
        waiting = asyncio.ensure_future(reading.next())
        await _until(waiting.done, clock)
        with pytest.raises(Unavailable, match="ended"):
            await waiting


async def test_a_limit_while_it_is_seen_what_was_missed_is_waited_for(wire: SlackWire, clock: ManualClock) -> None:
    await wire.say(wire.place(1), wire.person(1), "missed")
    wire.fail("conversations.history", {"error": "ratelimited"}, times=2, retry_after_s=30)
    async with opened(wire) as (_, reading):
        began_s = clock.elapsed()
        waiting = asyncio.ensure_future(reading.next())
        await _until(waiting.done, clock)
        assert (await waiting).text == "missed"
        assert clock.elapsed() - began_s >= 60


async def test_commands_come_by_the_slash(wire: SlackWire) -> None:
    async with opened(wire) as (_, reading):
        await wire.command(wire.place(1), wire.person(1), "status")
        found = await reading.next()
        assert (found.text, found.place.key, found.sender.id) == ("/status", wire.place(1).key, wire.person(1).id)


async def test_whoever_presses_is_told_alone(wire: SlackWire) -> None:
    async with opened(wire) as (channel, reading):
        await wire.press(wire.place(1), wire.person(1), "1.1", "forged")
        press = (await reading.next()).press
        assert press is not None
        await channel.answer_press(press, "This was <!here> answered.")
        assert wire.whispers == [(wire.person(1).id, "This was &lt;!here&gt; answered.")]


async def test_the_token_goes_to_no_other_host(wire: SlackWire) -> None:
    async with opened(wire) as (channel, reading):
        await wire.say(wire.place(1), wire.person(1), "see", files=[("a", b"x", "file")])
        (file,) = (await reading.next()).attachments
        for url in ("http://127.0.0.2:1/a", "https://127.0.0.1/a", "http://slack.com.evil.example/a", "file:///a", ""):
            wire.files.found(file.handle)["url_private"] = url
            with pytest.raises(NotFound, match="elsewhere"):
                await anext(aiter(channel.fetch(file)))
        with pytest.raises(NotFound, match="file_not_found"):
            await anext(aiter(channel.fetch(Attachment("F404"))))


async def test_a_file_and_a_voice_note_go_out_and_can_be_taken_back(wire: SlackWire) -> None:
    place = wire.place(1)
    async with opened(wire) as (channel, _):
        sent = await channel.send_file(place, SaidFile("note.ogg", b"voice", "audio/ogg", "listen <!here>", "k1"))
        assert isinstance(sent, Sent)
        assert [(one.file, one.text) for one in wire.seen(place)] == [(b"voice", "listen <!here>")]
        assert await channel.delete(place, sent.ref) == Sent(sent.ref)
        assert await channel.delete(place, sent.ref) == Sent(sent.ref)


async def test_a_file_of_which_nobody_knows_whether_it_arrived_is_found(wire: SlackWire) -> None:
    place = wire.place(1)
    async with opened(wire) as (channel, _):
        wire.lose(1)
        assert isinstance(await channel.send_file(place, SaidFile("a.txt", b"x", key="k1")), Unknown)
        found = await channel.looked_up(place, "k1")
        assert isinstance(found, Sent)
        assert [(one.ref, one.file, one.text) for one in wire.seen(place)] == [(found.ref, b"x", "a.txt")]
        assert isinstance(await channel.looked_up(place, "k2"), NotSent)
        assert isinstance(await channel.looked_up(place, ""), NotSent)


async def test_trying_it_out_takes_nothing_from_a_daemon_that_runs(wire: SlackWire) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "one")
        assert (await reading.next()).text == "one"
        other = wire.channel()
        assert (await other.open()).name == "sulla"
        await wire.say(wire.place(1), wire.person(1), "two")
        assert (await asyncio.wait_for(reading.next(), PATIENCE_S)).text == "two"
        await other.close()


@pytest.mark.parametrize(
    ("bot", "app", "why"),
    [(APP_TOKEN, APP_TOKEN, "bot_token .* xoxb-"), (BOT_TOKEN, BOT_TOKEN, "app_token .* xapp-"), ("", "", "bot_token")],
)
def test_tokens_that_were_mixed_up_are_told_apart(clock: ManualClock, bot: str, app: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as caught:
        make(Wanted("chat", SlackOptions(), {"bot_token": bot, "app_token": app}, clock))
    assert BOT_TOKEN not in str(caught.value)


def test_the_wizard_and_the_doctor_know_what_it_needs(clock: ManualClock) -> None:
    kind = next(one for one in KINDS if one.name == "slack")
    secrets = {"bot_token": SecretStr(BOT_TOKEN), "app_token": SecretStr(APP_TOKEN)}
    assert set(kind.secrets) == set(secrets)
    said = AccountSettings(name="work", kind="slack", secrets=secrets)
    assert isinstance(making(said, kind_of(said, {"slack": kind}), clock)(), SlackChannel)
    for lacking in secrets:
        with pytest.raises(SettingsError, match=f"secrets.{lacking}"):
            making(said.model_copy(update={"secrets": {**secrets, lacking: SecretStr("")}}), kind, clock)
    with pytest.raises(SettingsError, match=r"options\.poll_s"):
        making(said.model_copy(update={"options": {"poll_s": 1}}), kind, clock)


async def test_a_wrong_app_token_is_named(wire: SlackWire, clock: ManualClock) -> None:
    wanted = Wanted("chat", SlackOptions(api=wire.api), {"bot_token": BOT_TOKEN, "app_token": "xapp-wrong"}, clock)
    channel = make(wanted)
    with pytest.raises(Unauthorized, match="the app_token"):
        await channel.open()
    await channel.close()


async def test_a_scope_that_lacks_is_named(wire: SlackWire) -> None:
    wire.fail("conversations.history", {"error": "missing_scope", "needed": "im:history"})
    await wire.say(wire.place(1), wire.person(1), "missed")
    async with opened(wire) as (_, reading):
        with pytest.raises(Unauthorized, match="im:history"):
            await reading.next()


class Dripping(SlackWire):
    """Its socket begins a message, of which a byte comes now and then and never the last."""

    async def _link(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        wire = request.transport
        assert isinstance(wire, asyncio.WriteTransport)
        wire.write(b"\x81\x7e\xff\xff")  # text, whole, of 65,535 bytes
        while not wire.is_closing():
            wire.write(b" ")
            await a_pause()
        return socket


async def test_a_message_that_drips_does_not_make_the_channel_deaf(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.channels.slack.socket.PING_S", 0.1)
    wire = Dripping(clock)
    await wire.start()
    async with opened(wire) as (_, reading):
        waiting = asyncio.create_task(reading.next())
        await _until(waiting.done, clock)
        assert isinstance(waiting.exception(), Unavailable)
    await wire.stop()


async def test_a_message_of_the_socket_may_be_as_long_as_any_answer(wire: SlackWire) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "x" * 5_000_000)
        await wire.say(wire.place(1), wire.person(1), "after")
        assert (await _texts(reading, 2))[1] == "after"


async def test_of_a_message_of_the_socket_that_is_too_long_its_bound_is_said(
    wire: SlackWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.channels.slack.socket.MOST_ANSWER_BYTES", 100_000)
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "before")
        assert (await reading.next()).text == "before"
        waiting = asyncio.create_task(reading.next())
        await wire.say(wire.place(1), wire.person(1), "x" * 200_000)
        await _until(waiting.done)
        with pytest.raises(Unavailable, match="more than 100000 bytes"):
            await waiting
