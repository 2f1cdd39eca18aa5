"""The machine of playbooks beside coroutines that are awaited by hand: a chain of steps, and many side by side."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import partial

from bench.frame import Frame, Row, Work
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import MAX_STEPS, Definition, MergeStep, Need, Step, Template, ToolStep
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.plan import Plan, build
from sulla.playbooks.machine.records import RunEnded, StepStarted
from sulla.playbooks.machine.scope import Scope

NAME = "playbook_machine"

STEPS = MAX_STEPS
WIDTH = STEPS - 1
"""Steps side by side; the merge is the last of the thousand."""

CHAIN_BAR = 15.0
WIDE_BAR = 1.5
BUILD_BAR_MS = 20.0
_ROUNDS = 31


async def work() -> Json:
    """What each step does."""
    return None


# -------------------------------------------------------------------------------------------------------- contenders


async def bare_chain() -> None:
    """The limit: one after the other."""
    for _ in range(STEPS):
        await work()


async def bare_group() -> None:
    """The limit: all at once, and wait for all."""
    async with asyncio.TaskGroup() as tasks:
        for _ in range(WIDTH):
            tasks.create_task(work())


async def chain(book: Playbook) -> None:
    """One step after the other, as the machine says."""
    while True:
        for fact in book.next():
            if type(fact) is StepStarted:
                book.complete(fact.at, await work())
            elif type(fact) is RunEnded:
                return


async def group(book: Playbook) -> None:
    """All steps at once, and the merge that waits for them."""

    async def one(at: str) -> None:
        book.complete(at, await work())

    while book.ended is None:
        async with asyncio.TaskGroup() as tasks:
            for fact in book.next():
                if type(fact) is StepStarted:
                    tasks.create_task(one(fact.at))


def _evaluate(template: Template, scope: Scope) -> Json:
    raise InvalidInput(f"there is no expression in these playbooks, but {template.source}")


def _chain_of(length: int) -> Definition:
    return _definition(
        Step(f"s{number}", ToolStep("t"), (Need(f"s{number - 1}"),) if number else ()) for number in range(length)
    )


def _wide() -> Definition:
    steps = [Step(f"s{number}", ToolStep("t")) for number in range(WIDTH)]
    return _definition((*steps, Step("merge", MergeStep(), tuple(Need(step.id) for step in steps))))


def _definition(steps: object) -> Definition:
    return Definition("bench", "digest", tuple(steps))  # type: ignore[arg-type]  # any iterable of steps


def _begun(plan: Plan) -> Playbook:
    book = Playbook(plan, _evaluate, at_once=STEPS)
    book.start({}, 0)
    return book


def _ready(walk: Callable[[Playbook], Coroutine[object, object, None]], plan: Plan) -> Work:
    """A run that has been begun before the watch starts: what that takes has a row of its own."""
    return lambda: walk(_begun(plan))


def _ms(do: Callable[[], object]) -> Callable[[], float]:
    def measure() -> float:
        begin = time.process_time_ns()
        do()
        return (time.process_time_ns() - begin) / 1e6

    return measure


def run(frame: Frame) -> list[Row]:
    """The bars are those of the playbooks' own promise (design §10)."""
    tenth = STEPS // 10
    chained, wide, short = build(_chain_of(STEPS)), build(_wide()), build(_chain_of(tenth))

    async def ten_short() -> None:
        for book in [_begun(short) for _ in range(STEPS // tenth)]:
            await chain(book)

    chains = frame.compare_cpu(
        {"bare awaits": bare_chain, "chain of 1,000": _ready(chain, chained), "ten chains of 100": ten_short}, STEPS
    )
    groups = frame.compare_cpu({"bare task group": bare_group, "1,000 at once": _ready(group, wide)}, STEPS)
    definitions = {"build a chain of 1,000": _chain_of(STEPS), "build 1,000 at once": _wide()}
    builds = frame.compare(
        {
            **{name: _ms(partial(build, definition)) for name, definition in definitions.items()},
            "begin a run of 1,000": _ms(partial(_begun, chained)),
        },
        "ms",
        _ROUNDS,
    )
    return [
        chains.row("bare awaits"),
        chains.row("chain of 1,000", "bare awaits", bar=CHAIN_BAR),
        chains.row("ten chains of 100", "bare awaits"),
        groups.row("bare task group"),
        groups.row("1,000 at once", "bare task group", bar=WIDE_BAR),
        *(_built(name, builds.median(name)) for name in definitions),
        builds.row("begin a run of 1,000"),
    ]


def _built(name: str, took_ms: float) -> Row:
    return Row(name, took_ms, "ms", took_ms / BUILD_BAR_MS, f"{BUILD_BAR_MS:g} ms", 1.0, ok=took_ms <= BUILD_BAR_MS)
