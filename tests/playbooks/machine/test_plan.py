"""A playbook that cannot be walked is refused when it is built."""

from __future__ import annotations

import pytest

from sulla.core.errors import GraphError
from sulla.playbooks.definition import Step
from sulla.playbooks.machine.plan import build
from tests.playbooks.machine.play import both, merge, playbook, step, times


def _nested(depth: int) -> Step:
    inner = step("bottom")
    for level in range(depth):
        inner = step(f"l{level}", times(1, inner))
    return inner


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((step("a"), step("a")), "two steps are called 'a'"),
        ((step("a"), step("l", times(1, step("a")))), "two steps are called 'a'"),
        ((step("a", None, "b"),), "'a' needs 'b', which does not stand beside it"),
        ((step("l", times(1, step("a"))), step("b", None, "a")), "'b' needs 'a', which does not stand beside it"),
        ((step("b"), step("l", both(one=[step("a", None, "b")]))), "'a' needs 'b', which does not stand beside it"),
        ((step("a", None, "b"), step("b", None, "a"), step("c")), "wait for each other in a ring: 'a', 'b'"),
        ((step("a", None, "a"),), "in a ring: 'a'"),
        ((step("a", None, "m"), merge("a", id="m", need="first")), "in a ring"),
        (tuple(step(f"s{n}") for n in range(1_001)), "1000 steps at the most"),
        ((_nested(9),), "more than 8 deep"),
    ],
)
def test_what_cannot_be_walked_is_refused(steps: tuple[Step, ...], said: str) -> None:
    with pytest.raises(GraphError, match=said):
        build(playbook(*steps))


def test_loops_may_lie_eight_deep_in_each_other() -> None:
    assert len(build(playbook(_nested(8))).nodes) == 9
