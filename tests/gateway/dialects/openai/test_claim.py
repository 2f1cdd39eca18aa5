"""Of two who go on from one place in a conversation at once one does; the other one begins one of its own."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import orjson
import pytest

from sulla.core.errors import QueueFull, RateLimited, StoreUnavailable
from sulla.gateway.dialects.openai import claim as openai_claim
from sulla.gateway.server.server import Server
from tests.doubles.bookmarks import MemoryBookmarks
from tests.gateway.dialects.conftest import Dial
from tests.gateway.dialects.openai.test_again import RETRY, said
from tests.gateway.dialects.openai.test_dialect import answered, user
from tests.gateway.dialects.playing import Played, says
from tests.gateway.peer import until

BEGUN: Any = [user("Hello"), answered("Hi.")]
TOLD = "Before this message, elsewhere, it was said:\n\nuser: Hello\n\nassistant: Hi."
LONG_AGO_S = 3600.0


@pytest.fixture
async def api(dial: Dial, server: Server, commands: Played) -> openai.AsyncOpenAI:
    """A client that has said hello, and never tries again by itself."""
    api = dial(server).with_options(max_retries=0)
    commands.turns = [says("Hi.")]
    await said(api, BEGUN[0])
    return api


def counted(commands: Played, name: str) -> int:
    return sum(call[0] == name for call in commands.calls)


async def where(commands: Played, text: str) -> list[str]:
    """The threads that this was kept in, in no order."""
    found = []
    for thread in dict.fromkeys(commands.threads):
        events = await commands.history(thread, 0, None, 1000)
        words = [str(event.data["text"]) for event in events if event.type == "INPUT"]
        found += [thread for one in words if one.endswith(text)]
    return found


def claims(commands: Played) -> dict[str, dict[str, Any]]:
    """Notes that somebody has claimed."""
    found = {key: orjson.loads(noted) for key, noted in commands.bookmarks.kept.items()}
    return {key: note for key, note in found.items() if "by" in note}


def grow_old(commands: Played, seconds: float = LONG_AGO_S) -> None:
    """The claims were made so long ago."""
    for key, note in claims(commands).items():
        commands.bookmarks.kept[key] = orjson.dumps({**note, "at_s": note["at_s"] - seconds}).decode()


# ------------------------------------------------------------------------------------------------------------- at once


@pytest.mark.parametrize("count", [2, 20])
async def test_of_many_who_go_on_at_once_one_stays_in_the_thread_and_the_others_are_told_what_was_said(
    api: openai.AsyncOpenAI, commands: Played, count: int
) -> None:
    gate = commands.gates["questions_of"] = asyncio.Event()
    asked = [asyncio.ensure_future(said(api, *BEGUN, user(f"number {n}"))) for n in range(count)]
    await until(lambda: counted(commands, "questions_of") >= count)
    commands.turns = [says(f"Answer {n}.") for n in range(count)]
    gate.set()
    answers = await asyncio.gather(*asked)
    assert len(set(answers)) == count
    first, *others = commands.threads
    assert others.count(first) == 1
    assert len(set(others)) == count
    told = [quoted == TOLD for quoted in commands.quoted[1:]]
    assert [thread != first for thread in others] == told


async def test_each_of_them_goes_on_in_its_own_thread(api: openai.AsyncOpenAI, commands: Played) -> None:
    gate = commands.gates["questions_of"] = asyncio.Event()
    conversations = [[*BEGUN, user(word)] for word in ("red", "blue")]
    asked = [asyncio.ensure_future(said(api, *chat)) for chat in conversations]
    await until(lambda: counted(commands, "questions_of") >= 2)
    commands.turns = [says("One."), says("Two."), says("Three."), says("Four.")]
    gate.set()
    for chat, answer in zip(conversations, await asyncio.gather(*asked), strict=True):
        await said(api, *chat, answered(answer), user(f"and then {chat[-1]['content']}"))
    assert await where(commands, "red") == [(await where(commands, "red"))[0]] * 2
    assert await where(commands, "blue") == [(await where(commands, "blue"))[0]] * 2
    assert (await where(commands, "red"))[0] != (await where(commands, "blue"))[0]


async def test_in_a_thread_that_the_client_names_people_queue(api: openai.AsyncOpenAI, commands: Played) -> None:
    commands.turns = [says("Hi.")]
    kitchen = {"thread_id": "kitchen"}
    await said(api, user("Hello"), extra_body=kitchen)
    gate = commands.gates["questions_of"] = asyncio.Event()
    asked = [
        asyncio.ensure_future(said(api, *BEGUN, user(word), extra_body=kitchen)) for word in ("red", "blue", "green")
    ]
    await until(lambda: counted(commands, "questions_of") >= 3)
    commands.turns = [says("1"), says("2"), says("3")]
    gate.set()
    await asyncio.gather(*asked)
    assert len(set(commands.threads[1:])) == 1
    assert claims(commands) == {}


# --------------------------------------------------------------------------------------------------------- once more


@pytest.mark.parametrize("headers", [{"Idempotency-Key": "k-1"}, RETRY])
async def test_the_same_message_at_once_is_one_in_the_same_thread(
    api: openai.AsyncOpenAI, commands: Played, headers: dict[str, str]
) -> None:
    gate = commands.gates["questions_of"] = asyncio.Event()
    asked = [asyncio.ensure_future(said(api, *BEGUN, user("And?"), extra_headers=headers)) for _ in range(5)]
    await until(lambda: counted(commands, "questions_of") >= 5)
    commands.turns = [says("Yes."), says("No.")]
    gate.set()
    assert await asyncio.gather(*asked) == ["Yes."] * 5
    assert commands.texts == ["Hello", "And?"]
    assert len(set(commands.threads)) == 1
    assert counted(commands, "create_thread") == 1, "nobody was sent to another one first"


@pytest.mark.parametrize("headers", [{"Idempotency-Key": "k-1"}, {}])
async def test_a_daemon_that_dies_between_claim_and_message_leaves_it_to_the_same_message(
    api: openai.AsyncOpenAI, commands: Played, headers: dict[str, str]
) -> None:
    commands.failures["send"] = StoreUnavailable("it died here")
    with pytest.raises(openai.InternalServerError):
        await said(api, *BEGUN, user("And?"), extra_headers=headers)
    del commands.failures["send"]
    commands.turns = [says("Yes.")]
    assert await said(api, *BEGUN, user("And?"), extra_headers=headers or RETRY) == "Yes."
    assert await where(commands, "And?") == [commands.threads[0]]
    assert commands.texts[-1] == "And?", "it is told nothing that the thread knows"


async def test_a_message_that_is_made_again_after_another_one_has_gone_on_begins_anew(
    api: openai.AsyncOpenAI, commands: Played
) -> None:
    """Nobody knows what became of the first one; when its claim has run out another one goes on."""
    commands.failures["send"] = StoreUnavailable("away")
    with pytest.raises(openai.InternalServerError):
        await said(api, *BEGUN, user("red"))
    del commands.failures["send"]
    grow_old(commands)
    commands.turns = [says("Blue!"), says("Red!")]
    assert await said(api, *BEGUN, user("blue")) == "Blue!"
    assert await said(api, *BEGUN, user("red"), extra_headers=RETRY) == "Red!"
    first = commands.threads[0]
    assert await where(commands, "blue") == [first]
    assert first not in await where(commands, "red")
    assert await said(api, *BEGUN, user("red"), extra_headers=RETRY) == "Red!", "and once more it is the same one"
    assert len(await where(commands, "red")) == 1


async def test_a_message_that_is_made_again_claims_nothing_of_another_conversation_of_the_same_words(
    api: openai.AsyncOpenAI, commands: Played
) -> None:
    commands.turns = [says("Yes."), says("Hi.")]
    assert await said(api, *BEGUN, user("And?")) == "Yes."
    await said(api, BEGUN[0])
    grow_old(commands)
    assert claims(commands) == {}, "the place is the other one's now"
    assert await said(api, *BEGUN, user("And?"), extra_headers=RETRY) == "Yes."
    assert claims(commands) == {}
    assert len(await where(commands, "And?")) == 1


async def test_attempts_that_find_no_note_in_the_same_moment_are_one_message(
    api: openai.AsyncOpenAI, commands: Played
) -> None:
    class Together(MemoryBookmarks):
        """Whoever looks waits until all have looked."""

        looked = 0

        async def get(self, key: str) -> str | None:
            found = await super().get(key)
            self.looked += 1
            await until(lambda: self.looked >= 3)
            return found

    together = Together()
    together.kept = commands.bookmarks.kept
    commands.bookmarks = together
    commands.turns = [says("Yes."), says("No."), says("Perhaps.")]
    asked = [said(api, user("A new one"), extra_headers=RETRY) for _ in range(3)]
    assert await asyncio.gather(*asked) == ["Yes."] * 3
    assert len(await where(commands, "A new one")) == 1


# ------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    "error", [RateLimited("too fast", retry_after_s=0.1), QueueFull("full", retry_after_s=0.1)], ids=["rate", "queue"]
)
async def test_whoever_was_refused_and_simply_tries_again_stays_in_the_thread(
    api: openai.AsyncOpenAI, commands: Played, error: Exception
) -> None:
    commands.failures["send"] = error
    with pytest.raises(openai.APIStatusError):
        await said(api, *BEGUN, user("And?"))
    assert claims(commands) == {}
    del commands.failures["send"]
    commands.turns = [says("Yes.")]
    assert await said(api, *BEGUN, user("And?")) == "Yes."
    assert set(commands.threads) == {commands.threads[0]}
    assert commands.texts[-1] == "And?"


async def test_a_library_that_was_refused_and_tries_again_stays_in_the_thread(
    api: openai.AsyncOpenAI, commands: Played
) -> None:
    commands.failures["send"] = RateLimited("too fast", retry_after_s=0.1)
    with pytest.raises(openai.RateLimitError):
        await said(api, *BEGUN, user("And?"))
    with pytest.raises(openai.RateLimitError):
        await said(api, *BEGUN, user("And?"), extra_headers=RETRY)
    assert claims(commands) == {}, "its second attempt was refused too"
    del commands.failures["send"]
    commands.turns = [says("Yes.")]
    assert await said(api, *BEGUN, user("And?"), extra_headers=RETRY) == "Yes."
    assert set(commands.threads) == {commands.threads[0]}


async def test_a_claim_that_cannot_be_given_back_changes_no_answer(api: openai.AsyncOpenAI, commands: Played) -> None:
    class Failing(MemoryBookmarks):
        async def swap(self, key: str, old: str | None, new: str) -> bool:
            if old is not None and "by" in orjson.loads(old):
                raise StoreUnavailable("away")
            return await super().swap(key, old, new)

    failing = Failing()
    failing.kept = commands.bookmarks.kept
    commands.bookmarks = failing
    commands.failures["send"] = RateLimited("too fast", retry_after_s=0.1)
    with pytest.raises(openai.RateLimitError, match="too fast"):
        await said(api, *BEGUN, user("And?"))
    assert len(claims(commands)) == 1


async def test_nothing_is_claimed_for_words_that_cannot_be_said(api: openai.AsyncOpenAI, commands: Played) -> None:
    with pytest.raises(openai.APIStatusError):
        await said(api, *BEGUN, user("x" * 100_001))
    assert claims(commands) == {}


@pytest.mark.parametrize(("age_s", "same"), [(0.0, False), (LONG_AGO_S, True)])
async def test_a_claim_of_a_message_that_never_came_is_waited_for_for_a_while(
    api: openai.AsyncOpenAI, commands: Played, age_s: float, same: bool
) -> None:
    commands.failures["send"] = StoreUnavailable("nobody knows whether it was kept")
    with pytest.raises(openai.InternalServerError):
        await said(api, *BEGUN, user("And?"))
    assert len(claims(commands)) == 1
    del commands.failures["send"]
    grow_old(commands, age_s)
    commands.turns = [says("Yes.")]
    assert await said(api, *BEGUN, user("And?")) == "Yes."
    assert (await where(commands, "And?") == [commands.threads[0]]) is same


async def test_a_slow_one_finds_out_before_it_is_sent_that_another_one_has_gone_on(
    api: openai.AsyncOpenAI, commands: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(MemoryBookmarks):
        """Where the first message goes takes long to be noted."""

        swaps = 0

        def __init__(self) -> None:
            super().__init__()
            self.go_on = asyncio.Event()

        async def swap(self, key: str, old: str | None, new: str) -> bool:
            self.swaps += 1
            if self.swaps == 2:
                await self.go_on.wait()
            return await super().swap(key, old, new)

    slow = Slow()
    slow.kept = commands.bookmarks.kept
    commands.bookmarks = slow
    first = asyncio.ensure_future(said(api, *BEGUN, user("red")))
    await until(lambda: slow.swaps == 2)
    assert len(claims(commands)) == 1
    monkeypatch.setattr(openai_claim, "STEPS", 0)  # as if it had taken so long
    commands.turns = [says("Blue!"), says("Red!")]
    assert await said(api, *BEGUN, user("blue")) == "Blue!"
    slow.go_on.set()
    assert await first == "Red!"
    assert await where(commands, "blue") == [commands.threads[0]]
    assert commands.threads[0] not in await where(commands, "red")


# ---------------------------------------------------------------------------------------------------------- the price


async def test_going_on_costs_one_look_one_claim_and_one_note_of_the_place(
    api: openai.AsyncOpenAI, commands: Played
) -> None:
    calls: list[str] = []

    class Counting(MemoryBookmarks):
        async def get(self, key: str) -> str | None:
            calls.append("get")
            return await super().get(key)

        async def put(self, key: str, value: str) -> None:
            calls.append("put")
            await super().put(key, value)

        async def swap(self, key: str, old: str | None, new: str) -> bool:
            calls.append("swap")
            return await super().swap(key, old, new)

    counting = Counting()
    counting.kept = commands.bookmarks.kept
    commands.bookmarks = counting
    commands.turns = [says("Yes.")]
    await said(api, *BEGUN, user("And?"))
    # For the library, which may try again: which message it is, and where it goes.
    assert calls == ["put", "get", "swap", "swap", "put"]
