"""What the settings say reaches the machine that it is for: limits, prices, windows, the model that stands in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import SettingsError
from sulla.core.ids import MessageId, ThreadId
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.models.base import TokenUsage
from sulla.models.catalog import ModelName
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.records import Input

Make = Callable[..., System]
DONE = Say("All right. <AGENT_DONE>ok</AGENT_DONE>", usage=TokenUsage(1_000, 100))
MODEL = Choice(ModelName("anthropic", "claude-x"), "a test says so")


@pytest.fixture
async def make(tmp_path: Path, manual_clock: ManualClock) -> AsyncIterator[Make]:
    """Builds a daemon whose model is scripted, if a script is given."""
    made: list[System] = []

    def make(toml: str, *script: Say, choice: Choice = MODEL) -> System:
        (tmp_path / "sulla.toml").write_text(toml)
        numbers = count(1)
        settings = load_settings({"SULLA_STORE": "memory:"}, {}, tmp_path)
        place = Place(
            manual_clock,
            lambda prefix: f"{prefix}_{next(numbers)}",
            "home:boot",
            lambda: 0.5,
            wrap_provider=lambda provider: ScriptedProvider(script) if script else provider,
        )
        made.append(build(settings, choice, place))
        return made[-1]

    yield make
    for system in made:
        await system.models.close()


async def ask(system: System, text: str = "hello") -> dict[str, Any]:
    """One turn; what it ended with."""
    await system.store.open()
    thread_id = await system.service.create_thread(None, "", None, None)
    await system.service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text=text), "owner")
    await system.turns.attend(ThreadId(thread_id))
    events = await system.service.history(thread_id, 0, None, 100)
    await system.store.close()
    return {event.type: event.data for event in events}


async def test_a_price_makes_money_visible_and_a_limit(make: Make) -> None:
    system = make('[prices."anthropic:*"]\ninput = 2\noutput = 10\n[limits]\nday_cost = 0.5\n', DONE)
    assert (await ask(system))["RUN_FINISHED"]["usage"]["cost_micro"] == 1_000 * 2 + 100 * 10
    status = await system.service.status()
    assert status["today"] == {"tokens": 1_100, "tokens_limit": 5_000_000, "cost": 0.003, "cost_limit": 0.5}
    assert status["unpriced"] is False


async def test_without_a_price_a_model_is_unpriced_and_never_free(make: Make) -> None:
    system = make("[limits]\nday_cost = 0.000001\n", DONE)
    assert "cost_micro" not in (await ask(system))["RUN_FINISHED"]["usage"]
    status = await system.service.status()
    assert status["unpriced"] is True
    assert isinstance(status["today"], dict)
    assert status["today"]["cost"] is None


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ("run_tokens = 5000", "limit_tokens"),
        ("run_cost = 0.001", "limit_cost"),
        ("thread_day_tokens = 5000", "limit_thread_day_tokens"),
        ("agent_day_tokens = 5000", "limit_agent_day_tokens"),
        ("day_tokens = 5000", "limit_day_tokens"),
        ("day_cost = 0.001", "limit_day_cost"),
        ("history_tokens = 100", "limit_history_tokens"),
    ],
)
async def test_each_setting_is_the_limit_of_its_name(make: Make, limits: str, reason: str) -> None:
    system = make(f'[prices."anthropic:claude-x"]\ninput = 2\noutput = 10\n[limits]\n{limits}\n', DONE)
    assert (await ask(system))["RUN_ERROR"]["outcome"]["reason"] == reason


async def test_a_wrong_price_is_named_with_its_place(make: Make) -> None:
    with pytest.raises(SettingsError, match=r"sulla\.toml: prices\.'anthropic:x' lacks 'output'"):
        make('[prices."anthropic:x"]\ninput = 2\n')


async def test_the_models_window_bounds_what_it_is_shown(make: Make) -> None:
    assert (await make("", DONE).service.status())["window_tokens"] == 200_000
    small = make("[model]\nwindow_tokens = 4000\n", DONE)
    error = (await ask(small, "word " * 5_000))["RUN_ERROR"]
    assert error["outcome"]["hit"]["allowed"] == 4_000 - 1_000  # a quarter of the window is the reply's


async def test_where_the_chosen_model_cannot_be_asked_the_other_one_answers_and_says_so(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    system = make('[model]\nfallback = "offline"\n')
    with caplog.at_level(logging.WARNING):
        said = (await ask(system))["TEXT_MESSAGE_END"]
    assert said["stand_in"] == "offline for anthropic: key_missing"
    assert "offline answers for anthropic" in caplog.text


async def test_without_a_fallback_a_missing_key_is_an_error(make: Make) -> None:
    assert (await ask(make("")))["RUN_ERROR"]["code"] == "provider_key_missing"


async def test_a_fallback_answers_only_for_the_reasons_that_are_set(make: Make) -> None:
    system = make('[model]\nfallback = "offline"\nfallback_reasons = ["unreachable"]\n')
    assert (await ask(system))["RUN_ERROR"]["code"] == "provider_key_missing"


async def test_a_long_conversation_is_summed_up_unless_that_is_switched_off_or_nobody_could(make: Make) -> None:
    async def summaries(system: System) -> bool:
        await system.store.open()
        thread_id = ThreadId(await system.service.create_thread(None, "", None, None))
        for number in range(41):
            await system.threads.send(thread_id, Input(MessageId(f"msg_{number}"), f"question {number}"))
            await system.turns.attend(thread_id)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(system.core.summarizer.run())
            for _ in range(200):
                await asyncio.sleep(0)
            running.cancel()
        kinds = [event.type for event in await system.service.history(thread_id, 0, None, 500)]
        await system.store.close()
        return "SUMMARY" in kinds

    assert await summaries(make("", *[DONE] * 42))
    assert not await summaries(make("[model]\nsummaries = false\n", *[DONE] * 42))
    assert not await summaries(make("", *[DONE] * 42, choice=Choice(ModelName("offline"), "nothing is configured")))
