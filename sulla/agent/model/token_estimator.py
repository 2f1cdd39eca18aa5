"""How large a model call is, and what of the conversation fits into it (design §6).

The count is an estimate until it comes near a ceiling; then the messages are counted with a real tokenizer, off the
loop. Either way it is set right by what the service reported of earlier calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from sulla.agent.limits.limits import Charge, RunLimits
from sulla.agent.model.fitting import fit
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached
from sulla.core.ids import MessageId
from sulla.core.limit import LimitHit
from sulla.core.message import Message, ToolCall
from sulla.models.base import ChatRequest, StandIn, ToolSpec
from sulla.models.catalog import ModelName
from sulla.models.tokens.calibration import Calibration, Calibrations
from sulla.models.tokens.estimate import CountText, count_head, count_message, estimate_text
from sulla.models.tokens.head import HeadCounter
from sulla.models.tokens.prices import Prices
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.usage import Usage

NEAR: Final = 0.6
"""From this part of the ceiling on, an estimate is not good enough: the worst of them are a third too low
(docs/inside/tokens.md).
"""

RESERVE_PART: Final = 4
"""A reply may have one part in so many of the model's window, and what is left is for the conversation."""

INLINE_CHARS: Final = 4_000
"""So many are counted at once, in less than a millisecond; more of them on a worker thread."""

_TRIES: Final = 3
"""How often it is tried: the sizes of what is left of a clipped result are measured, not known."""


