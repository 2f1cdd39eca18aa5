from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.jsontypes import Json
from sulla.gateway.commands import Advanced, Event, Live, Signal
from sulla.gateway.feed import feed as module
from sulla.gateway.feed.feed import LOOK_BACK, PROGRESS, REASONING, TEXT, AskForText, Effect, Feed, Gap, Read, Show
from sulla.threads.log.records import (
    ModelAbandoned,
    ModelStarted,
    RunError,
    RunFinished,
    TextMessageEnd,
    ToolCallResult,
    ToolCallStart,
)

PAGE = 4
RUN = "run_1"


@dataclass
class Thread:
    """A log, and a subscriber driven the way `follower` does it."""

    after: int = 0
    log: list[Event] = field(default_factory=list)
    shown: list[Event] = field(default_factory=list)
    asked: int = 0
    reads: int = 0
    gaps: list[Gap] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    """Numbers that the log no longer has."""

    def __post_init__(self) -> None:
        self.feed = Feed(self.after, PAGE)

    def add(self, type_: str, run_id: str | None = RUN, **data: Json) -> Event:
        event = Event("thr", len(self.log) + 1, run_id, None, "sulla", 0, type_, 0, dict(data))
        self.log.append(event)
        return event

    def begin(self) -> None:
        if self.after:
            self.feed.recall(self.log[max(0, self.after - LOOK_BACK) : self.after])
        self.do(self.feed.catch_up())

    def hear(self, signal: Signal) -> None:
        self.do(self.feed.signal(signal))

    def wake(self) -> None:
        self.hear(Advanced(len(self.log)))

    def tick(self) -> None:
        self.do(self.feed.tick())

    def do(self, effects: list[Effect]) -> None:
        todo = list(effects)
        while todo:
            match effect := todo.pop(0):
                case Show(event):
                    self.shown.append(event)
                case Read(after):
                    self.reads += 1
                    left = [event for event in self.log[after:] if event.seq not in self.lost]
                    todo.extend(self.feed.read(left[:PAGE]))
                case Gap():
                    self.gaps.append(effect)
                case AskForText():
                    self.asked += 1

    @property
    def seqs(self) -> list[int]:
        return [event.seq for event in self.shown if event.seq is not None]

    def text(self, message_id: str, type_: str = TEXT) -> str:
        """What a client has of a text; fails on a hole or an overlap."""
        text = ""
        for event in self.shown:
            if event.seq is None and event.type == type_ and event.data["message_id"] == message_id:
                assert event.data["offset"] == len(text)
                text += str(event.data["delta"])
        return text


def delta(offset: int, text: str, message_id: str = "m1", type_: str = TEXT, run_id: str = RUN) -> Live:
    data: dict[str, Json] = {"message_id": message_id, "offset": offset, "delta": text}
    return Live(Event("thr", None, run_id, None, "sulla", 0, type_, 0, data))


def progress(call_id: str) -> Live:
    return Live(Event("thr", None, RUN, None, "sulla", 0, PROGRESS, 0, {"call_id": call_id, "note": "…"}))


def writing() -> Thread:
    """A subscriber who has seen a message begin."""
    thread = Thread()
    thread.begin()
    thread.add("MODEL_STARTED", message_id="m1")
    thread.wake()
    return thread


def test_the_kinds_it_looks_at_are_those_that_threads_keep() -> None:
    assert ModelStarted.kind == module._MESSAGE_BEGINS
    assert {TextMessageEnd.kind, ModelAbandoned.kind} == module._MESSAGE_ENDS
    assert ToolCallStart.kind == module._CALL_BEGINS
    assert ToolCallResult.kind == module._CALL_ENDS
    assert {RunFinished.kind, RunError.kind} == module._RUN_ENDS


def test_what_was_missed_comes_first_page_by_page() -> None:
    thread = Thread(after=2)
    for _ in range(2 + 3 * PAGE):
        thread.add("INPUT")
    thread.begin()
    assert thread.seqs == list(range(3, 3 + 3 * PAGE))


@pytest.mark.parametrize(
    ("after", "lost", "gaps"),
    [
        (0, (), []),
        (0, (1, 2), [Gap(0, 3)]),
        (2, (1, 2), []),
        (2, (3,), [Gap(2, 4)]),
        (2, (3, 4, 5, 6, 7, 8), [Gap(2, 9)]),
        (1, (4, 6, 7), [Gap(3, 5), Gap(5, 8)]),
        (0, (PAGE + 1,), [Gap(PAGE, PAGE + 2)]),
        (9, (10,), []),
        (3, (10,), []),
    ],
)
def test_where_the_log_has_holes_it_says_so_once(after: int, lost: tuple[int, ...], gaps: list[Gap]) -> None:
    thread = Thread(after=after, lost=set(lost))
    for _ in range(10):
        thread.add("INPUT")
    thread.begin()
    thread.tick()
    assert thread.gaps == gaps
    assert thread.seqs == [seq for seq in range(after + 1, 11) if seq not in lost]


