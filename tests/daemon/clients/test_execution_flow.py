"""The execution flow of seed 001 from its first step to its last, against a real daemon over real sockets.

The functions below stand in the order of the page's sections and have their names, so that both can be read side by
side. What differs from the page is said where it does.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import httpx2
import pytest

from sulla.agent.model.retry import BACKOFF_S, RETRIES
from sulla.agent.subagents.children import MAX_DEPTH
from sulla.agent.subagents.reports import Combine
from sulla.core.clock import Clock
from sulla.daemon.settings.config import load_settings
from sulla.memory.settings import MemorySettings
from sulla.playbooks.plans.plan import Strategy
from sulla.playbooks.settings import PlaybookSettings
from sulla.terminal.exits import Exit
from tests.browser.hostile import no_chromium
from tests.daemon.clients.chat_client import Told, dial, opened, until, words
from tests.daemon.running import PATIENCE_S, Place, Service, service
from tests.daemon.serving import beside
from tests.mcp import real_server
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.search_fakes import FakeSearxng, Found
from tests.servers.wire import WireRequest, WireResponse, WireServer
from tests.soon import pause

CHAT = "/api/chat/ci"
ASKED = "Analyze the test failures in the CI pipeline"
LOG = "3 tests failed: test_auth, test_payment, test_mail: FAILED"
SOUL = "You look after the pipelines of Ana Berg."
GOAL = "Every pipeline is green by June."
DONE = "<AGENT_DONE/>"
PLAN: dict[str, Any] = {
    "tasks": [
        {"id": "auth", "title": "Mend the sign-in"},
        {"id": "mail", "title": "Mend the mail"},
        {"id": "tell", "title": "Tell the team", "depends_on": ["auth", "mail"]},
    ],
    "execution_strategy": "dag",
}
DRAWN: dict[str, Any] = {
    "entities": [{"name": "Ana Berg", "kind": "person", "aliases": []}],
    "facts": [{"of": "Ana Berg", "what": "owns", "is": "the pipelines", "turns": [1]}],
    "relations": [],
}


def uses(*tools: ToolUse, text: str = "") -> Reply:
    return Reply(text, tools=tools)


def says(text: str, **more: Any) -> Reply:
    return Reply(f"{text}{DONE}", **more)


def script(page: str) -> Script:
    """What the model says. A rule looks at the newest message, which may hold what is remembered: what is asked later
    stands first.

    Args:
        page: the address that the browser opens.
    """
    spawns = ToolUse("spawn_sub_agent", {"task": "(count) the tests", "tools": ["read_file"]})
    also = ToolUse("spawn_sub_agent", {"task": "(name) the tests", "tools": ["read_file"]})
    rules: list[tuple[str, int | None, Reply | Failure]] = [
        ("Below are turns", None, uses(ToolUse("entities", DRAWN))),
        ("Plan the project", None, Reply(f"{json.dumps(PLAN)}{DONE}")),
        ("Your task: Mend the sign-in", None, says("The sign-in is mended.")),
        ("Your task: Mend the mail", None, says("The mail is mended.")),
        ("Your task: Tell the team", None, says("The team knows.", hold="team")),
        ("(hold)", None, says("At last.", hold="places")),
        ("(recall)", 0, uses(ToolUse("recall", {"about": "test failures in the pipeline"}))),
        ("(recall)", 1, says("The sign-in.")),
        ("(wrong)", 0, uses(ToolUse("read_file", {"pth": "ci.log"}))),
        ("(wrong)", 1, uses(ToolUse("read_file", {"path": "no.log"}))),
        ("(wrong)", 2, uses(ToolUse("bash", {"command": "echo no > refused"}))),
        ("(wrong)", 3, says("So it goes.")),
        ("(deep)", 0, uses(ToolUse("spawn_sub_agent", {"task": "(deep)"}))),
        ("(deep)", 1, says("As deep as it goes.")),
        ("(count)", None, says("Three tests.")),
        ("(name)", None, says("Auth, payment, mail.")),
        ("(divide)", 0, uses(spawns, also)),
        ("(divide)", 2, says("Three: auth, payment, mail.")),
        ("(browse)", 0, uses(ToolUse("browser_navigate", {"url": page}))),
        ("(browse)", 1, says("A page.")),
        ("(goal)", None, says("Green by June.")),
        ("(tools)", 0, uses(ToolUse("read_file", {"path": "ci.log"}))),
        ("(tools)", 1, uses(ToolUse("write_file", {"path": "report.txt", "content": "three"}))),
        ("(tools)", 2, uses(ToolUse("web_search", {"query": "pytest"}))),
        ("(tools)", 3, uses(ToolUse("mcp__real__echo", {"text": "hello"}))),
        ("(tools)", 4, says("All of them.")),
        (
            ASKED,
            0,
            uses(ToolUse("bash", {"command": "cat ci.log | grep FAILED"}), text="I'll analyze the CI failures."),
        ),
        (ASKED, 1, says("Found 3 test failures. The root cause is the sign-in.")),
        ("Ana Berg owns", None, says("I keep that in mind.")),
    ]
    once = Rule(Failure(503, message="busy", retry_after="1"), text="Ana Berg owns", times=1)
    return Script([once, *(Rule(answer, text=text, results=results) for text, results, answer in rules)])


@dataclass(slots=True)
class Walk:
    """Somebody who reads the page, and tries each sentence of it."""

    place: Place
    model: Service
    page: str
    http: httpx2.Client
    heard: dict[str, list[Told]] = field(default_factory=dict)
    """The events of each answer, by its message."""

    def say(self, message: str, *, approved: bool = True, **more: Any) -> list[Told]:
        """Send a message, and answer what is asked meanwhile; the events of the answer."""
        events = self.heard[message] = []
        with opened(self.http, CHAT, {"message": message, **more}) as stream:
            for name, data in stream:
                events.append((name, data))
                if name == "approval_request":
                    answer = {"session_id": data["session_id"], "approved": approved}
                    assert self.http.post(f"{CHAT}/approvals/{data['approval_id']}", json=answer).status_code == 200
        return events

    def shown(self, message: str) -> dict[str, Any]:
        """The newest request that ends with a message."""
        ends = ((one, one["messages"][-1]) for one in reversed(self.model.requests))
        return next(one for one, last in ends if last["role"] == "user" and message in last["content"])

    def soon(self, look: Callable[[], bool]) -> None:
        """Wait until something is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not look():
            assert time.monotonic() < deadline, "this did not come about"
            pause()


