"""What Matrix has beside what all channels have: invitations, encrypted rooms, what syncs leave out, foreign edits."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence

import pytest
from pydantic import ValidationError

from sulla.channels.base import Arrived, Button, NotSent, Place, Said, SaidFile, Sent
from sulla.channels.matrix.settings import MatrixOptions
from sulla.testing.channels.kit import Reading, opened
from sulla.testing.channels.matrix import MatrixWire
from sulla.testing.channels.matrix_rooms import BOT
from sulla.testing.clock import ManualClock

MANY = 10_000


@pytest.fixture
async def wire() -> AsyncIterator[MatrixWire]:
    wire = MatrixWire(ManualClock())
    await wire.start()
    yield wire
    await wire.stop()


async def _texts(reading: Reading, count: int) -> list[str]:
    return [(await reading.next()).text for _ in range(count)]


@pytest.mark.parametrize(
    "address", ["http://matrix.example.org", "ftp://x", "matrix.example.org", "", "http://localhost.example.org"]
)
def test_the_token_goes_nowhere_in_the_clear(address: str) -> None:
    with pytest.raises(ValidationError, match="https"):
        MatrixOptions(homeserver=address)


async def test_what_a_sync_leaves_out_is_read_in_order(wire: MatrixWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "first")
        assert await _texts(reading, 1) == ["first"]
        for number in range(MANY):
            await wire.say(place, ann, f"word {number}")
        begun = reading.cursor
        found = await _texts(reading, MANY - 1)
        # Nothing is forgotten before all of it is there.
        assert reading.cursor in (begun, f"s{wire.rooms.at}")
        found += await _texts(reading, 1)
    assert found == [f"word {number}" for number in range(MANY)]


async def _invite(wire: MatrixWire, number: int, *state: str, by: str = "") -> str:
    """Somebody makes a room and invites the daemon."""
    room_id, who = f"!new{number}:example.org", by or wire.person(number).id
    wire.rooms.have(room_id, {who: "join"})
    for kind in state:
        wire.rooms.add(room_id, kind, who, {"algorithm": "m.megolm.v1.aes-sha2"}, state_key="")
    wire.rooms.member(room_id, BOT, "invite", who)
    return room_id


async def _answered(wire: MatrixWire, reading: Reading, rooms: Sequence[str]) -> list[Arrived]:
    """Until the invitations were answered, as each look for events does with some; what was read meanwhile."""
    found: list[Arrived] = []
    for number in range(20):
        if all(room_id in wire.reasons for room_id in rooms):
            return found
        await wire.say(wire.place(1), wire.person(1), f"on {number}")
        found.append(await reading.next())
    raise AssertionError(wire.reasons)


async def test_invitations_are_taken_or_declined_in_words(wire: MatrixWire) -> None:
    async with opened(wire) as (_, reading):
        good = await _invite(wire, 2)
        foreign = await _invite(wire, 3, by="@eve:elsewhere.org")
        secret = await _invite(wire, 4, "m.room.encryption")
        await wire.say(Place(good), wire.person(2), "it is me")
        found = await _answered(wire, reading, (good, foreign, secret))
        members = {one: wire.rooms.rooms[one].members[BOT] for one in (good, foreign, secret)}
        assert members == {good: "join", foreign: "leave", secret: "leave"}
        assert "owner" in wire.reasons[foreign]
        assert "encrypted" in wire.reasons[secret]
        await wire.say(Place(good), wire.person(2), "and you?")
        while not found or found[-1].text != "and you?":
            found.append(await reading.next())
    assert [(one.text, one.place.kind) for one in found if one.place.id == good] == [
        ("it is me", "private"),
        ("and you?", "private"),
    ]


@pytest.mark.parametrize("invites", [("*",), ("elsewhere.org",), ("@eve:elsewhere.org",)])
async def test_who_may_invite_can_be_said(wire: MatrixWire, invites: tuple[str, ...]) -> None:
    wire.invites = invites
    async with opened(wire) as (_, reading):
        room_id = await _invite(wire, 3, by="@eve:elsewhere.org")
        await _answered(wire, reading, [room_id])
    assert wire.rooms.rooms[room_id].members[BOT] == "join"


async def test_what_a_group_said_before_is_not_said_to_the_daemon(wire: MatrixWire) -> None:
    async with opened(wire) as (_, reading):
        room_id = await _invite(wire, 2)
        for number in (3, 4):
            wire.rooms.member(room_id, wire.person(number).id, "join")
        await wire.say(Place(room_id), wire.person(3), "among us", mentions=True)
        await _answered(wire, reading, [room_id])
        await wire.say(Place(room_id), wire.person(3), "to you", mentions=True)
        found = await reading.next()
    assert (found.text, found.place.kind, found.addressed) == ("to you", "group", True)


async def test_a_private_room_that_somebody_joins_is_none(wire: MatrixWire) -> None:
    place = wire.place(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, wire.person(1), "alone")
        alone = await reading.next()
        wire.rooms.member(place.id, wire.person(2).id, "join")
        await wire.say(place, wire.person(1), "not alone")
        found = await reading.next()
    assert (alone.place.kind, found.place.kind, found.addressed) == ("private", "group", False)


async def test_nothing_is_read_or_said_in_an_encrypted_room(wire: MatrixWire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "sulla")
    place, ann = wire.place(2), wire.person(2)
    wire.rooms.add(place.id, "m.room.encryption", ann.id, {"algorithm": "m.megolm.v1.aes-sha2"}, state_key="")
    async with opened(wire) as (channel, reading):
        refused = await channel.send(place, Said("in the clear", key="k"))
        assert isinstance(refused, NotSent)
        assert refused.final
        assert isinstance(await channel.send_file(place, SaidFile("a", b"a", key="f")), NotSent)
        wire.rooms.add(place.id, "m.room.encrypted", ann.id, {"ciphertext": "AwgAEn"})
        await wire.say(wire.place(1), wire.person(1), "on")
        assert (await reading.next()).text == "on"
        refused = await channel.send(place, Said("in the clear", key="k"))
        assert isinstance(refused, NotSent)
    assert wire.seen(place) == []
    assert [one for one in caplog.messages if "is encrypted" in one]


async def test_nobody_changes_what_somebody_else_said(wire: MatrixWire) -> None:
    group, ann, eve = wire.place(1, group=True), wire.person(1), wire.person(2)
    async with opened(wire) as (_, reading):
        said = await wire.say(group, ann, "pay ten", mentions=True)
        assert (await reading.next()).text == "pay ten"
        await wire.edit(group, eve, said, "pay thousand")
        await wire.edit(group, ann, said, "pay nine")
        found = await reading.next()
    assert (found.kind, found.text, found.sender.id) == ("edit", "pay nine", ann.id)
    async with opened(wire, reading.cursor) as (_, later):  # it remembers nothing
        await wire.edit(group, eve, said, "pay thousand")
        await wire.edit(group, ann, said, "pay eight")
        assert (await later.next()).text == "pay eight"


async def test_a_thread_is_answered_in_it_and_changed_in_it(wire: MatrixWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (channel, reading):
        root = await wire.say(place, ann, "root")
        await reading.next()
        inside = await wire.say(Place(place.id, root), ann, "inside")
        found = await reading.next()
        assert found.place.topic == root
        await wire.edit(place, ann, inside, "changed")
        assert (await reading.next()).place.topic == root
        sent = await channel.send(found.place, Said("answer", (Button("t", "Yes"),), key="k"))
        assert isinstance(sent, Sent)
        await wire.press(place, ann, sent.ref, "t")
        assert (await reading.next()).place.topic == root
        event = wire.rooms.find(place.id, sent.ref)
        assert event is not None
        assert event["content"]["m.relates_to"]["event_id"] == root


async def test_an_edit_of_a_reply_is_a_reply_to_the_same_also_where_nothing_is_remembered(wire: MatrixWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (channel, reading):
        sent = await channel.send(place, Said("May I?", key="k"))
        assert isinstance(sent, Sent)
        reply = await wire.say(place, ann, "well", reply_to=sent.ref)
        assert (await reading.next()).reply_to == sent.ref
        await wire.edit(place, ann, reply, "refuse")
        found = await reading.next()
        assert (found.kind, found.text, found.reply_to) == ("edit", "refuse", sent.ref)
    async with opened(wire) as (_, reading):
        await wire.edit(place, ann, reply, "allow")
        while (found := await reading.next()).text != "allow":
            assert found.reply_to == sent.ref
        assert (found.kind, found.reply_to) == ("edit", sent.ref)


async def test_a_question_offers_its_signs_once(wire: MatrixWire) -> None:
    place = wire.place(1)
    async with opened(wire) as (channel, _):
        for _ in range(2):
            said = Said("May I?", (Button("a", "Yes"), Button("b", "No")), key="k")
            assert isinstance(await channel.send(place, said), Sent)
    signs = [event for _, event in wire.rooms.rooms[place.id].events if event["type"] == "m.reaction"]
    assert len(signs) == 2


async def test_what_somebody_deleted_is_not_changed_unseen(wire: MatrixWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (channel, reading):
        sent = await channel.send(place, Said("Half an", key="k"))
        assert isinstance(sent, Sent)
        await wire.delete(place, ann, sent.ref)
        await wire.say(place, ann, "on")
        while (await reading.next()).kind != "message":
            pass
        outcome = await channel.edit(place, sent.ref, Said("Half an answer"))
        assert isinstance(outcome, NotSent)
        assert outcome.final
