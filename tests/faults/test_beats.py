"""Real daemons whose agents work by themselves: killed anywhere they do nothing twice, and with nothing to do they ask
nothing.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sulla.heartbeat.beats import BeatEnded, BeatSkipped
from tests.faults.backend import CLOCK, Backend, sqlite
from tests.faults.beating import beside, plan_tour
from tests.faults.harness import Daemon
from tests.kits.in_turn import in_turn
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(2)

MORE = "<AGENT_CONTINUE><STATUS_REPORT>the first is done</STATUS_REPORT></AGENT_CONTINUE>"
DONE = "<AGENT_DONE>both are done</AGENT_DONE>"
STUCK = "<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON></AGENT_BLOCKED>"


def two_cycles(tool: str = "note_safe") -> Script:
    """One task in each of two cycles; the same however often it is asked."""
    return Script(
        [
            Rule(Reply("First.", tools=(ToolUse(tool, {"what": "first"}),)), text="cycle 1 of at most", results=0),
            Rule(Reply(MORE), text="cycle 1 of at most", results=1),
            Rule(Reply("Second.", tools=(ToolUse(tool, {"what": "second"}),)), text="cycle 2 of at most", results=0),
            Rule(Reply(DONE), text="cycle 2 of at most", results=1),
        ]
    )


def always(text: str) -> Script:
    """A model that says the same whatever it is asked."""
    return Script([Rule(Reply(text))])


OFTEN = (
    "BEAT_STARTED:1:before",
    "CYCLE_STARTED:1:after",
    "CHILD_STARTED:1:after",
    "SUSPENDED:1:before",
    "TOOL_CALL_RESULT:1:before",
    "ANSWER:1:after",
    "CYCLE_ENDED:1:after",
    "BEAT_ENDED:1:before",
)
RARE = (
    "RUN_STARTED:1:after",
    "CYCLE_STARTED:1:before",
    "CHILD_STARTED:1:before",
    "THREAD_CREATED:1:before",
    "SUSPENDED:1:after",
    "MODEL_STARTED:1:after",
    "TEXT_MESSAGE_END:1:before",
    "TOOL_CALL_START:1:after",
    "ANSWER:1:before",
    "CHILD_REPORTED:1:before",
    "CHILD_REPORTED:1:after",
    "RESUMED:1:before",
    "CYCLE_ENDED:1:before",
    "CYCLE_STARTED:2:after",
    "CHILD_STARTED:2:after",
    "ANSWER:2:before",
    "CYCLE_ENDED:2:after",
    "BEAT_ENDED:1:after",
)
"""For the whole run of the faults: they differ little from the others."""


def backend_at(home: Path) -> Backend:
    return sqlite(home.parent / "kept.db")


@pytest.mark.parametrize("death", some([*OFTEN, *RARE], 2, "beats"))
async def test_a_beat_that_is_killed_goes_on_and_works_on_no_task_twice(tmp_path: Path, death: str) -> None:
    home = tmp_path / "home"
    backend = backend_at(home)
    plan_tour(home)
    async with (
        FakeAnthropic(two_cycles(), CLOCK) as fake,
        Daemon(home, fake.url, backend.settings) as daemon,
        beside(backend) as onlooker,
    ):
        thread = await onlooker.beats("beat:1")
        await daemon.start("--kill-at", death)
        await daemon.gone()
        await daemon.start()
        log = await onlooker.ended(thread)
        await onlooker.children()
        broken = await onlooker.broken()
    assert broken == []
    (ended,) = [entry.fact for entry in log if isinstance(entry.fact, BeatEnded)]
    assert (ended.status, ended.cycles) == ("done", 2)
    done = Counter((effect["what"], effect["key"]) for effect in daemon.effects.read())
    assert sorted(what for what, _ in done) == ["first", "second"], "a task was worked on under a second key"
    assert max(done.values()) == 1 or death == "TOOL_CALL_RESULT:1:before"


async def test_a_task_that_may_be_done_once_is_left_to_a_person_after_a_kill(tmp_path: Path) -> None:
    home = tmp_path / "home"
    backend = backend_at(home)
    plan_tour(home)
    async with (
        FakeAnthropic(two_cycles("note_once"), CLOCK) as fake,
        Daemon(home, fake.url, backend.settings) as daemon,
        beside(backend) as onlooker,
    ):
        thread = await onlooker.beats("beat:1")
        await daemon.start("--kill-at", "TOOL_CALL_RESULT:1:before")
        await daemon.gone()
        await daemon.start()
        log = await onlooker.ended(thread)
        (ended,) = [entry.fact for entry in log if isinstance(entry.fact, BeatEnded)]
        assert (ended.status, ended.cycles) == ("blocked", 1)
        assert "A person has to answer first" in ended.summary
        # The next one is none the worse for it.
        await onlooker.beats("beat:2")
        log = await onlooker.ended(thread, 2)
        broken = await onlooker.broken()
    assert broken == []
    assert [entry.fact.status for entry in log if isinstance(entry.fact, BeatEnded)] == ["blocked", "done"]
    assert [effect["what"] for effect in daemon.effects.read()].count("first") == 2, "once in each beat"


@pytest.mark.parametrize(
    ("said", "cycles", "ended"),
    [
        ("<AGENT_CONTINUE><STATUS_REPORT>half</STATUS_REPORT></AGENT_CONTINUE>", 10, ("limited", "limit_cycles")),
        (STUCK, 1, ("blocked", "blocked")),
        ("I wonder.", 1, ("done", "")),
        ("", 1, ("failed", "cycle_failed")),
    ],
    ids=["never done", "blocked", "no word for it", "not a word"],
)
async def test_a_model_that_gets_nowhere_is_stopped_at_its_limit_and_the_next_beat_is_a_new_one(
    tmp_path: Path, said: str, cycles: int, ended: tuple[str, str]
) -> None:
    home = tmp_path / "home"
    backend = backend_at(home)
    plan_tour(home)
    async with Daemon(home, "", backend.settings) as daemon, beside(backend) as onlooker:
        async with FakeAnthropic(always(said), CLOCK) as fake:
            daemon.point_at(fake.url)
            thread = await onlooker.beats("beat:1")
            await daemon.start()
            log = await onlooker.ended(thread)
            await daemon.kill()
        (first,) = [entry.fact for entry in log if isinstance(entry.fact, BeatEnded)]
        assert ((first.status, first.reason), first.cycles) == (ended, cycles)
        async with FakeAnthropic(always(DONE), CLOCK) as fake:
            daemon.point_at(fake.url)
            await onlooker.beats("beat:2")
            await daemon.start()
            log = await onlooker.ended(thread, 2)
        broken = await onlooker.broken()
    assert broken == []
    if first.status == "failed":  # after a failure beats pause
        (skipped,) = [entry.fact for entry in log if isinstance(entry.fact, BeatSkipped)]
        assert skipped.reason == "backing_off"
        assert fake.requests == []
    else:
        (_, second) = [entry.fact for entry in log if isinstance(entry.fact, BeatEnded)]
        assert (second.status, second.cycles) == ("done", 1)


async def test_a_day_of_idle_beats_asks_no_model(tmp_path: Path) -> None:
    home = tmp_path / "home"
    backend = backend_at(home)
    (home / "projects").mkdir(parents=True)  # else the first start makes one, with something to do
    async with (
        FakeAnthropic(always(DONE), CLOCK) as fake,
        Daemon(home, fake.url, backend.settings) as daemon,
        beside(backend) as onlooker,
    ):
        thread = await onlooker.beats(*(f"beat:{number}" for number in range(48)))
        await daemon.start()
        log = await onlooker.ended(thread, 48)
        (state,) = [state for state in await onlooker.states() if state.thread_id == thread]
        broken = await onlooker.broken()
    assert broken == []
    assert fake.requests == []
    assert state.spending.tokens == 0
    reasons = Counter(entry.fact.reason for entry in log if isinstance(entry.fact, BeatSkipped))
    assert reasons.total() == 48
    assert reasons.keys() <= {"idle", "busy"}
