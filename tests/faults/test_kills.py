"""A turn with two tool calls survives the death of the daemon at any point."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.faults.backend import CLOCK, Backend
from tests.faults.harness import AtMoment, AtRecord, Story, round_of_kills, two_calls
from tests.faults.judge import breaches
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic

KINDS = {
    "THREAD_CREATED": 1,
    "INPUT": 1,
    "RUN_STARTED": 1,
    "MODEL_STARTED": 2,
    "TEXT_MESSAGE_END": 2,
    "TOOL_CALL_START": 2,
    "TOOL_CALL_RESULT": 2,
    "RUN_FINISHED": 1,
}
"""Every record of the turn, and how often its kind comes."""

POINTS = [
    AtRecord(kind, nth + 1, phase)
    for kind, times in KINDS.items()
    for nth in range(times)
    for phase in ("before", "after")
]

EVERYWHERE = [(point, kind) for point in POINTS for kind in ("sqlite", "redis", "postgres")]

SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261121"))
ROUNDS = int(os.environ.get("SULLA_FAULT_ROUNDS", "60"))


async def judged(
    tmp_path: Path,
    *deaths: AtRecord | AtMoment,
    defect: str = "",
    delay_s: float = 0.0,
    backend: Backend | None = None,
) -> tuple[Story, list[str]]:
    async with FakeAnthropic(two_calls(delay_s), CLOCK) as fake:
        story = await round_of_kills(tmp_path / "home", fake, deaths, defect=defect, backend=backend)
    return story, breaches(story)


@pytest.mark.parametrize(("point", "kind"), some(EVERYWHERE, 3, "a turn"))
async def test_a_kill_around_any_write_is_survived(
    tmp_path: Path, point: AtRecord, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    _, found = await judged(tmp_path, point, backend=backend_of(kind))
    assert not found


MOMENTS = (
    ("", 1),
    ("MODEL_STARTED", 1),
    ("TOOL_CALL_START", 1),
    ("TOOL_CALL_RESULT", 1),
    ("TOOL_CALL_RESULT", 2),
    ("MODEL_STARTED", 2),
    ("RUN_FINISHED", 1),
)
"""What a client sees happen before a kill falls; how long after that is drawn."""

WINDOWS = ("INPUT", "MODEL_STARTED", "TOOL_CALL_START", "TOOL_CALL_RESULT", "MODEL_STARTED+", "RUN_FINISHED")
"""What the log ended with at a death: the windows between one write and the next."""


def window(story: Story) -> str:
    kinds = [entry.kind for entry in story.before_restart[0]]
    if not kinds or kinds == ["THREAD_CREATED"]:
        return "nothing"
    return kinds[-1] + ("+" if kinds.count("MODEL_STARTED") == 2 and kinds[-1] == "MODEL_STARTED" else "")


@pytest.mark.faults
@pytest.mark.timeout(1800)
async def test_kills_at_random_moments_are_survived(tmp_path: Path) -> None:
    random = Random(SEED)
    hits: Counter[str] = Counter()
    failures: list[str] = []
    for number in range(ROUNDS):
        moment = AtMoment(*random.choice(MOMENTS), random.uniform(0.0, 0.15))
        folder = tmp_path / str(number)
        folder.mkdir()
        story, found = await judged(folder, moment, delay_s=0.02)
        hits[window(story)] += 1
        failures += [f"round {number}, {moment}: {breach}" for breach in found]
    print(f"seed {SEED}, {ROUNDS} kills, by window: {dict(hits)}")
    assert not failures
    assert not [name for name in WINDOWS if not hits[name]], f"windows that no kill fell into; hits: {dict(hits)}"


async def test_kills_at_two_moments_of_one_turn_are_survived(tmp_path: Path) -> None:
    _, found = await judged(tmp_path, AtRecord("MODEL_STARTED", 1, "after"), AtRecord("TOOL_CALL_RESULT", 1, "after"))
    assert not found


async def test_the_third_kill_of_one_run_ends_it_visibly(tmp_path: Path) -> None:
    story, found = await judged(tmp_path, *[AtRecord("TEXT_MESSAGE_END", 1, "before")] * 3)
    assert not found
    assert (story.log[-1].kind, story.log[-1].data["code"]) == ("RUN_ERROR", "crashed_repeatedly")


@pytest.mark.parametrize(
    ("defect", "death", "breach"),
    [
        ("skip-dedupe", AtRecord("MODEL_STARTED", 1, "after"), "the message is in the log 2 times"),
        ("skip-intent", AtRecord("TOOL_CALL_RESULT", 1, "before"), "a `once` tool ran 2 times"),
    ],
)
async def test_the_judge_notices_a_planted_defect(tmp_path: Path, defect: str, death: AtRecord, breach: str) -> None:
    _, found = await judged(tmp_path, death, defect=defect)
    assert any(breach in item for item in found), found
