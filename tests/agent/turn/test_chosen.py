"""Of an agent's tools a model is told those that all allow and nobody withholds; the same ones are the same tuple."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sulla.agent.turn.offers import MAX_CHOSEN, chosen
from sulla.models.base import ToolSpec

TOOLS = tuple(ToolSpec(name, f"does {name}", {"type": "object"}) for name in ("bash", "read", "write"))


@pytest.mark.parametrize(
    ("allowed", "withheld", "left"),
    [
        ([], [], "bash read write"),
        ([["bash", "read"]], [], "bash read"),
        ([["bash", "read"], ["write", "read"]], [], "read"),
        ([["bash", "read"]], ["bash"], "read"),
        ([], ["write", "another"], "bash read"),
        ([[]], [], ""),
    ],
)
def test_a_model_is_told_what_all_allow_and_nobody_withholds(
    allowed: Sequence[Sequence[str]], withheld: Sequence[str], left: str
) -> None:
    found = chosen(TOOLS, allowed, withheld)
    assert " ".join(tool.name for tool in found) == left
    assert chosen(TOOLS, [[*names] for names in allowed], [*withheld]) is found


def test_other_tools_of_the_same_names_are_others() -> None:
    others = tuple(ToolSpec(tool.name, "does otherwise", {"type": "object"}) for tool in TOOLS)
    assert chosen(TOOLS, [], ["bash"]) == TOOLS[1:]
    assert chosen(others, [], ["bash"]) == others[1:]


def test_more_choices_than_are_remembered_are_all_right() -> None:
    for number in range(2 * MAX_CHOSEN):
        assert chosen(TOOLS, [], ["bash", f"tool_{number}"]) == TOOLS[1:]
