"""Agents made, changed and removed by clients: checked before, whole, and never over what a person has saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.agent.files_rpc import AgentText
from sulla.core.errors import Conflict, InvalidInput, NotFound, Refused
from sulla.daemon.agents import read_team
from sulla.daemon.home.agent_folders import AgentFolders
from sulla.daemon.home.agent_writer import AgentWriter
from sulla.daemon.settings.config import load_settings
from sulla.definitions import agent_writing
from sulla.definitions.replace import exchange
from sulla.flows.begin import FlowBeginnings
from sulla.flows.conditions import ConditionRegistry
from sulla.flows.roles import read_roles
from sulla.flows.shelf import FlowShelf
from sulla.host.team import Team
from sulla.host.tools import ToolRegistry
from sulla.testing.clock import ManualClock

TOML = 'description = "reads"\n'


class World:
    """A home whose agents clients write.

    Args:
        home: its folder.
    """

    def __init__(self, home: Path) -> None:
        settings = load_settings({}, {}, home)
        self.root = home / "agents"
        self.team: Team = read_team(settings)
        folders = AgentFolders(settings, self.team, ToolRegistry(self.team), ManualClock())
        conditions = ConditionRegistry((), {})
        shelf = FlowShelf(home, lambda: (*self.team.ids, *read_roles()), conditions, ManualClock())
        flows = FlowBeginnings(shelf, lambda: self.team.specs, read_roles, tuple)
        self.writer = AgentWriter(home, folders, flows)

    async def made(self) -> AgentText:
        """An agent that a client has made."""
        return await self.writer.create("reader", {"agent.toml": TOML, "soul.md": "You read."})

    def found(self) -> dict[str, str]:
        """What is in its folder, and beside it."""
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_text() for path in files}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_an_agent_that_is_made_changed_and_removed_is_so_at_once(world: World) -> None:
    made = await world.made()
    assert made.files == {"agent.toml": TOML, "soul.md": "You read."}
    assert world.team.get("reader").description == "reads"
    (world.root / "reader" / "notes.txt").write_text("mine")
    changed = await world.writer.update("reader", {"soul.md": "You skim.", "agent.toml": None}, made.digest)
    assert world.team.get("reader").prompt == "You skim."
    assert world.found() == {"reader/notes.txt": "mine", "reader/soul.md": "You skim."}
    assert await world.writer.get("reader") == changed
    await world.writer.delete("reader", changed.digest)
    assert (world.team.ids, [*world.root.iterdir()]) == (("sulla",), [])
    with pytest.raises(NotFound, match="there is no folder"):
        await world.writer.get("reader")


async def test_a_flow_that_there_is_not_and_the_id_of_a_role_are_told(world: World) -> None:
    (world.root.parent / "flows").mkdir()
    (world.root.parent / "flows" / "mine.yaml").write_text("name: mine\nroot: simple\n")
    made = await world.writer.create("plan", {"agent.toml": TOML + '[flow]\nflow = "mime"\n'})
    role, flow = made.warnings
    assert role.startswith("the agent 'plan': it takes the place of the role 'plan' in every flow")
    assert flow.startswith("the agent 'plan': there is no flow 'mime' in ")
    assert "Did you mean 'mine'? Each message to it fails until that is mended" in flow
    mended = await world.writer.update("plan", {"agent.toml": TOML + '[flow]\nflow = "mine"\n'}, made.digest)
    assert mended.warnings == (role,)
    assert (await world.made()).warnings == ()


async def test_there_is_one_folder_of_a_name(world: World) -> None:
    await world.made()
    with pytest.raises(Conflict, match=r"change it with agent.update"):
        await world.made()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"agent.toml": "max_turns = 0"}, "agent.toml:1:1: max_turns is 0; expected a whole number from 1 to 1000"),
        ({"agent.toml": "name = ["}, "agent.toml:1:9: "),
        ({"agent.toml": 'model = "nobody:x"'}, "no provider in the model name 'nobody:x'"),
        ({"../soul.md": "x"}, "'../soul.md' is no file of an agent"),
        ({".soul.md": "x"}, "is no file of an agent"),
        ({"run.sh": "x"}, "is no file of an agent"),
        ({"soul.md": "ä" * 40_000}, "soul.md is longer than 65536 bytes"),
        ({"soul.md": "\ud800"}, "soul.md has half a character"),
        ({}, "an agent needs a file"),
    ],
)
async def test_what_is_wrong_is_refused_with_its_place_and_nothing_is_written(
    world: World, files: dict[str, str], said: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await world.writer.create("new", files)
    assert said in refused.value.message
    made = await world.made()
    before = world.found()
    changes: dict[str, str | None] = {**files} or {"agent.toml": None, "soul.md": None}
    with pytest.raises(InvalidInput) as refused:
        await world.writer.update("reader", changes, made.digest)
    assert said in refused.value.message
    assert world.found() == before


async def test_a_name_that_no_agent_can_have_is_refused(world: World) -> None:
    with pytest.raises(InvalidInput, match=r"an agent cannot be called 'No.Name'"):
        await world.writer.create("No.Name", {"soul.md": "x"})


async def test_what_a_person_has_saved_meanwhile_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await world.made()
    soul = world.root / "reader" / "soul.md"
    soul.write_text("You are mine.")
    for change in (world.writer.update("reader", {"soul.md": "x"}, made.digest), world.writer.delete("reader", "x")):
        with pytest.raises(Conflict, match=r"ask for them again with agent.get"):
            await change
    now = (await world.writer.get("reader")).digest
    swap = exchange

    def saved_in_between(folder_fd: int, one: str, other: str) -> None:
        monkeypatch.setattr(agent_writing, "exchange", swap)
        soul.write_text("You are still mine.")
        swap(folder_fd, one, other)

    for change in (world.writer.update("reader", {"soul.md": "x"}, now), world.writer.delete("reader", now)):
        soul.write_text("You are mine.")
        monkeypatch.setattr(agent_writing, "exchange", saved_in_between)
        with pytest.raises(Conflict, match="has saved files of the agent 'reader' in this moment"):
            await change
        assert world.found() == {"reader/agent.toml": TOML, "reader/soul.md": "You are still mine."}


async def test_a_link_is_left_to_whoever_made_it(world: World, tmp_path: Path) -> None:
    made = await world.made()
    (world.root / "reader").rename(tmp_path / "elsewhere")
    (world.root / "reader").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="is a link"):
        await world.writer.delete("reader", made.digest)