def steps(events: list[Told]) -> list[str]:
    """The names of events, each once in a row: how many pieces a text comes in depends on how fast they are taken."""
    return [name for name, _ in groupby(name for name, _ in events)]


def data_of(events: list[Told], name: str) -> list[Any]:
    return [data for found, data in events if found == name]


async def _page(request: WireRequest, response: WireResponse) -> None:
    await response.whole(200, b"<title>CI</title><p>All pipelines are red</p>", {"content-type": "text/html"})


@contextmanager
def walking(folder: Path) -> Iterator[Walk]:
    """A home as the page has it: an agent, a project, a search, an MCP server, an embedder; and its daemon."""
    with ExitStack() as stack:

        def served(_: Clock) -> WireServer:
            return WireServer(_page)

        page = stack.enter_context(beside(served)).url
        search = stack.enter_context(beside(lambda _: FakeSearxng([Found("https://example.org/", "pytest")])))
        model = stack.enter_context(service(script(f"{page}/ci")))
        settings = {
            "SULLA_SHELL__SANDBOX": "false",
            "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
            "SULLA_MEMORY__EMBED": "ollama:fake:1b",
            "SULLA_MEMORY__ENTITIES": "true",
            "SULLA_MEMORY__ENTITIES_EVERY": "1",
            "SULLA_WEB__SEARCH": "searxng",
            "SULLA_WEB__SEARXNG_URL": search.url,
            "SULLA_WEB__ALLOW_HOSTS": page.removeprefix("http://"),
            "SULLA_BROWSER__ENABLED": "false" if no_chromium() else "true",
            "WORKFLOW_MAX_CONCURRENT_RUNS": "10",
        }
        place = Place(folder / "home", **model.environ, **settings)
        assert place.run("init")[0] == Exit.OK
        furnish(place.home)
        daemon = stack.enter_context(place.up())
        yield Walk(place, model, page, stack.enter_context(dial(daemon, place)))