def test_a_hole_is_told_right_before_what_comes_behind_it() -> None:
    event = Event("thr", 5, RUN, None, "sulla", 0, "INPUT", 0, {})
    assert Feed(2, PAGE).read([event])[:2] == [Gap(2, 5), Show(event)]


def test_a_hole_that_opens_while_it_is_followed_is_told_too() -> None:
    thread = Thread()
    thread.begin()
    for _ in range(3):
        thread.add("INPUT")
    thread.lost = {1, 2}
    thread.wake()
    assert (thread.gaps, thread.seqs) == ([Gap(0, 3)], [3])


def test_a_wake_up_for_what_was_shown_reads_nothing() -> None:
    thread = Thread()
    thread.add("INPUT")
    thread.begin()
    before = thread.reads
    thread.hear(Advanced(1))
    thread.hear(Advanced(0))
    assert thread.reads == before


def test_what_a_wake_up_has_along_is_shown_without_reading() -> None:
    thread = Thread()
    thread.begin()
    before = thread.reads
    events = [thread.add("MODEL_STARTED", message_id="m1"), thread.add("TEXT_MESSAGE_END", message_id="m1")]
    thread.hear(Advanced(2, events))
    assert (thread.seqs, thread.reads) == ([1, 2], before)


@pytest.mark.parametrize("first", [0, 2], ids=["some of it is shown", "some of it is missing"])
def test_what_does_not_follow_on_what_was_shown_is_read(first: int) -> None:
    thread = Thread()
    thread.add("INPUT")
    thread.begin()
    events = [thread.log[0], *(thread.add("INPUT") for _ in range(2))]
    thread.hear(Advanced(3, events[first:]))
    assert (thread.seqs, thread.reads) == ([1, 2, 3], 2)


def test_a_wake_up_before_the_beginning_is_no_beginning() -> None:
    thread = Thread(after=1)
    thread.add("MODEL_STARTED", message_id="m1")
    event = thread.add("INPUT")
    thread.feed.recall(thread.log[:1])
    thread.hear(Advanced(2, (event,)))
    assert (thread.seqs, thread.reads, thread.asked) == ([2], 1, 1)


def test_what_was_shown_is_not_shown_again_whatever_is_read() -> None:
    thread = Thread()
    events = [thread.add("INPUT") for _ in range(3)]
    thread.begin()
    thread.do(thread.feed.read(events[1:]))
    thread.do(thread.feed.read(events))
    assert thread.seqs == [1, 2, 3]


def test_a_lost_wake_up_is_healed_by_the_next_tick() -> None:
    thread = Thread()
    thread.begin()
    thread.add("INPUT")
    thread.tick()
    assert thread.seqs == [1]


def test_deltas_in_order_pass_as_they_are() -> None:
    thread = writing()
    first = delta(0, "Hel")
    thread.hear(first)
    thread.hear(delta(3, "lo"))
    assert thread.text("m1") == "Hello"
    assert thread.shown[1] is first.event


def test_what_overlaps_is_cut() -> None:
    thread = writing()
    thread.hear(delta(0, "Hel"))
    thread.hear(delta(0, "Hel"))
    thread.hear(delta(1, "ello"))
    assert thread.text("m1") == "Hello"


def test_offsets_count_code_points() -> None:
    thread = writing()
    thread.hear(delta(0, "🦉é"))
    thread.hear(delta(1, "é!"))
    assert thread.text("m1") == "🦉é!"


def test_behind_a_gap_the_text_is_asked_for_and_shown_from_where_it_stopped() -> None:
    thread = writing()
    thread.hear(delta(0, "Hel"))
    thread.hear(delta(5, " wor"))
    assert thread.asked == 1
    assert thread.text("m1") == "Hel"
    thread.hear(delta(0, "Hello wor"))
    assert thread.text("m1") == "Hello wor"


def test_the_text_is_asked_for_once_between_two_ticks() -> None:
    thread = writing()
    for offset in range(5, 50):
        thread.hear(delta(offset, "x"))
    assert thread.asked == 1
    thread.tick()
    thread.hear(delta(60, "x"))
    assert thread.asked == 2


