"""What single records do to a thread."""

from __future__ import annotations

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import ChildStarted, Report, wait_of
from sulla.threads.log.records import Answer, InputsJoined, Summary, TextMessageEnd
from sulla.threads.log.usage import Usage
from tests.threads.log.kept_log import Log


def test_a_message_that_nobody_trusts_taints_its_thread_when_it_is_taken_up() -> None:
    log = Log()
    seq = log.say(tainted=True)
    assert not log.state.context.tainted
    log.start(seq)
    assert log.state.context.tainted


def test_so_does_one_that_joins_a_turn() -> None:
    log = Log()
    log.start(log.say())
    joined = log.say(tainted=True)
    assert not log.state.context.tainted
    log.decide(InputsJoined((joined,), (RunId(f"run_{joined}"),)))
    assert log.state.context.tainted


def test_what_a_run_used_is_its_threads_when_it_ends() -> None:
    log = Log()
    seq = log.say()
    log.start(seq)
    log.decide(TextMessageEnd(CallId("model"), MessageId("reply"), "Yes.", usage=Usage(30, 4, cost_micro=9)))
    log.finish(seq)
    assert log.state.spending.usage == Usage(30, 4, cost_micro=9)


def test_a_summary_that_covers_less_than_the_one_before_changes_nothing() -> None:
    log = Log()
    log.offer(Summary(5, "long"))
    log.offer(Summary(3, "short"))
    assert (log.state.context.summary.covers_seq, log.state.context.summary.text) == (5, "long")


def test_a_child_that_has_reported_is_not_waited_for_any_more() -> None:
    log = Log()
    log.start(log.say())
    log.offer(ChildStarted("kid", ThreadId("thr_kid"), "sulla", "spawn", RunId("run_2")))
    assert set(log.state.links.children) == {"kid"}
    answer = Answer(wait_of("kid"), "blue", origin="child", report=Report("done"))
    THREAD_SCHEMA.offer(log.state, answer, log.seq + 1, Origin(9))
    assert log.state.links.children == {}
