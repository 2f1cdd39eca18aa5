"""Events of a thread, made by hand."""

from __future__ import annotations

from typing import Any

from sulla.gateway.commands import Event
from sulla.gateway.dialects.step_reader import StepReader
from sulla.gateway.dialects.steps import Step


class Log:
    """A thread's events, numbered in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._seq = 0

    def kept(self, type_: str, run_id: str | None = "run_1", /, **data: Any) -> Event:
        """Something that is kept."""
        self._seq += 1
        return self._add(self._seq, type_, run_id, data)

    def live(self, type_: str, run_id: str | None = "run_1", /, **data: Any) -> Event:
        """Something that is shown."""
        return self._add(None, type_, run_id, data)

    def _add(self, seq: int | None, type_: str, run_id: str | None, data: dict[str, Any]) -> Event:
        event = Event("thr_1", seq, run_id, None, "sulla", 0, type_, 1_800_000_000_000, data)
        self.events.append(event)
        return event


def steps(log: Log, run_id: str = "run_1") -> list[Step]:
    """What the log says of one turn."""
    retelling = StepReader(run_id)
    return [step for event in log.events for step in retelling.take(event)]


def full_turn() -> Log:
    """A turn with all that can happen in one: reasoning, a reply that came to nothing, a tool, a question, a nudge."""
    log = Log()
    log.kept("INPUT", message_id="m1", text="Post it")
    log.kept("RUN_STARTED", input_seq=1, message_id="m1")
    log.kept("MODEL_STARTED", call_id="c1", message_id="a")
    log.live("REASONING_MESSAGE_CONTENT", message_id="a", offset=0, delta="Hm.")
    log.live("TEXT_MESSAGE_CONTENT", message_id="a", offset=0, delta="Le")
    log.kept("MODEL_ABANDONED", call_id="c1", message_id="a", reason="lost")
    log.kept("MODEL_STARTED", call_id="c2", message_id="b", attempt=2)
    log.live("TEXT_MESSAGE_CONTENT", message_id="b", offset=0, delta="Let me ")
    log.live("TEXT_MESSAGE_CONTENT", message_id="b", offset=7, delta="look")
    log.kept("TEXT_MESSAGE_END", call_id="c2", message_id="b", text="Let me look.")
    log.kept("TOOL_CALL_START", call_id="t1", name="look", args={"at": "home"}, message_id="b")
    log.kept("TOOL_CALL_START", call_id="t2", name="post", args={"text": "grüß 🙂"}, message_id="b")
    log.live("TOOL_CALL_PROGRESS", call_id="t1", note={"done": 1})
    log.kept("TOOL_CALL_RESULT", call_id="t1", text="It is green.")
    wait = {"wait_id": "approval:t2", "call_id": "t2", "prompt": "May I post this?", "tool": "post", "target": "host:x"}
    log.kept("SUSPENDED", waits=[wait])
    log.kept("ANSWER", None, wait_id="approval:t2", text="", verdict="approve")
    log.kept("RESUMED", reason="answered", wait_id="approval:t2", input_seq=11)
    log.kept("TOOL_CALL_RESULT", call_id="t2", text="no such host", is_error=True)
    log.kept("INPUT", "run_2", message_id="m2", text="And?")
    log.kept("MODEL_STARTED", call_id="c3", message_id="c")
    log.kept("TEXT_MESSAGE_END", call_id="c3", message_id="c", text="It did not work.")
    log.kept("MODEL_STARTED", call_id="c4", message_id="d", purpose="nudge")
    log.live("TEXT_MESSAGE_CONTENT", message_id="d", offset=0, delta="<")
    log.kept("TEXT_MESSAGE_END", call_id="c4", message_id="d", text="", hidden=True)
    usage = {"input_tokens": 10, "cache_read_tokens": 5, "cache_write_tokens": 1, "output_tokens": 3}
    log.kept("RUN_FINISHED", run_id="run_1", outcome={"status": "done", "response": "No."}, usage=usage)
    log.kept("RUN_STARTED", "run_2", input_seq=14, message_id="m2")
    return log
