"""Notices a model that makes the same tool call over and over (design §6). Pure.

It is read off the conversation alone, so that a run which goes on after a crash is judged alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Reversible
from itertools import islice
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import Message, ToolCall

REFUSED_AT: Final = 3
"""From this time in a row on, a call is refused (design §6)."""

ENDS_AT: Final = 7
"""The call that is the same for this time in a row ends the run (design §6)."""

LOOK_BACK: Final = 64
"""Messages that are looked at, at the most."""


@dataclass(frozen=True, slots=True)
class RepeatRefused:
    """The call is not made; the model is told why."""

    hint: str
    times: int


@dataclass(frozen=True, slots=True)
class RepeatsEnd:
    """The run ends as `failed: repeating`."""

    message: str
    times: int


def repeated(
    messages: Reversible[Message], is_known: Callable[[str], bool] = bool
) -> Mapping[CallId, RepeatRefused | RepeatsEnd]:
    """Which calls of the newest reply repeat the ones before them too often.

    A row of equal calls is broken by any other call and by a person's message, not by results, by text, or by a
    reminder of ours. Calls of tools that there are not are all equal.

    Args:
        messages: the conversation, oldest first; only its end is looked at.
        is_known: whether there is a tool of that name.

    Returns:
        The calls that must not be made; the others have no entry.
    """
    newest, earlier = _newest_calls(messages)
    found: dict[CallId, RepeatRefused | RepeatsEnd] = {}

    def same(one: ToolCall, other: ToolCall) -> bool:
        return _same_call(one, other) or not (is_known(one.name) or is_known(other.name))

    before, times = _row(earlier, same)
    for call in newest:
        times = times + 1 if before is not None and same(before, call) else 1
        before = call
        if times >= ENDS_AT:
            what = "with the same arguments" if is_known(call.name) else "or other tools that there are not,"
            found[call.id] = RepeatsEnd(
                f"the model called {call.name!r} {what} {times} times in a row, in spite of the hints", times
            )
        elif times >= REFUSED_AT and is_known(call.name):  # else it is told so in any case
            found[call.id] = RepeatRefused(_hint(call.name, times), times)
    return found


def _hint(name: str, times: int) -> str:
    return (
        f"Not run: {name} was called with exactly these arguments {times} times in a row, and its earlier results are "
        "above. Use them, change the arguments, try another way, or say what is in the way."
    )


def _newest_calls(messages: Reversible[Message]) -> tuple[tuple[ToolCall, ...], Iterator[ToolCall]]:
    """The calls of the newest reply in order, and those before them since a person last spoke, newest first."""
    replies = _replies(messages)
    newest: tuple[ToolCall, ...] = next(replies, ())
    return newest, (call for calls in replies for call in reversed(calls))


def _replies(messages: Reversible[Message]) -> Iterator[tuple[ToolCall, ...]]:
    for message in islice(reversed(messages), LOOK_BACK):
        if message.role == "user" and not message.hidden:
            return
        if message.role == "assistant" and message.calls:
            yield message.calls


def _row(earlier: Iterator[ToolCall], same: Callable[[ToolCall, ToolCall], bool]) -> tuple[ToolCall | None, int]:
    """The call that came last before the newest reply, and how many equal ones in a row end in it."""
    last = next(earlier, None)
    times = 1
    # One more than that makes no difference.
    for call in islice(earlier, ENDS_AT - 1):
        if last is None or not same(last, call):
            break
        times += 1
    return last, times


def _same_call(one: ToolCall, other: ToolCall) -> bool:
    return one.name == other.name and _same(one.args, other.args)


def _same(one: FrozenJson, other: FrozenJson) -> bool:
    """Whether two objects are the same JSON. Python takes ``1`` for equal to ``true``, JSON doesn't."""
    pairs: list[tuple[Json | FrozenJson, Json | FrozenJson]] = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            if left.keys() != right.keys():
                return False
            pairs.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif isinstance(left, bool) is not isinstance(right, bool) or left != right:
            return False
    return True
