"""A thread's log in the making, of which each head is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.head import from_head, to_head
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin
from sulla.threads.log.kept import FLAT
from sulla.threads.log.plays import Play, Question
from sulla.threads.log.usage import Usage

READ_FROM_THE_LOG = {
    *("context.transcript", "context.summary.text", "context.summary.first_kept"),
    *("inbox.waiting", "inbox.controls", "newest.outcome"),
}
"""What a head leaves out, or shortens."""
CALL = CallId("call_1")


def known(part: Any, path: str = "") -> Iterator[tuple[str, object]]:
    """What a state knows, field by field, those of its parts too."""
    for field in fields(part):
        value = getattr(part, field.name)
        if field.metadata == FLAT:
            yield from known(value, f"{path}{field.name}.")
        else:
            yield f"{path}{field.name}", value


class Log:
    """A thread's log in the making; after each record its head gives back what the fold knows."""

    def __init__(self, play: Play | None = None) -> None:
        self.state = THREAD_SCHEMA.new(ThreadId("thr"))
        self.seq = 0
        self.offer(f.ThreadCreated("sulla", graph="playbook" if play else "", play=play))

    def offer(self, fact: Fact) -> int:
        self.seq += 1
        THREAD_SCHEMA.offer(self.state, fact, self.seq, Origin(self.seq, RunId(f"run_{self.seq}")))
        self._check()
        return self.seq

    def suspended(self) -> bool:
        return self.state.suspended

    def owes_end(self) -> bool:
        return bool(self.state.end_heard_by)

    def say(self, question: Question | None = None, *, tainted: bool = False) -> int:
        return self.offer(f.Input(MessageId(f"m{self.seq + 1}"), "go", question=question, tainted=tainted))

    def decide(self, *facts: Fact) -> None:
        for fact in facts:
            self.seq += 1
            THREAD_SCHEMA.decide(self.state, fact, Origin(self.seq))
            self._check()

    def start(self, seq: int) -> None:
        self.decide(f.RunStarted(seq, MessageId(f"m{seq}")))

    def finish(self, seq: int, outcome: f.Outcome | None = None) -> None:
        self.decide(f.RunFinished(RunId(f"run_{seq}"), outcome or f.Outcome("done")))

    def reply(self, tool: str, args: dict[str, Json]) -> None:
        call = ToolCall(CALL, tool, args)
        message_id = MessageId("reply")
        self.decide(f.TextMessageEnd(CallId("model"), message_id, "", (call,), usage=Usage(30, 4, cost_micro=9)))
        self.decide(f.ToolCallStart(CALL, tool, args, message_id, "pure"))

    def _check(self) -> None:
        body = to_head(THREAD_SCHEMA, self.state, self.seq, 3)
        found, unread = from_head(THREAD_SCHEMA, self.state.thread_id, body)
        assert unread.pending == tuple(sorted(self.state.inbox.waiting)) + tuple(sorted(self.state.inbox.controls))
        here, there = dict(known(self.state)), dict(known(found))
        for name in here.keys() - READ_FROM_THE_LOG:
            assert there[name] == here[name], name
