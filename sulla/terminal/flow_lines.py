"""What people are told of the flow that a turn is walked by, and of its branches. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from sulla.core.dataclass import dataclass
from sulla.core.ids import is_of_a_flow
from sulla.terminal.table import one_line

_BRANCHES = "run_branches"
BESIDE = "side by side: "
"""How the line begins of a call that has branches work. Its result is not shown: it holds what hidden parts said."""
_NAME_COLUMNS = 60
_NUMBER = ", no. "
_ANSWERS = "give_answer"
"""The tool by which a part gives a value: what it gives is told, and not the call."""


def flow_line(type_: str, data: Mapping[str, Any]) -> str:
    """What an event of a flow says to people, in one line; empty for nothing.

    Args:
        type_: of the event.
        data: what it holds.
    """
    if type_ == "FLOW_PART_STARTED":
        part = data["part"]
        return "" if part.get("calls") else f"part: {one_line(part['key'], 60)}"
    name, value = one_line(data.get("name", ""), 60), data.get("value", {}).get("value")
    if data["what"] == "limit":
        return f"{name} still holds, but it went round as often as it may"
    if isinstance(value, dict) and isinstance(found := value.get("suggestions"), list):
        return f"you could ask: {' / '.join(one_line(str(one), 200) for one in found)}"
    return ""


def branches_line(data: Mapping[str, Any]) -> str:
    """Who works side by side, where a tool call has branches of a flow work; empty for any other call.

    Args:
        data: of the event `TOOL_CALL_START`.
    """
    agents = data.get("args", {}).get("agents", ()) if data.get("name") == _BRANCHES else ()
    return f"{BESIDE}{', '.join(one_line(str(one), 60) for one in agents)}" if agents else ""


def is_answer(data: Mapping[str, Any]) -> bool:
    """Whether a tool call is the answer of a part, of which people are told by what it comes to, or one beside it that
    was not made.

    Args:
        data: of the event `TOOL_CALL_START`.
    """
    return bool(data.get("name") == _ANSWERS or data.get("refused"))


def named_branch(agent: str, branch: str) -> str:
    """Who asks, where it may be one of several branches of a flow.

    Args:
        agent: who works there.
        branch: what the branch is called; empty where there is none.
    """
    return f"{agent} ({branch})" if branch and branch != agent else agent


@dataclass(slots=True)
class Branches:
    """The branches of the turn that goes on, and the tasks that it delegates."""

    names: dict[str, str] = field(default_factory=dict)
    """What they are called, by their threads."""
    at_work: set[str] = field(default_factory=set)
    """The threads of those that go on: they may ask people too."""

    def take(self, event: dict[str, Any], *, own: bool) -> None:
        """Learn from an event.

        Args:
            event: it.
            own: whether it is of the thread that is talked in, and not of a sub-agent's.
        """
        thread_id = str(event["thread_id"])
        match event["type"]:
            case "CHILD_STARTED" if is_of_a_flow(str(event["data"].get("id", ""))):
                self._begun(event["data"])
            case "RESUMED" if thread_id in self.names:
                self.at_work.add(thread_id)
            case "SUSPENDED" | "RUN_PAUSED":
                self.at_work.discard(thread_id)
            case "RUN_FINISHED" | "RUN_ERROR":
                self.at_work.discard(thread_id)
                if own:
                    self.names.clear()
                    self.at_work.clear()

    def _begun(self, data: dict[str, Any]) -> None:
        thread_id, name = str(data["thread_id"]), one_line(str(data.get("task", "")), _NAME_COLUMNS)
        if thread_id in self.names:
            return
        alike = 1 + sum(one.partition(_NUMBER)[0] == name for one in self.names.values())
        self.names[thread_id] = f"{name}{_NUMBER}{alike}" if alike > 1 else name
        self.at_work.add(thread_id)
