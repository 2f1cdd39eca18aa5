"""`sulla doctor` names the flows that cannot be walked, and the agents whose flow is not there."""

from __future__ import annotations

from pathlib import Path

from sulla.agent.spec import AgentSpec
from sulla.definitions.flow_options import FlowOptions
from sulla.flows.begin import FlowBeginnings
from sulla.flows.checks import judge_flows
from sulla.host.findings import Finding
from tests.flows.test_shelf import shelf_of, write

AGENT = AgentSpec("sulla", "Sulla", "You are Sulla.")


def judged(home: Path, *specs: AgentSpec) -> list[Finding]:
    shelf = shelf_of(home)
    shelf.read()
    return judge_flows(shelf, FlowBeginnings(shelf, lambda: specs, tuple, tuple), specs)


def test_a_home_without_flows_is_fine(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, AGENT)
    assert (found.result, found.found) == ("ok", "0 flows: none beside the default one")


def test_what_is_wrong_with_a_file_and_with_an_agent_is_named(tmp_path: Path) -> None:
    write(tmp_path, "mine.yaml", "name: x\nroot: simpel")
    other = AgentSpec("builder", "Builder", "You build.", flow=FlowOptions(flow="yours"))
    file, agent = judged(tmp_path, AGENT, other)
    assert "mine.yaml:2:7: error: root: there is no agent 'simpel'. Did you mean 'simple'?" in file.found
    assert agent.found.startswith("the agent 'builder': there is no flow 'yours' in ")