def furnish(home: Path) -> None:
    """What people write into it."""
    with (home / "sulla.toml").open("a") as file:
        command, args = json.dumps(sys.executable), json.dumps([real_server.__file__])
        file.write(f"\n[mcp.servers.real]\ncommand = {command}\nargs = {args}\n")
    (home / "agents" / "ci").mkdir(parents=True)
    (home / "agents" / "ci" / "agent.toml").write_text('name = "CI"\n')
    (home / "agents" / "ci" / "soul.md").write_text(SOUL)
    (home / "projects" / "green").mkdir(parents=True)
    (home / "projects" / "green" / "PROJECT.md").write_text(f"# Green\n\n{GOAL}\n\n## Tasks\n\n- [ ] Look at the log\n")
    (home / "workspace").mkdir(exist_ok=True)
    (home / "workspace" / "ci.log").write_text(f"{LOG}\nall else passed\n")


# ------------------------------------------------------------------------------------------------------ the page


def step_1_request_ingestion(walk: Walk) -> None:
    """Auth, the agent's own configuration, a session that begins or goes on, a stream."""
    body = {"message": ASKED}
    assert walk.http.post(CHAT, json=body, headers={"X-API-Key": "no", "Authorization": ""}).status_code == 401
    assert walk.http.post("/api/chat/nobody", json=body).status_code == 404
    events = walk.say(ASKED)
    (session,) = {data["session_id"] for _, data in events}
    assert events[-1][1]["status"] == "done"
    walk.soon(lambda: "echo" in walk.place.run("mcp", "list", "--json")[1])  # the server is up
    again = walk.say("(tools)", session_id=session)
    assert {data["session_id"] for _, data in again} == {session}
    assert ASKED in json.dumps(walk.shown("(tools)")["messages"])  # the same conversation


def step_2_session_setup(walk: Walk) -> None:
    """The memory of earlier conversations, the agent's personality, and what a project is about."""
    assert MemorySettings().window == 20
    walk.say("Ana Berg owns the pipelines.")
    walk.soon(lambda: "I keep that in mind" in walk.place.run("memory", "list", "--json")[1])
    walk.say("(goal)", project="green")
    shown = walk.shown("(goal)")["messages"]
    assert shown[0]["role"] == "system"
    assert SOUL in shown[0]["content"]
    told = json.dumps(shown)
    assert "Ana Berg owns the pipelines" in told  # an episode of another session
    assert GOAL in told
    assert "Look at the log" in told


def step_3_agent_loop(walk: Walk) -> None:
    """A model is asked until it is done, each time with the results of the tools that it called; at most 50 times."""
    first, second = [one for one in walk.model.requests if ASKED in json.dumps(one["messages"])][:2]
    assert first["messages"][-1]["role"] == "user"
    assert {"bash", "read_file"} <= {tool["function"]["name"] for tool in first["tools"]}
    assert [one["role"] for one in second["messages"][-2:]] == ["assistant", "tool"]
    assert LOG in second["messages"][-1]["content"]
    assert load_settings({}, {}, walk.place.home).limits.model_calls == 50


