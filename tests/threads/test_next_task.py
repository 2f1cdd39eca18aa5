"""What comes next for a thread, in every situation that people can bring about."""

from __future__ import annotations

from typing import get_args

import pytest

from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.playbooks.records import EndTold, PlaybookAsked, Played
from sulla.playbooks.thread_kind import PLAYBOOK_THREAD
from sulla.speech.slice import Overheard
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin
from sulla.threads.log.delivery import Owed
from sulla.threads.log.family import Birth, ChildCancelled, ChildReported, ChildStarted, Report, wait_of
from sulla.threads.log.plays import AnswerGiven, OwedAnswer, Play, Question
from sulla.threads.log.spoken import BargedIn
from sulla.threads.log.waits import Wait
from sulla.threads.next_task import (
    AnswerRun,
    CancelForBargeIn,
    Deliver,
    GoOn,
    Idle,
    Ignore,
    Interrupt,
    ReleaseHeld,
    Start,
    StopRun,
    WakeRun,
    cut_short,
    next_task,
)


class Log:
    """A thread's log in the making."""

    def __init__(self) -> None:
        self.state = THREAD_SCHEMA.new(ThreadId("thr"))
        self.seq = 0

    def offer(self, fact: Fact) -> int:
        self.seq += 1
        THREAD_SCHEMA.offer(self.state, fact, self.seq, Origin(self.seq, RunId(f"run_{self.seq}")))
        return self.seq

    def say(self, mode: f.Mode = "queue") -> int:
        return self.offer(f.Input(MessageId(f"m{self.seq + 1}"), "hi", mode))

    def command(self) -> int:
        return self.offer(f.Input(MessageId(f"m{self.seq + 1}"), "{}", origin="operator"))

    def decide(self, *facts: Fact) -> None:
        for fact in facts:
            self.seq += 1
            THREAD_SCHEMA.decide(self.state, fact, Origin(self.seq))

    def start(self, seq: int) -> None:
        self.decide(f.RunStarted(seq, MessageId(f"m{seq}"), known_seq=max(self.state.inbox.waiting)))

    def finish(self, seq: int) -> None:
        self.decide(f.RunFinished(RunId(f"run_{seq}"), f.Outcome("done")))

    def suspend(self, wait_id: str) -> None:
        self.decide(f.Suspended((Wait(wait_id, CallId("c1")),)))

    @property
    def started(self) -> int:
        task = next_task(self.state)
        assert isinstance(task, Start), task
        return task.item.seq


def test_nothing_to_do_rests() -> None:
    assert next_task(Log().state) == Idle()


def test_messages_get_their_turn_in_log_order() -> None:
    log = Log()
    first, second = log.say(), log.say()
    assert log.started == first
    log.start(first)
    assert next_task(log.state) == GoOn()
    log.finish(first)
    assert log.started == second


def test_a_steering_message_without_a_running_turn_is_a_queued_one() -> None:
    log = Log()
    assert log.say("steer") == log.started


def test_an_interrupting_message_ends_the_turn_and_waits_its_turn() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    waiting, interrupting = log.say(), log.say("interrupt")
    assert next_task(log.state) == Interrupt(interrupting)
    log.decide(f.RunFinished(RunId(f"run_{first}"), f.Outcome("cancelled", reason="interrupted")))
    assert log.started == waiting
    log.start(waiting)
    assert next_task(log.state) == GoOn()  # it meant the run that was open when it came, not those before it in line


def test_speech_over_a_reply_ends_the_turn_that_makes_it() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    log.decide(f.ModelStarted(CallId("c1"), MessageId("a1")))
    assert next_task(log.state) == GoOn()
    log.offer(BargedIn("u1", MessageId("a1")))
    assert next_task(log.state) == CancelForBargeIn()
    spoken = log.say("steer")
    assert next_task(log.state) == CancelForBargeIn()
    ended = f.RunFinished(RunId(f"run_{first}"), f.Outcome("cancelled", reason="barged_in"))
    log.decide(f.ModelAbandoned(CallId("c1"), MessageId("a1"), "barged_in"), ended)
    assert log.started == spoken


def test_speech_over_a_reply_ends_no_other_one_and_holds_nothing() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    log.decide(f.ModelStarted(CallId("c1"), MessageId("a1")))
    log.offer(BargedIn("u1", MessageId("a0")))
    assert next_task(log.state) == GoOn()
    log.decide(f.TextMessageEnd(CallId("c1"), MessageId("a1"), "Let me look."))
    log.offer(BargedIn("u2", MessageId("a1")))  # too late: tools may be at work for it
    assert next_task(log.state) == GoOn()
    log.decide(f.ModelStarted(CallId("c2"), MessageId("a2")))
    assert next_task(log.state) == GoOn()
    log.finish(first)
    assert next_task(log.state) == Idle()
    assert log.say() == log.started


