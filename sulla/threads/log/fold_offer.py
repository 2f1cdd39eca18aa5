"""How what is offered to a thread changes its state. Pure."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.addresses import NamedAddresses
from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact
from sulla.threads.log import records as f
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import CHILD_WAIT, ChildStarted
from sulla.threads.log.inputs import ControlInput, waiting_input
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.spoken import BargedIn
from sulla.threads.log.state import KnownSummary, ThreadIdentity, ThreadState


def apply_offer(state: ThreadState, fact: Fact, seq: int, origin: Origin) -> None:
    """Fold an offered input in.

    Args:
        state: changed in place.
        fact: the input.
        seq: its number in the log.
        origin: its envelope.
    """
    rule = _OFFERED[RunRequest if isinstance(fact, RunRequest) else type(fact)]
    rule(state, fact, seq, origin)


def _created(state: ThreadState, fact: f.ThreadCreated, seq: int, origin: Origin) -> None:
    begun = (origin.at_ms, fact.agent, fact.title, fact.project, fact.channel, fact.graph, fact.birth, fact.copies)
    state.identity = ThreadIdentity(*begun)
    named = fact.birth.named if fact.birth is not None else ()
    state.context.named = NamedAddresses().said("\n".join(named))
    state.updated_ms = origin.at_ms


def _input(state: ThreadState, fact: f.Input, seq: int, origin: Origin) -> None:
    if origin.run_id is None:
        raise CorruptRecord(f"{state.thread_id} record {seq}: an INPUT without a run id")
    state.inbox.add(waiting_input(seq, fact, origin.run_id, origin.at_ms))


def _control(
    state: ThreadState, fact: f.StopAsked | f.ContinueAsked | f.Answer | RunRequest, seq: int, origin: Origin
) -> None:
    state.inbox.controls[seq] = ControlInput(seq, fact, origin.at_ms)
    if isinstance(fact, f.Answer) and fact.report is not None:
        keep_report(state, state.inbox.controls[seq], fact)


def _child_started(state: ThreadState, fact: ChildStarted, seq: int, origin: Origin) -> None:
    state.links.children[fact.id] = fact


def _summary(state: ThreadState, fact: f.Summary, seq: int, origin: Origin) -> None:
    state.spending.usage += fact.usage
    state.spending.charge(fact.charged_tokens or fact.usage.total, origin.at_ms)
    if fact.covers_seq > state.context.summary.covers_seq:
        if state.context.named is not None:
            state.context.named = state.context.named.hidden()
        state.context.summary = KnownSummary(fact.covers_seq, seq, fact.text, fact.first_kept)
        state.context.transcript.forget_before(fact.first_kept, state.run.message.id if state.run is not None else None)


def _barged_in(state: ThreadState, fact: BargedIn, seq: int, origin: Origin) -> None:
    state.inbox.barged = fact  # it may be folded in before or after the end of the reply that it means: see `next_task`


_OFFERED: dict[type, Callable[..., None]] = {
    f.ThreadCreated: _created,
    f.Input: _input,
    f.StopAsked: _control,
    f.ContinueAsked: _control,
    f.Answer: _control,
    RunRequest: _control,
    f.Summary: _summary,
    ChildStarted: _child_started,
    BargedIn: _barged_in,
}


def keep_report(state: ThreadState, control: ControlInput, fact: f.Answer) -> None:
    """Remember what a child came to until the run ends that asked for it: it may not have been waited for yet.

    Args:
        state: changed in place.
        control: the answer, as it was offered.
        fact: the answer.
    """
    state.links.children.pop(fact.wait_id.removeprefix(CHILD_WAIT), None)
    if state.run is not None and not state.kind.waits_while_working:  # such a run takes each up by itself, once
        state.run.reports[fact.wait_id] = control
