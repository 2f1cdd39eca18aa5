"""A message and the gates of 200 rules, beside the least that finds a word in one; and what a turn costs in a home
without routes (issue 17).
"""

from __future__ import annotations

import re
from time import perf_counter
from typing import Final

from bench.frame import Frame, Measure, Row, Work
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.plan import Gate, RouteTable, default_of
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from tests.routes.world import RouteWorld

NAME = "routes"

RULES: Final = 200
PHRASES: Final = 5
"""Of each rule, so a thousand in all."""
TURNS: Final = 200
"""In each round."""
MOST_US: Final = 50.0
"""A turn of a typical message: issue 17's figure."""

IDLE_BAR: Final = 1.01
"""A turn in a home without routes, beside one without the capability: nothing that can be measured."""
IDLE_TURNS: Final = 20
"""Whole ones, in memory, in one round: the cheapest there are, so that what is added shows most."""
IDLE_ROUNDS: Final = 151

TYPICAL: Final = (
    "I was going to ask you whether we could move the meeting to four, because I don't want to miss the train and my "
    "sister can't pick me up before six today."
)
"""Thirty words, with the small words that many phrases begin with."""
LONG: Final = " ".join([TYPICAL] * 16)
"""Some 500 words."""
_STARTS: Final = ("i want to", "i don't ... want", "how do i", "my|the", "we can't")


def table() -> RouteTable:
    """Rules whose phrases begin as messages do and are in none of these."""
    routes = {"fire": default_of("incident", "fire"), "ask": default_of("clarify", "ask")}
    gates = [
        Gate(
            f"rule{rule}",
            ("fire", "ask")[rule % 2],
            tuple(f"{_STARTS[at]} thing{rule} number{at}*" for at in range(PHRASES - 1)),
            unless=(f"not ...2 thing{rule}",),
        )
        for rule in range(RULES)
    ]
    return RouteTable(routes, gates)


def words(message: str) -> Measure:
    """The limit: a message is split into words, and each is looked up."""
    word, known = re.compile(r"\w+"), {f"thing{rule}" for rule in range(RULES)}

    def measure() -> float:
        begun = perf_counter()
        for _ in range(TURNS):
            assert not any(one in known for one in word.findall(message.casefold()))
        return (perf_counter() - begun) / TURNS * 1e6

    return measure


def routed(rules: RouteTable, message: str) -> Measure:
    """The router."""
    facts = TurnFacts(agent="sulla")

    def measure() -> float:
        begun = perf_counter()
        for _ in range(TURNS):
            assert route_of(rules, message, facts) is None
        return (perf_counter() - begun) / TURNS * 1e6

    return measure


def idle(*, routed: bool) -> Work:
    """Turns in a home without a file of routes.

    Args:
        routed: whether the capability is there.
    """

    async def work() -> None:
        store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
        await store.open()
        world = RouteWorld(store, None, ScriptedProvider(["Fine."] * IDLE_TURNS), routed=routed)
        thread = await world.thread()
        for _ in range(IDLE_TURNS):
            await world.say(thread, TYPICAL)
        assert len(await world.shown(thread)) == IDLE_TURNS
        await store.close()

    return work


def run(frame: Frame) -> list[Row]:
    """The bar is issue 17's, in microseconds; the ratios say what of it is the machine's."""
    rules, none = table(), RouteTable({"rest": default_of("default", "rest")})
    contenders = {
        "30 words, split and looked up": words(TYPICAL),
        "30 words, 200 rules": routed(rules, TYPICAL),
        "30 words, no gates": routed(none, TYPICAL),
        "500 words, split and looked up": words(LONG),
        "500 words, 200 rules": routed(rules, LONG),
    }
    samples = frame.compare(contenders, "µs/turn")
    without, beside = "a turn, without the capability", "a turn, no file of routes"
    turns = frame.compare_cpu({without: idle(routed=False), beside: idle(routed=True)}, IDLE_TURNS, IDLE_ROUNDS)
    typical = samples.row("30 words, 200 rules", "30 words, split and looked up", bar=12.0)
    return [
        samples.row("30 words, split and looked up"),
        typical,
        Row(f"30 words, 200 rules, at most {MOST_US:.0f} µs", typical.value, "µs/turn", ok=typical.value <= MOST_US),
        samples.row("30 words, no gates", "30 words, split and looked up"),
        samples.row("500 words, 200 rules", "500 words, split and looked up"),
        turns.row(without),
        turns.row(beside, without, bar=IDLE_BAR),
    ]