def test_who_comes_in_the_middle_of_a_reply_asks_for_the_text_so_far() -> None:
    for after in (0, 1, 3):
        thread = Thread(after=after)
        thread.add("MODEL_STARTED", message_id="m1")
        thread.add("INPUT")
        thread.add("INPUT")
        thread.begin()
        assert thread.asked == 1
        thread.hear(delta(0, "Hel"))
        assert thread.text("m1") == "Hel"


def test_who_comes_when_nothing_is_written_asks_for_nothing() -> None:
    thread = Thread()
    thread.add("MODEL_STARTED", message_id="m1")
    thread.add("TEXT_MESSAGE_END", message_id="m1")
    thread.begin()
    assert thread.asked == 0


def test_late_deltas_of_an_ended_message_are_dropped_without_looking() -> None:
    for ending in ("TEXT_MESSAGE_END", "MODEL_ABANDONED"):
        thread = writing()
        thread.hear(delta(0, "Hel"))
        thread.add(ending, message_id="m1")
        thread.wake()
        before = thread.reads
        thread.hear(delta(3, "lo"))
        assert thread.text("m1") == "Hel"
        assert thread.reads == before


def test_late_deltas_of_a_message_that_ended_before_the_subscription_are_dropped() -> None:
    thread = Thread(after=2)
    thread.add("MODEL_STARTED", message_id="m1")
    thread.add("TEXT_MESSAGE_END", message_id="m1")
    thread.begin()
    thread.hear(delta(0, "Hello"))
    assert thread.text("m1") == ""


def test_late_deltas_of_a_run_that_failed_are_dropped() -> None:
    thread = writing()
    thread.add("RUN_ERROR", run_id=RUN)
    thread.wake()
    thread.hear(delta(0, "Hello"))
    assert thread.text("m1") == ""


def test_the_end_of_a_joined_run_does_not_end_the_running_one() -> None:
    thread = writing()
    thread.log.append(Event("thr", 2, RUN, None, "sulla", 0, "RUN_FINISHED", 0, {"run_id": "run_2", "joined": RUN}))
    thread.wake()
    thread.hear(delta(0, "Hello"))
    assert thread.text("m1") == "Hello"


def test_a_delta_that_overtakes_its_message_is_shown_after_it() -> None:
    thread = Thread()
    thread.begin()
    thread.add("MODEL_STARTED", message_id="m1")
    thread.hear(delta(0, "Hel"))
    assert [event.type for event in thread.shown] == ["MODEL_STARTED", TEXT]


def test_a_message_that_the_log_does_not_know_is_not_shown_and_looked_up_once() -> None:
    thread = Thread()
    thread.begin()
    before = thread.reads
    for offset in range(100):
        thread.hear(delta(offset, "x", "stranger"))
    assert thread.shown == []
    assert thread.reads == before + 1


def test_a_message_that_begins_after_its_deltas_were_dropped_is_shown() -> None:
    thread = Thread()
    thread.begin()
    thread.hear(delta(0, "Hel"))
    thread.add("MODEL_STARTED", message_id="m1")
    thread.hear(delta(3, "lo"))
    thread.wake()
    thread.hear(delta(0, "Hello"))
    assert thread.text("m1") == "Hello"


def test_reasoning_has_its_own_offsets_and_is_not_asked_for_again() -> None:
    thread = writing()
    thread.hear(delta(0, "Hmm", type_=REASONING))
    thread.hear(delta(0, "Hello"))
    thread.hear(delta(2, "m, so", type_=REASONING))
    assert thread.text("m1", REASONING) == "Hmm, so"
    thread.hear(delta(20, "late", type_=REASONING))
    assert thread.asked == 0
    assert thread.shown[-1].data["offset"] == 20


def test_progress_is_shown_while_its_call_runs() -> None:
    thread = Thread()
    thread.begin()
    thread.hear(progress("c1"))
    thread.add("TOOL_CALL_START", call_id="c1")
    thread.wake()
    thread.hear(progress("c1"))
    thread.add("TOOL_CALL_RESULT", call_id="c1")
    thread.wake()
    thread.hear(progress("c1"))
    assert [event.type for event in thread.shown] == ["TOOL_CALL_START", PROGRESS, "TOOL_CALL_RESULT"]


def test_a_malformed_delta_is_dropped() -> None:
    thread = writing()
    for data in ({"message_id": "m1"}, {"message_id": "m1", "offset": "0", "delta": "x"}, {"delta": "x"}):
        thread.hear(Live(Event("thr", None, RUN, None, "sulla", 0, TEXT, 0, dict(data))))
    assert [event.type for event in thread.shown] == ["MODEL_STARTED"]


