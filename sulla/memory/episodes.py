"""From a thread's log to its episodes: one for each run that ended, and each agent that spoke in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any, Final

from sulla.agent.input.sanitize import sanitize
from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.core.ids import RunId, ThreadId, derived_id
from sulla.memory.note import MAX_ASKED, MAX_TEXT, MAX_TOOLS, MemoryNote, ReadPosition
from sulla.models.catalog import OFFLINE
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import FORKED
from sulla.threads.log.inputs import said_of
from sulla.threads.log.provenance import from_outside
from sulla.threads.log.records import (
    Input,
    InputsJoined,
    RunError,
    RunFinished,
    RunStarted,
    TextMessageEnd,
    ThreadCreated,
    ToolCallStart,
)

MOST_PARTS: Final = 8
"""Agents of one run that are remembered, the newest."""
_NOBODY_S: Final = frozenset({"beat", "playbook"})
"""Where a message comes from that no person wrote."""
_OF_A_PLAYBOOK: Final = "PLAYBOOK"
"""The kind of the records of a playbook's run."""
_HANDED: Final = "AGENT_ROUTED"
_IN_ITS_PART: Final = "FLOW_PART_STARTED"
"""The kinds of the records that another agent speaks from here on."""


@dataclass(slots=True)
class _Part:
    """What one agent did in a run, from where it had the conversation."""

    agent: str
    said: str = ""
    tools: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _OpenEpisode:
    """An episode that has no end yet: its message waits, or its run goes on."""

    seq: int
    asked: list[str]
    tainted_before: bool
    """Whether anything that stands before it came from what nobody trusts."""
    parts: list[_Part]
    """One for each agent that spoke, in this order."""
    errand: bool
    """Whether no person spoke in it."""
    kept: bool = True
    """Whether it is worth remembering: the stand-in's fixed words would only be told to a real model later."""


