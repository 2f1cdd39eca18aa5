"""A conversation that begins playbooks, as the original desktop client is told of it."""

from __future__ import annotations

from sulla.gateway.server.server import Server
from tests.gateway.dialects.desktop import Desktop
from tests.gateway.dialects.playing import Played, Run, says


def begins(commands: Played, name: str = "tea") -> str:
    """There is a playbook's run; its thread."""
    play = commands.make(f"thr_{name}")
    commands.add(play, "THREAD_CREATED", agent="sulla", play={"name": name, "digest": "d", "source": "s", "steps": 2})
    commands.add(play, "PLAYBOOK", "run_play", what="RUN_STARTED", detail={"playbook": name})
    return play


def played(commands: Played, play: str, what: str, at: str = "", **detail: object) -> None:
    commands.add(play, "PLAYBOOK", "run_play", what=what, at=at, detail=detail)


def over(
    commands: Played, desktop: Desktop, play: str, status: str = "completed", *, turn_follows: bool = False
) -> None:
    """The playbook ends, and the conversation that began it is told."""
    played(commands, play, "RUN_ENDED", status=status, outputs={}, failure={"message": "spilt"})
    place = desktop.thread or ""
    commands.add(place, "PLAYBOOK_ENDED", thread_id=play, name="tea", status=status, turn_follows=turn_follows)


def starts(commands: Played, play: str) -> None:
    """An agent's turn that begins it."""

    def turn(run: Run) -> None:
        run.say("It begins.")
        run.add("PLAYBOOK_BEGAN", thread_id=play, name="tea")
        run.finish()

    commands.turns.append(turn)


async def test_the_end_comes_behind_the_playbook_s(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    async with Desktop().connected(server) as desktop:
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes)
        played(commands, play, "STEP_STARTED", "boil")
        played(commands, play, "STEP_COMPLETED", "boil", value="hot", route="")
        played(commands, play, "STEP_STARTED", "pour")
        played(commands, play, "STEP_FAILED", "pour", failure={"kind": "permanent", "reason": "x", "message": "spilt"})
        await desktop.until(lambda: len(desktop.nodes) == 5)
        assert desktop.running
        over(commands, desktop, play, "failed")
        await desktop.rest()
        assert desktop.nodes == [
            ("workflow_started", ""),
            ("node_started", "boil"),
            ("node_completed", "boil"),
            ("node_started", "pour"),
            ("node_failed", "pour"),
            ("workflow_failed", ""),
        ]
        assert (desktop.completed, desktop.waiting) == (1, False)
        events = [frame["data"] for frame in desktop.frames if frame["type"] == "workflow_execution_event"]
        assert {event["thread_id"] for event in events} == {desktop.thread}
        assert [event.get("nodeIndex") for event in events] == [None, 1, 1, 2, 2, None]
        assert (events[2]["output"], events[4]["error"], events[0]["totalNodes"]) == ("hot", "spilt", 2)


async def test_the_end_comes_behind_what_the_agent_says_of_the_playbook(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    async with Desktop().connected(server) as desktop:
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes)
        over(commands, desktop, play, turn_follows=True)
        await desktop.until(lambda: desktop.nodes[-1] == ("workflow_completed", ""))
        assert desktop.running
        run = Run(commands, desktop.thread or "", "run_told")
        run.begin()
        run.say("Your tea is ready.")
        run.finish()
        await desktop.rest()
        assert desktop.said[-1] == "Your tea is ready."
        assert (desktop.completed, desktop.waiting) == (1, False)


async def test_a_playbook_that_asks_parks_and_the_next_message_answers_it(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    wait = {"wait_id": "human:1", "call_id": "", "prompt": "Pour it?"}
    async with Desktop().connected(server) as desktop:
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes)
        played(commands, play, "STEP_STARTED", "approve")
        commands.add(play, "SUSPENDED", "run_play", waits=[wait])
        await desktop.rest()
        assert desktop.waiting
        assert desktop.said[-1].startswith("The agent asks:\n\n    Pour it?")
        assert desktop.nodes[-2:] == [("node_waiting", "approve"), ("workflow_waiting", "")]

        commands.runs.append(Run(commands, play, "run_play"))
        await desktop.say("yes")
        await desktop.until(lambda: not desktop.pending)
        assert [call[1:4] for call in commands.calls if call[0] == "answer"] == [(play, "human:1", "approve")]
        over(commands, desktop, play)
        await desktop.rest()
        assert desktop.nodes[-1] == ("workflow_completed", "")
        assert not desktop.waiting


async def test_a_client_that_comes_back_is_told_the_end_of_the_playbook(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    desktop = Desktop()
    async with desktop.connected(server):
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes and not desktop.pending)
        await desktop.settled()
    desktop.pending.clear()
    over(commands, desktop, play)
    async with desktop.connected(server):
        await desktop.until(lambda: len(desktop.nodes) == 2)
    assert desktop.nodes == [("workflow_started", ""), ("workflow_completed", "")]


async def test_a_pause_parks_it(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    async with Desktop().connected(server) as desktop:
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes)
        played(commands, play, "RUN_PAUSED", why="lunch")
        await desktop.rest()
        assert desktop.nodes[-1] == ("workflow_paused", "")


async def test_what_is_over_is_not_listened_to_any_more(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    commands.turns.append(says("Thanks."))
    async with Desktop().connected(server) as desktop:
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes)
        over(commands, desktop, play)
        await desktop.rest()
        await desktop.say("thanks")
        await desktop.rest()
        assert commands.listeners(play) == 0


async def test_stop_cancels_the_playbook_too(server: Server, commands: Played) -> None:
    play = begins(commands)
    starts(commands, play)
    commands.playbooks.make(play, "running")
    async with Desktop().connected(server) as desktop:
        await desktop.say("make tea")
        await desktop.until(lambda: desktop.nodes)
        await desktop.ask("stop_run")
        await desktop.until(lambda: not desktop.pending)
    assert [asked for asked in commands.playbooks.asked if play in asked] != []
