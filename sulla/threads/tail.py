"""Loading the newest messages of a thread, reading backwards and only as far as a model could look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.store.base import Store
from sulla.threads.head import LogReferences
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry
from sulla.threads.log.fold import apply_message
from sulla.threads.log.fold_offer import keep_report
from sulla.threads.log.inputs import ControlInput, WaitingInput, waiting_input
from sulla.threads.log.quoted import said_parts
from sulla.threads.log.schema import CORE_DECISIONS, ThreadSchema
from sulla.threads.log.state import ThreadState
from sulla.threads.recent import RecentEntries

_PAGE = 256
_SAID = (f.Input, f.RunStarted, f.InputHandled, f.InputsJoined, f.TextMessageEnd, f.ToolCallResult, f.Reminder)
"""What the transcript is made of; the other half of a log tells how things went, and is not opened here."""
_KINDS = frozenset(cls.kind for cls in _SAID)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A record whose fact has been read, once."""

    entry: Entry
    fact: Fact | None


async def load_tail(
    store: Store, recent: RecentEntries, state: ThreadState, unread: LogReferences, ceiling_tokens: int, last_seq: int
) -> None:
    """Fill the transcript and the waiting inputs of a state that came from a head.

    Args:
        store: where the log is.
        recent: opens the records.
        state: changed in place.
        unread: what the head only names.
        ceiling_tokens: stop reading when the messages weigh this much.
        last_seq: the newest record that the head covers.

    Raises:
        CorruptRecord: a record cannot be read, or one that the head names is missing.
    """
    tail = await _newest(store, recent, state, ceiling_tokens, last_seq)
    inputs = {opened.entry.seq: item for opened in tail if (item := _message_of(opened)) is not None}
    for seq in _taken(tail) - inputs.keys():
        item = _message_of(await _one(store, recent, state, seq))
        if item is not None:
            inputs[seq] = item
    if state.run is not None and state.run.message.seq not in _taken(tail):
        # Whatever else lies too far back, a model is told what it works on.
        item = _message_of(await _one(store, recent, state, state.run.message.seq))
        if item is not None:
            parts = said_parts(item.text, item.origin, item.quoted, tainted=item.tainted)
            state.context.transcript.push(Message(item.message_id, "user", tuple(parts)))
    for opened in tail:
        if isinstance(opened.fact, CORE_DECISIONS):
            apply_message(state.context.transcript, opened.fact, inputs)
    await load_offers(store, recent, state, unread)
    if state.context.summary.seq:
        summary = (await _one(store, recent, state, state.context.summary.seq)).fact
        if not isinstance(summary, f.Summary):
            raise CorruptRecord(f"{state.thread_id} record {state.context.summary.seq}: expected a SUMMARY")
        state.context.summary = replace(state.context.summary, text=summary.text, first_kept=summary.first_kept)


async def load_offers(
    store: Store,
    recent: RecentEntries,
    state: ThreadState,
    unread: LogReferences,
    damaged: list[int] | None = None,
) -> None:
    """Fill in the waiting inputs alone; see `load_tail`.

    Args:
        store, recent, state, unread: as there.
        damaged: takes the numbers of those that cannot be read; None if none may be left out.

    Raises:
        CorruptRecord: one of them cannot be read.
    """
    for seq in unread.pending:
        try:
            _offer(recent.schema, state, await _one(store, recent, state, seq))
        except CorruptRecord:
            if damaged is None:
                raise
            damaged.append(seq)
    for seq in unread.reports:
        opened = await _one(store, recent, state, seq)
        if not isinstance(opened.fact, f.Answer):
            raise CorruptRecord(f"{state.thread_id} record {seq}: expected an ANSWER, found {opened.entry.kind}")
        keep_report(state, ControlInput(seq, opened.fact, opened.entry.origin.at_ms), opened.fact)


async def _newest(
    store: Store, recent: RecentEntries, state: ThreadState, ceiling_tokens: int, last_seq: int
) -> list[_Opened]:
    found: list[_Opened] = []
    weight, before = 0, last_seq + 1
    scale, after = state.context.transcript.empty(), _floor(state, last_seq)
    while before > after + 1 and weight < ceiling_tokens:
        page = await store.read(state.thread_id, after=after, before=before, limit=_PAGE, reverse=True)
        if not page:
            break
        for record in page:
            entry = recent.decode(record, state.thread_id)
            if entry.kind in _KINDS:
                found.append(_Opened(entry, entry.fact))
                for message in _weighed(found[-1].fact):
                    scale.push(message)
        weight, before = scale.tokens, page[-1].seq
    state.context.transcript.shortened |= weight >= ceiling_tokens and before > after + 1
    found.reverse()
    return found


def _floor(state: ThreadState, last_seq: int) -> int:
    """Up to which record nothing is looked for."""
    match state.kind.recall:
        case "conversation":
            return state.context.summary.covers_seq
        case "run" if state.run is not None:
            return state.run.message.seq - 1
        case _:
            return last_seq


def _weighed(fact: Fact | None) -> Iterable[Message]:
    """A stand-in that weighs what the record will weigh in the transcript."""
    match fact:
        case f.Input(message_id=message_id, text=text) | f.Reminder(message_id=message_id, text=text):
            yield Message(message_id, "user", (Text(text),))
        case f.TextMessageEnd():
            yield Message(fact.message_id, "assistant", (Text(fact.text), *fact.parts))
        case f.ToolCallResult():
            yield Message(MessageId(fact.call_id), "tool", (Text(fact.text),))
        case _:
            return


def _taken(tail: Iterable[_Opened]) -> set[int]:
    """The inputs that runs took up within these records."""
    taken: set[int] = set()
    for opened in tail:
        if isinstance(opened.fact, f.RunStarted):
            taken.add(opened.fact.input_seq)
        elif isinstance(opened.fact, f.InputsJoined):
            taken.update(opened.fact.input_seqs)
    return taken


def _message_of(opened: _Opened) -> WaitingInput | None:
    fact, run_id = opened.fact, opened.entry.origin.run_id
    if not isinstance(fact, f.Input) or run_id is None:
        return None
    return waiting_input(opened.entry.seq, fact, run_id, opened.entry.origin.at_ms)


def _offer(schema: ThreadSchema, state: ThreadState, opened: _Opened) -> None:
    entry, fact = opened.entry, opened.fact
    if not entry.offered or not schema.is_offer(fact):
        raise CorruptRecord(f"{state.thread_id} record {entry.seq}: expected an input, found {entry.kind}")
    schema.offer(state, fact, entry.seq, entry.origin)


async def _one(store: Store, recent: RecentEntries, state: ThreadState, seq: int) -> _Opened:
    records = await store.read(state.thread_id, after=seq - 1, before=seq + 1, limit=1)
    if not records:
        raise CorruptRecord(f"{state.thread_id}: record {seq} is missing")
    entry = recent.decode(records[0], state.thread_id)
    return _Opened(entry, entry.fact)