def test_other_live_events_pass() -> None:
    thread = Thread()
    thread.begin()
    thread.hear(Live(Event("thr", None, None, None, "", 0, "SPEECH_PARTIAL", 0, {"text": "so"})))
    assert [event.type for event in thread.shown] == ["SPEECH_PARTIAL"]


def test_what_it_remembers_is_bounded() -> None:
    thread = Thread()
    thread.begin()
    for number in range(1000):
        thread.add("MODEL_STARTED", message_id=f"m{number}")
        thread.add("TOOL_CALL_START", call_id=f"c{number}")
        thread.hear(delta(0, "x", f"stranger{number}"))
    thread.wake()
    feed = thread.feed
    assert max(len(feed._messages), len(feed._calls), len(feed._ignored), len(feed._held)) <= 256


# ------------------------------------------------------------------------------------------------- any order, any loss


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[tuple[str, str]], list[int]]:
    """Messages with their texts and ends, and for each step how the bus treats what it carries."""
    count = draw(st.integers(1, 4))
    words = st.text(alphabet="ab🦉 ", min_size=1, max_size=4)
    steps: list[tuple[str, str]] = []
    for number in range(count):
        steps.append(("MODEL_STARTED", f"m{number}"))
        steps.extend(("delta", word) for word in draw(st.lists(words, max_size=6)))
        steps.append((draw(st.sampled_from(["TEXT_MESSAGE_END", "MODEL_ABANDONED"])), f"m{number}"))
        if draw(st.booleans()):
            steps.append(("INPUT", ""))
    fates = draw(st.lists(st.integers(0, 9), min_size=len(steps), max_size=len(steps)))
    return steps, fates


class Bus:
    """Carries signals to one subscriber; loses, doubles, delays and answers as told."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.delayed: list[Signal] = []
        self.text = ""
        self.message = ""
        self.answered = 0

    def carry(self, signal: Signal, fate: int) -> None:
        if fate == 0:
            return
        if fate in (1, 2):
            self.delayed.append(signal)
            return
        self.thread.hear(signal)
        if fate == 3:
            self.thread.hear(signal)
        if fate == 4:
            while self.delayed:
                self.thread.hear(self.delayed.pop())
        if fate == 5:
            self.thread.tick()
        if fate >= 6:
            self.answer()

    def answer(self) -> None:
        """Whoever runs the turn says the text so far again, in pieces."""
        if self.thread.asked > self.answered and self.message:
            self.answered = self.thread.asked
            for start in range(0, len(self.text), 3):
                self.thread.hear(delta(start, self.text[start : start + 3], self.message))


@settings(max_examples=60, deadline=None)
@given(story=stories(), join_at=st.integers(0, 12), keep=st.integers(0, 12))
def test_every_durable_event_comes_once_in_order_and_texts_are_prefixes(
    story: tuple[list[tuple[str, str]], list[int]], join_at: int, keep: int
) -> None:
    steps, fates = story
    thread = Thread()
    bus = Bus(thread)
    finals: dict[str, str] = {}
    joined = False
    for number, ((type_, value), fate) in enumerate(zip(steps, fates, strict=True)):
        if number == min(join_at, len(steps) - 1):
            thread.after = min(keep, len(thread.log))
            thread.feed = Feed(thread.after, PAGE)
            thread.begin()
            joined = True
        if type_ == "delta":
            signal: Signal = delta(len(bus.text), value, bus.message)
            bus.text += value
        else:
            thread.add(type_, message_id=value)
            signal = Advanced(len(thread.log), thread.log[-(number % 3) :] if number % 3 else ())
            if type_ == "MODEL_STARTED":
                bus.message, bus.text = value, ""
            elif type_ != "INPUT":
                finals[value] = bus.text
                bus.message = ""
        if joined:
            bus.carry(signal, fate)
    thread.tick()
    assert thread.seqs == list(range(thread.after + 1, len(thread.log) + 1))
    for message_id, final in finals.items():
        assert final.startswith(thread.text(message_id))


@settings(max_examples=30, deadline=None)
@given(
    words=st.lists(st.text(alphabet="ab🦉", min_size=1, max_size=5), min_size=1, max_size=12),
    lost=st.sets(st.integers(0, 11)),
)
def test_with_answers_to_its_questions_the_whole_text_arrives(words: list[str], lost: set[int]) -> None:
    thread = writing()
    said = ""
    for number, word in enumerate([*words, "end"]):
        if number not in lost or number == len(words):
            thread.hear(delta(len(said), word))
        said += word
    thread.tick()
    thread.hear(delta(len(said), "!"))
    if thread.text("m1") != said + "!":
        assert thread.asked
        thread.hear(delta(0, said + "!"))
    assert thread.text("m1") == said + "!"
