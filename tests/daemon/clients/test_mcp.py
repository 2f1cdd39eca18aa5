"""MCP's own client against a real daemon, over HTTP and over the pipes of `sulla mcp serve`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.daemon.running import AFRESH, PATIENCE_S, Daemon, Place, Service, service
from tests.gateway.peer import until
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(3)

ANSWER = "one two three four five six seven eight"
NOTE = "note.txt"
Way = Literal["http", "old http", "pipes", "old pipes"]
WAYS: list[Way] = ["http", "old http", "pipes", "old pipes"]


@pytest.fixture
def model() -> Iterator[Service]:
    done = "<AGENT_DONE/>"
    look = Reply("Let me look.", tools=(ToolUse("list_dir", {"path": "."}),))
    write = Reply(tools=(ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30}),))
    rules = (
        Rule(write, text="(write)", results=0),  # before what the agent may remember of the other conversation
        Rule(Reply(f"That is that.{done}"), text="(write)", results=1),
        Rule(look, text="(look)", results=0),
        Rule(Reply(f"It is empty.{done}"), text="(look)", results=1),
        Rule(Reply(ANSWER + done, pieces=8, hold="gate", hold_after=4), text="(slow)"),
        Rule(Reply(ANSWER, pieces=8, broken="no line of this protocol\n"), text="(break)"),
    )
    with service(Script([*rules])) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service) -> Place:
    asking = {"SULLA_SHELL__SANDBOX": "false", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
    return Place(tmp_path / "home", **model.environ, **asking)


@asynccontextmanager
async def dial(daemon: Daemon, place: Place, way: Way, *, by_host: bool = False, **more: Any) -> AsyncIterator[Client]:
    mode = "legacy" if way.startswith("old") else "auto"
    if way.endswith("pipes"):
        words = [
            "-m",
            "sulla",
            "mcp",
            "serve",
            "--home",
            str(place.home),
            *(["--approvals-by-host"] if by_host else []),
        ]
        server = StdioServerParameters(command=sys.executable, args=words, env=dict(place.environ))
        async with Client(server, mode=mode, **more) as client:
            yield client
        return
    token = (place.home / "token").read_text().strip()
    headers = {"authorization": f"Bearer {token}"}
    http = httpx2.AsyncClient(trust_env=False, timeout=PATIENCE_S, headers=headers, limits=httpx2.Limits(**AFRESH))
    url = f"{daemon.url}/mcp{'?approvals=tool' if by_host else ''}"
    async with http, Client(streamable_http_client(url, http_client=http), mode=mode, **more) as client:
        yield client


async def ask(client: Client, message: str, **more: Any) -> types.CallToolResult:
    result = await client.call_tool("ask", {"message": message, **more})
    assert isinstance(result, types.CallToolResult)
    return result


def written(place: Place) -> list[str]:
    path = place.home / "workspace" / NOTE
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize("way", WAYS)
async def test_a_turn_with_a_tool_and_one_that_asks(place: Place, way: Way) -> None:
    heard = list[str | None]()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    with place.up() as daemon:
        async with dial(daemon, place, way, by_host=True) as client:
            result = await client.call_tool("ask", {"message": "(look)"}, progress_callback=hear)
            assert result.structured_content["text"] == "Let me look.\n\nIt is empty."
            assert result.structured_content["tools"][0]["arguments"] == {"path": "."}
            assert "tool list_dir is done" in heard
            thread = {"thread_id": result.structured_content["thread_id"]}
            read = (await client.call_tool("read_thread", thread)).structured_content["entries"]
            assert [entry["who"] for entry in read] == ["user", "agent", "tool", "tool", "agent"]
            assert (read[0]["text"], read[-1]["text"]) == ("(look)", "It is empty.")
            asked = (await ask(client, "(write)")).structured_content
            assert asked["status"] == "waiting"
            assert written(place) == []
            (question,) = asked["questions"]
            yes = {"thread_id": asked["thread_id"], "id": question["id"], "verdict": "approve"}
            where = (await client.call_tool("answer_approval", yes)).structured_content
            whole = (await client.call_tool("wait_for_reply", where)).structured_content
    assert (whole["status"], whole["text"]) == ("done", "That is that.")
    assert written(place) == ["written"]


@pytest.mark.parametrize("way", WAYS)
async def test_a_host_s_model_says_no_yes_in_a_person_s_place(place: Place, way: Way) -> None:
    with place.up() as daemon:
        async with dial(daemon, place, way) as client:
            asked = (await ask(client, "(write)")).structured_content
            (question,) = asked["questions"]
            yes = {"thread_id": asked["thread_id"], "id": question["id"], "verdict": "approve"}
            refused = await client.call_tool("answer_approval", yes)
            said = (await ask(client, "yes", thread_id=asked["thread_id"], wait_s=0)).structured_content
            still = (await client.call_tool("list_approvals", {})).structured_content["questions"]
    assert refused.is_error
    assert (asked["status"], said["status"]) == ("waiting", "in_progress")
    assert [row["id"] for row in still] == [question["id"]]
    assert written(place) == []


@pytest.mark.parametrize(("way", "yes", "lines"), [("http", "yes", ["written"]), ("pipes", "no", [])])
async def test_the_person_at_the_host_is_asked(place: Place, way: Way, yes: str, lines: list[str]) -> None:
    shown = list[str]()

    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        shown.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": yes})

    with place.up() as daemon:
        async with dial(daemon, place, way, elicitation_callback=elicit) as client:
            reply = (await ask(client, "(write)")).structured_content
    assert (reply["status"], reply["text"]) == ("done", "That is that.")
    assert [f"echo written >> {NOTE}" in text for text in shown] == [True]
    assert written(place) == lines


@pytest.mark.parametrize("way", WAYS)
async def test_a_model_that_fails(place: Place, way: Way) -> None:
    with place.up() as daemon:
        async with dial(daemon, place, way) as client:
            result = await ask(client, "(break)")
    assert result.is_error
    assert result.structured_content["status"] == "failed"
    assert result.structured_content["error"]["code"].startswith("provider")


async def test_a_host_over_pipes_does_not_notice_that_its_daemon_was_killed(place: Place, model: Service) -> None:
    with place.up() as first:
        async with dial(first, place, "pipes") as client:
            asking = asyncio.ensure_future(ask(client, "(slow)"))
            await until(lambda: model.asked)
            assert await asyncio.to_thread(first.ended, signal.SIGKILL) == -signal.SIGKILL
            model.release("gate")
            with place.up():
                result = await asking
                threads = (await client.call_tool("list_threads", {})).structured_content["threads"]
    assert result.structured_content["text"] == ANSWER
    assert len(threads) == 1


async def test_a_call_over_http_that_was_lost_is_made_again_and_asks_once(place: Place, model: Service) -> None:
    async def lose(daemon: Daemon) -> None:
        async with dial(daemon, place, "http") as client, asyncio.TaskGroup() as group:
            group.create_task(ask(client, "(slow)", request_id="r-1"))
            await until(lambda: model.asked)
            assert await asyncio.to_thread(daemon.ended, signal.SIGKILL) == -signal.SIGKILL

    with place.up() as first:
        with pytest.raises((MCPError, ExceptionGroup)):
            await lose(first)
        model.release("gate")
        with place.up() as second:
            async with dial(second, place, "http") as client:
                result = await ask(client, "(slow)", request_id="r-1")
                threads = (await client.call_tool("list_threads", {})).structured_content["threads"]
    assert result.structured_content["text"] == ANSWER
    assert len(threads) == 1
