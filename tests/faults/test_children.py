"""Real daemons whose agents set others to work: killed while they wait, and more of them than there are places."""

from __future__ import annotations

from pathlib import Path

from sulla.threads.log.records import Answer, ToolCallResult
from tests.faults.backend import CLOCK, sqlite
from tests.faults.beating import PATIENCE_S, beside
from tests.faults.harness import Daemon
from tests.faults.parked import at
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse

ASKED = "Have somebody look."
FOUND = "It is blue. <AGENT_DONE>blue</AGENT_DONE>"
DONE = "I know now. <AGENT_DONE>ok</AGENT_DONE>"
PLACES = 8


def family(children: int) -> Script:
    """A run that has so many others look at the sky, who stand still until they are let go."""
    calls = tuple(ToolUse("spawn_sub_agent", {"task": f"SKY number {number}"}) for number in range(children))
    return Script(
        [
            Rule(Reply(FOUND, hold="sky"), text="SKY"),
            Rule(Reply("One moment.", tools=calls), text=ASKED, results=0),
            Rule(Reply(DONE), text=ASKED, results=children),
        ]
    )


async def ask(daemon: Daemon) -> str:
    """Ask for it; the thread."""
    async with at(daemon) as client:
        thread_id = str((await client.call("thread.create", request_id="make"))["thread_id"])
        await client.call("turn.send", thread_id=thread_id, message_id="m", text=ASKED)
        return thread_id


async def test_a_parent_that_is_killed_while_it_waits_gets_the_result_once(tmp_path: Path) -> None:
    backend = sqlite(tmp_path / "kept.db")
    async with (
        FakeAnthropic(family(1), CLOCK) as fake,
        Daemon(tmp_path / "home", fake.url, backend.settings) as daemon,
    ):
        await daemon.start()
        thread = await ask(daemon)
        async with CLOCK.timeout(PATIENCE_S):
            await fake.until(lambda seen: "sky" in seen.held)
        await daemon.kill()
        fake.release("sky")
        await daemon.start()
        async with beside(backend) as onlooker:
            log = await onlooker.ended(thread)
            (child,) = await onlooker.children()
            of_child = await onlooker.log(child.thread_id)
            broken = await onlooker.broken()
    assert broken == []
    (answer,) = [entry.fact for entry in log if isinstance(entry.fact, Answer)]
    (result,) = [entry.fact for entry in log if isinstance(entry.fact, ToolCallResult)]
    assert answer.text.startswith("It is blue.")
    assert "It is blue." in result.text
    assert not result.is_error
    assert [entry.data["outcome"] for entry in log if entry.kind == "RUN_FINISHED"]
    assert [entry.kind for entry in of_child].count("RUN_FINISHED") == 1


async def test_nine_children_on_eight_places_all_finish(tmp_path: Path) -> None:
    backend = sqlite(tmp_path / "kept.db")
    async with (
        FakeAnthropic(family(9), CLOCK) as fake,
        Daemon(tmp_path / "home", fake.url, backend.settings) as daemon,
    ):
        await daemon.start()
        thread = await ask(daemon)
        async with CLOCK.timeout(PATIENCE_S):
            await fake.until(lambda seen: len(seen.requests) == 1 + PLACES)
        at_work = len(fake.requests) - len(fake.ended)
        fake.release("sky")
        async with beside(backend) as onlooker:
            log = await onlooker.ended(thread)
            children = await onlooker.children()
            broken = await onlooker.broken()
    assert broken == []
    assert at_work == PLACES
    assert len(children) == 9
    assert {child.newest.outcome.status for child in children} == {"done"}
    results = [entry.fact for entry in log if isinstance(entry.fact, ToolCallResult)]
    assert len(results) == 9
    assert all("It is blue." in result.text for result in results)
