"""What of a conversation fits, and that pairs stay together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sulla.core.ids import CallId, MessageId
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.threads.log.transcript import Transcript


def measure(message: Message) -> int:
    return len(message.text) + 1


def user(number: int, size: int) -> Message:
    return Message(MessageId(f"m{number}"), "user", (Text("x" * size),))


def calls(*names: str) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(CallId(name), "tool", {}) for name in names)


@given(sizes=st.lists(st.integers(0, 50), max_size=40), ceiling=st.integers(0, 400))
def test_the_window_is_the_longest_tail_that_fits(sizes: list[int], ceiling: int) -> None:
    script = Transcript(measure)
    for number, size in enumerate(sizes):
        script.push(user(number, size))
    start = script.window(ceiling)
    weight = sum(measure(message) for message in script.since(start))
    assert weight <= ceiling
    if start > 0:
        assert weight + measure(script[start - 1]) > ceiling


@given(sizes=st.lists(st.integers(0, 50), min_size=1, max_size=40), data=st.data())
def test_trimming_changes_no_later_window(sizes: list[int], data: st.DataObject) -> None:
    script, trimmed = Transcript(measure), Transcript(measure)
    for number, size in enumerate(sizes):
        script.push(user(number, size))
        trimmed.push(user(number, size))
    cut = data.draw(st.integers(0, len(sizes)))
    trimmed.trim(cut)
    assert trimmed.tokens == sum(measure(message) for message in script.since(cut))
    ceiling = data.draw(st.integers(0, trimmed.tokens))
    assert trimmed.since(trimmed.window(ceiling)) == script.since(script.window(ceiling))


def test_a_result_never_begins_a_window() -> None:
    script = Transcript(measure)
    script.push(user(0, 3))
    asked = Message(MessageId("a"), "assistant", calls("c1"))
    script.push(asked)
    script.add_result(MessageId("r"), ToolResult(CallId("c1"), "out"), asked.calls)
    script.push(user(1, 3))
    for ceiling in range(script.tokens + 1):
        window = script.since(script.window(ceiling))
        assert not window or window[0].role != "tool"


def test_results_stand_in_the_models_order_however_they_arrive() -> None:
    script = Transcript(measure)
    asked = Message(MessageId("a"), "assistant", calls("c1", "c2", "c3"))
    script.push(asked)
    assert list(script.unanswered) == ["c1", "c2", "c3"]
    for name in ("c3", "c1", "c2"):
        script.add_result(MessageId("r"), ToolResult(CallId(name), name), asked.calls)
    assert [part.text for part in script[-1].parts if isinstance(part, ToolResult)] == ["c1", "c2", "c3"]
    assert len(script) == 2
    assert not script.unanswered


def test_a_message_that_says_nothing_is_left_out() -> None:
    script = Transcript(measure)
    script.push(Message(MessageId("e"), "assistant", ()))
    assert len(script) == 0


def test_a_conversation_over_the_ceiling_keeps_its_beginning_for_many_turns() -> None:
    script, beginnings = Transcript(measure), []
    for number in range(500):
        script.push(user(number, 9))
        script.fit(1_000)
        assert script.tokens <= 1_000
        beginnings.append(script[0].id)
    assert len(script) >= 90
    # Ten messages make a tenth of the ceiling: the 400 that did not fit went at least ten at a time.
    assert len(set(beginnings)) <= 1 + 400 // 10


def test_the_newest_message_is_never_forgotten() -> None:
    script = Transcript(measure)
    script.push(user(0, 3))
    script.push(user(1, 5_000))
    assert script.fit(100) == 1
    assert [message.id for message in script] == ["m1"]


def test_the_newest_results_keep_the_reply_that_asked_for_them() -> None:
    script = Transcript(lambda message: 5_000 if message.role == "tool" else 10)
    script.push(user(0, 3))
    asked = Message(MessageId("a"), "assistant", calls("c1", "c2"))
    script.push(asked)
    for name in ("c1", "c2"):
        script.add_result(MessageId("r"), ToolResult(CallId(name), "long"), asked.calls)
    assert script.fit(100) == 1
    assert [message.role for message in script] == ["assistant", "tool"]


@given(
    sizes=st.lists(st.integers(0, 50), min_size=1, max_size=30),
    steps=st.lists(st.tuples(st.sampled_from(["correct", "push", "trim", "replace"]), st.integers(0, 10)), max_size=20),
)
def test_sizes_are_right_whatever_was_set_right_trimmed_or_replaced(
    sizes: list[int], steps: list[tuple[str, int]]
) -> None:
    script, expected = Transcript(measure), [measure(user(number, size)) for number, size in enumerate(sizes)]
    for number, size in enumerate(sizes):
        script.push(user(number, size))
    exact = 0
    for step, amount in steps:
        match step:
            case "correct":
                better = [1_000 + number for number in range(min(amount, len(script.uncorrected)))]
                script.correct(better)
                expected[exact : exact + len(better)] = better
                exact += len(better)
            case "push":
                script.push(user(len(expected), amount))
                expected.append(amount + 1)
            case "trim":
                cut = min(amount, len(expected))
                script.trim(cut)
                del expected[:cut]
                exact = max(0, exact - cut)
            case _ if expected:
                script.replace_last(user(99, amount))
                expected[-1] = amount + 1
                exact = min(exact, len(expected) - 1)
        assert script.tokens == sum(expected)
        assert len(script.uncorrected) == len(expected) - exact
        assert script.corrected == (exact > 0)


def test_what_comes_before_a_message_is_forgotten_and_nothing_if_it_is_not_here() -> None:
    script = Transcript(measure)
    for number in range(5):
        script.push(user(number, 3))
    script.forget_before(MessageId("elsewhere"))
    assert len(script) == 5
    script.forget_before(MessageId("m3"))
    assert [message.id for message in script] == ["m3", "m4"]
    assert script.tokens == 8
    script.forget_before(MessageId("m3"))
    assert len(script) == 2