@dataclass(frozen=True, slots=True)
class Size:
    """What a request weighs."""

    counted: int
    """Tokens of prompt, tools and messages, by our own count."""
    exact: bool
    """Whether a real tokenizer counted."""
    at_most: int
    """What the service may count."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was done so that a request fits."""

    size: Size
    evicted: int = 0
    """Messages that the model is not shown any more."""
    tokens_before: int = 0
    """Of the messages alone, by our own count."""
    tokens_after: int = 0


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model, as far as sizes and money are concerned."""

    name: ModelName
    window_tokens: int
    """What the model takes in and gives out in one call."""
    prices: Prices
    """Of this model, and of any that stands in for it."""
    stand_in: ModelName | None = None
    """Which model may answer in its place."""
    metered: bool = True
    """Whether what it takes counts; not where no service is asked."""
    native: tuple[ToolSpec, ...] = ()
    """The tools that its service runs itself, as far as the owner has named them."""


async def _no_ranks() -> CountText | None:
    return None


async def _no_answer(request: ChatRequest) -> int | None:
    return None


class TokenEstimator:
    """Weighs requests to one model.

    Args:
        info: the model.
        calibrations: what is known of models; shared by all estimators of a daemon.
        ranks: gives the count of a real tokenizer, or None if there is none; slow the first time.
        ask: asks the service itself; None where it cannot say.
    """

    def __init__(
        self,
        info: ModelInfo,
        calibrations: Calibrations,
        ranks: Callable[[], Awaitable[CountText | None]] = _no_ranks,
        ask: Callable[[ChatRequest], Awaitable[int | None]] = _no_answer,
    ) -> None:
        self.info = info
        self._calibrations = calibrations
        self._ranks = ranks
        self._ask = ask
        self._heads: dict[bool, HeadCounter] = {}
        # What is counted in two ways is off by two factors.
        self._keys = {False: f"{info.name}|estimate", True: f"{info.name}|ranks"}

    def reply_tokens(self, limits: RunLimits) -> int:
        """The most that a reply may have, within the model's window."""
        return max(1, min(limits.reply_tokens, self.info.window_tokens // RESERVE_PART))

    def charge(self, size: Size, max_tokens: int) -> Charge:
        """What a call may take at the most.

        Args:
            size: of the request.
            max_tokens: the most that the reply may have.

        Returns:
            Nothing for a model that asks no service.
        """
        if not self.info.metered:
            return Charge()
        # What is read may have to be kept in the service's cache as well, which can cost more.
        worst = (Usage(size.at_most, max_tokens), Usage(0, max_tokens, cache_write_tokens=size.at_most))
        names = filter(None, (self.info.name, self.info.stand_in))
        costs = [self.info.prices.cost_micro(usage, name) for name in names for usage in worst]
        return Charge(size.at_most + max_tokens, max((cost for cost in costs if cost is not None), default=None))

    def cost_micro(self, usage: Usage, stand_in: StandIn | None = None) -> int | None:
        """What a call cost, in millionths of the currency's unit; None if the model that answered has no price."""
        name = self.info.name if stand_in is None else ModelName(stand_in.provider, stand_in.model)
        return self.info.prices.cost_micro(usage, name)

    def at_most(self, text: str) -> int:
        """How many tokens the service may count for a text, by estimate."""
        return self._calibration(exact=False).at_most(estimate_text(text))

    def charge_of(self, texts: Iterable[str]) -> Charge:
        """What embedding texts may take at the most, by estimate."""
        counted = sum(map(estimate_text, texts))
        return self.charge(Size(counted, False, self._calibration(exact=False).at_most(counted)), 0)

    def weigh(self, request: ChatRequest) -> Size:
        """How large a whole request is, by estimate."""
        counted = count_head(request.system, request.tools, estimate_text) + sum(
            _sizes(request.messages, estimate_text)
        )
        return Size(counted, False, self._calibration(exact=False).at_most(counted))

    def observe(self, size: Size, usage: Usage) -> None:
        """Learn from what the service counted."""
        read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        self._learn(size, read)

    async def fit(
        self, script: Transcript, request: ChatRequest, ceiling_tokens: int, question: MessageId | None = None
    ) -> Fitted:
        """Forget what does not fit; `fitting.py` says in which order.

        Args:
            script: the conversation; changed in place.
            request: prompt, tools, the most that the reply may have, and the messages that come before the script's.
            ceiling_tokens: what the service may count, at the most, of all that it reads.
            question: the message that is being worked on.

        Raises:
            LimitReached: not even the newest message fits, or the prompt leaves no room for one.
        """
        ceiling = max(0, min(ceiling_tokens, self.info.window_tokens - request.max_tokens))
        size = count = None
        if not script.corrected:
            size = self._size(script, request, None)
        if size is None or size.at_most > NEAR * ceiling:
            count = await self._ranks()
            size = await self._count(script, request, count)
        before = script.tokens
        if size.at_most > ceiling and not self._calibration(size.exact).settled:
            reported = await self._ask(replace(request, messages=(*request.messages, *script)))
            if reported is not None:
                self._learn(size, reported)
                size = self._size(script, request, count)
        evicted = 0
        for attempt in range(_TRIES):
            if size.at_most <= ceiling:
                break
            room = max(0, self._calibration(size.exact).room(ceiling) - (size.counted - script.tokens))
            # Each time a little tighter: what is left of a result is measured, and a measure can be wrong.
            evicted += fit(script, room - attempt * room // 10, question)
            size = await self._count(script, request, count)
        if size.at_most > ceiling:
            raise self._too_large(size, size.counted - script.tokens, ceiling)
        return Fitted(size, evicted, before, script.tokens)

    def _too_large(self, size: Size, head: int, ceiling: int) -> LimitReached:
        alone = self._calibration(size.exact).at_most(head)
        if alone >= ceiling:
            text = (
                f"the prompt and the tools alone take up to {alone} tokens, and the model may be shown {ceiling}: "
                "choose a model with a larger window, or say with model.window_tokens that this one's is larger"
            )
        else:
            text = (
                f"the newest message takes up to {size.at_most} tokens together with the prompt and the tools, and the "
                f"model may be shown {ceiling}: send it in smaller parts, or put it into a file in the workspace"
            )
        hit = LimitHit("history_tokens", "run", "tokens", ceiling, 0, size.at_most)
        return LimitReached("limit_history_tokens", text, hit)

    async def _count(self, script: Transcript, request: ChatRequest, count: CountText | None) -> Size:
        """The size as a tokenizer has it, of what it has not counted yet; as it is if there is none."""
        messages = list(script.uncorrected)
        if count is not None and messages:
            if sum(map(_characters, messages)) <= INLINE_CHARS:
                counted = _sizes(messages, count)
            else:  # off the loop: a long conversation takes a tenth of a second
                counted = await asyncio.to_thread(_sizes, messages, count)
            # Meanwhile a summary may have made the conversation shorter.
            known = {id(message): tokens for message, tokens in zip(messages, counted, strict=True)}
            script.correct([known[id(message)] for message in script.uncorrected if id(message) in known])
        return self._size(script, request, count)

    def _size(self, script: Transcript, request: ChatRequest, count: CountText | None) -> Size:
        counted, exact = self._head_tokens(request, count) + script.tokens, count is not None
        return Size(counted, exact, self._calibration(exact).at_most(counted))

    def _head_tokens(self, request: ChatRequest, count: CountText | None) -> int:
        """Of all but the script."""
        exact = count is not None
        if (head := self._heads.get(exact)) is None:
            head = self._heads[exact] = HeadCounter(count or estimate_text)
        return head.count(request.system, request.tools, request.messages)

    def _calibration(self, exact: bool) -> Calibration:
        return self._calibrations.of(self._keys[exact], self.info.name)

    def _learn(self, size: Size, reported: int) -> None:
        self._calibrations.observe(self._keys[size.exact], self.info.name, size.counted, reported)


def _characters(message: Message) -> int:
    return sum(len(part.text) if not isinstance(part, ToolCall) else len(str(part.args)) for part in message.parts)


def _sizes(messages: Sequence[Message], count: CountText) -> list[int]:
    return [count_message(message, count) for message in messages]