def test_a_stop_counts_more_than_speech() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    log.decide(f.ModelStarted(CallId("c1"), MessageId("a1")))
    log.offer(BargedIn("u1", MessageId("a1")))
    stop = log.offer(f.StopAsked())
    assert next_task(log.state) == StopRun(stop, cancels_run=True)


def test_what_ends_a_run_is_seen_whatever_is_to_be_done_before_it() -> None:
    for offer, reason in (
        (f.StopAsked(), "stopped"),
        (f.Input(MessageId("now"), "hi", "interrupt"), "interrupted"),
        (BargedIn("u1", MessageId("a1")), "barged_in"),
    ):
        log = Log()
        first = log.say()
        assert cut_short(log.state) == ""
        log.start(first)
        log.decide(f.ModelStarted(CallId("c1"), MessageId("a1")))
        log.offer(f.ContinueAsked())
        log.offer(PlaybookAsked("pause", "lunch"))
        assert cut_short(log.state) == ""
        log.offer(offer)
        assert cut_short(log.state) == reason
        log.finish(first)
        assert cut_short(log.state) == ""


def test_a_stop_for_an_earlier_run_ends_no_later_one() -> None:
    log = Log()
    log.offer(f.StopAsked())
    log.start(log.say())
    assert cut_short(log.state) == ""


def test_what_was_overheard_is_nothing_to_do() -> None:
    log = Log()
    log.offer(Overheard("u1", "uh-huh"))
    assert next_task(log.state) == Idle()


def test_a_stop_ends_the_turn_and_holds_what_waits() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    log.say()
    stop = log.offer(f.StopAsked())
    assert next_task(log.state) == StopRun(stop, cancels_run=True)
    log.decide(f.RunFinished(RunId(f"run_{first}"), f.Outcome("cancelled")), f.Stopped(stop))
    assert next_task(log.state) == Idle()


def test_a_stop_may_drop_what_waits() -> None:
    log = Log()
    log.say()
    stop = log.offer(f.StopAsked(drop=True))
    assert next_task(log.state) == StopRun(stop, cancels_run=False, drop=True)


def test_continue_lets_held_messages_go_on() -> None:
    log = Log()
    held = log.say()
    stop = log.offer(f.StopAsked())
    log.decide(f.Stopped(stop))
    assert next_task(log.state) == Idle()
    again = log.offer(f.ContinueAsked())
    assert next_task(log.state) == ReleaseHeld(again)
    log.decide(f.Continued(again))
    assert log.started == held


def test_a_new_message_lets_held_ones_go_first() -> None:
    log = Log()
    held, stop = log.say(), log.offer(f.StopAsked())
    log.decide(f.Stopped(stop))
    new = log.say()
    assert log.started == held
    log.start(held)
    log.finish(held)
    assert log.started == new


def test_a_stop_that_came_before_the_message_does_not_end_its_turn() -> None:
    log = Log()
    stop = log.offer(f.StopAsked())
    later = log.say()
    log.start(later)
    assert next_task(log.state) == StopRun(stop, cancels_run=False)


def test_a_suspended_run_rests_until_its_answer_comes() -> None:
    log = Log()
    log.start(log.say())
    log.suspend("approval:1")
    log.say()
    assert next_task(log.state) == Idle()
    answer = f.Answer("approval:1", "yes")
    seq = log.offer(answer)
    assert next_task(log.state) == AnswerRun(seq, answer)
    log.decide(f.Resumed("answered", "approval:1", seq))
    assert next_task(log.state) == GoOn()


def test_an_answer_that_nobody_waits_for_is_put_away() -> None:
    log = Log()
    seq = log.offer(f.Answer("approval:9", "yes"))
    task = next_task(log.state)
    assert isinstance(task, Ignore)
    assert task.seq == seq
    log.decide(f.InputIgnored(seq, "late"))
    assert next_task(log.state) == Idle()


def test_an_answer_may_come_before_its_question_is_written_down() -> None:
    log = Log()
    log.start(log.say())
    seq = log.offer(f.Answer("approval:1", "yes"))
    assert next_task(log.state) == GoOn()
    log.suspend("approval:1")
    assert isinstance(next_task(log.state), AnswerRun)
    assert seq in log.state.inbox.controls


