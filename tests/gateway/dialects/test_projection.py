"""What waits for a client of a dialect: in order, in little room, and with one end."""

from __future__ import annotations

import pytest

from sulla.gateway.dialects.projection import ProjectedTurn, Projection, StepBacklog
from sulla.gateway.dialects.step_reader import StepReader
from sulla.gateway.dialects.steps import Step, StepAsked, StepEnded, StepText
from sulla.gateway.problems import DEFECT, Headers, Problem
from sulla.gateway.rest.models import Reason
from tests.gateway.dialects.events import Log, full_turn


class Plain:
    """A dialect that says each step by its name."""

    opening = b"opening;"
    keep_alive = b"still here;"

    def __init__(self, *, rests: bool = False) -> None:
        self.rests = rests
        self.seen: list[Step] = []

    def head(self) -> tuple[int, Headers]:
        return 200, []

    def show(self, step: Step) -> bytes:
        self.seen.append(step)
        return f"{type(step).__name__};".encode()

    def cut(self, reason: Reason, problem: Problem | None) -> bytes:
        return f"cut {reason} {problem and problem.code};".encode()


class Scene:
    """One answer."""

    def __init__(self, *, rests: bool = False) -> None:
        self.plain = Plain(rests=rests)
        kept: Projection = self.plain
        self.told = ProjectedTurn(StepReader("run_1"), kept)
        self.finished = 0
        self.steps: StepBacklog = self.told.backlog(self._finish)

    def _finish(self) -> None:
        self.finished += 1

    def play(self, log: Log) -> None:
        for event in log.events:
            self.steps.add_event(event)

    def taken(self) -> list[bytes]:
        return [self.steps.take() for _ in range(len(self.steps))]


def pieces(count: int, message_id: str = "a", size: int = 1) -> Log:
    log = Log()
    log.kept("MODEL_STARTED", message_id=message_id)
    for number in range(count):
        log.live("TEXT_MESSAGE_CONTENT", message_id=message_id, offset=number * size, delta="x" * size)
    return log


def test_pieces_of_one_text_that_wait_become_one() -> None:
    scene = Scene()
    scene.play(pieces(5000))
    assert len(scene.steps) == 2
    assert scene.steps.size < 8000
    assert scene.steps.urgent == 1
    assert scene.taken() == [b"Called;", b"StepText;"]
    assert scene.plain.seen[-1] == StepText("a", 0, "x" * 5000)
    assert (scene.steps.size, scene.steps.urgent) == (0, 0)


def test_but_not_without_a_bound_so_that_no_frame_is_endless() -> None:
    scene = Scene()
    scene.play(pieces(10, size=8 * 1024))
    scene.taken()
    assert [len(step.delta) for step in scene.plain.seen if isinstance(step, StepText)] == [16 * 1024] * 5


def test_steps_become_frames_when_their_turn_has_come_and_not_before() -> None:
    scene = Scene()
    scene.play(full_turn())
    assert (scene.plain.seen, scene.told.told, scene.finished) == ([], False, 1)
    assert scene.taken()[-1] == b"StepEnded;"
    assert (scene.told.told, scene.finished) == (True, 1)


def test_nothing_comes_behind_the_last_step() -> None:
    scene = Scene()
    scene.play(full_turn())
    scene.steps.add(b"still here;")
    assert scene.told.end("stopping") == b""
    assert scene.taken()[-1] == b"StepEnded;"


@pytest.mark.parametrize(("rests", "last"), [(True, StepAsked), (False, StepEnded)])
def test_an_answer_that_rests_ends_where_people_are_asked(*, rests: bool, last: type[Step]) -> None:
    scene = Scene(rests=rests)
    scene.play(full_turn())
    scene.taken()
    assert [isinstance(step, StepAsked | StepEnded) for step in scene.plain.seen].count(True) == (1 if rests else 2)
    assert isinstance(scene.plain.seen[-1], last)
    assert (scene.finished, scene.told.told) == (1, True)


def test_an_answer_that_breaks_off_says_what_waited_first() -> None:
    scene = Scene()
    scene.play(pieces(3))
    assert scene.told.end("stopping") == b""
    assert scene.told.end("failed", DEFECT) == b""  # it has ended already
    assert scene.taken() == [b"Called;", b"StepText;", b"cut stopping None;"]


def test_one_that_is_cut_says_so_at_once() -> None:
    scene = Scene()
    scene.play(pieces(3))
    assert scene.told.cut("too_slow", DEFECT) == b"cut too_slow internal;"


def test_what_is_only_learnt_is_not_told() -> None:
    scene = Scene()
    for event in full_turn().events:
        scene.told.learn(event)
    assert (scene.told.begun, scene.told.over, len(scene.steps)) == (True, True, 0)


def test_a_hole_in_the_log_is_nothing_that_a_dialect_could_say() -> None:
    assert Scene().told.gap("thr_1", 1, 5) == b""


def test_what_a_tool_is_called_with_takes_room_too() -> None:
    scene, log = Scene(), Log()
    log.kept("TOOL_CALL_START", call_id="t", name="post", message_id="a", args={"text": "x" * 50_000})
    scene.play(log)
    assert scene.steps.size > 50_000
    scene.taken()
    assert scene.steps.size == 0
