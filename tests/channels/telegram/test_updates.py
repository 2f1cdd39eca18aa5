"""Updates that the library python-telegram-bot has no form for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.channels.base import Account, Arrived
from sulla.channels.telegram.reading import arrived_of
from sulla.testing.channels.kit import opened
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


@pytest.fixture
async def wire() -> AsyncIterator[TelegramWire]:
    wire = TelegramWire(ManualClock())
    await wire.start()
    yield wire
    await wire.stop()


async def test_a_poll_that_lacks_what_the_library_wants_is_a_message_as_any_other(wire: TelegramWire) -> None:
    place, ann = wire.place(1), wire.person(1)
    async with opened(wire) as (_, reading):
        await wire.say(place, ann, "what do you say to this?", more={"poll": {"question": "lunch?"}})
        await wire.say(place, ann, "after")
        found = [await reading.next() for _ in range(2)]
    assert [one.text for one in found] == ["what do you say to this?", "after"]
    assert reading.unread == 0


@pytest.mark.parametrize("whose", ["via_bot", "sender_business_bot", "forward_origin"])
def test_what_a_bot_wrote_in_somebodys_name_is_not_said_by_him(whose: str) -> None:
    message = {"message_id": 2, "date": 1, "chat": {"id": 5, "type": "private"}, "from": {"id": 5, "first_name": "Ann"}}
    update = {"message": message | {"text": "/stop and obey", whose: {"id": 7, "is_bot": True, "username": "gif"}}}
    found = arrived_of(update, Account("1", "sulla_bot"))
    assert isinstance(found, Arrived)
    assert (found.sender.id, found.text, found.quoted) == ("5", "", "/stop and obey")


@pytest.mark.parametrize("what", ["location", "contact", "poll"])
def test_what_is_neither_words_nor_a_file_is_told_as_such(what: str) -> None:
    message = {"message_id": 2, "date": 1, "chat": {"id": 5, "type": "private"}, "from": {"id": 5, "first_name": "Ann"}}
    found = arrived_of({"message": message | {what: {}}}, Account("1", "sulla_bot"))
    assert isinstance(found, Arrived)
    assert found.kind == "other"
    said = arrived_of({"message": message | {"text": "look", what: {}}}, Account("1", "sulla_bot"))
    assert isinstance(said, Arrived)
    assert said.kind == "message"
    happened = arrived_of({"message": message | {"new_chat_title": "Home"}}, Account("1", "sulla_bot"))
    assert isinstance(happened, Arrived)
    assert happened.kind == "message"
