"""What it costs to keep a conversation within its budget, how near estimates come, and what the tokenizer weighs.

The limit is to encode the two new messages of a turn and nothing else. Whatever more a check of the whole history costs
is ours. Accuracy is measured on the samples of the tests, against the bundled tokenizer.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from bench.frame import Frame, Measure, Row
from bench.history import text_of
from bench.process import ROOT, surroundings
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.core.words import ours
from sulla.models.base import ChatRequest, PromptSection
from sulla.models.catalog import ModelName
from sulla.models.tokens.calibration import SETTLED_TURNS, Calibration, Calibrations
from sulla.models.tokens.estimate import CountText, count_message, estimate_text, estimate_tokens
from sulla.models.tokens.prices import Prices
from sulla.models.tokens.ranks import Ranks, load_ranks
from sulla.threads.log.transcript import Transcript

NAME = "tokens"

CHECK_BAR = 1.3
"""Issue 2's: a check over 5,000 messages beside encoding only what is new."""
ERROR_BAR_PERCENT = 3.0
"""Issue 2's: how far a calibrated estimate may be off."""
CEILING = 96_000
MESSAGES = 5000
NEW = 2
"""Messages that a turn adds."""

_CHECKS = 20
"""Per round; each adds messages, so there are some more than `MESSAGES` in the end."""
_TURNS = 30
_SAMPLES = ROOT / "tests" / "models" / "tokens" / "data"
_LOAD = """
import asyncio, resource, time
def rss(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20
async def main():
    worst, ended = 0.0, False
    async def tick():
        nonlocal worst
        while not ended:
            begun = time.perf_counter()
            await asyncio.sleep(0.001)
            worst = max(worst, time.perf_counter() - begun)
    def load():
        from sulla.models.tokens.ranks import load_ranks
        return load_ranks()
    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.01)
    before, begun = rss(), time.perf_counter()
    ranks = await asyncio.to_thread(load)
    took = time.perf_counter() - begun
    ended = True
    await ticking
    print(took * 1000, worst * 1000, rss() - before)
asyncio.run(main())
"""
"""A fresh process with a loop: how long it loads, how long the loop stood still at most, what it weighs more."""


def run(frame: Frame) -> list[Row]:
    """The bars are issue 2's."""
    ranks = load_ranks()
    return [*_checks(frame, ranks), *_speed(frame, ranks), *_accuracy(ranks), *_loading(frame)]


def _messages() -> Iterator[Message]:
    """Ever other ones of about 500 characters, ready made: to make them is no part of a check."""
    for number in count():
        yield Message(MessageId(f"m{number}"), "user" if number % 2 else "assistant", (Text(text_of(number)),))


def _checks(frame: Frame, ranks: Ranks) -> list[Row]:
    made = _messages()
    few, many, kept = (Transcript(ranks.count_tokens) for _ in range(3))
    for transcript, size in ((few, 10), (many, MESSAGES)):
        for _ in range(size):
            transcript.push(next(made))
    while not kept.fit(CEILING):
        kept.push(next(made))

    def bare(turn: list[Message]) -> None:
        for message in turn:
            ranks.count_text(message.text)

    def check(transcript: Transcript, turn: list[Message]) -> None:
        for message in turn:
            transcript.push(message)
        transcript.window(CEILING)

    def fit(turn: list[Message]) -> None:
        for message in turn:
            kept.push(message)
        kept.fit(CEILING)

    call = _before_call(made, ranks)
    limit, full, fitted, called = (
        "encode the new messages",
        f"check, {MESSAGES} messages",
        f"forget what is over {CEILING} tokens",
        f"before a model call, {MESSAGES} messages",
    )
    samples = frame.compare(
        {
            limit: _each_turn(made, bare),
            "check, 10 messages": _each_turn(made, partial(check, few)),
            full: _each_turn(made, partial(check, many)),
            fitted: _each_turn(made, fit),
            called: _each_turn(made, call),
        },
        "µs",
    )
    return [
        samples.row(limit),
        samples.row("check, 10 messages", limit),
        samples.row(full, limit, bar=CHECK_BAR),
        samples.row(fitted, limit, bar=CHECK_BAR),
        samples.row(called, limit, bar=CHECK_BAR),
    ]


