"""What the threads of a home can hold: the records of this package, and those that capabilities bring. Pure.

A capability brings a `Slice`: its records, and what they add up to. The schema is made once, when the daemon is put
together, and handed to whatever reads or writes threads; there is no list that code adds itself to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeGuard, TypeVar, get_args

from sulla.core.event import Fact
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.store.values import Record
from sulla.threads.log import records as f
from sulla.threads.log.codec import CORE_FORMS, Entry, Forms, Origin, decode
from sulla.threads.log.fold import apply_decision, touch
from sulla.threads.log.fold_offer import apply_offer
from sulla.threads.log.forms import Form, form_of, to_json
from sulla.threads.log.kind import BY_MODE, CONVERSATION, ThreadKind
from sulla.threads.log.provenance import taints_thread
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Measure, Transcript

S = TypeVar("S")

CORE_OFFERS: Final[tuple[type[Any], ...]] = get_args(f.Offer)
CORE_DECISIONS: Final[tuple[type[Any], ...]] = get_args(f.Decision)


_HEARD_LATER: Final = (f.Input, f.Answer, RunRequest)
"""Offers that wait: their words enter the thread with the decision that takes them up."""


def _add_nothing(state: ThreadState, kept: object, record: Fact, seq: int, origin: Origin) -> None:
    """Records that are there to be seen add up to nothing."""


class Slice(Generic[S]):
    """What a capability keeps in threads: its records, what they add up to, and how that is kept in the head.

    Args:
        name: its field in the head; stable for ever.
        kept: what its records add up to: a frozen dataclass; None for nothing.
        fold: gives what is kept after one more record, from the thread, what was kept (None before the first), the
            record, its number in the log (0 for a decision: it has none yet) and its envelope; None where that stays as
            it is. It may also change the thread, in place.
        offered: its records that anyone may offer. An `Order` among them waits for its run, and is not folded.
        decided: its records that the holder of the lease decides.
        beside: those of them that say nothing of the open run's progress.
    """

    def __init__(
        self,
        name: str,
        kept: type[S] | None = None,
        fold: Callable[[ThreadState, S | None, Any, int, Origin], S | None] = _add_nothing,
        *,
        offered: tuple[type[Any], ...] = (),
        decided: tuple[type[Any], ...] = (),
        beside: tuple[type[Any], ...] = (),
    ) -> None:
        self.name = name
        self.offered = offered
        self.decided = decided
        self.beside = beside
        self.form = Form(kept) if kept is not None else None
        self._fold = fold

    @property
    def records(self) -> tuple[type[Any], ...]:
        """All its records."""
        return (*self.offered, *self.decided)

    def of(self, state: ThreadState) -> S | None:
        """What a thread has of it; None before its first."""
        found: Any = state.slices.get(self.name)
        kept: S | None = found
        return kept

    def put(self, state: ThreadState, kept: S) -> None:
        """Have a thread hold this; for folds alone."""
        state.slices[self.name] = kept

    def take(self, state: ThreadState, record: Fact, seq: int, origin: Origin) -> None:
        """Fold one of its records in.

        Args:
            state: changed in place.
            record: the record.
            seq: its number in the log; 0 for a decision.
            origin: its envelope.
        """
        kept = self._fold(state, self.of(state), record, seq, origin)
        if kept is not None:
            self.put(state, kept)


class ThreadSchema:
    """The records, slices and kinds of a home's threads.

    Args:
        measure: the size of a message in tokens.
        slices: what capabilities keep in threads.
        kinds: what the threads are like on which something else works than an agent's conversation graph.

    Raises:
        ValueError: two of them own the same record, or have the same name.
    """

    def __init__(
        self, measure: Measure, slices: Sequence[Slice[Any]] = (), kinds: Sequence[ThreadKind[Any]] = ()
    ) -> None:
        self.measure = measure
        self.slices = {one.name: one for one in slices}
        self._kinds = {kind.graph: kind for kind in kinds}
        self._owners: dict[type, Slice[Any]] = {}
        forms: dict[str, Form[Any]] = dict(CORE_FORMS)
        self.records: dict[str, type[Any]] = {}
        """Every record by its kind."""
        for cls in (*CORE_OFFERS, *CORE_DECISIONS):
            self.records[cls.kind] = cls
        for one in slices:
            for cls in one.records:
                if cls.kind in forms:
                    raise ValueError(f"{cls.kind} has an owner already: the slice {one.name!r} cannot own it too")
                self._owners[cls] = one
                self.records[cls.kind], forms[cls.kind] = cls, form_of(cls)
        self._offers = frozenset((*CORE_OFFERS, *(cls for one in slices for cls in one.offered)))
        self._decisions = frozenset(self.records.values()) - self._offers
        self.offered = frozenset(cls.kind for cls in self._offers)
        """The kinds of those records that anyone may offer."""
        self.forms: Forms = forms
        """How each record is read."""
        if len(self.slices) < len(slices) or len(self._kinds) < len(kinds) or "" in self._kinds:
            raise ValueError("every slice has a name of its own, and every kind a graph of its own")

    # ------------------------------------------------------------------------------------------------- reading

    def decode(self, record: Record, key: str) -> Entry:
        """A record, opened.

        Args:
            record: what the store gave.
            key: the log it is from, for the error.

        Raises:
            CorruptRecord: the bytes are not what was written.
        """
        return decode(record, key, self.forms)

    def is_offer(self, fact: Fact | None) -> TypeGuard[Fact]:
        """Whether it is a record that anyone may offer."""
        return type(fact) in self._offers

    def is_decision(self, fact: object) -> bool:
        """Whether it is a record that the holder of a thread's lease decides."""
        return type(fact) in self._decisions

    # -------------------------------------------------------------------------------------------------- folding

    def new(self, thread_id: ThreadId) -> ThreadState:
        """A thread of which nothing is known."""
        return ThreadState(thread_id, ModelContext(Transcript(self.measure)))

    def kind_of(self, state: ThreadState) -> ThreadKind[Any]:
        """What a thread is like, by its first record."""
        own = self._kinds.get(state.identity.graph)
        if own is not None:
            return own
        return BY_MODE[state.identity.birth.mode] if state.identity.birth is not None else CONVERSATION

    def offer(self, state: ThreadState, fact: Fact, seq: int, origin: Origin) -> None:
        """Fold an offered record in.

        Args:
            state: changed in place.
            fact: the record.
            seq: its number in the log.
            origin: its envelope.
        """
        if not isinstance(fact, _HEARD_LATER):
            state.context.tainted |= taints_thread(fact)
        owner = self._owners.get(type(fact))
        if owner is not None and not isinstance(fact, RunRequest):
            owner.take(state, fact, seq, origin)
            return
        apply_offer(state, fact, seq, origin)
        if isinstance(fact, f.ThreadCreated):
            state.kind = self.kind_of(state)
            state.kind.on_created(state, fact)

    def decide(self, state: ThreadState, fact: Fact, origin: Origin) -> None:
        """Fold a decision in; it may not depend on the number that the record will get.

        Args:
            state: changed in place.
            fact: the decision.
            origin: its envelope.

        Raises:
            CorruptRecord: the decision does not fit what came before it.
        """
        state.context.tainted |= taints_thread(fact)
        owner = self._owners.get(type(fact))
        if owner is None:
            apply_decision(state, fact, origin)
        else:
            owner.take(state, fact, 0, origin)
            touch(state, origin.at_ms, progress=not isinstance(fact, owner.beside))

    # ----------------------------------------------------------------------------------------------- the head

    def slices_to_json(self, state: ThreadState) -> JsonObject:
        """What a head keeps of the slices: a field for each that has something."""
        return {name: to_json(state.slices[name]) for name in self.slices if name in state.slices}

    def slices_from_json(self, kept: JsonObject, state: ThreadState) -> JsonObject:
        """Read the slices from a head.

        Args:
            kept: the head.
            state: gets the slices.

        Returns:
            The rest of the head.

        Raises:
            CorruptRecord: one of them is not what was written.
        """
        for name, one in self.slices.items():
            if one.form is not None and kept.get(name) is not None:
                state.slices[name] = one.form.read(kept[name])
        return {name: value for name, value in kept.items() if name not in self.slices}
