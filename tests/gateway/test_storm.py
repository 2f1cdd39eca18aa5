"""The witness of the storms notices each thing that must not happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.gateway.storm import Frame, Witness, mark, verdict

THREAD = "thr_1"
WHOLE = "Hello, world"


def kept(seq: int, type_: str, **data: object) -> Frame:
    return {"method": "event", "params": {"thread_id": THREAD, "seq": seq, "type": type_, "data": data}}


def piece(offset: int, delta: str, message_id: str = "m1") -> Frame:
    data = {"message_id": message_id, "offset": offset, "delta": delta}
    return {
        "method": "event",
        "params": {"thread_id": THREAD, "seq": None, "type": "TEXT_MESSAGE_CONTENT", "data": data},
    }


LOG = [
    kept(1, "INPUT", text="hi"),
    kept(2, "MODEL_STARTED", message_id="m1"),
    kept(3, "TEXT_MESSAGE_END", message_id="m1", text=WHOLE),
    kept(4, "RUN_FINISHED", run_id="r"),
]
MARKS = [mark(frame["params"]["seq"], frame["params"]["type"], frame["params"]["data"]) for frame in LOG]
LIVE = [piece(0, "Hel"), piece(3, "lo")]
BACK: list[Any] = ["back"]
"""The connection was lost, and the client has come back."""
GOOD = [*LOG[:2], *LIVE, *BACK, piece(0, "Hello"), piece(5, ", "), *LOG[2:]]


def judged(frames: list[Any]) -> list[str]:
    witness = Witness()
    for frame in frames:
        if frame == "back":
            witness.comes_back()
        else:
            witness.takes(frame)
    return verdict(witness, {THREAD: MARKS})


@pytest.mark.parametrize(
    "frames",
    [
        GOOD,
        LOG,
        [*LOG[:2], *BACK, *LOG[2:]],
        [*LOG[:2], *LIVE, *BACK, piece(0, "He"), *LOG[2:]],
        [*LOG[:2], piece(0, "x", "m2"), *LOG[2:]],
    ],
)
def test_what_is_promised_passes(frames: list[Any]) -> None:
    assert judged(frames) == []


def swapped(frames: list[Any], one: int, other: int) -> list[Any]:
    found = list(frames)
    found[one], found[other] = found[other], found[one]
    return found


def without(place: int) -> Callable[[], list[Any]]:
    return lambda: GOOD[:place] + GOOD[place + 1 :]


def with_also(place: int, frame: Frame) -> Callable[[], list[Any]]:
    return lambda: [*GOOD[:place], frame, *GOOD[place:]]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (without(0), "event 2 came in the place of 1"),
        (without(1), "event 3 came in the place of 2"),
        (without(len(GOOD) - 1), "3 events came, 4 are kept"),
        (with_also(1, LOG[0]), "event 1 came in the place of 2"),
        (with_also(5, LOG[1]), "event 2 came in the place of 3"),
        (with_also(len(GOOD), kept(5, "INPUT")), "5 events came, 4 are kept"),
        (lambda: swapped(GOOD, 0, 1), "event 2 came in the place of 1"),
        (lambda: [kept(1, "INPUT", text="ho"), *GOOD[1:]], "event 1 is another one"),
        (lambda: [kept(1, "STOP", text="hi"), *GOOD[1:]], "event 1 is another one"),
        (without(2), "a piece of m1 at 3, expected at 0"),
        (with_also(3, piece(0, "Hel")), "a piece of m1 at 0, expected at 3"),
        (with_also(4, piece(6, "w")), "a piece of m1 at 6, expected at 5"),
        (without(5), "a piece of m1 at 5, expected at 0"),
        (with_also(5, piece(0, "J")), "'J' is shown, and 'Hello' before"),
        (with_also(7, piece(7, "all")), "was shown of 'Hello, world'"),
        (with_also(len(GOOD), piece(0, "He")), "which had come to its end"),
        (with_also(2, {"method": "events.gap", "params": {}}), "events.gap came"),
        (with_also(2, {"method": "events.ended", "params": {}}), "events.ended came"),
    ],
)
def test_a_planted_defect_is_noticed(make: Callable[[], list[Any]], what: str) -> None:
    found = judged(make())
    assert what in "; ".join(found)


def test_a_thread_that_nobody_asked_for_is_noticed() -> None:
    witness = Witness()
    witness.takes(LOG[0])
    assert verdict(witness, {}) == [f"{THREAD}: nobody asked for it"]
