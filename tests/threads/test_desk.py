"""What comes next for a thread, in every situation that people can bring about."""

from __future__ import annotations

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.threads import facts as f
from sulla.threads.codec import Origin
from sulla.threads.desk import Continue, GoOn, Ignore, Interrupt, Rest, Resume, Start, Stop, next_task
from sulla.threads.fold import apply_decision, apply_offer
from sulla.threads.state import ThreadState
from sulla.threads.transcript import Transcript


class Log:
    """A thread's log in the making."""

    def __init__(self) -> None:
        self.state = ThreadState(ThreadId("thr"), Transcript(lambda message: 1))
        self.seq = 0

    def offer(self, fact: f.Offer) -> int:
        self.seq += 1
        apply_offer(self.state, fact, self.seq, Origin(self.seq, RunId(f"run_{self.seq}")))
        return self.seq

    def say(self, mode: f.Mode = "queue") -> int:
        return self.offer(f.Input(MessageId(f"m{self.seq + 1}"), "hi", mode))

    def decide(self, *facts: f.Decision) -> None:
        for fact in facts:
            self.seq += 1
            apply_decision(self.state, fact, Origin(self.seq))

    def start(self, seq: int) -> None:
        self.decide(f.RunStarted(seq, MessageId(f"m{seq}"), known_seq=max(self.state.waiting)))

    def finish(self, seq: int) -> None:
        self.decide(f.RunFinished(RunId(f"run_{seq}"), f.Outcome("done")))

    def suspend(self, wait_id: str) -> None:
        self.decide(f.Suspended((f.Wait(wait_id, CallId("c1")),)))

    @property
    def started(self) -> int:
        task = next_task(self.state)
        assert isinstance(task, Start), task
        return task.item.seq


def test_nothing_to_do_rests() -> None:
    assert next_task(Log().state) == Rest()


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


def test_a_stop_ends_the_turn_and_holds_what_waits() -> None:
    log = Log()
    first = log.say()
    log.start(first)
    log.say()
    stop = log.offer(f.StopAsked())
    assert next_task(log.state) == Stop(stop, cancels_run=True)
    log.decide(f.RunFinished(RunId(f"run_{first}"), f.Outcome("cancelled")), f.Stopped(stop))
    assert next_task(log.state) == Rest()


def test_continue_lets_held_messages_go_on() -> None:
    log = Log()
    held = log.say()
    stop = log.offer(f.StopAsked())
    log.decide(f.Stopped(stop))
    assert next_task(log.state) == Rest()
    again = log.offer(f.ContinueAsked())
    assert next_task(log.state) == Continue(again)
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
    assert next_task(log.state) == Stop(stop, cancels_run=False)


def test_a_suspended_run_rests_until_its_answer_comes() -> None:
    log = Log()
    log.start(log.say())
    log.suspend("approval:1")
    log.say()
    assert next_task(log.state) == Rest()
    answer = f.Answer("approval:1", "yes")
    seq = log.offer(answer)
    assert next_task(log.state) == Resume(seq, answer)
    log.decide(f.Resumed("answered", "approval:1", seq))
    assert next_task(log.state) == GoOn()


def test_an_answer_that_nobody_waits_for_is_put_away() -> None:
    log = Log()
    seq = log.offer(f.Answer("approval:9", "yes"))
    task = next_task(log.state)
    assert isinstance(task, Ignore)
    assert task.seq == seq
    log.decide(f.InputIgnored(seq, "late"))
    assert next_task(log.state) == Rest()


def test_an_answer_may_come_before_its_question_is_written_down() -> None:
    log = Log()
    log.start(log.say())
    seq = log.offer(f.Answer("approval:1", "yes"))
    assert next_task(log.state) == GoOn()
    log.suspend("approval:1")
    assert isinstance(next_task(log.state), Resume)
    assert seq in log.state.controls


def test_stop_and_interrupt_reach_a_suspended_run() -> None:
    log = Log()
    log.start(log.say())
    log.suspend("approval:1")
    interrupting = log.say("interrupt")
    assert next_task(log.state) == Interrupt(interrupting)
    stop = log.offer(f.StopAsked())
    assert next_task(log.state) == Stop(stop, cancels_run=True)


def test_every_waking_input_is_counted_once_it_is_dealt_with() -> None:
    log = Log()
    first, joined = log.say(), log.say("steer")
    log.start(first)
    log.decide(f.InputsJoined((joined,), (RunId(f"run_{joined}"),)))
    log.decide(f.Stopped(log.offer(f.StopAsked())), f.Continued(log.offer(f.ContinueAsked())))
    log.decide(f.InputIgnored(log.offer(f.Answer("x", "y")), "late"))
    assert log.state.consumed == 5
    assert not log.state.waiting
    assert not log.state.controls
