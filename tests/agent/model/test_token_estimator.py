"""What of a conversation fits: never more than the ceiling, counted exactly near it, and set right by services."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.token_estimator import Fitted, ModelInfo, TokenEstimator
from sulla.core.errors import LimitReached
from sulla.core.ids import CallId, MessageId
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.models.base import ChatRequest, PromptSection, ToolSpec
from sulla.models.catalog import ModelName
from sulla.models.tokens.calibration import Calibrations
from sulla.models.tokens.estimate import CountText, count_message, estimate_tokens
from sulla.models.tokens.prices import Prices, read_prices
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.usage import Usage

HEAD = ChatRequest(
    "m", (PromptSection("base", ours("You are here. " * 20)),), [], (ToolSpec("look", "Looks.", {}),), 500
)
NAME = ModelName("offline")


def characters(text: str) -> int:
    """A tokenizer that is far finer than the estimate."""
    return len(text)


class Tokenizer:
    """Counts how often it was asked for."""

    def __init__(self, count: CountText | None = characters) -> None:
        self.asked = 0
        self.counted: list[str] = []
        self._count = count

    async def __call__(self) -> CountText | None:
        self.asked += 1
        return self._count if self._count is None else self._note

    def _note(self, text: str) -> int:
        self.counted.append(text)
        return characters(text)


def estimator(
    ranks: Tokenizer | None = None, window_tokens: int = 1_000_000, prices: Prices | None = None
) -> TokenEstimator:
    info = ModelInfo(NAME, window_tokens, prices if prices is not None else Prices({}))
    return TokenEstimator(info, Calibrations(), ranks if ranks is not None else Tokenizer(None))


def said(*texts: str) -> Transcript:
    script = Transcript(estimate_tokens)
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        script.push(Message(MessageId(f"m{number}"), role, (Text(text),)))  # type: ignore[arg-type]  # one of two roles
    return script


def exact(script: Sequence[Message] | Transcript) -> int:
    return sum(count_message(message, characters) for message in script)


async def fit_if_possible(weigher: TokenEstimator, script: Transcript, ceiling: int) -> Fitted | None:
    try:
        return await weigher.fit(script, HEAD, ceiling)
    except LimitReached:
        return None


async def test_far_from_the_ceiling_nothing_is_loaded_and_nothing_forgotten() -> None:
    ranks = Tokenizer()
    script = said("hello", "hi", "how are you?")
    fitted = await estimator(ranks).fit(script, HEAD, 96_000)
    assert (ranks.asked, fitted.evicted, len(script), fitted.size.exact) == (0, 0, 3, False)
    assert fitted.size.counted < fitted.size.at_most <= fitted.size.counted * 1.1 + 1


async def test_near_the_ceiling_a_tokenizer_counts_and_only_what_is_new() -> None:
    ranks = Tokenizer()
    weigher, script = estimator(ranks), said(*["word " * 100] * 20)
    ceiling = 4_000
    first = await weigher.fit(script, HEAD, ceiling)
    assert first.size.exact
    assert script.tokens == exact(script)
    ranks.counted.clear()
    script.push(Message(MessageId("new"), "user", (Text("one more"),)))
    await weigher.fit(script, HEAD, ceiling)
    assert ranks.counted == ["one more"]


@given(
    sizes=st.lists(st.integers(1, 3_000), min_size=1, max_size=30),
    ceiling=st.integers(1_500, 12_000),
    tokenizer=st.booleans(),
)
def test_the_ceiling_is_never_exceeded(sizes: list[int], ceiling: int, tokenizer: bool) -> None:
    ranks = Tokenizer(characters if tokenizer else None)
    script = said(*("x" * size for size in sizes))
    weigher = estimator(ranks)
    fitted = asyncio.run(fit_if_possible(weigher, script, ceiling))
    if fitted is None:  # then not even the newest message alone does
        assert len(script) == 1
        return
    assert fitted.size.at_most <= ceiling
    assert script[len(script) - 1].text == "x" * sizes[-1]
    assert fitted.evicted == len(sizes) - len(script)


async def test_the_models_own_window_less_its_reply_is_a_ceiling_too() -> None:
    script = said(*["word " * 300] * 20)
    fitted = await estimator(window_tokens=3_000).fit(script, HEAD, 96_000)
    assert fitted.evicted > 0
    assert fitted.size.at_most <= 3_000 - HEAD.max_tokens


def test_a_reply_never_takes_more_than_a_quarter_of_the_window() -> None:
    limits = RunLimits()
    assert estimator(window_tokens=16_384).reply_tokens(limits) == 4_096
    assert estimator(window_tokens=200_000).reply_tokens(limits) == limits.reply_tokens


async def test_too_many_results_of_one_reply_are_shown_in_part_and_stay_with_their_calls() -> None:
    calls = tuple(ToolCall(CallId(f"c{number}"), "look", {}) for number in range(10))
    script = said("look everywhere")
    script.push(Message(MessageId("reply"), "assistant", calls))
    for call in calls:
        script.add_result(MessageId("results"), ToolResult(call.id, "found it " * 1_000), calls)
    fitted = await estimator(Tokenizer()).fit(script, HEAD, 9_000)
    assert fitted.size.at_most <= 9_000
    results = [part for part in script[len(script) - 1].parts if isinstance(part, ToolResult)]
    assert [result.call_id for result in results] == [call.id for call in calls]
    assert all(result.text.startswith("found it ") and result.text.endswith("to see the rest.]") for result in results)
    assert script[len(script) - 2].calls == calls


async def test_a_prompt_that_leaves_no_room_is_refused_with_what_to_do() -> None:
    script = said("hello")
    with pytest.raises(LimitReached, match="choose a model with a larger window") as caught:
        await estimator(window_tokens=560).fit(script, HEAD, 96_000)
    assert caught.value.hit is not None
    assert caught.value.hit.allowed == 60


async def test_what_the_service_reports_moves_the_next_guess_and_each_way_of_counting_has_its_own() -> None:
    weigher, script = estimator(), said(*["word " * 100] * 4)
    size = (await weigher.fit(script, HEAD, 96_000)).size
    weigher.observe(size, Usage(input_tokens=size.counted, cache_read_tokens=size.counted))
    after = (await weigher.fit(script, HEAD, 96_000)).size
    assert after.counted == size.counted
    assert after.at_most == pytest.approx(2 * size.at_most, rel=0.01)
    near = estimator(Tokenizer())
    counted = (await near.fit(script, HEAD, 1_000)).size
    assert counted.exact
    near.observe(counted, Usage(input_tokens=counted.counted))
    assert (await near.fit(said("hello"), HEAD, 96_000)).size.at_most < 300


async def test_in_doubt_the_service_itself_is_asked_and_believed() -> None:
    asked: list[ChatRequest] = []

    async def ask(request: ChatRequest) -> int:
        asked.append(request)
        return 1_000

    info = ModelInfo(NAME, 1_000_000, Prices({}))
    weigher = TokenEstimator(info, Calibrations(), Tokenizer(None), ask)
    script = said(*["word " * 200] * 4)
    size = (await weigher.fit(script, HEAD, 96_000)).size
    assert not asked
    fitted = await weigher.fit(script, HEAD, size.at_most - 1)
    assert fitted.evicted == 0
    assert [len(request.messages) for request in asked] == [4]


def test_a_call_is_reserved_at_the_dearest_it_can_be_and_costs_what_it_took() -> None:
    prices = read_prices({"offline": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}})
    weigher = estimator(prices=prices)
    size = weigher.weigh(HEAD)
    charge = weigher.charge(size, 1_000)
    assert charge.tokens == size.at_most + 1_000
    assert charge.cost_micro == -(-(size.at_most * 375 + 1_000 * 1_500) // 100)
    assert weigher.cost_micro(Usage(100, 10, 1_000)) == 300 + 150 + 300
    assert estimator().charge(size, 1_000).cost_micro is None
    assert estimator().cost_micro(Usage(100, 10)) is None


async def test_a_summary_that_comes_while_messages_are_counted_does_no_harm() -> None:
    script = said(*["word " * 100] * 20)

    async def ranks() -> CountText:
        def count(text: str) -> int:
            if len(script) == 20:
                script.forget_before(MessageId("m10"))  # on another thread, as if the loop had gone on meanwhile
            return characters(text)

        return count

    fitted = await TokenEstimator(ModelInfo(NAME, 1_000_000, Prices({})), Calibrations(), ranks).fit(
        script, HEAD, 4_000
    )
    assert len(script) < 11
    assert fitted.size.counted - (fitted.size.counted - script.tokens) == exact(script)