class EpisodeReader:
    """Takes the entries of one log in order and gives the episodes of the runs that end among them.

    What it holds is bounded by the messages that may wait in a thread and the sizes in `note`.

    Args:
        thread_id: whose log it is.
        progress: how far it was read before; the first entry given is the one behind `from_seq`.
    """

    def __init__(self, thread_id: ThreadId, progress: ReadPosition) -> None:
        self._thread_id = thread_id
        self._created_ms = progress.created_ms
        self._last = progress.from_seq
        self._done = progress.done_seq
        self._tainted = progress.tainted
        self._silent = progress.silent
        self._errand = progress.errand
        self._open: dict[RunId, _OpenEpisode] = {}

    @property
    def progress(self) -> ReadPosition:
        """How far the log has been read; reading on from there gives every further episode once."""
        seq, tainted = self._last, self._tainted
        if self._open:
            first = min(self._open.values(), key=lambda one: one.seq)
            seq, tainted = first.seq - 1, first.tainted_before
        of_all = {"silent": self._silent, "errand": self._errand}
        return ReadPosition(self._created_ms, seq, self._done, tainted=tainted, **of_all)

    def read(self, entries: Iterable[Entry]) -> list[MemoryNote]:
        """The episodes of the runs that end among these.

        Raises:
            CorruptRecord: an entry does not have the form of its kind.
        """
        found: list[MemoryNote] = []
        for entry in entries:
            self._last = entry.seq
            found += self._take(entry)
        return found

    def _take(self, entry: Entry) -> list[MemoryNote]:
        run = self._open.get(entry.origin.run_id) if entry.origin.run_id is not None else None
        match entry.fact:
            case ThreadCreated(birth=birth) as fact:
                # What a flow has others do is a part of its turn, and that is remembered.
                self._silent = birth is not None and (not birth.memory or birth.is_of_a_flow)
                self._errand = birth is not None
                self._tainted = self._tainted or from_outside(fact)
                if fact.copies:  # what a copy took over is remembered from where it was said
                    self._done = max(self._done, fact.copies[-1].records)
            case Input() as fact:
                # What a playbook asks is between it and the agent, and what it says is no person's word. What an
                # application says in its user's message is for that conversation alone.
                if entry.origin.run_id is not None and fact.question is None:
                    asked = [said_of(fact.text, fact.said_chars)[:MAX_ASKED]] if fact.origin != "playbook" else []
                    errand, parts = self._errand or fact.origin in _NOBODY_S, [_Part(fact.agent)]
                    self._open[entry.origin.run_id] = _OpenEpisode(entry.seq, asked, self._tainted, parts, errand)
                self._tainted = self._tainted or from_outside(fact)
            case RunFinished() | RunError() as end:
                return self._end(entry, end)
            case _ if entry.kind == _OF_A_PLAYBOOK and run is not None and entry.origin.run_id is not None:
                del self._open[entry.origin.run_id]  # a playbook's own run: its agents' turns are told elsewhere
            case _ if entry.kind in (_HANDED, _IN_ITS_PART) and run is not None:
                said: Any = entry.data if entry.kind == _HANDED else entry.data["part"]
                agent = str(said["agent"])
                before = next((part for part in run.parts if part.agent == agent), None)
                run.parts = [part for part in run.parts if part is not before][-MOST_PARTS + 1 :]
                run.parts.append(before or _Part(agent))
            case fact:
                self._tainted = self._tainted or from_outside(fact)
                if run is not None:
                    self._go_on(run, fact)
        return []

    def _go_on(self, run: _OpenEpisode, fact: Fact | None) -> None:
        match fact:
            case RunStarted():
                run.parts[-1].agent, run.kept = fact.agent or run.parts[-1].agent, fact.model != OFFLINE
            case InputsJoined():
                for joined in fact.run_ids:
                    if (other := self._open.pop(joined, None)) is not None:
                        run.asked += other.asked
                        run.errand = run.errand and other.errand
            case TextMessageEnd(hidden=False):
                run.parts[-1].said = fact.text or run.parts[-1].said
            case ToolCallStart(refused=False):
                run.parts[-1].tools[fact.name] = None
            case _:
                pass  # nothing that an episode tells of

    def _end(self, entry: Entry, end: RunFinished | RunError) -> list[MemoryNote]:
        run = self._open.pop(end.run_id, None)
        if run is None or (isinstance(end, RunFinished) and end.joined is not None) or entry.seq <= self._done:
            return []
        if end.outcome.reason == FORKED:
            return []  # it went on in the conversation that this is a copy of
        self._done = entry.seq
        if not run.kept or self._silent:
            return []
        outcome, (*earlier, last) = end.outcome, run.parts
        failed = end.message if isinstance(end, RunError) else outcome.blocker_reason
        last.said = "\n".join(part for part in (last.said, failed) if part) or outcome.response or outcome.status_report
        worked = [part for part in earlier if part.said or part.tools]
        return [self._note(part, run, entry, end) for part in (*worked, last)]

    def _note(self, part: _Part, run: _OpenEpisode, entry: Entry, end: RunFinished | RunError) -> MemoryNote:
        agent = part.agent or entry.origin.agent
        earlier = () if part is run.parts[-1] else (agent,)
        return MemoryNote(
            derived_id("ep", self._thread_id, str(self._created_ms), end.run_id, *earlier),
            "errand" if run.errand else "episode",
            agent,
            _cut(part.said, MAX_TEXT),
            entry.origin.at_ms,
            agent,
            self._thread_id,
            end.run_id,
            _cut("\n".join(run.asked), MAX_ASKED),
            "failed" if isinstance(end, RunError) else end.outcome.status,
            tuple(part.tools)[:MAX_TOOLS],
            tainted=self._tainted,
        )


def _cut(text: str, most: int) -> str:
    # As the message itself was for the model: no escape codes, nothing hidden.
    return cut(sanitize(text).text.strip(), most)
