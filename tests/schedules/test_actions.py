from __future__ import annotations

import json

import pytest

from sulla.core.errors import InvalidInput, NotAvailable, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.schedules.actions import ActionStarter, ExternalActions
from sulla.schedules.records import Fired
from sulla.schedules.spec import Action, BeatAction, Every, MessageAction, PlaybookAction, Spec, ToolAction
from sulla.schedules.state import ScheduleState
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.store import ThreadStore
from sulla.tools.builtin.notify import PersonNote
from tests.schedules.town import make_id, opened


@pytest.fixture
async def store() -> MemoryStore:
    return await opened(ManualClock())


def threads_of(store: MemoryStore, home: str = "home:1") -> ThreadStore:
    return ThreadStore(store, ManualClock(), make_id, home, THREAD_SCHEMA, ThreadLimits())


def scheduled(action: Action) -> ScheduleState:
    return ScheduleState("s1", Spec(Every(60), action))


def fired(slot: str) -> Fired:
    return Fired(slot, 1, 1)


async def inputs(threads: ThreadStore, thread_id: str) -> list[Input]:
    return [entry.fact for entry in await threads.entries(ThreadId(thread_id)) if isinstance(entry.fact, Input)]


async def test_any_number_of_daemons_say_a_message_once_for_each_firing(store: MemoryStore) -> None:
    woken: list[str] = []
    begun = [
        await ActionStarter(threads_of(store, f"home{number}:1"), woken.append, "sulla").begin(
            scheduled(MessageAction("hello")), fired(slot)
        )
        for slot in ("one", "two")
        for number in range(3)
    ]
    assert len({one.thread_id for one in begun}) == 1
    assert len({one.run_id for one in begun}) == 2
    assert [said.text for said in await inputs(threads_of(store), begun[0].thread_id)] == ["hello", "hello"]
    assert set(woken) == {begun[0].thread_id}


async def test_a_message_has_the_rights_of_somebody_who_is_not_there(store: MemoryStore) -> None:
    threads = threads_of(store)
    begun = await ActionStarter(threads, lambda _: None, "sulla").begin(scheduled(MessageAction("hello")), fired("one"))
    assert [said.origin for said in await inputs(threads, begun.thread_id)] == ["beat"]


async def test_a_message_goes_to_the_thread_that_is_named_or_nowhere(store: MemoryStore) -> None:
    threads = threads_of(store)
    acts = ActionStarter(threads, lambda _: None, "sulla")
    thread_id = await threads.create(ThreadCreated("sulla"))
    begun = await acts.begin(scheduled(MessageAction("hello", thread_id)), fired("one"))
    assert begun.thread_id == thread_id
    with pytest.raises(NotFound, match="no thread 'thr_gone'"):
        await acts.begin(scheduled(MessageAction("hello", "thr_gone")), fired("one"))


async def test_another_agent_or_a_tool_has_another_thread(store: MemoryStore) -> None:
    threads = threads_of(store)
    acts = ActionStarter(threads, lambda _: None, "sulla")
    actions = (
        MessageAction("x"),
        MessageAction("x", agent="coder"),
        ToolAction("bash"),
        ToolAction("bash", {}, "coder"),
    )
    made = [(await acts.begin(scheduled(action), fired("one"))).thread_id for action in actions]
    assert len(set(made)) == 4
    heads = [(await threads.get(ThreadId(thread_id)))[1] for thread_id in made]
    assert [(head.identity.agent, head.identity.graph) for head in heads if head is not None] == [
        ("sulla", ""),
        ("coder", ""),
        ("sulla", "call"),
        ("coder", "call"),
    ]


async def test_a_tool_is_ordered_with_its_arguments(store: MemoryStore) -> None:
    threads = threads_of(store)
    action = ToolAction("bash", {"command": "ls"})
    begun = await ActionStarter(threads, lambda _: None, "sulla").begin(scheduled(action), fired("one"))
    (said,) = await inputs(threads, begun.thread_id)
    assert json.loads(said.text) == {"tool": "bash", "args": {"command": "ls"}}


async def test_a_beat_wakes_the_agent_in_its_own_thread(store: MemoryStore) -> None:
    threads = threads_of(store)
    home = await threads.create(ThreadCreated("coder"))

    async def beat_thread(agent: str) -> ThreadId:
        assert agent == "coder"
        return home

    acts = ActionStarter(threads, lambda _: None, "sulla", ExternalActions(beat_thread=beat_thread))
    await acts.begin(scheduled(BeatAction("coder")), fired("one"))
    (said,) = await inputs(threads, home)
    assert (said.message_id, said.text, said.origin) == ("beat:s1:one", "", "beat")


async def test_a_playbook_is_begun_with_its_inputs_under_a_key_of_the_firing(store: MemoryStore) -> None:
    begun: list[tuple[str, FrozenJson, str]] = []

    async def begin(name: str, inputs: FrozenJson, key: str) -> ThreadId:
        begun.append((name, inputs, key))
        return ThreadId("thr_run")

    acts = ActionStarter(threads_of(store), lambda _: None, "sulla", ExternalActions(playbook=begin))
    answers = [await acts.begin(scheduled(PlaybookAction("p", {"a": 1})), fired(slot)) for slot in ("one", "two")]
    assert [answer.thread_id for answer in answers] == ["thr_run", "thr_run"]
    assert begun == [("p", {"a": 1}, "schedule:s1:one"), ("p", {"a": 1}, "schedule:s1:two")]


@pytest.mark.parametrize("action", [PlaybookAction("p"), BeatAction("sulla")])
async def test_what_nobody_can_do_here_says_so(store: MemoryStore, action: Action) -> None:
    with pytest.raises(NotAvailable):
        await ActionStarter(threads_of(store), lambda _: None, "sulla").begin(scheduled(action), fired("one"))


async def test_people_are_told_of_a_playbook_that_could_not_begin_and_why(store: MemoryStore) -> None:
    async def faulty(name: str, inputs: FrozenJson, key: str) -> ThreadId:
        raise InvalidInput(f"the playbook {name!r} cannot be run: night.yaml:3:5: no step 'a'")

    told: list[PersonNote] = []

    async def tell(note: PersonNote) -> None:
        told.append(note)

    acts = ActionStarter(threads_of(store), lambda _: None, "sulla", ExternalActions(tell, playbook=faulty))
    for slot in ("one", "two"):
        with pytest.raises(InvalidInput, match="cannot be run"):
            await acts.begin(scheduled(PlaybookAction("night")), fired(slot))
    said = "schedule s1 was not begun: the playbook 'night' cannot be run: night.yaml:3:5: no step 'a'"
    assert [note.words.text for note in told] == [said, said]
    assert (len({note.thread_id for note in told}), len({note.key for note in told})) == (1, 2)
    assert all(note.unattended and note.urgency == "high" for note in told)  # told again once it was seen
