"""The agents' folders are looked at while the daemon runs, and what has changed in them holds from the next look on."""

from __future__ import annotations

import asyncio
import logging
import shutil
from pathlib import Path

import pytest

from sulla.daemon.agents import read_team
from sulla.daemon.home.agent_folders import AgentFolders
from sulla.daemon.settings.config import Settings, load_settings
from sulla.definitions.agents import MAX_AGENTS
from sulla.host.team import Team
from sulla.host.tools import ToolRegistry
from sulla.testing.clock import ManualClock


class World:
    """A home with agents, looked at.

    Args:
        home: its folder.
    """

    def __init__(self, home: Path) -> None:
        self.settings: Settings = load_settings({}, {}, home)
        self.clock = ManualClock()
        self.team: Team = read_team(self.settings)
        self.folders = AgentFolders(self.settings, self.team, ToolRegistry(self.team), self.clock)

    def write(self, name: str, toml: str, file: str = "agent.toml") -> Path:
        """Write a file of an agent."""
        folder = self.settings.home / "agents" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(toml)
        return folder

    async def look(self) -> tuple[str, ...]:
        """Look when it is time again; who is there then."""
        await self.clock.advance(1.0)
        await self.folders.look()
        return self.team.ids


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_a_new_folder_a_changed_one_and_one_that_is_removed_are_seen_at_the_next_look(world: World) -> None:
    assert await world.look() == ("sulla",)
    folder = world.write("cook", 'description = "cooks"')
    assert await world.look() == ("sulla", "cook")
    world.write("cook", 'description = "bakes"')
    await world.look()
    assert world.team.get("cook").description == "bakes"
    world.write("cook", "You bake bread.", "soul.md")
    await world.look()
    assert world.team.get("cook").prompt == "You bake bread."
    shutil.rmtree(folder)
    assert await world.look() == ("sulla",)


async def test_a_folder_too_many_takes_no_working_agent_away(world: World) -> None:
    for number in range(MAX_AGENTS):
        world.write(f"b{number:02}", "")
    before = await world.look()
    world.write("aaa", "")
    assert await world.look() == before
    assert "not read: 'aaa'" in " ".join(world.team.faults)


async def test_the_folders_are_looked_at_no_more_often_than_every_second_unless_somebody_has_to_know(
    world: World,
) -> None:
    await world.look()
    world.write("cook", "")
    await world.folders.look()
    assert "cook" not in world.team.ids
    await world.folders.look_now()
    assert world.team.ids == ("sulla", "cook")


async def test_the_agents_are_the_same_objects_as_long_as_nothing_of_them_has_changed(world: World) -> None:
    world.write("cook", "")
    await world.look()
    before = world.team.specs
    world.write("cook", "# nothing but a comment")
    await world.look()
    assert world.team.specs is before


async def test_one_that_is_broken_stays_as_it_was_is_told_once_and_keeps_no_other_away(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    world.write("cook", 'description = "cooks"')
    await world.look()
    world.write("cook", "name = [")
    world.write("new", "")
    assert await world.look() == ("sulla", "cook", "new")
    world.write("other", "")
    assert await world.look() == ("sulla", "cook", "new", "other")
    assert world.team.get("cook").description == "cooks"
    (fault,) = world.team.faults
    assert fault.endswith("; what was read before stays in force")
    assert [record.getMessage() for record in caplog.records if "cook" in record.getMessage()] == [
        f"an agent's folder cannot be used: {fault}"
    ]
    world.write("cook", 'description = "bakes"')
    await world.look()
    assert (world.team.get("cook").description, world.team.faults) == ("bakes", ())


async def test_whoever_comes_while_somebody_looks_waits_for_what_is_found(world: World) -> None:
    await world.look()
    world.write("cook", "")
    await world.clock.advance(1.0)
    first = asyncio.create_task(world.folders.look_now())
    await asyncio.sleep(0)
    await world.folders.look()
    assert world.team.ids == ("sulla", "cook")
    await first
