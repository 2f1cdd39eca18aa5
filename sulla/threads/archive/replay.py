"""Folding a thread that comes from a file, record by record; one that no daemon could have written is refused. Pure."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.core.event import Fact
from sulla.core.ids import RunId, ThreadId, derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import ChildCancelled, ChildReported
from sulla.threads.log.plays import AnswerGiven
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.state import ThreadState
from sulla.threads.offers import dedupe_id, digest, run_of

IMPORTED = "imported"
"""Why what was under way in a thread does not go on here."""

RUN_FIELDS = {
    "RUN_FINISHED": ("run_id", "joined"),
    "RUN_ERROR": ("run_id",),
    "INPUTS_JOINED": ("run_ids",),
    "CHILD_STARTED": ("run_id",),
    "PLAYBOOK_BEGAN": ("run_id",),
}
"""Where records name runs beside their envelope."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A record's data as it is, without a detour over the fact: what is written again is what was read."""

    kind: str
    body: JsonObject

    def data(self) -> JsonObject:
        """The data."""
        return self.body


@dataclass(frozen=True, slots=True)
class Offering:
    """How a replayed input is offered, so that the same one is known when it comes again."""

    dedupe_id: str
    digest: bytes


class Replay:
    """Folds entries in as they come.

    Args:
        schema: what threads hold.
        thread_id: whose they are.
        ceiling_tokens: how much of the conversation is kept in memory.
    """

    def __init__(self, schema: ThreadSchema, thread_id: ThreadId, ceiling_tokens: int) -> None:
        self.state = schema.new(thread_id)
        self._schema = schema
        self._ceiling = ceiling_tokens
        self._known: set[str] = set()

    def take(self, entry: Entry) -> Offering | None:
        """Fold the next one in.

        Returns:
            How to offer it; None for a decision.

        Raises:
            InvalidInput: it cannot follow what came before it; the message names the record.
        """
        try:
            return self._take(entry)
        except (CorruptRecord, InvalidInput) as error:
            raise InvalidInput(f"record {entry.seq} ({entry.kind[:40]}): {error.message}") from None

    def _take(self, entry: Entry) -> Offering | None:
        fact = entry.fact
        if (entry.seq == 1) is not isinstance(fact, f.ThreadCreated):
            raise InvalidInput("a thread begins with THREAD_CREATED, and has it once")
        if fact is None:
            raise InvalidInput("this Sulla knows no such record: import it with the one that made it")
        if self._schema.is_offer(fact):
            return self._offered(fact, entry)
        self._schema.decide(self.state, fact, entry.origin)
        if isinstance(fact, f.RunFinished | f.RunError):
            self.state.context.transcript.fit(self._ceiling)
        return None

    def _offered(self, fact: Fact, entry: Entry) -> Offering:
        if isinstance(fact, f.Input) and entry.origin.run_id != run_of(self.state.thread_id, fact.message_id):
            raise InvalidInput("its run_id is not the one that follows from the thread's and the message's id")
        # What has no name of its own gets one that no client can send: `#` is not allowed in ids.
        known_as = dedupe_id(fact, f"#{entry.seq}")
        if known_as in self._known:
            raise InvalidInput(f"{known_as!r} was offered before, and a thread takes it once")
        self._known.add(known_as)
        self._schema.offer(self.state, fact, entry.seq, entry.origin)
        return Offering(known_as, digest(fact))


class Renamed:
    """Makes a thread's records those of a copy: each run gets the id that follows from the copy's own.

    Args:
        thread_id: the copy.
    """

    def __init__(self, thread_id: ThreadId) -> None:
        self._thread_id = thread_id
        self._runs: dict[str, RunId] = {}

    def take(self, entry: Entry) -> Entry:
        """The next record of the copy."""
        run_id, fact = entry.origin.run_id, entry.fact
        if isinstance(fact, f.Input) and run_id is not None:
            self._runs[run_id] = run_of(self._thread_id, fact.message_id)
        origin = replace(entry.origin, run_id=self._new(run_id) if run_id is not None else None)
        data = dict(entry.data)
        for name in RUN_FIELDS.get(entry.kind, ()):
            if name in data:
                data[name] = self._renamed(data[name])
        return replace(entry, origin=origin, data=data)

    def _renamed(self, value: Json) -> Json:
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        return self._new(value) if isinstance(value, str) else value

    def _new(self, run_id: str) -> RunId:
        return self._runs.get(run_id) or RunId(derived_id("run", self._thread_id, run_id))


def leftovers(state: ThreadState, now_ms: int, why: str = IMPORTED) -> list[Fact]:
    """What puts away the inputs that still wait, and ends the runs that their senders were promised.

    Other threads that it had to do with are where they were: nothing is told to them from here.

    Args:
        state: a thread without an open run.
        now_ms: UTC milliseconds.
        why: a stable word.
    """
    facts: list[Fact] = []
    for seq in sorted(state.inbox.waiting.keys() | state.inbox.controls.keys()):
        facts.append(f.InputIgnored(seq, why))
        if (item := state.inbox.waiting.get(seq)) is not None:
            facts.append(f.RunFinished(item.run_id, f.Outcome("cancelled", reason=why, updated_at_ms=now_ms)))
    facts += [ChildCancelled(child) for child in state.links.children]
    facts += [AnswerGiven(wait_id, known=False) for wait_id in state.links.owes]
    if state.identity.birth is not None and not state.links.reported:
        facts.append(ChildReported(state.identity.birth.id, known=False))
    if state.end_heard_by and (news := state.kind.end_news.delivery(state)) is not None:
        facts.append(news.done(False))
    return facts
