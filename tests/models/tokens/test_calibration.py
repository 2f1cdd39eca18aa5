"""Five reports are enough to foretell the next within 3 %, and no report can spoil what was learned."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json
from sulla.models.catalog import ModelName, parse_model
from sulla.models.tokens.calibration import (
    HIGHEST,
    LEAST_TOKENS,
    LOWEST,
    MOST_MODELS,
    SETTLED_MARGIN,
    SETTLED_TURNS,
    Calibration,
    Calibrations,
    calibration_from_json,
    first_calibration,
)

RATIOS = st.floats(min_value=LOWEST, max_value=HIGHEST)
CALIBRATIONS = st.builds(Calibration, RATIOS, st.integers(min_value=0, max_value=1000))
CLAUDE = ModelName("anthropic", "claude-x")


@dataclass(slots=True)
class Simulated:
    """A model and a conversation with it: what we count of each request, and what its service reports.

    Args:
        ratio: its tokens for each of ours.
        template: tokens that it adds to each request, and that we know nothing of.
        spread: how far our count of one message is off at most, as a share.
        prompt: our count of prompt and tools.
        seed: of the messages.
    """

    ratio: float
    template: int
    spread: float
    prompt: int
    seed: int
    _counted: int = 0
    _real: float = 0.0
    _chance: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self._chance.seed(self.seed)

    def turn(self) -> tuple[int, int]:
        """Counted by us and reported, of the next turn's request."""
        for _ in range(self._chance.randint(2, 6)):
            counted = self._chance.randint(20, 400)
            self._counted += counted
            self._real += counted * (1 + self._chance.uniform(-self.spread, self.spread))
        reported = (self._real + self.prompt) * self.ratio + self.template
        return self._counted + self.prompt, round(reported)


SIMULATED = st.builds(
    Simulated,
    ratio=st.floats(min_value=0.6, max_value=2.2),
    template=st.integers(min_value=0, max_value=30),
    spread=st.floats(min_value=0.0, max_value=0.1),
    prompt=st.integers(min_value=1500, max_value=6000),
    seed=st.integers(),
)


@settings(max_examples=200)
@given(SIMULATED, st.sampled_from(["anthropic:claude-x", "ollama:qwen3:8b", "offline"]))
def test_after_five_turns_the_next_is_foretold_within_3_percent(model: Simulated, name: str) -> None:
    known = first_calibration(parse_model(name))
    for _ in range(SETTLED_TURNS):
        known = known.observe(*model.turn())
    for _ in range(20):
        counted, reported = model.turn()
        assert abs(known.predict(counted) - reported) <= 0.03 * reported
        assert known.at_most(counted) >= reported
        known = known.observe(counted, reported)


def test_a_model_that_is_changed_is_followed() -> None:
    known = Calibration(1.0)
    for reported in [1000] * 20 + [1400] * 12:
        known = known.observe(1000, reported)
    assert known.predict(1000) == pytest.approx(1400, rel=0.01)


def test_the_first_report_replaces_what_was_assumed() -> None:
    assert first_calibration(CLAUDE).observe(1000, 900) == Calibration(0.9, 1)


@pytest.mark.parametrize(("name", "ratio"), [("anthropic:claude-x", 1.3), ("ollama:llama3", 1.1), ("offline", 1.0)])
def test_a_model_begins_with_what_is_known_of_its_kind(name: str, ratio: float) -> None:
    assert first_calibration(parse_model(name)) == Calibration(ratio)


@given(CALIBRATIONS, st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**9)), max_size=20))
def test_no_reports_lead_out_of_the_bounds(known: Calibration, reports: list[tuple[int, int]]) -> None:
    for counted, reported in reports:
        known = known.observe(counted, reported)
        assert LOWEST <= known.ratio <= HIGHEST


@given(CALIBRATIONS)
def test_an_odd_report_tells_nothing(known: Calibration) -> None:
    assert known.observe(LEAST_TOKENS - 1, 500) is known
    assert known.observe(0, 0) is known
    assert known.observe(10_000, 0) is known  # a service that reports nothing
    assert known.observe(10_000, int(2_400 * known.ratio)) is known  # or only what its cache did not have


@given(CALIBRATIONS, st.integers(min_value=0, max_value=10**6))
def test_what_has_room_stays_below_the_ceiling(known: Calibration, ceiling: int) -> None:
    room = known.room(ceiling)
    assert known.at_most(room) <= ceiling
    assert known.at_most(room + 2) > ceiling


@given(CALIBRATIONS, st.integers(min_value=0, max_value=10**6))
def test_the_margin_is_never_below_the_prediction(known: Calibration, counted: int) -> None:
    assert known.at_most(counted) >= known.predict(counted)
    if known.settled:
        assert known.at_most(counted) <= known.predict(counted) * (1 + SETTLED_MARGIN) + 1


@given(CALIBRATIONS)
def test_what_was_kept_comes_back(known: Calibration) -> None:
    kept: Json = json.loads(json.dumps(known.to_json()))
    assert calibration_from_json(kept) == known


@pytest.mark.parametrize(
    "value",
    [None, {}, {"ratio": 1.0}, {"ratio": "1", "turns": 1}, {"ratio": 9.0, "turns": 1}, {"ratio": 1.0, "turns": -1},
     {"ratio": float("nan"), "turns": 1}, {"ratio": True, "turns": 1}, {"ratio": 1.0, "turns": True}],
)  # fmt: skip
def test_what_is_no_calibration_is_refused(value: Json) -> None:
    with pytest.raises(CorruptRecord, match="not a calibration"):
        calibration_from_json(value)


@pytest.mark.parametrize(("ratio", "turns"), [(LOWEST - 0.01, 0), (HIGHEST + 0.01, 0), (float("nan"), 0), (1.0, -1)])
def test_an_impossible_calibration_cannot_be_made(ratio: float, turns: int) -> None:
    with pytest.raises(ValueError, match="expected a ratio"):
        Calibration(ratio, turns)


def test_each_model_has_its_own() -> None:
    known = Calibrations()
    known.observe("a", CLAUDE, 1000, 1500)
    assert known.of("a", CLAUDE) == Calibration(1.5, 1)
    assert known.of("b", CLAUDE) == first_calibration(CLAUDE)


def test_an_odd_first_report_is_not_kept() -> None:
    known = Calibrations()
    known.observe("a", CLAUDE, 10, 15)
    assert known.to_json() == {}


def test_the_model_that_was_looked_at_longest_ago_is_forgotten() -> None:
    known = Calibrations({str(number): Calibration(1.0, 1) for number in range(MOST_MODELS)})
    known.of("0", CLAUDE)
    known.observe("one more", CLAUDE, 1000, 1500)
    kept = known.to_json()
    assert len(kept) == MOST_MODELS
    assert "0" in kept
    assert "1" not in kept


def test_all_that_is_known_comes_back() -> None:
    known = Calibrations()
    known.observe("a", CLAUDE, 1000, 1500)
    known.observe("b", CLAUDE, 1000, 800)
    kept = {key: calibration_from_json(value) for key, value in known.to_json().items()}
    assert Calibrations(kept).to_json() == known.to_json()
