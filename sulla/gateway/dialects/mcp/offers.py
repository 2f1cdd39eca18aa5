"""The tools that the MCP server offers. Pure."""

from __future__ import annotations

from typing import Final, cast

from sulla.agent import rpc as agents
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway import wire
from sulla.gateway.dialects.mcp.form import AnsweredReply, AskArgs, Entries, PlayArgs, ReadArgs, Reply, WaitArgs
from sulla.playbooks import rpc_forms as workflows
from sulla.rpc.form import Params
from sulla.rpc.row import describe_one


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool."""

    name: str
    text: str
    args: type[Params]
    gives: type
    needs: tuple[str, ...]
    """The methods of the protocol that it comes to; a token that does not allow one is not shown the tool."""
    method: str = ""
    """The one that does all of it; empty if it takes more."""
    reads: bool = False
    again: bool = False
    """Whether it does nothing more if it is called again with the same arguments."""
    for_people: bool = False
    """Whether it is people's to decide, so that a host's model has it only where the host was set up so."""
    says_so: bool = False
    """Whether the method is told that a model asks."""

    @property
    def waits(self) -> bool:
        """Whether it may wait for a turn."""
        return self.gives is Reply

    def takes(self) -> JsonObject:
        """The schema of what it takes."""
        return _untitled(self.args.model_json_schema())

    def made(self) -> JsonObject:
        """The schema of what it gives."""
        return cast(JsonObject, _closed(_untitled(describe_one(self.gives))))


OFFERS: Final = (
    OfferedTool(
        "ask",
        "Ask an agent something, or have it do something, and wait for its reply. If the reply does not come in time "
        "(status in_progress) or people are asked first (waiting), go on with wait_for_reply.",
        AskArgs,
        Reply,
        ("turn.send", "events.subscribe"),
    ),
    OfferedTool(
        "wait_for_reply",
        "Wait for the reply to something that was asked: give back thread_id, run_id and after as they came.",
        WaitArgs,
        Reply,
        ("events.subscribe",),
        reads=True,
        again=True,
    ),
    OfferedTool(
        "stop",
        "Stop what an agent is doing in a thread.",
        wire.TurnStop,
        wire.TurnAsked,
        ("turn.stop",),
        "turn.stop",
        again=True,
    ),
    OfferedTool(
        "list_agents",
        "The agents that can be asked.",
        agents.AgentList,
        agents.Agents,
        ("agent.list",),
        "agent.list",
        True,
        True,
    ),
    OfferedTool(
        "list_threads",
        "The conversations there are, by id: created_at says since when. If next is not null there are more: give it "
        "back as after.",
        wire.ThreadList,
        wire.Threads,
        ("thread.list",),
        "thread.list",
        True,
        True,
    ),
    OfferedTool(
        "read_thread",
        "What was said and done in a conversation.",
        ReadArgs,
        Entries,
        ("thread.history",),
        reads=True,
        again=True,
    ),
    OfferedTool(
        "list_playbooks",
        "The playbooks that can be run, and what they take.",
        workflows.WorkflowList,
        workflows.PlaybookRows,
        ("workflow.list",),
        "workflow.list",
        True,
        True,
    ),
    OfferedTool(
        "run_playbook",
        "Begin a run of a playbook. It goes on by itself: look at it with playbook_run.",
        PlayArgs,
        workflows.PlayBegun,
        ("workflow.start",),
        "workflow.start",
        says_so=True,
    ),
    OfferedTool(
        "playbook_run",
        "How a run of a playbook stands, step by step.",
        workflows.WorkflowStatus,
        workflows.PlayDetail,
        ("workflow.status",),
        "workflow.status",
        True,
        True,
    ),
    OfferedTool(
        "list_approvals",
        "What agents wait to be told by people before they go on. They answer with `sulla approvals`, where the daemon "
        "runs, or in another client of Sulla's.",
        wire.ApprovalList,
        wire.Questions,
        ("approval.list",),
        "approval.list",
        True,
        True,
    ),
    OfferedTool(
        "answer_approval",
        "Answer one of these, as a person has decided: approve or reject an approval (always: and all like it); "
        "run_again, give_up or result (with text) a review; result with text what else is asked.",
        wire.ApprovalAnswer,
        AnsweredReply,
        ("approval.answer",),
        for_people=True,
    ),
)
"""All tools, in the order in which they are listed."""
BY_NAME: Final = {offer.name: offer for offer in OFFERS}


def _untitled(shape: JsonObject) -> JsonObject:
    return {name: value for name, value in shape.items() if name not in ("title", "description")}


def _closed(shape: Json) -> Json:
    """The same, where no object has a field that is not described."""
    if isinstance(shape, list):
        return [_closed(part) for part in shape]
    if not isinstance(shape, dict):
        return shape
    found = {name: _closed(part) for name, part in shape.items()}
    return {**found, "additionalProperties": False} if "properties" in shape and "type" in shape else found
