"""What branches of a flow come to: in words for whoever comes next, and in values for the flow itself. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from sulla.agent.subagents.reports import finding_of
from sulla.core.ids import OF_A_FLOW, CallId, derived_id
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Message, ToolResult
from sulla.core.run import Run
from sulla.threads.log.state import ThreadState
from sulla.threads.log.transcript import Transcript

RUN_BRANCHES: Final = "run_branches"
"""The tool that has the branches of a parallel node work; the walk alone calls it."""
ANSWER: Final = "give_answer"
"""The tool by which a part says what comes of it."""


def branch_id(run_id: str, call_id: str, at: object) -> str:
    """The id of a branch among the children of its run.

    Args:
        run_id: the run's.
        call_id: of the call that has it work.
        at: which branch it is, from 0.
    """
    return derived_id(OF_A_FLOW, run_id, call_id, str(at))


def given_in(message: Message, state: ThreadState, run: Run) -> JsonObject:
    """What parts of the branches came to that a reply has had work: of two that give the same, the later branch's.

    Args:
        message: the reply.
        state: the thread.
        run: its open run.
    """
    found: JsonObject = {}
    for call in message.calls:
        branches = call.args.get("branches") if call.name == RUN_BRANCHES else None
        for at in branches if isinstance(branches, list) else ():
            finding = finding_of(state, branch_id(run.id, call.id, at))
            if finding is not None and finding.good:
                found |= finding.report.given or {}
    return found


def said_in(state: ThreadState) -> str:
    """What a branch comes to: what the parts of it said that people see, and what its own branches came to, each in its
    order; where there is neither, what the last part said. Behind that stands what the last part gave as a value.

    Args:
        state: the branch's thread; its flow is over.
    """
    asked = state.run.message.id if state.run is not None else ""
    said, hidden, value = list[str](), "", ""
    names: dict[CallId, str] = {}
    for message in _since(asked, state.context.transcript):
        names |= {call.id: call.name for call in message.calls}
        if message.role == "tool":
            results = [part for part in message.parts if isinstance(part, ToolResult)]
            said += [one.text for one in results if names.get(one.call_id) == RUN_BRANCHES]
        elif message.role == "assistant":
            answers = [dict(call.args) for call in message.calls if call.name == ANSWER]
            value = json.dumps(answers[-1], ensure_ascii=False) if answers else ""
            if not message.calls and message.text.strip():
                hidden = message.text
                said += [] if message.hidden else [message.text]
    return "\n\n".join(one for one in (*(said or [hidden]), value) if one)


def _since(asked: str, transcript: Transcript) -> Sequence[Message]:
    """The messages behind the one that a turn answers."""
    messages = list(transcript)
    return messages[next((at + 1 for at, one in enumerate(messages) if one.id == asked), 0) :]
