"""AG-UI against a real daemon, with tools, interrupts, kills, and a model that fails."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.daemon.clients.asking import ANSWER, NOTE, model_that_asks, place_that_asks, written
from tests.daemon.running import Daemon, Place, Service
from tests.gateway.dialects.talker import Talker, talking
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

YES, NO = {"approved": True}, {"approved": False}


@pytest.fixture
def model() -> Iterator[Service]:
    with model_that_asks() as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    return place_that_asks(tmp_path, model)


@asynccontextmanager
async def dial(daemon: Daemon, place: Place, path: str = "", key: str = "") -> AsyncIterator[Talker]:
    token = key or (place.home / "token").read_text().strip()
    async with talking(f"{daemon.url}/agui{path}", token) as talker:
        yield talker


async def test_a_turn_with_a_tool_and_the_next_one_of_the_same_conversation(place: Place, model: Service) -> None:
    with place.up() as daemon:
        async with dial(daemon, place) as talker:
            told = await talker.say("(look)")
            assert (told.texts, told.outcome) == (["Let me look.", "It is empty."], "success")
            assert (told.calls, len(told.results)) == ([("list_dir", '{"path":"."}')], 1)
            assert (await talker.say("(again)")).texts[-1] == "Still empty."
    assert [sum(f"({word})" in text for text in model.shown_last) for word in ("look", "again")] == [1, 1]


@pytest.mark.parametrize(("answer", "lines"), [(YES, ["written"]), (NO, []), (None, [])])
async def test_an_interrupt_that_outlives_its_daemon_is_answered_by_the_next_run(
    place: Place, answer: object, lines: list[str]
) -> None:
    with place.up() as daemon:
        async with dial(daemon, place) as talker:
            (interrupt,) = (await talker.say("(write)")).interrupts
            assert f"echo written >> {NOTE}" in str(interrupt.message)
            messages = talker.messages
        assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL
    assert written(place) == []
    with place.up() as daemon:
        async with dial(daemon, place) as talker:
            talker.messages = messages
            told = await talker.answer((interrupt.id, answer))
            assert (told.texts, told.outcome, len(told.calls)) == (["That is that."], "success", 1)
            assert len(told.results) == 1
            again = await talker.answer((interrupt.id, answer))
            assert (again.texts, again.outcome) == (["That is that."], "success")
    assert written(place) == lines


async def test_of_two_interrupts_at_once_each_has_its_own_answer(place: Place) -> None:
    with place.up() as daemon:
        async with dial(daemon, place) as talker:
            first, second = (await talker.say("(twice)")).interrupts
            yes, no = (first, second) if "echo more" in str(first.message) else (second, first)
            told = await talker.answer((yes.id, YES), (no.id, NO))
            assert (told.texts, told.outcome, len(told.results)) == (["Both."], "success", 2)
    assert written(place) == ["more"]


async def test_a_client_that_vanishes_finds_its_answer_when_it_runs_again(place: Place, model: Service) -> None:
    with place.up() as daemon:
        async with dial(daemon, place) as talker:
            talker.add("(slow)")
            async with talker.http.stream("POST", talker.url, json=talker.body()) as answer:
                read = ""
                async for piece in answer.aiter_text():
                    read += piece
                    if "TEXT_MESSAGE_CONTENT" in read:
                        break
            model.release("gate")
            assert (await talker.run()).texts == [ANSWER]
    assert model.asked == 1


async def test_a_run_whose_daemon_is_killed_is_had_from_the_next(place: Place, model: Service) -> None:
    with place.up() as first:
        async with dial(first, place) as talker:
            talker.add("(slow)")
            async with talker.http.stream("POST", talker.url, json=talker.body()) as answer:
                pieces = answer.aiter_text()
                assert "RUN_STARTED" in await anext(pieces)
                assert first.ended(signal.SIGKILL) == -signal.SIGKILL
                with pytest.raises(httpx.HTTPError):
                    await anext(pieces)
            messages = talker.messages
    model.release("gate")
    with place.up() as second:
        async with dial(second, place) as talker:
            talker.messages = messages
            assert (await talker.run()).texts == [ANSWER]


async def test_a_model_that_breaks_off_in_the_middle_ends_the_run_with_an_error(place: Place) -> None:
    with place.up() as daemon:
        async with dial(daemon, place) as talker:
            told = await talker.say("(break)")
            assert (told.error.code, told.texts) == ("provider_protocol", [])


async def test_a_wrong_key_an_unknown_agent_and_too_much(place: Place) -> None:
    with place.up() as daemon:
        for path, key, text, status in (
            ("", "wrong", "hello", 401),
            ("/sula", "", "hello", 404),
            ("", "", "x" * 1_100_000, 413),
        ):
            async with dial(daemon, place, path, key) as talker:
                talker.add(text)
                refused = await talker.post()
                assert (refused.status_code, refused.json()["type"]) == (status, "RUN_ERROR")
