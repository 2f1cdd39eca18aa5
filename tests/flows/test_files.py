"""What the commands say of flows in files, and of a home whose packages bring what is none."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from sulla.capabilities import capabilities
from sulla.core.errors import InvalidInput, SettingsError
from sulla.core.jsontypes import JsonObject
from sulla.daemon import core
from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import load_settings
from sulla.flows.cli.files import FlowFiles
from sulla.flows.conditions import SessionContext
from sulla.flows.drawing import mermaid
from sulla.flows.rehearsal import Rehearsal
from sulla.flows.roles import read_roles
from sulla.flows.schema import AgentFlow, AgentNode, ParallelNode, SequenceNode
from sulla.flows.shelf import FlowShelf
from sulla.host.capability import Capability
from sulla.host.host import Host
from sulla.testing.clock import ManualClock
from tests.flows.test_shelf import write

NOT_MARKED = len
"""What a package names as a condition by mistake."""


def host_of(home: Path) -> Host:
    return offline_core(load_settings({}, {}, home), ManualClock()).host


def deep(levels: int) -> str:
    node: object = "simple"
    for _ in range(levels):
        node = {"type": "sequence", "steps": [node]}
    return json.dumps({"name": "deep", "root": node})


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("\ufeffname: x\nroot: simple\n", True),
        ("name: x\nroot: [\n", False),
        (deep(60), False),
        ('{"root": "simple", "name": ', False),
    ],
)
def test_a_flow_in_a_file_is_taken_for_one_also_where_it_cannot_be_read(tmp_path: Path, text: str, whole: bool) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, "utf-8")
    found = FlowFiles(host_of(tmp_path)).find(str(file))
    assert found is not None
    assert isinstance(found.found, AgentFlow) == whole


def test_a_playbook_is_taken_for_none(tmp_path: Path) -> None:
    file = tmp_path / "tea.yaml"
    file.write_text("name: tea\nsteps:\n  - id: a\n    tool: x\n    args:\n      root: y\n", "utf-8")
    assert FlowFiles(host_of(tmp_path)).find(str(file)) is None


def test_default_is_the_shipped_flow_whatever_lies_in_the_home(tmp_path: Path) -> None:
    write(tmp_path, "default.yaml", "name: mine\nroot: simple")
    found = FlowFiles(host_of(tmp_path)).find("default")
    assert found is not None
    assert isinstance(found.found, AgentFlow)
    assert found.found.name == "default"


def test_a_condition_that_is_none_is_named_with_its_package_wherever_flows_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Capability("billing", conditions=("tests.flows.test_files:NOT_MARKED",))
    known = capabilities()
    monkeypatch.setattr(core, "capabilities", lambda: (*known, wrong))
    with pytest.raises(SettingsError) as refused:
        host_of(tmp_path).needed(FlowShelf)
    said = refused.value.message
    assert "tests.flows.test_files:NOT_MARKED of the capability 'billing'" in said
    assert "mark the function with" in said


def test_a_drawing_has_the_summary_that_every_flow_may_end_with() -> None:
    drawn = mermaid(AgentFlow("x", AgentNode("simple")))
    assert 'n3{"was the person told anything?"}' in drawn
    assert 'n4["task_summary"]' in drawn
    assert "n3 -->|no| n4" in drawn


def test_a_dry_run_refuses_a_value_that_nothing_looks_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    switch: JsonObject = {"type": "switch", "variable": "tier.name", "cases": {"pro": "simple"}, "default": "fibre"}
    write(tmp_path, "paid.json", json.dumps({"name": "paid", "root": switch}))
    files = FlowFiles(host_of(tmp_path))
    flow = files.find("paid")
    assert flow is not None
    with pytest.raises(InvalidInput, match=r"nothing in the flow 'paid' looks at 'teir'.*Did you mean 'tier'\?"):
        files.dry_run(flow, Namespace(input=["teir=pro"], json=False))
    files.dry_run(flow, Namespace(input=["tier=pro", "plan=true"], json=False))
    assert "simple" in capsys.readouterr().out


def test_a_dry_run_tells_a_branch_of_several_steps_from_several_branches() -> None:
    branches = ParallelNode([SequenceNode([AgentNode("plan"), AgentNode("simple")]), AgentNode("archivist")])
    lines = list(Rehearsal(["archivist"], read_roles(), SessionContext({})).lines(AgentFlow("x", branches)))
    assert [line.partition(": ")[0] for line in lines[2:]] == [
        "    branch 1, one after the other:",
        "      plan",
        "      simple",
        "    archivist",
    ]
