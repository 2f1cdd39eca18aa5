"""How a run stands is told by one rule, and money that nobody knows is told as that."""

from __future__ import annotations

from sulla.agent.limits.limits import RunLimits
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.live.rows import Seen
from sulla.live.rows import row_of as live_row
from sulla.playbooks.records import Played
from sulla.playbooks.run_rows import row_of, status_of
from sulla.rpc.row import money_of
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin
from sulla.threads.log.plays import PLAYBOOK, Play
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from sulla.threads.offers import run_of

PLAY = Play("brew", "d1", "name: brew", 2)
THREAD, ONE = ThreadId("thr_1"), MessageId("m-1")
ORIGIN = Origin(1_000, run_of(THREAD, ONE), "sulla")
AGENT, PERSON = Wait("child:stp_1", CallId("c1")), Wait("ask:1", CallId("c2"), "Is it good?")


def run(*facts: f.Decision | Played) -> ThreadState:
    """A playbook's run of two steps, the first of which has begun."""
    state = THREAD_SCHEMA.new(THREAD)
    begun = Played("RUN_STARTED"), Played("STEP_STARTED", "a")
    THREAD_SCHEMA.offer(state, f.ThreadCreated("sulla", graph=PLAYBOOK, play=PLAY), 1, ORIGIN)
    THREAD_SCHEMA.offer(state, f.Input(ONE, "order"), 2, ORIGIN)
    for fact in (f.RunStarted(2, ONE, "sulla"), *begun, *facts):
        THREAD_SCHEMA.decide(state, fact, ORIGIN)
    return state


def test_a_run_for_which_an_agent_works_is_running_and_one_that_waits_for_a_person_is_waiting() -> None:
    told = [status_of(run(f.Suspended(waits))) for waits in ((AGENT,), (PERSON,), (AGENT, PERSON))]
    assert told == ["running", "waiting", "running"]


def test_a_paused_run_waits_in_no_line_and_its_step_is_not_at_work() -> None:
    row = live_row(Seen(run(f.Suspended((AGENT,)), Played("RUN_PAUSED")), True, (), None), RunLimits())
    assert row is not None
    assert (row.doing.what, row.doing.name, row.at_work) == ("waits", "paused", False)
    row = live_row(Seen(run(), True, (), None), RunLimits())
    assert row is not None
    assert (row.doing.what, row.doing.name, row.at_work) == ("step", "a", True)


def test_money_is_told_where_it_is_known_and_none_that_was_used_is_known_at_the_end() -> None:
    spent: FrozenJson = {"spent": {"tokens": 40, "cost_micro": 0}, "value": 1}
    for state, known in (
        (run(), None),
        (run(Played("RUN_ENDED", detail={"status": "completed"})), 0),
        (run(Played("STEP_COMPLETED", "a", spent, tokens=40), Played("RUN_ENDED", detail={"status": "failed"})), None),
        (run(Played("STEP_COMPLETED", "a", spent, tokens=40, cost_micro=9)), 9),
    ):
        row = row_of(state)
        assert row is not None
        assert row.cost_micro == known
    assert [money_of(0, 0), money_of(0, 5), money_of(7, 5), money_of(0, 0, ended=False)] == [0, None, 7, None]
