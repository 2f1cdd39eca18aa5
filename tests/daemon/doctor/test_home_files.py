"""`sulla doctor` on the files of a home: what cannot be used, what is named in vain, and what nobody has allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.daemon.doctor.home_files import agents
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.settings.config import examine_settings
from sulla.host.findings import Finding
from sulla.host.home import Home
from sulla.playbooks.checks import playbooks
from sulla.projects.checks import projects
from sulla.skills.checks import skills
from sulla.testing.clock import ManualClock
from tests.skills.catalogs import put


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    async def ask(method: str) -> JsonObject:
        raise AssertionError(f"no daemon runs; asked for {method}")

    examined = examine_settings({}, {}, tmp_path)
    return Patient(Home(tmp_path), examined, ManualClock(), os.geteuid(), None, ask)


def _agent(patient: Patient, name: str, toml: str) -> None:
    folder = patient.home.path / "agents" / name
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text(toml)
    (folder / "soul.md").write_text("You are one.")


def _told(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.result, finding.found) for finding in findings]


async def test_agents_that_are_as_they_should_be_are_named(patient: Patient) -> None:
    _agent(patient, "reader", 'tools = ["read_file", "bash", "mcp__wiki__*"]\nskills = ["debug-a-failure"]')
    assert _told(await agents(patient)) == [("ok", "2 agents: sulla, reader")]


async def test_an_agent_that_cannot_be_used_is_a_fault_with_its_place(patient: Patient) -> None:
    _agent(patient, "wrong", "max_turns = -1")
    (finding,) = await agents(patient)
    assert finding.result == "fault"
    assert finding.found.startswith(f"{patient.home.path}/agents/wrong: agent.toml:1:1: max_turns is -1")
    assert "sulla reload" in finding.remedy


async def test_what_a_list_names_in_vain_is_a_warning(patient: Patient) -> None:
    _agent(patient, "reader", 'tools = ["raed_file"]\nskills = ["debug-a-failur"]')
    told = _told(await agents(patient))
    assert [result for result, _ in told] == ["warning", "warning"]
    assert "tools names 'raed_file'" in told[0][1]
    assert "skills names 'debug-a-failur'" in told[1][1]
    assert "Did you mean 'debug-a-failure'" in told[1][1]


async def test_shipped_skills_are_fine(patient: Patient) -> None:
    (finding,) = await skills(patient)
    assert finding.result == "ok"
    assert "debug-a-failure" in finding.found


async def test_a_skill_that_nobody_allowed_is_told_and_so_is_one_that_cannot_be_read(patient: Patient) -> None:
    put(patient.home.path / "skills", "tea")
    put(patient.home.path / "skills", "Bad Name")
    told = _told(await skills(patient))
    assert [result for result, _ in told] == ["warning", "warning"]
    assert "a skill cannot be called 'Bad Name'" in told[0][1]
    assert told[1][1].endswith("as they are now: tea")


async def test_the_tools_of_the_memory_are_known_to_it(patient: Patient) -> None:
    _agent(patient, "keeper", 'tools = ["recall", "remember"]')
    assert [result for result, _ in _told(await agents(patient))] == ["ok"]


async def test_projects_are_named_and_what_is_wrong_with_one_is_a_warning(patient: Patient) -> None:
    assert _told(await projects(patient)) == [("ok", "0 projects: none")]
    folder = patient.home.path / "projects"
    (folder / "garden").mkdir(parents=True)
    (folder / "garden" / "PROJECT.md").write_text("# Garden\n\n## Tasks\n\n- [ ] Dig\n")
    assert _told(await projects(patient)) == [("ok", "1 project: garden")]
    (folder / "wild").mkdir()
    (folder / "wild" / "PROJECT.md").write_bytes(b"\xff\xfe")
    (finding,) = await projects(patient)
    assert (finding.result, finding.found[:6]) == ("warning", "wild: ")
    assert "docs/projects.md" in finding.remedy


async def test_playbooks_that_can_be_run_are_named(patient: Patient) -> None:
    assert _told(await playbooks(patient)) == [("ok", "0 playbooks: none")]
    folder = patient.home.path / "workflows"
    folder.mkdir()
    (folder / "tea.yaml").write_text("name: tea\nsteps:\n  - {id: a, wait: 3s}\n")
    assert _told(await playbooks(patient)) == [("ok", "1 playbook: tea")]


async def test_a_playbook_with_a_fault_is_a_warning_with_its_place(patient: Patient) -> None:
    folder = patient.home.path / "workflows"
    folder.mkdir()
    (folder / "tea.yaml").write_text("name: tea\nsteps:\n  - {id: a, agent: sulla, prompt: p, output: {type: float}}\n")
    (folder / "away.yaml").symlink_to(folder / "tea.yaml")
    link, fault = await playbooks(patient)
    assert (link.result, fault.result) == ("warning", "warning")
    assert link.found.startswith(f"{folder}/away.yaml: it is a link")
    assert fault.found.startswith("tea.yaml:3:53: error: output.type: expected string, number")
    assert "Did you mean 'number'" in fault.found
    assert "sulla flow check" in fault.remedy
