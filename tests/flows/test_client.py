"""A Python program streams a turn that is walked by a flow: the seed's own sample, and over a daemon that goes away."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import Refused, Unavailable
from sulla.flows.client import FlowAgent
from sulla.flows.schema import AgentFlow, AgentNode, IfNode, LoopNode, SequenceNode
from sulla.terminal.place import door
from tests.daemon.running import Place, Service, service
from tests.flows.test_daemon import judged, make_home, part
from tests.servers.script import Reply, Rule, Script

RULES = """
from sulla.flows.conditions import ConditionRegistry

@ConditionRegistry.register("user_paid")
def _user_paid(session_context, session=None) -> bool:
    return session_context.system_context.get("plan") == "pro"

from sulla.host.capability import Capability
CAPABILITY = Capability(name="rules", conditions=("our_rules:_user_paid",))
"""
"""The seed's condition (seed 002 §4.1), with the manifest of its package."""

custom_flow = AgentFlow(
    name="My Pipeline",
    root=SequenceNode(
        steps=[
            IfNode(
                condition="user_paid",
                true_body=LoopNode(
                    condition="task_not_completed",
                    max_loops=10,
                    body=SequenceNode(
                        steps=[
                            AgentNode(agent_key="task_planning"),
                            AgentNode(agent_key="task_executor"),
                            AgentNode(agent_key="task_completion_judge"),
                        ]
                    ),
                ),
                false_body=AgentNode(agent_key="simple"),
            ),
            AgentNode(agent_key="task_summary"),
        ]
    ),
)
"""The seed's flow (seed 002 §4.2)."""


def installed(folder: Path) -> str:
    """A folder in which the package with the rules is installed."""
    (folder / "our_rules.py").write_text(RULES)
    about = folder / "our_rules-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: our-rules\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[sulla.capabilities]\nrules = our_rules:CAPABILITY\n")
    return str(folder)


@pytest.fixture
def model() -> Iterator[Service]:
    rules = [
        part("task_planning", Reply("One step.")),
        part("task_executor", Reply("Did a step.")),
        part("task_completion_judge", judged("in_progress"), 1),
        part("task_completion_judge", judged("completed")),
        part("task_summary", Reply("All of it is done.")),
        part("task_analysis", Reply("Think.", hold="thinking")),
        part("simple", Reply("Here you are.")),
        Rule(Reply("Nothing is wrong with it."), text="do it"),
    ]
    with service(Script(rules)) as model:
        yield model


def free_port() -> str:
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        return str(held.getsockname()[1])


async def test_the_seeds_sample_streams_its_flow_with_all_that_works_in_it(tmp_path: Path, model: Service) -> None:
    home, packages = tmp_path / "home", tmp_path / "packages"
    packages.mkdir()
    make_home(home)
    place = Place(home, PYTHONPATH=installed(packages), **model.environ)
    with place.up():
        where = door(home)
        agent = FlowAgent(where.url, where.token)
        stream = agent.run_stream("do it", custom_flow=custom_flow, system_context={"plan": "pro"})
        seen = [chunks async for chunks in stream]
        shown = [one["data"]["text"] for one in seen if one["type"] == "TEXT_MESSAGE_END" and not _hidden(one)]
        assert shown == ["Did a step.", "Did a step.", "All of it is done."]
        assert seen[-1]["type"] == "RUN_FINISHED"
        with pytest.raises(Refused, match="there is no key 'mode'"):
            await anext(agent.run_stream("do it", mode="multi"))


async def test_a_branch_is_streamed_too_and_each_kept_event_comes_once_over_a_restart(
    tmp_path: Path, model: Service
) -> None:
    home, port = tmp_path / "home", free_port()
    make_home(home)
    place = Place(home, **model.environ)
    root: Any = {
        "type": "sequence",
        "steps": [{"type": "parallel", "branches": ["checker"]}, "task_analysis", "simple"],
    }
    seen: list[dict[str, Any]] = []
    held = asyncio.Event()

    async def stream(url: str, token: str) -> None:
        async for event in FlowAgent(url, token).run_stream("do it", custom_flow={"name": "two", "root": root}):
            seen.append(event)
            if event["type"] == "FLOW_PART_STARTED" and event["data"]["part"]["key"] == "task_analysis":
                held.set()

    with place.up("--port", port):
        where = door(home)
        streaming = asyncio.ensure_future(stream(where.url, where.token))
        async with asyncio.timeout(30):
            await held.wait()
    with place.up("--port", port):
        model.release("thinking")
        async with asyncio.timeout(60):
            await streaming
    kept = [(one["thread_id"], one["seq"]) for one in seen if one.get("seq") is not None]
    assert len(kept) == len(set(kept))
    assert len({thread for thread, _ in kept}) == 2, "the branch's thread is not in the stream"
    own = [seq for thread, seq in kept if thread == seen[-1]["thread_id"]]
    assert own == list(range(own[0], own[-1] + 1))
    assert seen[-1]["type"] == "RUN_FINISHED"


async def test_a_daemon_that_does_not_come_is_told(tmp_path: Path) -> None:
    agent = FlowAgent(f"http://127.0.0.1:{free_port()}", "x", patience_s=0.0)
    with pytest.raises(Unavailable, match="no daemon answers"):
        await anext(agent.run_stream("do it"))


def _hidden(event: dict[str, Any]) -> bool:
    return bool(event["data"].get("hidden")) or not event["data"].get("text")