def step_4_tool_dispatch(walk: Walk) -> None:
    """Each tool goes to what does it, and its result comes back as one of the conversation."""
    results = {data["tool"]: data for data in data_of(walk.heard["(tools)"], "tool_result")}
    assert {name: data["is_error"] for name, data in results.items()} == dict.fromkeys(
        ("read_file", "write_file", "web_search", "mcp__real__echo"), False
    ), results
    assert LOG in results["read_file"]["output"]
    assert (walk.place.home / "workspace" / "report.txt").read_text() == "three"
    assert "https://example.org/" in results["web_search"]["output"]
    assert "hello" in results["mcp__real__echo"]["output"]
    if no_chromium():
        return  # the browser's part alone: there is none on this machine
    (seen,) = data_of(walk.say("(browse)"), "tool_result")
    assert (seen["tool"], seen["is_error"]) == ("browser_navigate", False), seen
    assert "All pipelines are red" in seen["output"]


def step_5_sub_agent_execution(walk: Walk) -> None:
    """Sub-agents work beside each other in sessions of their own, with the tools that they were given."""
    events = walk.say("(divide)")
    found = [data["output"] for data in data_of(events, "tool_result")]  # as they finish, in either order
    assert [sum(part in output for output in found) for part in ("Three tests.", "Auth, payment, mail.")] == [1, 1]
    child = walk.shown("(count)")
    assert "(divide)" not in json.dumps(child["messages"])
    names = {tool["function"]["name"] for tool in child["tools"]}
    assert "read_file" in names
    assert not {"bash", "write_file", "web_search"} & names
    assert {"concat", "first_success", "vote", "summarize"} <= {*get_args(Combine)}  # the strategies of merging
    walk.say("(deep)")
    assert MAX_DEPTH == 3
    refused = [one for one in walk.model.requests if "sub-agents go 3 deep" in json.dumps(one["messages"][-1])]
    assert len(refused) == 1


def step_6_approval_gates(walk: Walk) -> None:
    """The turn waits, the request is streamed, a yes goes on and a no is the tool's result."""
    names = steps(walk.heard[ASKED])
    assert names.index("tool_use") < names.index("approval_request") < names.index("tool_result")
    (request,) = data_of(walk.heard[ASKED], "approval_request")
    assert "cat ci.log | grep FAILED" in request["prompt"]
    assert request["expires_at"]  # after limits.approval_s it is a no
    events = walk.say("(wrong)", approved=False)
    *_, refused = data_of(events, "tool_result")
    assert (refused["tool"], refused["failure"]) == ("bash", "human_rejected")
    assert "reject" in refused["output"]
    assert not (walk.place.home / "workspace" / "refused").exists()


def step_7_memory_update(walk: Walk) -> None:
    """Episodes, vectors and the graph. It is done behind each turn, as nobody says when a session ends.

    What commands read is from outside: it is found by `recall`, and told to no other session unasked (decision 019).
    """
    walk.soon(lambda: "root cause" in walk.place.run("memory", "list", "--json")[1])
    walk.soon(lambda: '"Ana Berg"' in walk.place.run("memory", "graph", "--json")[1])
    walk.soon(lambda: "sulla_memory_embedded_notes_total" in walk.http.get("/metrics").text)
    (found,) = data_of(walk.say("(recall)"), "tool_result")
    assert "The root cause is the sign-in" in found["output"]


def step_8_result_streaming(walk: Walk) -> None:
    """The events and their fields, to the letter; `approval_request` is that of step 6."""
    events = walk.heard[ASKED]
    assert steps(events) == ["delta", "tool_use", "approval_request", "tool_result", "delta", "done"]
    assert words(events) == "I'll analyze the CI failures.\n\nFound 3 test failures. The root cause is the sign-in."
    (use,), (result,) = data_of(events, "tool_use"), data_of(events, "tool_result")
    assert {"tool": use["tool"], "input": use["input"]} == {
        "tool": "bash",
        "input": {"command": "cat ci.log | grep FAILED"},
    }
    assert result["tool"] == "bash"
    assert LOG in result["output"]
    usage = events[-1][1]["token_usage"]
    assert usage.keys() == {"input", "output"}
    assert min(usage.values()) > 0
    assert all(data["session_id"] for _, data in events)


