"""One run within a log: its model calls, its tools and their results, by rules of their own. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from sulla.core.message import ToolCall
from sulla.flows.slice import FlowMoved, FlowPartStarted, FlowStarted
from sulla.handoffs.slice import AgentRouted
from sulla.heartbeat import beats
from sulla.playbooks import records as p
from sulla.procedures.slice import ProcedureMoved
from sulla.routes.slice import RouteBriefed, RouteEnded, RouteMoved, RouteTaken
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import is_child_wait, wait_of
from sulla.threads.log.plays import Question
from sulla.threads.log.records import (
    Answer,
    Input,
    InputHandled,
    ModelAbandoned,
    ModelStarted,
    Reminder,
    Resumed,
    RunPaused,
    Suspended,
    TextMessageEnd,
    ToolCallResult,
    ToolCallStart,
)
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import RunWaiting, Wait
from tests.simulation.history_beat import BeatReading
from tests.simulation.history_play import PlayReading
from tests.simulation.history_reading import LogReading


@dataclass(slots=True)
class RunReading:
    """The run that is open; each method takes the next record of a kind."""

    id: str
    seq: int
    """Where it started."""
    reading: LogReading
    play: PlayReading | None = None
    """Of the playbook that it walks."""
    question: Question | None = None
    """What a playbook wants to know of it."""
    call: ModelStarted | None = None
    replied: set[str] = field(default_factory=set)
    """Requests that were answered."""
    asked_for: dict[str, str] = field(default_factory=dict)
    """Tool calls of its replies, each with its message."""
    unanswered: dict[str, int] = field(default_factory=dict)
    """Calls without a result, by the record that asked for them."""
    intents: set[str] = field(default_factory=set)
    granted: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    """Calls that a person said no to, or that nobody answered in time."""
    waits: dict[str, Wait] = field(default_factory=dict)
    """What it waits for, by wait id."""
    usage: Usage = field(default_factory=Usage)
    put_off: set[str] = field(default_factory=set)
    """Calls that were neither waited for nor had a result when it was suspended: its daemon was about to stop."""
    crashes: int = 0
    speaker: str = ""
    """Who has the conversation, once that is known."""
    beat: BeatReading = field(init=False)

    def __post_init__(self) -> None:
        """A run of a heartbeat is a beat."""
        self.beat = BeatReading(self.reading)

    @property
    def only_waits(self) -> bool:
        """Whether all that is left to do waits for answers."""
        if self.play is not None:
            return self.play.resting
        calls = {wait.call_id for wait in self.waits.values()}
        return bool(self.waits) and self.unanswered.keys() == calls - {""}

    def model_started(self, entry: Entry, fact: ModelStarted) -> None:
        """A model call is about to be made."""
        self._nothing_put_off(entry)
        if self.call is not None:
            wanted = f"an end of call {self.call.call_id} first"
            self.reading.breach(entry.seq, "paid once", wanted, f"call {fact.call_id}")
        if self.unanswered:
            wanted = f"results of {sorted(self.unanswered)} first"
            self.reading.breach(entry.seq, "results", wanted, f"call {fact.call_id}")
        if fact.request_hash and fact.request_hash in self.replied:
            self.reading.breach(entry.seq, "paid once", f"no request {fact.request_hash}: it was answered", "it again")
        self.call = fact
        self.reading.started[fact.request_hash] += 1

    def model_abandoned(self, entry: Entry, fact: ModelAbandoned) -> None:
        """A model call came to nothing."""
        call = self._closes(entry, fact.call_id)
        if not fact.asked:
            return  # it was refused, or reached nobody: nothing is charged for it
        if call is not None:
            taken = fact.usage.total if fact.usage is not None else call.reserved_tokens
            self.reading.sums.charge(taken, entry.origin.at_ms)
        self.usage += fact.usage or Usage()

    def text_message_end(self, entry: Entry, fact: TextMessageEnd) -> None:
        """A model call was answered."""
        call = self._closes(entry, fact.call_id)
        if call is not None:
            self.reading.sums.charge(fact.usage.total or call.reserved_tokens, entry.origin.at_ms)
            if not fact.cut:
                self.replied.add(call.request_hash)
                self.reading.replied[call.request_hash] += 1
        self.usage += fact.usage
        for part in fact.parts:
            if isinstance(part, ToolCall):
                self.asked_for[part.id] = fact.message_id
                self.unanswered[part.id] = entry.seq

    def _closes(self, entry: Entry, call_id: str) -> ModelStarted | None:
        call, self.call = self.call, None
        if call is None or call.call_id != call_id:
            under_way = "none" if call is None else call.call_id
            self.reading.breach(entry.seq, "paid once", f"call {call_id} to be under way", under_way)
            return None
        return call

    def tool_call_start(self, entry: Entry, fact: ToolCallStart) -> None:
        """A tool is about to run."""
        if self.asked_for.get(fact.call_id) != fact.message_id or fact.call_id not in self.unanswered:
            wanted = f"call {fact.call_id} to be asked for in {fact.message_id}, and without a result"
            self.reading.breach(entry.seq, "results", wanted, "no such call, or its result")
        elif fact.call_id in self.intents and fact.call_id not in self.granted:
            self.reading.breach(entry.seq, "once", f"a permission to run {fact.call_id} again", "none")
        self.granted.discard(fact.call_id)
        self.intents.add(fact.call_id)
        self.reading.intents.setdefault(f"{self.id}:{fact.call_id}", entry.seq)

    def tool_call_result(self, entry: Entry, fact: ToolCallResult) -> None:
        """A tool call has its result."""
        self._nothing_put_off(entry)
        if self.unanswered.pop(fact.call_id, None) is None:
            self.reading.breach(entry.seq, "results", f"call {fact.call_id} to have no result yet", "another result")
        elif fact.call_id not in self.intents:
            self.reading.breach(entry.seq, "intent first", f"an intent of {fact.call_id} before its result", "none")
        if (fact.failure == "human_rejected") is not (fact.call_id in self.refused):
            wanted = f"what a person answered to {fact.call_id}"
            self.reading.breach(entry.seq, "delivered once", wanted, fact.failure or "the call made")

    def routed(self, entry: Entry, fact: AgentRouted) -> None:
        """Another agent has the conversation, once all that the one before it has asked for is there."""
        self._nothing_asked(entry, f"{fact.agent} speaks")
        if fact.before == fact.agent or self.speaker not in ("", fact.before):
            wanted = f"another agent after {self.speaker or fact.before}"
            self.reading.breach(entry.seq, "handed over", wanted, f"{fact.agent} after {fact.before}")
        self.speaker = fact.agent

    def suspended(self, entry: Entry, fact: Suspended) -> None:
        """The run waits."""
        waits = {wait.wait_id: wait for wait in fact.waits}
        if self.play is not None:
            self.waits = waits  # it takes up by itself what it waited for
            return self.play.suspended(entry, fact)
        calls = {wait.call_id for wait in fact.waits if wait.call_id}
        cycle = self.beat.at_work
        if {wait.wait_id for wait in fact.waits if not wait.call_id} - {wait_of(cycle.child) if cycle else ""}:
            self.reading.breach(entry.seq, "in cycles", f"a wait for the cycle at work, {cycle}", f"{sorted(waits)}")
        if calls - self.unanswered.keys() or not waits:
            wanted = f"waits for calls without a result, {sorted(self.unanswered)}"
            self.reading.breach(entry.seq, "results", wanted, f"waits for {sorted(calls)}")
        self.put_off = self.unanswered.keys() - calls
        if self.waits.keys() - waits.keys():
            self.reading.breach(entry.seq, "results", f"{sorted(self.waits)}, as before", f"{sorted(waits)}")
        self.waits = waits
        return None

    def taken_up(self, entry: Entry, fact: Resumed) -> None:
        """Another life of the run begins."""
        if self.only_waits:
            wanted = f"an answer to {sorted(self.waits)}"
            self.reading.breach(entry.seq, "delivered once", wanted, fact.reason)
        wanted_crashes = self.crashes + (fact.reason == "crashed")
        if fact.crashes != wanted_crashes:
            wanted = f"{wanted_crashes} crashes of run {self.id}"
            self.reading.breach(entry.seq, "crashes", wanted, str(fact.crashes))
        self.crashes = fact.crashes
        self.put_off = set()

    def answered(self, entry: Entry, fact: Resumed, answer: object) -> None:
        """Something that the run waited for has come."""
        self._nothing_put_off(entry)
        wait = self.waits.pop(fact.wait_id, None)
        if not isinstance(answer, Answer) or answer.wait_id != fact.wait_id or wait is None:
            wanted = f"{fact.wait_id} to be waited for and answered"
            self.reading.breach(entry.seq, "delivered once", wanted, str(answer))
        elif is_child_wait(wait.wait_id):  # the call looks again, and says what else it waits for
            self.waits = {name: other for name, other in self.waits.items() if other.call_id != wait.call_id}
        elif wait.digest:  # the call was not made yet
            (self.granted if answer.verdict in ("approve", "always") else self.refused).add(wait.call_id)
        elif answer.verdict == "run_again":
            self.granted.add(wait.call_id)
            self.reading.permits[f"{self.id}:{wait.call_id}"] += 1

    def woken(self, entry: Entry, fact: Resumed, offered: Collection[object]) -> None:
        """A playbook looks up: what it waits for is there or over, or somebody wants something of it."""
        heard = any(isinstance(one, p.PlaybookAsked) or _answers(one, self.waits) for one in offered)
        late = any(0 < wait.expires_ms <= entry.origin.at_ms for wait in self.waits.values())
        if self.play is None or not self.play.resting or not (heard or late):
            wanted = f"a playbook's run at rest, and a reason among {sorted(self.waits)}"
            self.reading.breach(entry.seq, "delivered once", wanted, "none")
        if fact.crashes != self.crashes:
            self.reading.breach(entry.seq, "crashes", f"{self.crashes} crashes of run {self.id}", str(fact.crashes))
        if self.play is not None:
            self.play.resting = False

    def steered(self, entry: Entry, item: Input | None) -> None:
        """Its calls wait for children no longer, because of a message."""
        if item is None or item.mode != "steer" or not all(map(is_child_wait, self.waits)):
            wanted = "a message that steers, and waits for nothing but sub-agents"
            self.reading.breach(entry.seq, "delivered once", wanted, f"{item}; {sorted(self.waits)}")
        self.waits = {}

    def expired(self, entry: Entry, fact: Resumed) -> None:
        """Nobody said in time whether a call may be made."""
        wait = self.waits.pop(fact.wait_id, None)
        if wait is None or not wait.digest or not 0 < wait.expires_ms <= entry.origin.at_ms:
            wanted = f"{fact.wait_id} to be waited for, and its time over"
            self.reading.breach(entry.seq, "delivered once", wanted, str(wait))
        else:
            self.refused.add(wait.call_id)

    def flow_part(self, entry: Entry, fact: FlowPartStarted) -> None:
        """A part of a flow begins, once all that the one before it has asked for is there."""
        self._nothing_asked(entry, f"the part {fact.part.key} begins")
        self.speaker = fact.part.agent

    def flow_moved(self, entry: Entry, fact: FlowMoved) -> None:
        """A walk goes on, and whose turn it is has the conversation again."""
        self._nothing_asked(entry, f"the flow goes on behind {fact.place}")
        self.speaker = ""

    def _nothing_asked(self, entry: Entry, found: str) -> None:
        if self.call is not None or self.unanswered:
            left = self.call.call_id if self.call is not None else sorted(self.unanswered)
            self.reading.breach(entry.seq, "handed over", f"an end of {left} first", found)

    def _nothing_put_off(self, entry: Entry) -> None:
        if self.put_off:
            wanted = f"another life of the run first, which goes on with {sorted(self.put_off)}"
            self.reading.breach(entry.seq, "results", wanted, entry.kind)

    def nothing(self, entry: Entry, fact: object) -> None:
        """Needs nothing but the open run."""


def _answers(offered: object, waits: Collection[str]) -> bool:
    return isinstance(offered, Answer) and offered.wait_id in waits


RUN_RULES: dict[type, Callable[[RunReading, Entry, Any], None]] = {
    InputHandled: RunReading.nothing,
    Reminder: RunReading.nothing,
    ModelStarted: RunReading.model_started,
    ModelAbandoned: RunReading.model_abandoned,
    TextMessageEnd: RunReading.text_message_end,
    ToolCallStart: RunReading.tool_call_start,
    ToolCallResult: RunReading.tool_call_result,
    AgentRouted: RunReading.routed,
    FlowStarted: RunReading.nothing,
    FlowPartStarted: RunReading.flow_part,
    FlowMoved: RunReading.flow_moved,
    **dict.fromkeys((RouteTaken, RouteBriefed, RouteMoved, RouteEnded, ProcedureMoved), RunReading.nothing),
    Suspended: RunReading.suspended,
    RunPaused: RunReading.nothing,
    RunWaiting: RunReading.nothing,
    beats.BeatStarted: lambda run, entry, fact: run.beat.started(entry, fact),
    beats.BeatSkipped: lambda run, entry, fact: run.beat.skipped(entry, fact),
    beats.CycleStarted: lambda run, entry, fact: run.beat.cycle_started(entry, fact),
    beats.BeatEnded: lambda run, entry, fact: run.beat.ended(entry, fact),
}
