"""What has begun is ended once, whatever order things come in, and nothing is remembered for ever."""

from __future__ import annotations

from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.telemetry.timeline import (
    MOST_OPEN,
    CallDone,
    FirstWord,
    Piece,
    RunBegan,
    RunOver,
    RunSetAside,
    Summarized,
    Timeline,
)
from sulla.threads.log.codec import Origin
from sulla.threads.log.records import (
    Input,
    ModelStarted,
    Outcome,
    Resumed,
    RunFinished,
    RunPaused,
    RunStarted,
    Summary,
    Suspended,
    TextMessageEnd,
    ThreadFact,
    ToolCallResult,
    ToolCallStart,
)
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import Wait
from sulla.threads.watching import CommittedFact

THREAD = ThreadId("thr")
RUN = RunId("run")


def _tell(
    timeline: Timeline, at_ms: int, *facts: ThreadFact, run: RunId = RUN, thread: ThreadId = THREAD
) -> list[Piece]:
    return [
        piece for fact in facts for piece in timeline.spans_of(thread, CommittedFact(fact, Origin(at_ms, run, "sulla")))
    ]  # fmt: skip


def _input(name: str = "msg") -> Input:
    return Input(MessageId(name), "hello")


def _started() -> RunStarted:
    return RunStarted(2, MessageId("msg"), "sulla", "model")


def _finished(run: RunId = RUN) -> RunFinished:
    return RunFinished(run, Outcome("done"))


def test_a_run_that_began_before_anybody_listened_has_an_end_without_a_length() -> None:
    (ended,) = _tell(Timeline(), 5000, _finished())
    assert isinstance(ended, RunOver)
    assert (ended.outcome, ended.took_s) == ("done", None)


def test_a_message_that_another_process_took_has_no_waiting_time() -> None:
    timeline = Timeline()
    (began,) = _tell(timeline, 1000, _started())
    assert isinstance(began, RunBegan)
    assert began.waited_s is None
    _tell(timeline, 1000, ModelStarted(CallId("call"), MessageId("reply")))
    assert list(timeline.speak(RUN, 1500)) == [], "nobody knows since when the person waits"


def test_only_the_first_word_of_a_run_is_told_but_each_call_knows_its_own() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _input(), _started(), ModelStarted(CallId("one"), MessageId("a")))
    (spoke,) = timeline.speak(RUN, 300)
    assert isinstance(spoke, FirstWord)
    assert spoke.after_s == 0.3
    assert RUN not in timeline.silent
    (first,) = _tell(timeline, 400, TextMessageEnd(CallId("one"), MessageId("a"), "text"))
    _tell(timeline, 500, ModelStarted(CallId("two"), MessageId("b")))
    assert RUN in timeline.silent
    assert list(timeline.speak(RUN, 700)) == []
    (second,) = _tell(timeline, 800, TextMessageEnd(CallId("two"), MessageId("b"), "text"))
    assert isinstance(first, CallDone)
    assert isinstance(second, CallDone)
    assert (first.first_ms, second.first_ms) == (300, 700)


def test_the_answer_to_a_nudge_is_no_word_for_people() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _input(), _started(), ModelStarted(CallId("one"), MessageId("a"), purpose="nudge"))
    assert timeline.silent == {}


def test_another_run_of_the_thread_means_that_the_one_before_went_on_elsewhere() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _started())
    paused, began = _tell(timeline, 9000, _started(), run=RunId("next"))
    assert isinstance(paused, RunSetAside)
    assert isinstance(began, RunBegan)
    assert (paused.whose.run_id, paused.why, began.whose.run_id) == (RUN, "elsewhere", "next")


def test_a_run_that_comes_back_after_its_lease_was_lost_begins_anew() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _started())
    assert [type(piece) for piece in _tell(timeline, 9000, Resumed("crashed"))] == [RunSetAside, RunBegan]
    (ended,) = _tell(timeline, 9500, _finished())
    assert isinstance(ended, RunOver)
    assert ended.took_s == 9.5


def test_a_run_that_is_paused_is_at_work_no_more_until_it_goes_on() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _started(), ToolCallStart(CallId("c"), "bash", {}, MessageId("a")))
    (paused,) = _tell(timeline, 700, RunPaused("owner"))
    assert isinstance(paused, RunSetAside)
    assert (paused.at_ms, paused.why) == (700, "paused")
    (began,) = _tell(timeline, 90_000, Resumed("paused"))
    assert isinstance(began, RunBegan)
    assert began.again == "paused"
    assert _tell(timeline, 90_500, ToolCallResult(CallId("c"), "")) == [], "what was cut off took no time"


def test_the_end_of_the_process_ends_what_is_open_once() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _started())
    (paused,) = timeline.close(700)
    assert isinstance(paused, RunSetAside)
    assert (paused.at_ms, paused.why) == (700, "stopped")
    assert list(timeline.close(800)) == []


def test_the_end_of_another_run_ends_nothing_of_this_one() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _started())
    joined = _tell(timeline, 100, RunFinished(RunId("other"), Outcome("done"), joined=RUN), run=RunId("other"))
    assert [piece.outcome for piece in joined if isinstance(piece, RunOver)] == ["joined"]
    (ended,) = _tell(timeline, 2000, _finished())
    assert isinstance(ended, RunOver)
    assert ended.took_s == 2.0


def test_what_never_ends_is_forgotten_and_said_to_be_elsewhere() -> None:
    timeline = Timeline()
    told: list[Piece] = []
    for number in range(MOST_OPEN + 10):
        thread, run = ThreadId(f"thr_{number}"), RunId(f"run_{number}")
        told += _tell(
            timeline, number, _input(), _started(), ModelStarted(CallId("c"), MessageId("m")), run=run, thread=thread
        )
    gone = [piece.whose.run_id for piece in told if isinstance(piece, RunSetAside)]
    assert gone == [f"run_{number}" for number in range(10)]
    assert len(timeline.silent) == MOST_OPEN
    assert len(list(timeline.close(0))) == MOST_OPEN
    assert timeline.silent == {}


def test_messages_that_never_have_a_turn_are_forgotten() -> None:
    timeline = Timeline()
    for number in range(MOST_OPEN + 1):
        _tell(timeline, 0, _input(), run=RunId(f"run_{number}"))
    (first,) = _tell(timeline, 1000, _started(), run=RunId("run_0"))
    (last,) = _tell(timeline, 1000, _started(), run=RunId(f"run_{MOST_OPEN}"), thread=ThreadId("other"))
    assert isinstance(first, RunBegan)
    assert isinstance(last, RunBegan)
    assert (first.waited_s, last.waited_s) == (None, 1.0)


def test_a_summary_is_told_with_what_it_took() -> None:
    made, failed = (
        list(Timeline().spans_of(THREAD, CommittedFact(Summary(covers, "text", usage=Usage(5, 2)), Origin(0))))
        for covers in (7, 0)
    )
    assert made == [Summarized(THREAD, Usage(5, 2), worked=True)]
    assert failed == [Summarized(THREAD, Usage(5, 2), worked=False)]


def test_a_playbook_of_which_other_steps_are_at_work_is_at_work() -> None:
    timeline = Timeline()
    _tell(timeline, 0, _started())
    waits = (Wait("human:1", CallId(""), "Shall I?"),)
    assert _tell(timeline, 100, Suspended(waits, resting=False)) == []
    (paused,) = _tell(timeline, 200, Suspended(waits))
    assert isinstance(paused, RunSetAside)
    (began,) = _tell(timeline, 900, Resumed("woken"))
    assert isinstance(began, RunBegan)
    assert began.again == "woken"
