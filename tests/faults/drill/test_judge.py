"""The judge of drills names what was lost, doubled or stuck; what holds of each log is judged in tests/simulation."""

from __future__ import annotations

from pathlib import Path
from random import Random

from sulla.core.ids import MessageId, RunId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.schedules.spec import Every, MessageAction, Spec
from sulla.schedules.state import ScheduleState
from sulla.store.memory import MemoryStore
from sulla.terminal.place import Door
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.records import Input, RunError, Summary, ThreadCreated
from sulla.threads.log.usage import Usage
from sulla.threads.store import ThreadStore
from tests.faults.backend import CLOCK
from tests.faults.beating import Onlooker
from tests.faults.drill.judge import Left, Told, faults_of
from tests.faults.drill.lines import Line
from tests.faults.drill.people import About, Player, Speaker, Stay, Talk, Talker
from tests.faults.drill.served import Served
from tests.faults.speech.speaking import Person
from tests.simulation.history import Acknowledged


def about(name: str) -> About:
    return About(name, Line([Door("", "")], Random(0)), Served(CLOCK.elapsed), Random(0), Stay())


def told(**more: object) -> Told:
    given = {"talkers": (), "players": (), "speakers": (), "schedules": (), "hits": {}} | more
    return Told(**given)  # type: ignore[arg-type]  # each test gives what it is about


def of_ours(found: list[str]) -> list[str]:
    """What this judge has to say, without the checker of histories, which such short logs do not please."""
    return [line for line in found if line.partition(":")[0] in ("lost", "doubled", "stuck", "failed")]


def test_a_message_without_an_end_is_stuck_and_a_conversation_that_is_gone_is_lost() -> None:
    talk = Talk("t", "thr_1", [Acknowledged("m1", "run_1")])
    talker = Talker(about("a"), talks=[talk])
    assert of_ours(faults_of(Left(), told(talkers=(talker,)))) == [
        "lost: conversation thr_1",
        "stuck: message m1 of thr_1 has 0 ends",
    ]


def test_a_turn_that_failed_is_told_unless_the_model_did() -> None:
    def failed(code: str) -> Left:
        fact = RunError(RunId("run_1"), code, "why")
        return Left({"thr_1": (Entry(1, fact.kind, False, Origin(0), fact.data()),)})

    assert of_ours(faults_of(failed("provider_transient"), told())) == []
    assert of_ours(faults_of(failed("internal"), told())) == ["failed: a turn of thr_1: internal: why"]


def test_a_command_that_ran_twice_and_one_that_never_did() -> None:
    talk = Talk("t", "", [Acknowledged("m1", "run_1"), Acknowledged("m2", "run_2")])
    talker = Talker(about("a"), commands=True, talks=[talk])
    assert of_ours(faults_of(Left(), told(talkers=(talker,), hits={"m2": 2}))) == [
        "doubled: command m2 ran 2 times",
        "lost: command m1 never ran",
    ]


def test_a_playbook_that_did_not_complete() -> None:
    player = Player(about("a"), "errand", {"thr_1": "completed", "thr_2": "failed"})
    assert of_ours(faults_of(Left(), told(players=(player,)))) == ["failed: run thr_2 of a is failed"]


def test_words_that_were_lost_and_that_came_twice() -> None:
    person = Person(Path(), 1, Random(0), "thr_1", ["one", "two"])
    said = Input(MessageId("m"), "two two")
    left = Left({"thr_1": (Entry(1, said.kind, True, Origin(0), said.data()),)})
    found = of_ours(faults_of(left, told(speakers=(Speaker(about("a"), person),))))
    assert found == ["lost: word one of a", "doubled: word two of a"]


def test_a_firing_that_nobody_heard_of_and_a_schedule_that_is_gone() -> None:
    state = ScheduleState("s1", Spec(Every(3, 1000), MessageAction("hello")), fired=2)
    found = of_ours(faults_of(Left(schedules=[state]), told(schedules=("s1", "s2"))))
    assert found == ["lost: schedule s1 fired 2 times and was heard 0 times", "lost: schedule s2"]


def test_what_does_not_come_to_rest_is_stuck() -> None:
    assert of_ours(faults_of(Left(restless=["thr_1: GoOn()"]), told())) == ["stuck: thr_1: GoOn()"]


async def test_what_a_summary_took_behind_the_last_turn_is_in_the_account_though_in_no_head_yet() -> None:
    store = MemoryStore(CLOCK, lambda prefix: f"{prefix}_1")
    await store.open()
    threads = ThreadStore(store, CLOCK, lambda prefix: f"{prefix}_1", "home:1", THREAD_SCHEMA, ThreadLimits())
    thread_id = await threads.create(ThreadCreated("sulla"))
    await threads.tell(thread_id, Summary(0, "", MessageId(""), Usage(7, 3), 10), "call_1")
    ((_, state),) = await threads.list()
    assert state is not None
    assert state.spending.usage == Usage(), "the head is as old as the last turn"
    onlooker = Onlooker(threads)
    spent, log = await onlooker.account(thread_id)
    assert (spent.usage, spent.day_tokens) == (Usage(7, 3), 10)
    assert [entry.kind for entry in log] == ["THREAD_CREATED", "SUMMARY"]
    assert await onlooker.broken() == []
