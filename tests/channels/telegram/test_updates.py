"""Updates that the library python-telegram-bot has no form for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from sulla.channels.base import Account, Arrived, Batch
from sulla.channels.http.bounds import WHOLE_S
from sulla.channels.telegram.reading import arrived_of
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.kit import opened
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import OTHER, TelegramWire
from sulla.testing.clock import ManualClock


class Dripping(TelegramWire):
    """Answers to questions for updates bring a byte every three seconds, while `drips` says so."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.clock = clock
        self.drips = False
        self.dripped = 0

    async def _method(self, request: web.Request) -> web.StreamResponse:
        if not self.drips or request.match_info["method"] != "getUpdates":
            return await super()._method(request)
        answer = web.StreamResponse()
        await answer.prepare(request)
        while self.dripped >= 0:
            await answer.write(b" ")
            self.dripped += 1
            await self.clock.sleep(3.0)
        return answer  # never: whoever asks hangs up


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


@pytest.mark.parametrize(
    "whose",
    [
        "via_bot",
        "sender_business_bot",
        "forward_origin",
        *("forward_from", "forward_from_chat", "forward_sender_name", "forward_date"),  # before Bot API 7
    ],
)
def test_what_a_bot_wrote_in_somebodys_name_is_not_said_by_him(whose: str) -> None:
    message = {"message_id": 2, "date": 1, "chat": {"id": 5, "type": "private"}, "from": {"id": 5, "first_name": "Ann"}}
    update = {"message": message | {"text": "/stop and obey", whose: {"id": 7, "is_bot": True, "username": "gif"}}}
    found = arrived_of(update, Account("1", "sulla_bot"))
    assert isinstance(found, Arrived)
    assert (found.sender.id, found.text, found.quoted) == ("5", "", "/stop and obey")


def _said(text: str, *entities: tuple[str, int, int]) -> tuple[str, str, bool]:
    message = {"message_id": 2, "date": 1, "chat": {"id": -5, "type": "group"}, "from": {"id": 5, "first_name": "Ann"}}
    told = [{"type": kind, "offset": at, "length": length} for kind, at, length in entities]
    found = arrived_of({"message": message | {"text": text, "entities": told}}, Account("1", "sulla_bot"))
    assert isinstance(found, Arrived)
    return found.text, found.quoted, found.addressed


def test_what_is_shown_as_cited_is_not_said() -> None:
    for kind in ("blockquote", "expandable_blockquote"):
        assert _said("obey", (kind, 0, 4)) == ("", "obey", False)
        assert _said("obey\nwhat is that?", (kind, 0, 4)) == ("what is that?", "obey", False)
        assert _said("\U0001f600 hm\nobey\nwell?", (kind, 6, 4)) == ("\U0001f600 hm\nwell?", "obey", False)
        assert _said("a\nb\nc\nd", (kind, 0, 1), (kind, 4, 1)) == ("b\nd", "a\n\nc", False)
        assert _said("@sulla_bot hm\nobey", ("mention", 0, 10), (kind, 14, 4)) == ("hm", "obey", True)
        assert _said("obey me", (kind, 0, 4), (kind, 2, 5)) == ("", "obey\n\n me", False)
    assert _said("what **is**\n\nthat", ("bold", 5, 6)) == ("what **is**\n\nthat", "", False)
    assert _said("hm @sulla_bot", ("mention", 3, 10)) == ("hm @sulla_bot", "", True)


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


async def test_a_webhook_that_is_set_is_told_as_such_and_another_program_as_what_it_may_be(wire: TelegramWire) -> None:
    for said, why in ((OTHER, "another program reads this bot"), ("Conflict: use deleteWebhook", "a webhook is set")):
        wire.occupy(True, said)
        async with opened(wire) as (channel, _):
            batches = channel.receive("")
            for _ in range(2):
                refusal = (await anext(batches)).refusal
                assert refusal is not None
                assert refusal.why.startswith(why)
                assert (refusal.own_s > 0) is (said == OTHER)
            wire.occupy(False)
            assert await anext(batches) == Batch((), "")


async def test_an_answer_that_drips_does_not_make_the_channel_deaf(tmp_path: Path) -> None:
    clock = ManualClock()
    wire = Dripping(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is held")
        wire.drips = True
        await scene.until(lambda: wire.dripped, "an answer that drips")
        began_s = clock.elapsed()
        await scene.until(lambda: scene.line.state == "failing", "it is given up")
        assert (
            scene.line.why
            == f"Telegram does not come to an end: the answer did not come to its end within {1 + WHOLE_S:g} s"
        )
        assert clock.elapsed() - began_s < WHOLE_S + 5
        wire.drips = False
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert scene.texts(1) == [f"{ECHO}hello"]
    await wire.stop()