def test_stop_and_interrupt_reach_a_suspended_run() -> None:
    log = Log()
    log.start(log.say())
    log.suspend("approval:1")
    interrupting = log.say("interrupt")
    assert next_task(log.state) == Interrupt(interrupting)
    stop = log.offer(f.StopAsked())
    assert next_task(log.state) == StopRun(stop, cancels_run=True)


def test_every_waking_input_is_counted_once_it_is_dealt_with() -> None:
    log = Log()
    first, joined = log.say(), log.say("steer")
    log.start(first)
    log.decide(f.InputsJoined((joined,), (RunId(f"run_{joined}"),)))
    log.decide(f.Stopped(log.offer(f.StopAsked())), f.Continued(log.offer(f.ContinueAsked())))
    log.decide(f.InputIgnored(log.offer(f.Answer("x", "y")), "late"))
    assert log.state.inbox.consumed == 5
    assert not log.state.inbox.waiting
    assert not log.state.inbox.controls


# ---------------------------------------------------------------------------------------------------------- children

PARENT = ThreadId("parent")


class Child(Log):
    """The log of a run that another one asked for."""

    def __init__(self, *, unattended: bool = False) -> None:
        super().__init__()
        birth = Birth("c1", "call", PARENT, RunId("run_p"), PARENT, 1, unattended)
        self.offer(f.ThreadCreated("sulla", birth=birth))

    def end(self, seq: int) -> None:
        self.start(seq)
        self.finish(seq)


def started(log: Log, child: str, run: str = "run_1") -> int:
    return log.offer(ChildStarted(child, ThreadId(f"thr_{child}"), "sulla", "spawn", RunId(run)))


def reported(log: Log, child: str, cost_micro: int | None = None) -> int:
    report = Report("done", tokens=30, cost_micro=cost_micro)
    return log.offer(f.Answer(wait_of(child), "found it", origin="child", report=report))


def test_what_a_child_came_to_is_told_once() -> None:
    child = Child()
    assert next_task(child.state) == Idle()
    task = child.say()
    child.end(task)
    assert next_task(child.state) == Deliver(Owed("report", PARENT, "c1"))
    child.decide(ChildReported("c1"))
    assert next_task(child.state) == Idle()


def test_a_child_that_is_stopped_before_it_began_ends_all_the_same_because_somebody_waits_for_it() -> None:
    child = Child()
    task, stop = child.say(), child.offer(f.StopAsked())
    assert child.started == task
    child.start(task)
    assert next_task(child.state) == StopRun(stop, cancels_run=True)
    child.decide(f.RunFinished(RunId(f"run_{task}"), f.Outcome("cancelled")), f.Stopped(stop))
    assert next_task(child.state) == Deliver(Owed("report", PARENT, "c1"))


def test_a_child_says_that_it_waits_for_a_person_only_where_nobody_is_there() -> None:
    for unattended in (False, True):
        child = Child(unattended=unattended)
        child.start(child.say())
        child.suspend("approval:1")
        assert next_task(child.state) == (Deliver(Owed("report", PARENT, "c1")) if unattended else Idle())


def test_a_child_that_waits_for_its_own_child_has_nothing_to_tell() -> None:
    child = Child(unattended=True)
    child.start(child.say())
    child.suspend("child:c2")
    assert next_task(child.state) == Idle()


def test_an_answer_of_a_child_lets_the_run_go_on_whether_it_comes_before_or_after_the_wait() -> None:
    for early in (True, False):
        log = Log()
        log.start(log.say())
        started(log, "c1")
        answer = reported(log, "c1") if early else 0
        assert next_task(log.state) == GoOn()
        log.suspend("child:c1")
        answer = answer or reported(log, "c1")
        task = next_task(log.state)
        assert isinstance(task, AnswerRun)
        assert task.seq == answer
        log.decide(f.Resumed("answered", "child:c1", answer))
        assert next_task(log.state) == GoOn()
        assert log.state.run is not None
        assert log.state.run.reports["child:c1"].seq == answer


def test_one_answer_ends_all_waits_of_its_call_so_that_the_call_looks_again() -> None:
    log = Log()
    log.start(log.say())
    log.decide(f.Suspended((Wait("child:a", CallId("c1")), Wait("child:b", CallId("c1")))))
    answer = reported(log, "b")
    log.decide(f.Resumed("answered", "child:b", answer))
    assert next_task(log.state) == GoOn()


