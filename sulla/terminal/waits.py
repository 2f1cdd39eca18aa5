"""What a conversation and its sub-agents wait to be told by people, as their events say. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from sulla.core.dataclass import dataclass
from sulla.terminal.flow_lines import Branches, named_branch
from sulla.terminal.questions import Question, from_wait


@dataclass(slots=True)
class Waits:
    """The questions of a conversation; it lives as long as the conversation is looked at."""

    asked: dict[str, Question] = field(default_factory=dict)
    """What has to be told before it goes on, by id."""
    earlier: dict[str, Question] = field(default_factory=dict)
    """What an earlier turn of the thread has to be told, by id."""
    told: set[str] = field(default_factory=set)
    """What has been answered here."""
    left: set[str] = field(default_factory=set)
    """What was asked here and left open, by id; what is answered elsewhere while it is asked, too."""
    plays: dict[str, str] = field(default_factory=dict)
    """The playbooks that go on and were begun from here, by their threads: they ask people, too."""
    several: bool = False
    """Whether more than one agent speaks in the conversation: then a question says who asks."""
    answered: int = 0
    """How many of those that were asked together are answered, or were left open."""
    branches: Branches = field(default_factory=Branches)
    """Those of the turn that goes on."""

    def place(self, left: int) -> tuple[int, int]:
        """Which of the questions that are asked together is next, from 1, and how many these are.

        Args:
            left: how many are still to be asked.
        """
        return self.answered + 1, self.answered + left

    def take(self, event: dict[str, Any], *, own: bool) -> str:
        """Learn from an event.

        Args:
            event: it.
            own: whether it is of the thread that is talked in, and not of a sub-agent's.

        Returns:
            The thread of a sub-agent that begins, and may ask people too; empty for none.
        """
        thread_id = str(event["thread_id"])
        self.branches.take(event, own=own)
        match event["type"]:
            case "CHILD_STARTED":
                return str(event["data"]["thread_id"])
            case "PLAYBOOK_BEGAN" if own:
                self.plays[str(event["data"]["thread_id"])] = f"the playbook {event['data']['name']}"
            case "PLAYBOOK_ENDED":
                self.plays.pop(str(event["data"]["thread_id"]), None)
            case "AGENT_ROUTED":
                self.several = self.several or own
            case "SUSPENDED":
                self.answered = self.answered if self.asked else 0
                agent = "" if own and not self.several else str(event.get("agent", ""))
                who = self.plays.get(thread_id, named_branch(agent, self.branches.names.get(thread_id, "")))
                found = (from_wait(wait, thread_id, who) for wait in event["data"]["waits"])
                self.asked |= {one.id: one for one in found if one.is_for_people and one.id not in self.told}
            case "RESUMED" | "ANSWER":
                self.asked.pop(str(event["data"].get("wait_id", "")), None)
            case "RUN_FINISHED" | "RUN_ERROR":
                for one in [one for one in self.asked.values() if one.thread_id == thread_id]:
                    del self.asked[one.id]
        return ""
