"""The flows of a home are its files, taken up when they change; one that is wrong takes nothing else away."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput
from sulla.flows.conditions import ConditionRegistry
from sulla.flows.roles import read_roles
from sulla.flows.schema import AgentFlow, AgentNode, LoopNode, every
from sulla.flows.shelf import LOOK_S, FlowShelf
from sulla.testing.clock import ManualClock

ROLES = read_roles()


def shelf_of(home: Path, clock: ManualClock | None = None, agents: tuple[str, ...] = ("sulla",)) -> FlowShelf:
    return FlowShelf(home, lambda: (*agents, *ROLES), ConditionRegistry(), clock or ManualClock())


def write(home: Path, name: str, text: str) -> None:
    (home / "flows").mkdir(exist_ok=True)
    (home / "flows" / name).write_text(text, "utf-8")


def test_the_roles_are_those_of_the_seed() -> None:
    assert set(ROLES) == {
        *("task_analysis", "memory_recall", "tool_suggestion", "workflow_select", "query_suggest", "plan", "simple"),
        *("task_planning", "task_decompose", "task_executor", "task_observation", "task_completion_judge"),
        *("task_summary", "fibre", "self_check"),
    }
    assert all(role.description for role in ROLES.values())
    assert {key for key, role in ROLES.items() if role.call} == {"memory_recall", "tool_suggestion", "workflow_select"}
    assert {key for key, role in ROLES.items() if role.answer} == {
        *("plan", "query_suggest", "self_check", "task_completion_judge")
    }
    assert all(role.text for role in ROLES.values() if not role.call)


def test_the_default_flow_goes_round_as_often_as_the_turn_says(tmp_path: Path) -> None:
    def loops(flow: AgentFlow) -> list[tuple[str, int]]:
        return [(node.condition, node.max_loops) for _, node in every(flow.root) if isinstance(node, LoopNode)]

    shelf = shelf_of(tmp_path)
    assert loops(shelf.default(None)) == [("task_not_completed", 10), ("self_check_should_retry", 3)]
    assert loops(shelf.default(4)) == [("task_not_completed", 4), ("self_check_should_retry", 3)]


async def test_a_file_is_taken_up_and_let_go_as_it_comes_and_goes(tmp_path: Path) -> None:
    clock = ManualClock()
    shelf = shelf_of(tmp_path, clock)
    await shelf.look()
    with pytest.raises(InvalidInput, match="there is no flow 'mine'"):
        shelf.named("mine")
    write(tmp_path, "mine.yaml", "name: first\nroot: simple")
    await shelf.look()
    assert not shelf.flows  # it was looked at just now
    await clock.advance(LOOK_S)
    await shelf.look()
    assert shelf.named("mine") == AgentFlow("first", AgentNode("simple"))
    (tmp_path / "flows" / "mine.yaml").unlink()
    await clock.advance(LOOK_S)
    await shelf.look()
    assert not shelf.flows


def test_one_that_is_wrong_says_why_and_takes_no_other_away(tmp_path: Path) -> None:
    write(tmp_path, "good.json", '{"name": "good", "root": "simple"}')
    write(tmp_path, "wrong.yaml", "name: x\nroot: simpel")
    write(tmp_path, "_draft.yaml", "nothing")
    (tmp_path / "flows" / "bytes.yml").write_bytes(b"\xff\xfe")
    shelf = shelf_of(tmp_path)
    shelf.read()
    assert set(shelf.flows) == {"good", "wrong", "bytes"}
    assert shelf.named("good").name == "good"
    with pytest.raises(InvalidInput, match=re.escape("wrong.yaml:2:7: error: root: there is no agent 'simpel'.")):
        shelf.named("wrong")
    with pytest.raises(InvalidInput, match=re.escape("bytes.yml:1:1: error: the file: it cannot be read")):
        shelf.named("bytes")
    with pytest.raises(InvalidInput, match=re.escape("there is no flow 'goood'") + ".*Did you mean 'good'"):
        shelf.named("goood")


def test_a_flow_is_read_again_when_the_agents_change(tmp_path: Path) -> None:
    write(tmp_path, "mine.yaml", "name: x\nroot: builder")
    agents = ["sulla"]
    shelf = FlowShelf(tmp_path, lambda: (*agents, *ROLES), ConditionRegistry(), ManualClock())
    shelf.read()
    assert isinstance(shelf.flows["mine"].found, tuple)
    agents.append("builder")
    shelf.read()
    assert shelf.named("mine").root == AgentNode("builder")


@pytest.mark.parametrize("name", ["with space.yaml", "bl\u00fcmchen.yaml", f"{'x' * 65}.yaml", "default.yaml"])
def test_a_file_whose_flow_nobody_can_name_is_wrong(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, "name: x\nroot: simple")
    shelf = shelf_of(tmp_path)
    shelf.read()
    (flow,) = shelf.flows.values()
    assert isinstance(flow.found, tuple)
    assert [fault.path for fault in flow.found] == ["the file's name"]


def test_two_files_of_one_name_are_told_and_the_first_has_it(tmp_path: Path) -> None:
    write(tmp_path, "x.json", '{"name": "first", "root": "simple"}')
    write(tmp_path, "x.yaml", "name: second\nroot: simple")
    shelf = shelf_of(tmp_path)
    shelf.read()
    assert shelf.named("x").name == "first"
    second = shelf.flows["x.yaml"]
    assert isinstance(second.found, tuple)
    assert "`x.json` has this name already" in second.found[0].message


def test_what_is_remembered_from_untrusted_text_is_no_part_of_a_flow() -> None:
    assert ROLES["memory_recall"].beside == {"trusted_only": True}
