"""Agents on a disk: the good ones are used whatever the others are like, and each fault names its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.definitions.agent_file import AgentFile, read_agent
from sulla.definitions.agents import MAX_AGENTS, MAX_TEXT_BYTES, MAX_TEXTS, FoundAgents, read_agents
from sulla.definitions.examples import EXAMPLES


def _put(root: Path, name: str, **texts: str | bytes) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    for file, text in texts.items():
        (folder / file.replace("__", ".")).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_no_folder_is_no_agents(tmp_path: Path) -> None:
    assert read_agents(tmp_path / "agents") == FoundAgents()


def test_each_folder_is_an_agent_but_hidden_ones(tmp_path: Path) -> None:
    _put(tmp_path, "b", soul__md="You are B.")
    _put(tmp_path, "a", agent__toml="name = 'A'", soul__md="You are A.")
    for name in ("_draft", ".git"):
        _put(tmp_path, name, soul__md="x")
    (tmp_path / "notes.md").write_text("no agent")
    found = read_agents(tmp_path)
    assert [(agent.id, agent.name) for agent in found.good] == [("a", "A"), ("b", "b")]
    assert found.faults == {}
    assert found.warnings == (f"{tmp_path}/b: there is no agent.toml: all is default",)


def test_one_that_is_wrong_does_not_keep_the_others_from_work(tmp_path: Path) -> None:
    _put(tmp_path, "good", agent__toml="", soul__md="You are good.")
    _put(tmp_path, "typo", agent__toml="nmae = 'x'")
    _put(tmp_path, "empty")
    _put(tmp_path, "bytes", soul__md=b"\xff\xfe")
    _put(tmp_path, "long", soul__md="x" * (MAX_TEXT_BYTES + 1))
    _put(tmp_path, "many", **{f"t{number}__md": "x" for number in range(MAX_TEXTS + 1)})
    _put(tmp_path, "Bad", soul__md="x")
    found = read_agents(tmp_path)
    assert [agent.id for agent in found.good] == ["good"]
    expected = {
        "typo": "there is no setting 'nmae'",
        "empty": "it is empty",
        "bytes": "soul.md is not UTF-8",
        "long": "soul.md is longer than 65536 bytes",
        "many": "33 files; an agent has at most 32",
        "Bad": "an agent cannot be called 'Bad'",
    }
    assert len(found.faults) == len(expected)
    for name, said in expected.items():
        assert any(fault.startswith(f"{tmp_path}/{name}: ") and said in fault for fault in found.faults.values()), name


def test_there_is_an_end_to_agents(tmp_path: Path) -> None:
    for number in range(MAX_AGENTS + 1):
        _put(tmp_path, f"a{number}", soul__md="x")
    found = read_agents(tmp_path)
    assert len(found.good) == MAX_AGENTS
    assert list(found.faults.values()) == [
        f"{tmp_path}: there are more than 64 agents; not read: 'a9'. Remove others first"
    ]


def test_those_that_are_read_first_stay_where_there_are_too_many(tmp_path: Path) -> None:
    for number in range(MAX_AGENTS + 12):
        _put(tmp_path, f"a{number:02}", soul__md="x")
    found = read_agents(tmp_path, ("a75", "a64", "gone"))
    assert [one.id for one in found.good] == ["a64", "a75", *(f"a{number:02}" for number in range(MAX_AGENTS - 2))]
    [said] = found.faults.values()
    assert f"{', '.join(repr(f'a{number}') for number in (62, 63, *range(65, 73)))} and 2 more. Remove" in said


@pytest.mark.parametrize(("id_", "skills"), [("reader", ("summarize-documents",)), ("planner", ())])
def test_the_examples_are_as_they_should_be(id_: str, skills: tuple[str, ...]) -> None:
    example = read_agent(id_, EXAMPLES[id_])
    assert example.warnings == ()
    assert example.tools is not None
    assert example.skills == skills


def test_whatever_is_in_one_agents_files_and_name_the_others_work_and_the_fault_can_be_sent(tmp_path: Path) -> None:
    for name, text in (("a", "x = " + "[" * 30_000), ("b", "max_turns = " + "9" * 5_000), ("good", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.toml").write_text(text)
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))).mkdir()
    (tmp_path / "README.md").write_text("about")
    found = read_agents(tmp_path)
    assert [agent.id for agent in found.good] == ["good"]
    told = "\n".join(found.faults.values()).encode()
    for said in (b"deeper than anybody writes", b"Exceeds the limit", b"\\udcff: it is empty"):
        assert said in told


def test_what_nobody_foresaw_in_one_agent_is_its_fault_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(folder: str, texts: dict[str, str]) -> AgentFile:
        if folder == "odd":
            raise RecursionError("too deep")
        return read_agent(folder, texts)

    monkeypatch.setattr("sulla.definitions.agents.read_agent", read)
    _put(tmp_path, "good", agent__toml="", soul__md="You are good.")
    _put(tmp_path, "odd", agent__toml="", soul__md="You are odd.")
    found = read_agents(tmp_path)
    assert [agent.id for agent in found.good] == ["good"]
    assert found.faults == {"odd": f"{tmp_path}/odd: RecursionError: too deep: a defect of Sulla; please report it"}
