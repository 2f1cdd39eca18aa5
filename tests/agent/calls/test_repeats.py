from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.agent.calls.repeats import ENDS_AT, LOOK_BACK, RepeatRefused, RepeatsEnd, repeated
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import Message, Text, ToolCall, ToolResult

ASKED = Message(MessageId("u"), "user", (Text("Do it."),))
REMINDER = Message(MessageId("r"), "user", (Text("Continue."),), hidden=True)
TALK = Message(MessageId("a"), "assistant", (Text("Let me see."),))


def _reply(*calls: tuple[str, FrozenJson], id_: str) -> list[Message]:
    """A reply with calls, and their results."""
    made = tuple(ToolCall(CallId(f"{id_}.{place}"), name, args) for place, (name, args) in enumerate(calls))
    results = tuple(ToolResult(call.id, "ok") for call in made)
    return [Message(MessageId(id_), "assistant", made), Message(MessageId(f"{id_}r"), "tool", results)]


def _rounds(*calls: tuple[str, FrozenJson]) -> list[Message]:
    """One call per reply; the last one has no result yet."""
    messages = [ASKED, *(message for place, call in enumerate(calls) for message in _reply(call, id_=str(place)))]
    return messages[:-1]


def _verdicts(messages: list[Message]) -> list[str]:
    found = repeated(messages)
    calls = next(message.calls for message in reversed(messages) if message.calls)
    return [type(found[call.id]).__name__ if call.id in found else "runs" for call in calls]


READ = ("read", {"path": "a.txt"})


@pytest.mark.parametrize(
    ("times", "verdict"),
    [(1, "runs"), (2, "runs"), (3, "RepeatRefused"), (6, "RepeatRefused"), (7, "RepeatsEnd"), (9, "RepeatsEnd")],
)
def test_the_third_time_is_refused_and_the_seventh_ends_the_run(times: int, verdict: str) -> None:
    assert _verdicts(_rounds(*[READ] * times)) == [verdict]


def test_the_hint_names_the_tool_and_the_times() -> None:
    (again,) = repeated(_rounds(READ, READ, READ)).values()
    assert isinstance(again, RepeatRefused)
    assert "read" in again.hint
    assert again.times == 3
    (ends,) = repeated(_rounds(*[READ] * 7)).values()
    assert isinstance(ends, RepeatsEnd)
    assert "'read'" in ends.message
    assert ends.times == 7


def test_calls_of_tools_that_there_are_not_are_all_equal_and_told_so_each_time_until_the_run_ends() -> None:
    def verdict(times: int) -> list[RepeatRefused | RepeatsEnd]:
        calls = _rounds(*(("launch", {"number": number}) for number in range(times)))
        return list(repeated(calls, lambda name: name == "read").values())

    assert verdict(6) == []
    (ends,) = verdict(7)
    assert isinstance(ends, RepeatsEnd)
    assert ends.message.startswith("the model called 'launch' or other tools that there are not, 7 times in a row")


def test_any_other_call_breaks_the_row() -> None:
    other = ("read", {"path": "b.txt"})
    assert _verdicts(_rounds(READ, READ, other, READ, READ)) == ["runs"]
    assert _verdicts(_rounds(other, other, other, READ)) == ["runs"]
    assert _verdicts(_rounds(READ, READ, ("write", READ[1]), READ)) == ["runs"]


def test_calls_of_one_reply_count_in_their_order() -> None:
    start = [ASKED, *_reply(READ, READ, id_="0")]
    assert _verdicts([*start, _reply(READ, ("list", {}), READ, READ, READ, id_="1")[0]]) == [
        "RepeatRefused",
        "runs",
        "runs",
        "runs",
        "RepeatRefused",
    ]
    assert (
        _verdicts([ASKED, _reply(*[READ] * 8, id_="0")[0]]) == ["runs"] * 2 + ["RepeatRefused"] * 4 + ["RepeatsEnd"] * 2
    )


def test_a_persons_message_breaks_the_row_and_a_reminder_does_not() -> None:
    before, last = _rounds(READ, READ), _reply(READ, id_="new")[0]
    assert _verdicts([*before, ASKED, last]) == ["runs"]
    assert _verdicts([*before, REMINDER, last]) == ["RepeatRefused"]
    assert _verdicts([*before, TALK, REMINDER, last]) == ["RepeatRefused"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": [1, {"c": None}]}, {"b": [1, {"c": None}], "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 0}, {"a": False}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": [1]}, {"a": [1, 1]}, False),
        ({"a": None}, {}, False),
        ({"a": {}}, {"a": []}, False),
        ({"a": "1"}, {"a": 1}, False),
    ],
)
def test_arguments_are_compared_as_json(one: FrozenJson, other: FrozenJson, same: bool) -> None:
    assert _verdicts(_rounds(("t", one), ("t", one), ("t", other))) == ["RepeatRefused" if same else "runs"]


def test_arguments_nested_without_end_are_compared_without_recursion() -> None:
    deep: Json = 1
    for _ in range(5000):
        deep = [deep]
    assert _verdicts(_rounds(*[("t", {"a": deep})] * 3)) == ["RepeatRefused"]


class _Counted(list[Message]):
    """Messages that count how many of them were looked at."""

    looked = 0

    def __reversed__(self) -> Iterator[Message]:
        for message in list.__reversed__(self):
            self.looked += 1
            yield message


@pytest.mark.parametrize("filling", [[TALK], _reply(("list", {}), id_="x"), [REMINDER, TALK]])
def test_however_long_the_conversation_only_its_end_is_looked_at(filling: list[Message]) -> None:
    messages = _Counted([*filling * 5000, *_rounds(READ, READ)[1:]])
    repeated(messages)
    assert messages.looked <= LOOK_BACK


def test_a_conversation_without_calls_has_nothing_to_judge() -> None:
    assert repeated([]) == {}
    assert repeated([ASKED, TALK]) == {}


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), min_size=1, max_size=9))
def test_it_counts_like_a_plain_list_of_calls(replies: list[list[str]]) -> None:
    messages = [ASKED]
    for place, names in enumerate(replies):
        messages += _reply(*[(name, {}) for name in names], id_=str(place))
    flat, expected = [name for names in replies for name in names], list[str]()
    for end in range(len(flat) - len(replies[-1]), len(flat)):
        times = 1
        while times <= end and flat[end - times] == flat[end]:
            times += 1
        expected.append("runs" if times < 3 else "RepeatRefused" if times < ENDS_AT else "RepeatsEnd")
    assert _verdicts(messages) == expected
