"""Twenty ordinary tasks need at most one question in all: who is asked all the time says yes to everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.calls.guard import CallGuard
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.core.words import Words, ours
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.tools.base import Done, Tool
from sulla.tools.builtin.every import builtin_tools
from tests.doubles.attacks import Hooks

DONE = "There. <AGENT_DONE>ok</AGENT_DONE>"
LINKS = "See https://docs.example/one and https://docs.example/two."

Step = tuple[str, dict[str, Json]]


def read(path: str) -> Step:
    return "read_file", {"path": path}


def write(path: str) -> Step:
    return "write_file", {"path": path, "content": "text\n"}


def page(url: str) -> Step:
    return "web_fetch", {"url": url}


TASKS: dict[str, tuple[Step, ...]] = {
    "What time is it?": (("get_time_date", {}),),
    "What is in my workspace?": (("list_dir", {}),),
    "Read the plan.": (read("plan.md"),),
    "Write a shopping list.": (write("shopping.md"),),
    "Change the first line of the plan.": (
        read("plan.md"),
        ("edit_file", {"path": "plan.md", "old_text": "one", "new_text": "two"}),
    ),
    "Find every TODO.": (("search_files", {"pattern": "TODO"}),),
    "Sum up the plan in a file.": (read("plan.md"), write("summary.md")),
    "Sort my notes into folders.": (("list_dir", {}), read("plan.md"), write("a/plan.md"), write("b/plan.md")),
    "Run the tests.": (("bash", {"command": "pytest -q"}),),
    "Fix the failing test.": (("bash", {"command": "pytest -q"}), read("plan.md"), write("fix.py")),
    "Count the lines of my files.": (("bash", {"command": "wc -l *"}),),
    "Read https://news.example/today to me.": (page("https://news.example/today"),),
    "Look up how to bake bread.": (("web_search", {"query": "bake bread"}), page("https://docs.example/one")),
    "Compare two recipes for bread.": (
        ("web_search", {"query": "bread recipes"}),
        page("https://docs.example/one"),
        page("https://docs.example/two"),
        write("recipes.md"),
    ),
    "Follow the links on https://news.example/today.": (
        page("https://news.example/today"),
        page("https://docs.example/one"),
    ),
    "Look it up and run a sum over it.": (
        ("web_search", {"query": "numbers"}),
        page("https://docs.example/two"),
        ("bash", {"command": "echo 1+1 | bc"}),
    ),
    "Mail Ann that I am late.": (("send_mail", {"to": "ann@home.example", "body": "I am late."}),),
    "What do I like?": (("recall", {"what": "likes"}),),
    "Remember that I like tea, and write it down.": (("recall", {"what": "tea"}), write("tea.md")),
    "Look up a train, then mail it to Ann.": (
        ("web_search", {"query": "train to Rome"}),
        page("https://docs.example/one"),
        ("send_mail", {"to": "ann@home.example", "body": "9:14"}),
    ),
}


def tools(hooks: Hooks) -> tuple[Tool, ...]:
    return (
        *builtin_tools(),
        hooks.source("web_fetch", Done(Words(LINKS), origin="web"), "url", reach="outward", quotes=True),
        hooks.source("web_search", Done(Words(LINKS), origin="web"), "query", reach="outward", quotes=True),
        hooks.source("recall", Done(ours("tea"), origin="memory"), "what"),
        hooks.tool("bash", "command", reach="inward"),
        hooks.tool("send_mail", "to", "body"),
    )


async def questions(store: MemoryStore, root: Path) -> list[str]:
    """Each task in a conversation of its own, in one home: which of them asked."""
    asked: list[str] = []
    for number, (text, steps) in enumerate(TASKS.items()):
        provider = ScriptedProvider([*(Say("", (ToolCall(CallId("c"), *step),)) for step in steps), DONE])
        guard = CallGuard(files=FileMarks(root / "marks"))
        world = World(
            store,
            provider,
            tools=tools(Hooks()),
            clock=ManualClock(),
            guard=guard,
            workspace=root / "w",
            boot=number + 1,
        )
        thread: ThreadId = await world.thread()
        await world.ask(thread, text)
        kinds = await world.kinds(thread)
        if "SUSPENDED" in kinds:
            asked.append(text)
        else:
            provider.assert_done()
            assert kinds[-1] == "RUN_FINISHED", text
    return asked


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "plan.md").write_text("one TODO\n")
    return tmp_path


async def test_twenty_ordinary_tasks_ask_once_in_all_and_for_the_right_one(store: MemoryStore, root: Path) -> None:
    assert len(TASKS) == 20
    assert await questions(store, root) == ["Look up a train, then mail it to Ann."]