def test_children_that_nobody_waits_for_any_more_are_cancelled_before_the_next_message() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    started(log, "a", f"run_{first}")
    started(log, "b", f"run_{first}")
    reported(log, "a")
    second = log.say()
    log.finish(first)
    assert isinstance(next_task(log.state), Ignore)
    log.decide(f.InputIgnored(log.seq - 2, "late"))
    assert next_task(log.state) == Deliver(Owed("cancel", ThreadId("thr_b"), "b"))
    log.decide(ChildCancelled("b"))
    assert log.started == second


def test_what_a_child_used_counts_for_whoever_asked_for_it_once() -> None:
    log = Log()
    log.start(log.say())
    answer = reported(log, "c1")
    log.suspend("child:c1")
    log.decide(f.Resumed("answered", "child:c1", answer))
    assert log.state.run is not None
    assert (log.state.run.spent.tokens, log.state.spending.day_tokens, log.state.spending.tokens) == (30, 30, 30)


def test_what_a_child_used_counts_in_tokens_and_money_also_where_its_report_comes_behind_the_run() -> None:
    log = Log()
    task = log.say()
    log.start(task)
    log.finish(task)
    log.decide(f.InputIgnored(reported(log, "c1", cost_micro=7), "late"))
    assert log.state.run is None
    assert (log.state.spending.day_tokens, log.state.spending.tokens, log.state.spending.cost_micro) == (30, 30, 7)


# --------------------------------------------------------------------------------------------------------- playbooks

TALK = ThreadId("talk")


class Walk(Log):
    """The log of a playbook's run."""

    def __init__(self, thread: ThreadId = TALK, birth: Birth | None = None) -> None:
        super().__init__()
        play = Play("triage", "d1", "name: triage", thread=thread)
        self.offer(f.ThreadCreated("sulla", graph="playbook", play=play, birth=birth))
        self.order = self.say()
        self.start(self.order)
        self.decide(Played("RUN_STARTED"))

    def wait_for(self, *wait_ids: str, resting: bool = True) -> None:
        self.decide(f.Suspended(tuple(Wait(wait_id, CallId("")) for wait_id in wait_ids), resting))

    def end(self, status: str = "completed") -> None:
        self.decide(Played("RUN_ENDED", detail={"status": status}))
        self.finish(self.order)


def test_a_playbook_that_rests_wakes_for_an_answer_and_takes_it_up_by_itself() -> None:
    walk = Walk()
    walk.wait_for("human:1", "child:c1")
    assert next_task(walk.state) == Idle()
    seq = walk.offer(f.Answer("human:1", "", "approve"))
    assert next_task(walk.state) == WakeRun(0)
    walk.decide(f.Resumed("woken"))
    assert next_task(walk.state) == GoOn()
    walk.decide(Played("NOTE", "a", {}, seq))
    walk.wait_for("child:c1")
    assert next_task(walk.state) == Idle()


def test_a_playbook_at_work_goes_on_with_what_it_does_and_looks_by_itself() -> None:
    walk = Walk()
    walk.wait_for("human:1", resting=False)
    walk.offer(f.Answer("human:1", "", "approve"))
    walk.offer(PlaybookAsked("pause"))
    walk.offer(f.Answer("ask:2", "{}"))  # it may have come before the question was written down
    assert next_task(walk.state) == GoOn()


def test_an_answer_that_a_playbook_at_rest_does_not_wait_for_is_put_away() -> None:
    walk = Walk()
    walk.wait_for("human:1")
    seq = walk.offer(f.Answer("human:0", "", "approve"))
    task = next_task(walk.state)
    assert isinstance(task, Ignore)
    assert task.seq == seq


def test_nobody_answers_for_time() -> None:
    walk = Walk()
    walk.wait_for("time:next")
    seq = walk.offer(f.Answer("time:next", "now"))
    assert next_task(walk.state) == Ignore(seq, "nobody waits for this answer (any more)")


def test_a_wish_wakes_a_playbook_at_rest_waits_for_one_that_is_to_begin_and_is_put_away_where_none_is() -> None:
    walk = Walk()
    walk.wait_for("time:next")
    seq = walk.offer(PlaybookAsked("step"))
    assert next_task(walk.state) == WakeRun(0)
    walk.decide(f.Resumed("woken"), Played("HEARD", "", {}, seq))
    walk.end()
    walk.decide(EndTold())
    seq = walk.offer(PlaybookAsked("pause"))
    assert next_task(walk.state) == Ignore(seq, "no playbook is running here")
    again = walk.command()
    assert walk.started == again
    log = Log()
    seq = log.offer(PlaybookAsked("pause"))
    assert next_task(log.state) == Ignore(seq, "no playbook is running here")


