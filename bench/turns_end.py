"""How well the end of a turn is told from its text, and how long people wait for it, on dev and held-out lines.

The lines are those of bench/turns; of the held-out half only totals are printed. Whoever changes rules uses
``python -m bench.turns``, which leaves the held-out half alone. Beside the detector stand, in the same
run, the rules that the original shipped with, and a fixed pause of 1.5 s. A policy chooses by the text how long to
wait: who is silent for longer in mid-turn is cut off, and what it waits after a complete text is dead air.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean

from bench.frame import Frame, Row
from bench.turns import data
from bench.turns.data import Line
from bench.turns.voices import tallies
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.english_detector import EnglishDetector
from sulla.speech.turn_taking.detector import COMPLETE
from sulla.speech.turn_taking.profile import ADAPTIVE, wait_ms

NAME = "turns"

read = EnglishDetector(Vocabulary()).read

FIXED_MS = 1_500
ORIGINAL_MS = (1_500, 3_000)
MISSED_BAR = 0.10
FALSE_BAR = 0.08
CUT_BAR = 0.05
DEAD_AIR_BAR = 0.40
SLOW_BAR = 0.05
SHORT_MS = 500
EVALUATION_BAR_US = 50.0
SCALES = [0.05 * step for step in range(2, 61)]
RESAMPLES = 1_000
_Z = 1.96
_SENTENCE_END = re.compile(r"[.!?]\s*$")
_OPENINGS = re.compile(
    r"^(?:can you|could you|please|i need|i want|help me|what|how|when|where|why|create|build|make|generate"
    r"|write|design).+",
    re.IGNORECASE,
)
_CLOSINGS = re.compile(r"(?:thank you|thanks|that's all|goodbye|bye)$", re.IGNORECASE)

Wait = Callable[[Line], float]
"""How long a policy waits after a text, in ms."""


# ---------------------------------------------------------------------------------------------------------- contenders


def ours(line: Line) -> bool:
    """The detector."""
    return read(line.text, line.context).score >= COMPLETE


def original(line: Line) -> bool:
    """What the original took for a complete thought."""
    text = line.text
    return len(text) >= 20 and bool(_SENTENCE_END.search(text) or _OPENINGS.search(text) or _CLOSINGS.search(text))


def adaptive(line: Line) -> float:
    """What the profile `adaptive` waits."""
    reading = read(line.text, line.context)
    return ADAPTIVE.hold_ms if reading.kind == "hold" else wait_ms(reading.score)


def original_wait(line: Line) -> float:
    """What the original waits."""
    return ORIGINAL_MS[0] if original(line) else ORIGINAL_MS[1]


def fixed(line: Line) -> float:
    """The same after each text."""
    return FIXED_MS


# ------------------------------------------------------------------------------------------------------------- figures


def bounds(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson)."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_bounds(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean (bootstrap, fixed seed)."""
    chance = Random(1)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[RESAMPLES // 40], means[-RESAMPLES // 40]


def dead_air(lines: Sequence[Line], wait: Wait) -> list[float]:
    """What is waited after each complete text, in ms."""
    return [wait(line) for line in lines if line.complete]


def cut_off(lines: Sequence[Line], wait: Wait) -> int:
    """How many speakers were silent for longer than was waited."""
    return sum(line.pause_ms > wait(line) for line in lines if line.pause_ms is not None)


def swept(lines: Sequence[Line], wait: Wait, most: float) -> float:
    """The least mean dead air, over all of a policy's waits longer or shorter, with no more than `most` cut off."""
    waits = [(line, wait(line)) for line in lines]
    unfinished = [(line.pause_ms, ms) for line, ms in waits if line.pause_ms is not None]
    finished = fmean(ms for line, ms in waits if line.complete)
    fitting = [
        scale for scale in SCALES if sum(pause > scale * ms for pause, ms in unfinished) <= most * len(unfinished)
    ]
    return fitting[0] * finished if fitting else math.inf


def _share(name: str, hits: int, of: int, limit: float | None = None) -> Row:
    low, high = bounds(hits, of)
    value, unit = hits / max(1, of), f"[{low:.3f}, {high:.3f}]"
    if limit is None:
        return Row(name, value, unit)
    return Row(name, value, unit, value / limit, f"{limit:g}", 1.0, ok=value <= limit)


def _detector(half: str, name: str, says: Callable[[Line], bool], lines: Sequence[Line], *, judged: bool) -> list[Row]:
    complete = [line for line in lines if line.complete]
    hits = sum(map(says, complete))
    false = sum(says(line) for line in lines if not line.complete)
    return [
        _share(f"{half}, {name}: precision", hits, max(1, hits + false)),
        _share(f"{half}, {name}: recall", hits, len(complete)),
        _share(f"{half}, {name}: complete missed", len(complete) - hits, len(complete), MISSED_BAR if judged else None),
        _share(f"{half}, {name}: false complete", false, len(lines) - len(complete), FALSE_BAR if judged else None),
    ]


def _policy(half: str, name: str, wait: Wait, lines: Sequence[Line], *, judged: bool) -> list[Row]:
    waits = dead_air(lines, wait)
    low, high = mean_bounds(waits)
    unit, mean = f"ms [{low:.0f}, {high:.0f}]", fmean(waits)
    bar = DEAD_AIR_BAR if judged else None
    at_bar = swept(lines, wait, CUT_BAR)
    ratio = at_bar / swept(lines, fixed, CUT_BAR)
    return [
        Row(f"{half}, {name}: dead air", mean, unit, mean / FIXED_MS, "fixed 1.5 s"),
        _share(
            f"{half}, {name}: cut off",
            cut_off(lines, wait),
            sum(not line.complete for line in lines),
            CUT_BAR if judged else None,
        ),
        Row(
            f"{half}, {name}: dead air at 5 % cut off",
            at_bar,
            "ms",
            ratio,
            "fixed pause at 5 %",
            bar,
            ok=bar is None or ratio <= bar,
        ),
        Row(f"{half}, {name}: dead air at 10 % cut off", swept(lines, wait, 0.10), "ms"),
    ]


def rows_of(half: str, lines: Sequence[Line], *, judged: bool) -> list[Row]:
    """The totals of one half.

    Args:
        half: its name.
        lines: of it.
        judged: whether the bars are for it.
    """
    short = [line for line in lines if line.complete and line.kind == "short_answer"]
    slow = sum(adaptive(line) > SHORT_MS for line in short)
    return [
        *_detector(half, "detector", ours, lines, judged=judged),
        *_detector(half, "original", original, lines, judged=False),
        *_policy(half, "adaptive", adaptive, lines, judged=judged),
        *_policy(half, "original", original_wait, lines, judged=False),
        *_policy(half, "fixed 1.5 s", fixed, lines, judged=False),
        _share(f"{half}: short answers over {SHORT_MS} ms", slow, len(short), SLOW_BAR if judged else None),
    ]


def _spoken(lines: Sequence[Line], unseen: Sequence[Line]) -> list[Row]:
    """What the product makes of them when people say them."""
    return [_share(f"spoken, {name}", hits, of, limit) for name, hits, of, limit in tallies(lines, unseen)]


def evaluation_us(frame: Frame, lines: Sequence[Line]) -> Row:
    """What one evaluation costs."""

    def once() -> float:
        begin = time.process_time_ns()
        for line in lines:
            read(line.text, line.context)
        return (time.process_time_ns() - begin) / 1000 / len(lines)

    value = frame.compare({"evaluation": once}, "µs").median("evaluation")
    bar = f"{EVALUATION_BAR_US:g} µs"
    return Row("one evaluation", value, "µs", value / EVALUATION_BAR_US, bar, 1.0, ok=value <= EVALUATION_BAR_US)


def run(frame: Frame) -> list[Row]:
    """All files; the bars are for the held-out one."""
    dev = data.dev()
    return [
        *rows_of("dev", dev, judged=False),
        *rows_of("more", data.more(), judged=False),
        *rows_of("trial", data.trial(), judged=False),
        *rows_of("held-out", data.heldout(), judged=True),
        *_spoken((*dev, *data.more()), data.heldout()),
        evaluation_us(frame, dev),
    ]
