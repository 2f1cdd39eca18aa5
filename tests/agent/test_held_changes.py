"""What a conversation with text from outside may change by commands: at once, when a person says yes, or not at all."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.calls.guard import CallGuard
from sulla.core.errors import NotFound
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words
from sulla.host.system import SystemClock
from sulla.store.memory import MemoryStore
from sulla.testing.world import World
from sulla.threads.log.records import Answer, ToolCallResult
from sulla.tools.base import Done
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.builtin.shell import shell_tools
from sulla.tools.call import MAX_STEP_BYTES, run_call
from sulla.tools.program_files import PROGRAMS
from sulla.tools.registry import Toolbox
from sulla.tools.shell.held import HeldChanges
from sulla.tools.shell.jobs import ShellJobs
from sulla.tools.shell.layer import Layer, Layers
from sulla.tools.shell.sandbox import Shell
from tests.doubles.attacks import Hooks, Puppet, order
from tests.kits.in_turn import in_turn
from tests.soon import a_pause
from tests.tools.contexts import context_in

pytestmark = [pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"), in_turn(3)]

PAGE = order("read_page")
GIT = "git -c user.name=a -c user.email=a@b.example"


async def nobody_looks(command: str, layer: Layer | None) -> str:
    """Git has nothing to say."""
    return ""


class Home:
    """A home with a real sandbox and a page to read."""

    def __init__(self, store: MemoryStore, root: Path) -> None:
        self.workspace, self.layers = root / "workspace", Layers(root / "layers")
        self.workspace.mkdir()
        self.shell = Shell(layers=self.layers)
        hooks, held = Hooks(), HeldChanges(self.layers, PROGRAMS)
        self.held = held
        tools = (
            *builtin_tools(),
            *shell_tools(self.shell, ShellJobs(SystemClock()), lambda: held),
            hooks.source("read_page", Done(Words("A page."), origin="web")),
        )
        guard = CallGuard(files=FileMarks(root / "marks"))
        self.world = World(store, Puppet(), tools=tools, clock=SystemClock(), workspace=self.workspace, guard=guard)

    async def tainted(self) -> ThreadId:
        """A conversation that has read a page."""
        thread = await self.world.thread()
        await self.world.ask(thread, PAGE)
        return thread

    async def run(self, thread: ThreadId, command: str) -> str:
        """What the model is told of a command."""
        await self.world.ask(thread, order("bash", command=command))
        return await self.told(thread)

    async def told(self, thread: ThreadId) -> str:
        """The last result of a conversation."""
        log = await self.world.log(thread)
        return [fact.text for entry in log if isinstance(fact := entry.fact, ToolCallResult)][-1]

    async def keep(self, thread: ThreadId, told: str, answer: Literal["approve", "reject"]) -> str:
        """Have changes put into the workspace; a person answers. What the model is told."""
        found = re.search(r"changes_\w+", told)
        assert found is not None, told
        await self.world.ask(thread, order("bash_job", action="keep", job=found[0]))
        state = await self.world.threads.load(thread)
        assert state is not None
        assert state.run is not None
        (wait,) = state.run.waits
        await self.world.threads.answer(thread, Answer(wait, "", answer))
        await self.world.turns.attend(thread)
        return await self.told(thread)


@pytest.fixture
async def home(store: MemoryStore, tmp_path: Path) -> Home:
    home = Home(store, tmp_path)
    await home.shell.open(home.workspace, SystemClock())
    assert home.shell.layered
    return home


async def test_a_yes_puts_into_the_workspace_what_was_shown(home: Home) -> None:
    thread = await home.tainted()
    told = await home.run(thread, "echo all: > Makefile; echo a > a.txt")
    assert list(home.workspace.iterdir()) == []
    assert "What the command changed is in the workspace now" in await home.keep(thread, told, "approve")
    assert (home.workspace / "Makefile").read_text() == "all:\n"


async def test_a_no_leaves_the_workspace_as_it_is(home: Home) -> None:
    thread = await home.tainted()
    told = await home.run(thread, "echo all: > Makefile")
    assert "rejected" in await home.keep(thread, told, "reject")
    assert not (home.workspace / "Makefile").exists()


@pytest.mark.parametrize("named", [{}, {"job": ""}], ids=["left out", "empty"])
async def test_whoever_names_no_changes_is_asked_about_the_newest(home: Home, named: dict[str, str]) -> None:
    thread = await home.tainted()
    await home.run(thread, "echo all: > Makefile")
    await home.world.ask(thread, order("bash_job", action="keep", **named))
    state = await home.world.threads.load(thread)
    assert state is not None
    assert state.run is not None
    (wait,) = state.run.waits.values()
    assert "Makefile" in wait.prompt
    assert not (home.workspace / "Makefile").exists()


async def test_what_is_held_back_elsewhere_is_told_as_that(home: Home) -> None:
    thread = await home.tainted()
    await home.run(thread, "echo all: > Makefile")
    (found,) = home.held.every()
    other = await home.world.thread()
    await home.world.ask(other, order("bash_job", action="keep", job=found.id))
    assert await home.told(other) == (
        f"{found.id!r} is held back in another conversation, which alone can ask the person for it; nothing "
        "of this one is held back: nothing was put into the workspace"
    )
    assert not (home.workspace / "Makefile").exists()


async def test_of_two_who_decide_at_once_one_does(home: Home) -> None:
    thread = await home.tainted()
    await home.run(thread, "echo all: > Makefile")
    (found,) = home.held.every()
    both = (home.held.drop(found.id), home.held.keep(thread, found.id, nobody_looks))
    done = await asyncio.gather(*both, return_exceptions=True)
    assert [type(one) for one in done] == [type(None), NotFound]
    assert not (home.workspace / "Makefile").exists()
    assert home.held.every() == ()


async def test_what_was_put_there_is_from_outside_for_whoever_reads_it_also_out_of_git(home: Home) -> None:
    thread = await home.tainted()
    told = await home.run(thread, f"git init -q && {GIT} commit -q --allow-empty -m 'words of the page'")
    assert "is in the workspace now" in await home.keep(thread, told, "approve")
    clean = await home.world.thread()
    assert "words of the page" in await home.run(clean, "git log --format=%s")
    state = await home.world.threads.load(clean)
    assert state is not None
    assert state.context.tainted


async def test_a_command_that_is_stopped_has_changed_nothing(home: Home) -> None:
    thread = await home.tainted()
    running = asyncio.ensure_future(home.run(thread, "echo a > a.txt; sleep 1000"))
    while not [*Path(home.workspace.parent / "layers").glob("*/upper/a.txt")]:
        await a_pause()
    home.world.turns.abort("stopped")
    await asyncio.wait([running])
    assert list(home.workspace.iterdir()) == []
    assert list((home.workspace.parent / "layers").iterdir()) == []


async def test_a_clean_conversation_writes_into_the_workspace_itself(home: Home) -> None:
    thread = await home.world.thread()
    assert "Not in the workspace" not in await home.run(thread, "echo all: > Makefile")
    assert (home.workspace / "Makefile").exists()


async def test_a_file_that_says_who_is_at_work_can_be_removed_again_behind_a_page(home: Home) -> None:
    held = HeldChanges(home.layers, PROGRAMS)
    toolbox = Toolbox(shell_tools(home.shell, ShellJobs(SystemClock()), lambda: held))
    context = replace(context_in(home.workspace, SystemClock()), by=Author.OUTSIDE, whole_bytes=MAX_STEP_BYTES)
    (home.workspace / "deploy.lock").write_text("")
    done = await run_call(toolbox, ToolCall(CallId("c1"), "bash", {"command": "rm -f deploy.lock"}), context)
    assert isinstance(done, Done)
    assert not done.is_error, done.text
    assert not (home.workspace / "deploy.lock").exists()


async def test_a_playbooks_step_is_told_of_a_file_that_another_has_changed_meanwhile_that_steps_need_an_order(
    home: Home,
) -> None:
    held = HeldChanges(home.layers, PROGRAMS)
    toolbox = Toolbox(shell_tools(home.shell, ShellJobs(SystemClock()), lambda: held))
    context = replace(context_in(home.workspace, SystemClock()), by=Author.OUTSIDE, whole_bytes=MAX_STEP_BYTES)
    call = ToolCall(CallId("c1"), "bash", {"command": "echo a >> side.log; sleep 2"})
    running = asyncio.ensure_future(run_call(toolbox, call, context))
    while not [*Path(home.workspace.parent / "layers").glob("*/upper/side.log")]:
        await a_pause()
    (home.workspace / "side.log").write_text("b\n")
    done = await running
    assert isinstance(done, Done)
    assert (done.is_error, done.refused) == (True, True)
    assert "it is given up: somebody else has changed side.log meanwhile" in done.text
    assert "have these steps one behind the other" in done.text
    assert "programs" not in done.text
    assert (home.workspace / "side.log").read_text() == "b\n"


async def test_a_playbooks_step_is_told_what_to_do_instead_and_nothing_waits_for_a_person_that_nobody_asks(
    home: Home,
) -> None:
    held = HeldChanges(home.layers, PROGRAMS)
    toolbox = Toolbox(shell_tools(home.shell, ShellJobs(SystemClock()), lambda: held))
    context = replace(context_in(home.workspace, SystemClock()), by=Author.OUTSIDE, whole_bytes=MAX_STEP_BYTES)
    (home.workspace / "orders.run").write_text("")
    done = await run_call(toolbox, ToolCall(CallId("c1"), "bash", {"command": "rm -f orders.run"}), context)
    assert isinstance(done, Done)
    assert (done.is_error, done.refused) == (True, True)
    assert "it is given up: programs may run or obey orders.run" in done.text
    assert "playbook of its own" in done.text
    assert "bash_job" not in done.text
    assert held.waiting(context.thread_id) == ()
