"""A playbook's run as the original desktop client is told of it: ``workflow_execution_event``. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.gateway.commands import Event
from sulla.gateway.dialects.hub.frames import Conversation, HubEvent
from sulla.gateway.dialects.step_reader import Retellings
from sulla.gateway.dialects.steps import StepAsked, StepEnded, WentOn

_NODES: Final = {
    "STEP_STARTED": "node_started",
    "STEP_COMPLETED": "node_completed",
    "STEP_FAILED": "node_failed",
    "STEP_RETRY": "node_retrying",
    "STEP_SKIPPED": "node_skipped",
    "STEP_CANCELLED": "node_skipped",
}
_RUNS: Final = {
    "RUN_STARTED": "workflow_started",
    "RUN_REOPENED": "workflow_started",
    "RUN_RESUMED": "workflow_started",
}
_ENDS: Final = {
    "completed": "workflow_completed",
    "transferred": "workflow_completed",
    "cancelled": "workflow_aborted",
}
"""How a run may end; in any other way it failed."""
_OUTPUT_CHARS: Final = 20_000
"""What the client shows of a result at the most."""


class PlayRun:
    """What happens in a playbook's run, as frames of the conversation that it was begun from.

    Args:
        thread_id: the run's own thread.
        conversation: where it was begun.
    """

    def __init__(self, thread_id: str, conversation: Conversation) -> None:
        self.thread_id = thread_id
        self.conversation = conversation
        self.over = False
        self._turns = Retellings()
        self._name = ""
        self._total = 0
        self._numbers: dict[str, int] = {}
        """Which step was begun how late, by its address."""
        self._open: dict[str, None] = {}
        """Steps that were begun, and have not ended."""

    def take(self, event: Event) -> list[HubEvent]:
        """What an event of its thread says."""
        data = event.data
        match event.type, data:
            case "THREAD_CREATED", {"play": {"name": str(name), **play}}:
                steps = play.get("steps", 0)
                self._name, self._total = name, steps if isinstance(steps, int) else 0
                return []
            case "PLAYBOOK", {"what": str(what)}:
                detail = data.get("detail")
                return self._played(what, str(data.get("at", "")), detail if isinstance(detail, dict) else {}, event)
        found = list[HubEvent]()
        for _, step in self._turns.take(event):
            match step:
                case StepAsked():
                    found += [*self._waiting(step, event), *self.conversation.ask(self.thread_id, step)]
                case WentOn():
                    self.conversation.questions.settle(self.thread_id)
                case StepEnded(status=status):
                    found += self._end(status, event)
        return found

    def _played(self, what: str, at: str, detail: JsonObject, event: Event) -> list[HubEvent]:
        if what in _NODES:
            if at not in self._numbers:
                self._numbers[at] = len(self._numbers) + 1
            self._open.pop(at, None)
            if what == "STEP_STARTED":
                self._open[at] = None
            return [self._event(_NODES[what], event, at, _about(what, detail))]
        if what in _RUNS:
            self.over = False
            self.conversation.play_began(self.thread_id)
            return [self._event(_RUNS[what], event)]
        if what == "RUN_PAUSED":
            return [self._event("workflow_paused", event), *self.conversation.play_ended(self.thread_id)]
        if what == "RUN_ENDED":
            return self._end(str(detail.get("status", "failed")), event, detail)
        return []

    def _end(self, status: str, event: Event, detail: JsonObject | None = None) -> list[HubEvent]:
        if self.over:
            return []
        self.over = True
        said = self._event(_ENDS.get(status, "workflow_failed"), event, more=_about("RUN_ENDED", detail or {}))
        # The conversation is told of any other end in its own log, and may have a turn about it.
        return [said, *self.conversation.play_ended(self.thread_id)] if status == "transferred" else [said]

    def _waiting(self, asked: StepAsked, event: Event) -> list[HubEvent]:
        """The step that waits is known where no other one is at work."""
        more: JsonObject = {"prompt": asked.asks[0].prompt}
        nodes = [self._event("node_waiting", event, at, more) for at in self._open if len(self._open) == 1]
        return [*nodes, self._event("workflow_waiting", event, more=more)]

    def _event(self, type_: str, event: Event, at: str = "", more: JsonObject | None = None) -> HubEvent:
        data: JsonObject = {"type": type_, "thread_id": self.conversation.name, "timestamp": stamp(event.at_ms)}
        data |= {"workflowId": self._name, "executionId": self.thread_id, "totalNodes": self._total}
        if at:
            data |= {"nodeId": at, "nodeLabel": at, "nodeIndex": self._numbers.get(at, 0)}
        return HubEvent("workflow_execution_event", data | (more or {}))


def _about(what: str, detail: JsonObject) -> JsonObject:
    """What a fact of the machine's says beside where it happened."""
    match what, detail:
        case "STEP_COMPLETED", {"value": value}:
            return {"output": _clipped(value)}
        case "RUN_ENDED", {"failure": {"message": str(message)}}:
            return {"error": message}
        case "RUN_ENDED", {"outputs": dict() as outputs}:
            return {"output": _clipped(outputs)}
        case "STEP_FAILED" | "STEP_RETRY", {"failure": {"message": str(message)}}:
            return {"error": message}
        case "STEP_SKIPPED", {"why": str(why)}:
            return {"reason": why}
        case _:
            return {}


def _clipped(value: Json) -> Json:
    return value[:_OUTPUT_CHARS] if isinstance(value, str) else value