def project_task_execution(walk: Walk) -> None:
    """A goal becomes tasks, these are done by what they depend on, each by an agent of its own."""

    def page() -> Any:
        answer = walk.http.get("/api/projects/mended")
        return answer.json() if answer.status_code == 200 else {"about": {"status": ""}, "tasks": []}

    goal = {"goal": "All tests pass.", "request_id": "p1"}
    assert walk.http.post("/api/projects/mended/plan", json=goal).status_code == 202
    walk.soon(lambda: len(page()["tasks"]) == 3)
    assert page()["about"]["status"] == "planning"
    assert {task["id"]: task["depends_on"] for task in page()["tasks"]} == {
        "auth": [],
        "mail": [],
        "tell": ["auth", "mail"],
    }
    begun = walk.http.post("/api/projects/mended/work", json={"request_id": "w1"})
    assert begun.status_code == 202, begun.text
    done = {"auth": "completed", "mail": "completed", "tell": "in_progress"}
    walk.soon(lambda: {task["id"]: task["state"] for task in page()["tasks"]} == done)
    assert page()["about"]["status"] == "in_progress"
    walk.model.release("team")
    walk.soon(lambda: page()["about"]["status"] == "completed")
    assert {task["state"] for task in page()["tasks"]} == {"completed"}
    told = json.dumps(walk.shown("Your task: Tell the team")["messages"])
    assert "The sign-in is mended." in told
    assert "The mail is mended." in told  # what it depends on came first
    strategies = get_args(Strategy)
    assert (*strategies,) == ("sequential", "parallel", "dag")


def retry_and_failure_handling(walk: Walk) -> None:
    """What is tried again, how often and when. What failed once in step 7 was asked again as its service said."""
    assert dict(RETRIES) == {
        "transient": 3,
        "tool_error": 2,
        "llm_error": 1,
        "context_limit": 1,  # compressed, and tried again
        "permanent": 0,
        "human_rejected": 0,
    }
    assert [*BACKOFF_S] == [10, 30, 90]
    tried = [one for one in walk.model.requests if one["messages"][-1]["content"].startswith("Ana Berg owns")]
    assert len(tried) == 2
    wrong, missing, refused = data_of(walk.heard["(wrong)"], "tool_result")  # each once: none was called again
    assert "its arguments are wrong" in wrong["output"]
    assert (wrong["is_error"], missing["is_error"], refused["failure"]) == (True, True, "human_rejected")


def concurrency(walk: Walk) -> None:
    """Five sessions of an agent work at once, and the sixth waits for one of them."""
    limits = load_settings({"WORKFLOW_MAX_CONCURRENT_RUNS": "10"}, {}, walk.place.home).limits
    assert (limits.runs_per_agent, limits.sub_agents) == (5, 8)
    assert PlaybookSettings().runs == 10

    def held() -> int:
        return sum("(hold)" in one["messages"][-1]["content"] for one in walk.model.requests)

    with ExitStack() as stack:
        streams = [stack.enter_context(opened(walk.http, CHAT, {"message": f"(hold) {one}"})) for one in range(6)]
        walk.soon(lambda: held() == 5)
        # Another agent's turn comes and goes, and the sixth has still no place.
        with opened(walk.http, "/api/chat/sulla", {"message": "(recall)"}) as stream:
            until("done", stream)
        assert held() == 5
        walk.model.release("places")
        for stream in streams:
            until("done", stream)
    assert held() == 6


@pytest.mark.timeout(170)
def test_the_page_of_the_execution_flow_holds_from_its_first_step_to_its_last(tmp_path: Path) -> None:
    with walking(tmp_path) as walk:
        step_1_request_ingestion(walk)
        step_2_session_setup(walk)
        step_3_agent_loop(walk)
        step_4_tool_dispatch(walk)
        step_5_sub_agent_execution(walk)
        step_6_approval_gates(walk)
        step_7_memory_update(walk)
        step_8_result_streaming(walk)
        project_task_execution(walk)
        retry_and_failure_handling(walk)
        concurrency(walk)