def test_a_paused_playbook_rests_without_anything_to_wait_for() -> None:
    walk = Walk()
    walk.decide(Played("RUN_PAUSED"))
    walk.wait_for()
    assert next_task(walk.state) == Idle()


def test_a_stop_ends_a_playbook_at_rest() -> None:
    walk = Walk()
    walk.wait_for("human:1")
    stop = walk.offer(f.StopAsked())
    assert next_task(walk.state) == StopRun(stop, cancels_run=True)


def test_the_end_of_a_playbook_is_told_to_its_conversation_once() -> None:
    walk = Walk()
    walk.end("failed")
    assert next_task(walk.state) == Deliver(Owed("end", TALK, ThreadId("thr")))
    walk.decide(EndTold())
    assert next_task(walk.state) == Idle()


def test_an_end_is_not_told_where_nobody_hears_it_where_another_goes_on_or_where_it_goes_on_itself() -> None:
    nobody, step, handed, again = Walk(ThreadId("")), Walk(birth=_BIRTH), Walk(), Walk()
    nobody.end()
    assert next_task(nobody.state) == Idle()
    step.end()
    assert next_task(step.state) == Deliver(Owed("report", PARENT, "c1"))
    step.decide(ChildReported("c1"))
    assert next_task(step.state) == Idle()
    handed.end("transferred")
    assert next_task(handed.state) == Idle()
    again.end()
    resumed = again.command()
    assert again.started == resumed


@pytest.mark.parametrize("mode", get_args(f.Mode))
def test_a_message_of_a_person_to_a_playbook_at_rest_is_put_away(mode: f.Mode) -> None:
    walk = Walk()
    walk.wait_for("human:1")
    seq = walk.say(mode)
    assert next_task(walk.state) == Ignore(seq, PLAYBOOK_THREAD.refusal, RunId(f"run_{seq}"))
    walk.decide(f.InputIgnored(seq, PLAYBOOK_THREAD.refusal))
    assert next_task(walk.state) == Idle()


@pytest.mark.parametrize("mode", get_args(f.Mode))
def test_a_message_of_a_person_neither_ends_a_playbook_at_work_nor_hides_a_stop(mode: f.Mode) -> None:
    walk = Walk()
    walk.say(mode)
    assert next_task(walk.state) == GoOn()
    stop = walk.offer(f.StopAsked())
    assert next_task(walk.state) == StopRun(stop, cancels_run=True)


def test_a_message_of_a_person_to_a_playbook_that_has_ended_orders_nothing_and_its_end_is_told_as_it_was() -> None:
    walk = Walk()
    walk.end()
    seq = walk.say()
    assert next_task(walk.state) == Ignore(seq, PLAYBOOK_THREAD.refusal, RunId(f"run_{seq}"))
    walk.decide(f.InputIgnored(seq, PLAYBOOK_THREAD.refusal))
    assert next_task(walk.state) == Deliver(Owed("end", TALK, ThreadId("thr")))


def test_what_a_playbook_was_told_by_no_agent_is_told_before_the_next_message_gets_its_turn() -> None:
    log = Log()
    question = Question(ThreadId("walk"), "ask:1", "reply", "say it", {"type": "object"})
    first = log.offer(f.Input(MessageId("m1"), "Which one?", question=question))
    log.start(first)
    second = log.say()
    log.finish(first)
    owed = OwedAnswer(ThreadId("walk"), "ask:1", "the run ended without an answer", True)
    assert log.state.links.owes == {"ask:1": owed}
    assert next_task(log.state) == Deliver(Owed("answer", ThreadId("walk"), "ask:1"))
    log.decide(AnswerGiven("ask:1"))
    assert log.started == second


_BIRTH = Birth("c1", "call", PARENT, RunId("run_p"), PARENT, 1)


def test_a_stop_does_not_hold_what_a_playbook_asks_and_that_releases_nothing() -> None:
    question = Question(ThreadId("thr_play"), "ask:1", "reply", "say it", {"type": "object"})
    log = Log()
    first = log.say()
    asked = log.offer(f.Input(MessageId("asked"), "asked", origin="playbook", question=question))
    stop = log.offer(f.StopAsked())
    log.decide(f.Stopped(stop))
    assert [item.seq for item in log.state.runnable] == [asked]
    log.start(asked)
    log.finish(asked)
    assert log.state.runnable == []
    log.decide(f.Continued(log.offer(f.ContinueAsked())))
    assert [item.seq for item in log.state.runnable] == [first]
