"""What Discord alone does: sessions that are lost, threads, intents, mentions, and files at addresses of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.channels.base import Attachment, Button, NotSent, Said, SaidFile, Sent
from sulla.channels.discord.position import MOST_PLACES, Position
from sulla.channels.http.bounds import MOST_ANSWER_BYTES
from sulla.core.errors import NotFound, Unauthorized, Unavailable
from sulla.testing.channels.discord import DiscordWire
from sulla.testing.channels.discord_gateway import NOWHERE
from sulla.testing.channels.kit import opened, soon
from sulla.testing.clock import ManualClock
from tests.soon import a_pause


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[DiscordWire]:
    wire = DiscordWire(clock)
    await wire.start()
    yield wire
    await wire.stop()


async def test_over_a_restart_it_is_told_what_was_changed_and_pressed_meanwhile(wire: DiscordWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (channel, reading):
        sent = await channel.send(place, Said("May I?", (Button("a", "Yes"),), key="k"))
        assert isinstance(sent, Sent)
        first = await wire.say(place, ann, "one")
        second = await wire.say(place, ann, "two")
        assert [(await reading.next()).message_id for _ in range(2)] == [first, second]
    await wire.edit(place, ann, first, "one, and more")
    await wire.delete(place, ann, second)
    await wire.press(place, ann, sent.ref, "a")
    await wire.say(wire.place(2), wire.person(2), "of somebody new")
    async with opened(wire, reading.cursor) as (_, later):
        found = [await later.next() for _ in range(4)]
    assert [one.kind for one in found] == ["edit", "delete", "press", "message"]
    assert [one.sender.id for one in found] == [ann.id, ann.id, ann.id, wire.person(2).id]
    assert wire.gateway.resumed == 1


async def test_what_nobody_can_read_in_a_history_is_passed_over(wire: DiscordWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "old")
        await reading.next()
    wire.gateway.forget()
    await wire.nonsense(place, ann, "whisper")
    await wire.say(place, ann, "new")
    async with opened(wire, reading.cursor) as (_, later):
        assert (await later.next()).text == "new"
        assert later.unread == 1


async def test_after_a_lost_session_histories_are_read(wire: DiscordWire) -> None:
    group, thread, place, ann = wire.place(1, group=True), wire.thread(1), wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        for where in (place, group):
            await wire.say(where, ann, "old", mentions=True)
            await reading.next()
    wire.gateway.forget()
    private = [await wire.say(place, ann, f"private {number}") for number in range(150)]
    await wire.say(group, ann, "said in a group", mentions=True)
    await wire.say(thread, ann, "said in a thread", mentions=True)
    async with opened(wire, reading.cursor) as (_, later):
        found = [await later.next() for _ in private]
        rest = [await later.next() for _ in range(2)]
        await wire.say(place, ann, "new")
        assert (await later.next()).text == "new"
    assert [one.message_id for one in found] == private
    assert [(one.text, one.place.key) for one in rest] == [
        ("said in a group", group.key),
        ("said in a thread", thread.key),
    ]
    assert all(one.addressed and one.place.kind == "group" for one in rest)
    assert wire.gateway.resumed == 0


@pytest.mark.parametrize("how", ["ws://127.0.0.1:9/gateway/", NOWHERE])
async def test_a_session_that_cannot_be_gone_on_with_is_given_up_over_a_restart_too(
    wire: DiscordWire, clock: ManualClock, how: str
) -> None:
    place, ann = wire.place(1), wire.person(1)
    wire.gateway.goes_on = how if how != NOWHERE else ""
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "old")
        await reading.next()
    wire.gateway.goes_on = NOWHERE if how == NOWHERE else ""
    await wire.say(place, ann, "new")
    async with opened(wire, reading.cursor) as (_, later):
        heard = asyncio.create_task(later.next())
        while not heard.done():  # it rests between its tries
            await clock.advance(0.5)
            await a_pause()
        assert (await heard).text == "new"
    assert wire.gateway.resumed == 0


async def test_while_discord_is_away_its_session_is_kept(wire: DiscordWire, clock: ManualClock) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "old")
        await reading.next()
    async with opened(wire, reading.cursor) as (_, later):
        wire.away(True)
        with pytest.raises(Unavailable):
            await later.next()
    wire.away(False)
    async with opened(wire, reading.cursor) as (_, later):
        await wire.say(wire.place(1), wire.person(1), "new")
        assert (await later.next()).text == "new"
    assert wire.gateway.resumed == 1


async def test_a_stop_within_the_histories_goes_on_where_it_was(wire: DiscordWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "old")
        await reading.next()
    wire.gateway.forget()
    said = [await wire.say(place, ann, f"word {number}") for number in range(250)]
    async with opened(wire, reading.cursor) as (channel, _):
        batch = await soon(channel.receive(reading.cursor))
    async with opened(wire, batch.cursor) as (_, later):
        found = [await later.next() for _ in said[len(batch.arrived) :]]
    assert [one.message_id for one in [*batch.arrived, *found]] == said


async def test_a_connection_that_breaks_is_made_again_and_nothing_is_lost(wire: DiscordWire) -> None:
    async with opened(wire) as (_, reading):
        for number in range(3):
            await wire.say(wire.place(1), wire.person(1), f"word {number}")
            assert (await reading.next()).text == f"word {number}"
            wire.gateway.cut()
    assert wire.gateway.resumed == 2


async def test_threads_are_places_of_their_chat(wire: DiscordWire) -> None:
    thread = wire.thread(1)
    async with opened(wire) as (channel, reading):
        await wire.say(thread, wire.person(1), "hello", mentions=True)
        found = await reading.next()
        assert (found.place.id, found.place.topic, found.text) == (thread.id, thread.topic, "hello")
        assert isinstance(await channel.send(found.place, Said("there", key="k")), Sent)
    assert wire.raw(thread) == ["there"]


async def test_contents_are_read_only_where_the_portal_allows_it(clock: ManualClock, wire: DiscordWire) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1, group=True), wire.person(1), "among us")
        assert (await reading.next()).text == ""
    curious = DiscordWire(clock, content=True)
    await curious.start()
    async with opened(curious) as (_, reading):
        await curious.say(curious.place(1, group=True), curious.person(1), "among us")
        assert (await reading.next()).text == "among us"
    curious.gateway.allows_content = False
    channel = curious.channel()
    await channel.open()
    with pytest.raises(Unauthorized, match="Message Content Intent"):
        await channel.first_cursor()
    await channel.close()
    await curious.stop()


async def test_nobody_is_rung_up_by_what_an_agent_writes(wire: DiscordWire) -> None:
    place = wire.place(1, group=True)
    async with opened(wire) as (channel, _):
        said = Said("@everyone @here <@5001> `@everyone`\n```\n@everyone <@5001>\n```", key="k")
        sent = await channel.send(place, said)
        assert isinstance(sent, Sent)
        await channel.edit(place, sent.ref, said)
        await channel.send_file(place, SaidFile("a.txt", b"x", caption="@everyone <@1>", key="f"))
    assert "`@everyone`" in wire.raw(place)[0]
    assert wire.rung == []


async def test_one_key_is_one_message_also_of_a_file(wire: DiscordWire) -> None:
    place = wire.place(1)
    async with opened(wire) as (channel, _):
        file = SaidFile("a.txt", b"x", key="f")
        wire.lose(1)
        await channel.send_file(place, file)
        assert isinstance(await channel.send_file(place, file), Sent)
        assert [one.file for one in wire.seen(place)] == [b"x"]


async def test_a_press_is_answered_and_what_is_gone_cannot_be_changed(wire: DiscordWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (channel, reading):
        sent = await channel.send(place, Said("May I?", (Button("a", "Yes"),), key="k"))
        assert isinstance(sent, Sent)
        await wire.press(place, ann, sent.ref, "a")
        found = await reading.next()
        assert found.press is not None
        await channel.answer_press(found.press, "Done.")
        assert wire.answers == ["Done."]
        unknown = await channel.edit(place, "77", Said("x"))
        assert isinstance(unknown, NotSent)
        assert unknown.final


async def test_files_are_fetched_from_discord_alone(wire: DiscordWire) -> None:
    async with opened(wire) as (channel, _):
        for address in ("http://127.0.0.1:9/x", "https://cdn.discordapp.com.example.org/x", f"{wire.api}x/../../none"):
            with pytest.raises((NotFound, Unavailable)):
                [piece async for piece in channel.fetch(Attachment(address))]


def test_a_position_is_bounded_and_forgets_what_was_not_used_for_long() -> None:
    at = Position("s", 7, "wss://g", 5, {})
    for number in range(MOST_PLACES + 10):
        at.has(str(number), 100 + number, private=number % 2 == 0)
    again = Position.of(at.cursor())
    assert len(again.read) == MOST_PLACES
    assert again.behind("9") == again.since == 109
    assert again.behind("77") == 177
    again.begins("t", 1, "wss://h")
    assert again.left[0] == "10"
    assert len(again.left) == MOST_PLACES // 2
    assert len(at.cursor()) < 32_000


async def test_a_message_of_the_gateway_without_an_end_is_not_read(
    wire: DiscordWire, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(wire) as (_, reading):
        await wire.say(wire.place(1), wire.person(1), "before")
        assert (await reading.next()).text == "before"
        wire.gateway.tell("TYPING_START", {"more": "x" * MOST_ANSWER_BYTES})
        await wire.say(wire.place(1), wire.person(1), "after")
        waiting = asyncio.create_task(reading.next())
        while not waiting.done():
            await clock.advance(1.0)
            await a_pause()
        assert waiting.result().text == "after"
    assert f"has more than {MOST_ANSWER_BYTES} bytes: it is not read" in caplog.text