def _before_call(made: Iterator[Message], ranks: Ranks) -> Callable[[list[Message]], None]:
    """All that is looked at before a model call, near a ceiling, so that the tokenizer counts what is new."""

    async def encoded() -> CountText:
        return ranks.count_text

    estimator = TokenEstimator(ModelInfo(ModelName("offline"), 10**9, Prices({})), Calibrations(), encoded)
    head, script = ChatRequest("m", (PromptSection("base", ours(text_of(0))),), []), Transcript(estimate_tokens)
    for _ in range(MESSAGES):
        script.push(next(made))
    asyncio.run(_settled(estimator.fit(script, head, script.tokens * 3 // 2)))
    ceiling = 2 * script.tokens

    def call(turn: list[Message]) -> None:
        for message in turn:
            script.push(message)
        _finish(estimator.fit(script, head, ceiling))

    return call


async def _settled(work: Coroutine[object, object, object]) -> None:
    await work


def _finish(work: Coroutine[object, object, object]) -> None:
    """Run what never has to wait; a long first count does, on a worker thread."""
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
    raise AssertionError("what was to be measured waits for a thread")


def _each_turn(made: Iterator[Message], work: Callable[[list[Message]], None]) -> Measure:
    """Microseconds that `work` takes with the new messages of a turn, which are made beforehand."""

    def measure() -> float:
        turns = [[next(made) for _ in range(NEW)] for _ in range(_CHECKS)]
        begun = time.perf_counter()
        for turn in turns:
            work(turn)
        return (time.perf_counter() - begun) / _CHECKS * 1e6

    return measure


def _speed(frame: Frame, ranks: Ranks) -> list[Row]:
    """Of a whole sample of every kind, in µs for each 1,000 bytes."""
    texts = [path.read_text() for path in _files()]
    size = sum(len(text.encode()) for text in texts)

    def each(count_text: Callable[[str], int]) -> Measure:
        def measure() -> float:
            begun = time.perf_counter()
            for text in texts:
                count_text(text)
            return (time.perf_counter() - begun) / size * 1e9

        return measure

    limit = "tokenizer"
    samples = frame.compare({limit: each(ranks.count_text), "estimate": each(estimate_text)}, "µs/kB")
    return [samples.row(limit), samples.row("estimate", limit)]


def _accuracy(ranks: Ranks) -> list[Row]:
    """Estimates beside the tokenizer, and a calibrated conversation with a model that cuts 1.3 times as fine."""
    rows = []
    for path in _files():
        text = path.read_text()
        share = estimate_text(text) / ranks.count_text(text)
        rows.append(Row(f"estimate, {path.name}", share * 100, "%", ok=share >= 0.9))
    known = Calibration(1.1)
    worst = counted = real = 0.0
    for turn, message in enumerate(_mixed()):
        counted += count_message(message, estimate_text)
        real += ranks.count_tokens(message) * 1.3
        if turn >= SETTLED_TURNS:
            worst = max(worst, abs(known.predict(round(counted)) - real) / real * 100)
        known = known.observe(round(counted), round(real))
    share = worst / ERROR_BAR_PERCENT
    limit = f"{ERROR_BAR_PERCENT:g} %"
    return [*rows, Row(f"calibrated, worst of {_TURNS} turns", worst, "%", share, limit, 1.0, ok=share <= 1.0)]


def _mixed() -> Iterator[Message]:
    """A conversation in which each turn's text is of another kind; the first stands for prompt and tools."""
    texts = [path.read_text() for path in _files()]
    yield Message(MessageId("prompt"), "user", (Text("\n".join(texts)),))
    for turn in range(SETTLED_TURNS + _TURNS):
        text = texts[turn % len(texts)]
        part = len(text) // 4
        start = turn * 37 % (len(text) - part)
        yield Message(MessageId(f"m{turn}"), "user", (Text(text[start : start + part]),))


def _loading(frame: Frame) -> list[Row]:
    rounds: list[list[float]] = []
    for _ in range(max(3, frame.rounds // 10)):
        done = subprocess.run(
            [sys.executable, "-c", _LOAD], cwd=ROOT, env=surroundings(), capture_output=True, text=True, check=True
        )
        rounds.append([float(figure) for figure in done.stdout.split()])
    took, stood, weight = (median(figures) for figures in zip(*rounds, strict=True))
    return [
        Row("ranks, loaded in a thread", took, "ms"),
        Row("ranks, the loop stood still at most", stood, "ms"),
        Row("ranks, RSS", weight, "MiB"),
    ]


def _files() -> list[Path]:
    return sorted(_SAMPLES.iterdir())
