"""What a drill has left behind, held against what its clients were told: nothing lost, doubled or stuck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId, derived_id
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, RunError
from sulla.threads.log.state import ThreadState
from sulla.threads.next_task import Idle, next_task
from tests.faults.backend import CLOCK, Backend
from tests.faults.beating import Onlooker
from tests.faults.drill.people import Player, Speaker, Talk, Talker
from tests.simulation.history import History, Kept, ThreadHistory, breaches

REST_S = 180.0
"""So long everything has to come to rest once nobody asks for anything any more."""
_LOOK_S = 0.5

T = TypeVar("T")


@dataclass(slots=True)
class Left:
    """What is there at the end."""

    threads: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)
    restless: list[str] = field(default_factory=list)
    """What had not come to rest, each with what it is at."""
    schedules: Sequence[ScheduleState] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What clients know."""

    talkers: Sequence[Talker]
    players: Sequence[Player]
    speakers: Sequence[Speaker]
    schedules: Sequence[str]
    hits: Mapping[str, int]
    """How often the command of each name has reached its goal."""

    @property
    def talks(self) -> dict[str, Talk]:
        """Conversations, by their threads."""
        return {talk.thread_id: talk for talker in self.talkers for talk in talker.talks if talk.thread_id}


async def at_rest(onlooker: Onlooker, backend: Backend) -> Left:
    """Wait until nothing is to be done any more, and read all there is."""
    end_s = CLOCK.elapsed() + REST_S
    while True:
        left, states = Left(), await _patiently(onlooker.states)
        left.restless = [f"{one.thread_id}: {next_task(one)}" for one in states if not isinstance(next_task(one), Idle)]
        late = CLOCK.elapsed() > end_s
        if not left.restless or late:
            for state in states:
                spent, log = await _patiently(partial(onlooker.account, state.thread_id))
                left.kept[state.thread_id] = Kept(spent.usage, spent.day, spent.day_tokens)
                left.threads[state.thread_id] = tuple(log)
            # Else something has begun while all that was read.
            if late or _marks(await _patiently(onlooker.states)) == _marks(states):
                left.schedules = await _patiently(partial(_schedules, backend))
                return left
        await CLOCK.sleep(_LOOK_S)


def _marks(states: Sequence[ThreadState]) -> list[object]:
    """What tells whether anything was done between two looks."""
    return [(one.thread_id, one.spending.usage, one.spending.day_tokens, one.run is None) for one in states]


async def _patiently(read: Callable[[], Awaitable[T]]) -> T:
    """Read what there is, again if a busy machine kept the store from answering in time."""
    async with CLOCK.timeout(REST_S):
        while True:
            try:
                return await read()
            except StoreUnavailable:
                await CLOCK.sleep(_LOOK_S)


async def _schedules(backend: Backend) -> Sequence[ScheduleState]:
    store = backend.make()
    await store.open()
    try:
        book = ScheduleStore(store, CLOCK, "drill:1")
        await book.open()
        return [one.state for one in book.page("", 1_000) if one.state is not None]
    finally:
        await store.close()


def faults_of(left: Left, told: Told) -> list[str]:
    """Everything that is not as it should be; empty if all is. Pure."""
    talks = told.talks
    histories = []
    for thread_id, log in left.threads.items():
        talk = talks.get(thread_id)
        seen = (talk.seen,) if talk is not None else ()
        acknowledged = tuple(talk.told) if talk is not None else ()
        kept = left.kept.get(thread_id)
        histories.append(ThreadHistory(thread_id, log, acknowledged, seen=seen, kept=kept))
    found = [str(breach) for breach in breaches(History(tuple(histories), at_rest=not left.restless))]
    found += [f"stuck: {one}" for one in left.restless]
    found += [f"lost: conversation {thread_id}" for thread_id in talks if thread_id not in left.threads]
    return [*found, *_turns(left, told), *_commands(told), *_plays(told), *_words(left, told), *_firings(left, told)]


def _turns(left: Left, told: Told) -> list[str]:
    """Each acknowledged message has one turn, and that has one end, which is no failure but the model's."""
    found = []
    for thread_id, talk in told.talks.items():
        log = left.threads.get(thread_id, ())
        ends = Counter(str(entry.data["run_id"]) for entry in log if entry.kind in ("RUN_FINISHED", "RUN_ERROR"))
        for message in talk.told:
            if ends[message.run_id] != 1:
                what = "stuck" if ends[message.run_id] == 0 else "doubled"
                found.append(f"{what}: message {message.message_id} of {thread_id} has {ends[message.run_id]} ends")
        sent = Counter(entry.fact.message_id for entry in log if isinstance(entry.fact, Input))
        found += [f"doubled: message {name} of {thread_id}" for name, times in sent.items() if times > 1]
    for thread_id, log in left.threads.items():
        for entry in log:
            if isinstance(entry.fact, RunError) and not entry.fact.code.startswith("provider_"):
                found.append(f"failed: a turn of {thread_id}: {entry.fact.code}: {entry.fact.message}")
    return found


def _commands(told: Told) -> list[str]:
    """A command that may run once ran once; what had it run has heard of it."""
    found = [f"doubled: command {name} ran {times} times" for name, times in told.hits.items() if times > 1]
    for talker in told.talkers:
        if talker.commands:
            names = [one.message_id for talk in talker.talks for one in talk.told]
            found += [f"lost: command {name} never ran" for name in names if name not in told.hits]
    return found


def _plays(told: Told) -> list[str]:
    return [
        f"failed: run {run} of {player.name} is {status}"
        for player in told.players
        for run, status in player.runs.items()
        if status != "completed"
    ]


def _words(left: Left, told: Told) -> list[str]:
    """Every word whose utterance was acknowledged to its end is in a message once."""
    found = []
    for speaker in told.speakers:
        log = left.threads.get(speaker.person.thread_id, ())
        words = Counter(word for entry in log if isinstance(entry.fact, Input) for word in entry.fact.text.split())
        found += [f"lost: word {word} of {speaker.name}" for word in speaker.person.said if not words[word]]
        found += [f"doubled: word {word} of {speaker.name}" for word, times in words.items() if times > 1]
    return found


def _firings(left: Left, told: Told) -> list[str]:
    """What was fired was said once; what was missed in an outage was counted as that."""
    found = []
    states = {state.id: state for state in left.schedules}
    for name in told.schedules:
        if (state := states.get(name)) is None:
            found.append(f"lost: schedule {name}")
            continue
        thread_id = ThreadId(derived_id("thr", "request", f"schedule:{name}:sulla"))
        said = Counter(
            entry.fact.message_id for entry in left.threads.get(thread_id, ()) if isinstance(entry.fact, Input)
        )
        if said.total() != state.fired:
            found.append(f"lost: schedule {name} fired {state.fired} times and was heard {said.total()} times")
        found += [f"doubled: {one} of schedule {name}" for one, times in said.items() if times > 1]
        found += [f"failed: schedule {name}: {state.notes}"] if state.failed else []
    return found
