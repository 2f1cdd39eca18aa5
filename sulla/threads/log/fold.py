"""How each fact changes a thread's state. Pure: the same facts always give the same state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from sulla.core.addresses import NamedAddresses, texts_in
from sulla.core.errors import CorruptRecord
from sulla.core.event import Fact
from sulla.core.ids import MessageId, NodeId, derived_id
from sulla.core.message import Message, Part, Reasoning, Text, ToolCall, ToolResult
from sulla.threads.log import records as f
from sulla.threads.log.charging import charge, charge_report
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import ChildCancelled, ChildReported, is_child_wait
from sulla.threads.log.fold_answer import note_answer, note_answered, owe_answer
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.open_run import NewestRun, OpenRun, RunCourse, RunMessage, RunQuestion
from sulla.threads.log.plays import AnswerGiven
from sulla.threads.log.provenance import taints_thread
from sulla.threads.log.quoted import said_parts
from sulla.threads.log.state import ThreadState, ThreadWalk
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.unheard import MARK, leave_out_unheard
from sulla.threads.log.waits import Permit


def apply_decision(state: ThreadState, fact: Fact, origin: Origin) -> None:
    """Fold a decision in; it may not depend on the number that the record will get.

    Raises:
        CorruptRecord: the decision does not fit what came before it.
    """
    _note_named(state, fact)
    apply_message(state.context.transcript, fact, state.inbox.waiting)
    apply_progress(state, fact, origin)
    touch(state, origin.at_ms, progress=not isinstance(fact, _BESIDE))


def touch(state: ThreadState, at_ms: int, *, progress: bool) -> None:
    """Note when something was decided.

    Args:
        state: changed in place.
        at_ms: when, UTC milliseconds.
        progress: whether the open run, if there is one, got on by it.
    """
    state.updated_ms = at_ms
    if state.run is not None and progress:
        state.run.course.touched_ms = at_ms


def _note_named(state: ThreadState, fact: Fact) -> None:
    """Note who names addresses in a decision, before its messages stop waiting."""
    named = state.context.named
    if named is not None:
        state.context.named = _named_after(named, state, fact)


def _named_after(named: NamedAddresses, state: ThreadState, fact: Fact) -> NamedAddresses:
    waiting = state.inbox.waiting
    match fact:
        case f.RunStarted():
            if any(item.heard is not None for item in waiting.values()):
                named = named.hidden()  # what was spoken over is cut
            return _named_by_persons(named, [waiting[fact.input_seq]] if fact.input_seq in waiting else [])
        case f.InputsJoined():
            joined = [waiting[seq] for seq in fact.input_seqs if seq in waiting]
            return _named_by_persons(
                named.hidden() if any(item.heard is not None for item in joined) else named, joined
            )
        case f.TextMessageEnd():
            return named.wrote((*_beside(fact), fact.text), cut=fact.cut)
        case f.RunFinished() | f.RunError() if state.kind.recall != "conversation":
            return named.hidden()
        case _:
            return named


def _named_by_persons(named: NamedAddresses, items: Iterable[WaitingInput]) -> NamedAddresses:
    """With the words of persons. An address among those that are spoken over a reply may be the loudspeaker's."""
    for item in items:
        if item.is_persons:
            named = named.said(item.text)
    return named


def _beside(reply: f.TextMessageEnd) -> Iterator[str]:
    """What the model wrote beside its words."""
    for part in reply.parts:
        match part:
            case ToolCall():
                yield from texts_in(part.args)
            case Reasoning():
                yield part.text
            case _:
                pass


def apply_message(script: Transcript, fact: Fact, inputs: Mapping[int, WaitingInput]) -> None:
    """The part of the fold that the transcript shows; loading replays only this, over the newest records.

    Args:
        script: changed in place.
        fact: the decision.
        inputs: the messages that a run may take up, by sequence number.
    """
    match fact:
        case f.RunStarted():
            item = _waiting(inputs, fact.input_seq)
            # Also what somebody waits to say: nobody hears any more of what they spoke over.
            late = fact.known_seq > fact.input_seq
            _leave_out(script, [other for seq, other in inputs.items() if seq <= fact.known_seq] if late else [item])
            script.push(_user(item, fact))
        case f.InputHandled() if fact.text is not None and len(script):
            last = script[-1]
            origin = last.parts[0].origin if isinstance(last.parts[0], Text) else "user"
            script.replace_last(Message(last.id, last.role, (Text(fact.text, origin), *last.parts[1:]), last.hidden))
        case f.InputsJoined():
            joined = [_waiting(inputs, seq) for seq in fact.input_seqs]
            _leave_out(script, joined)
            for item in joined:
                script.push(_user(item))
        case f.TextMessageEnd():
            text: tuple[Part, ...] = (Text(fact.text, "web" if fact.tainted else "agent"),) if fact.text else ()
            parts = (*fact.parts[: fact.text_at], *text, *fact.parts[fact.text_at :])
            script.push(Message(fact.message_id, "assistant", parts, fact.hidden))
        case f.ToolCallResult():
            _push_result(script, ToolResult(fact.call_id, fact.text, fact.is_error, fact.origin))
        case f.Reminder():
            script.push(Message(fact.message_id, "user", (Text(fact.text, "operator"),), hidden=True))
        case _:
            pass  # every other fact is about progress, not about what was said


def apply_progress(state: ThreadState, fact: Fact, origin: Origin) -> None:
    """The part of the fold that the head keeps: runs, counters, waits."""
    rule = _PROGRESS.get(type(fact))
    if rule is not None:
        rule(state, fact, origin)


def _waiting(inputs: Mapping[int, WaitingInput], seq: int) -> WaitingInput:
    try:
        return inputs[seq]
    except KeyError:
        raise CorruptRecord(f"a run takes up record {seq}, which is not a waiting input") from None


_BESIDE = (f.Continued, f.InputIgnored, f.Stopped, ChildCancelled, ChildReported, AnswerGiven)
"""What is decided beside a run and says nothing of its progress."""


def _leave_out(script: Transcript, items: Iterable[WaitingInput]) -> None:
    for item in items:
        if item.heard is not None:
            leave_out_unheard(script, item.heard)


def _user(item: WaitingInput, started: f.RunStarted | None = None) -> Message:
    parts = said_parts(item.text, item.origin, item.quoted, tainted=item.tainted)
    if started is not None:
        beside = (
            Text(started.memory, "memory", started.agent),
            Text(started.environment, "web"),
            Text(started.context, "operator"),
        )
        parts += (part for part in beside if part.text)
    if item.heard is not None:
        parts.append(MARK)
    return Message(item.message_id, "user", tuple(parts))


def _push_result(script: Transcript, result: ToolResult) -> None:
    for message in reversed(script):
        if message.role == "assistant":
            if any(call.id == result.call_id for call in message.calls):
                holder = MessageId(derived_id("res", message.id))
                script.add_result(holder, result, message.calls)
            return  # the call lies before what was loaded: a result without its call says nothing to a model


def _run_started(state: ThreadState, fact: f.RunStarted, origin: Origin) -> None:
    item = _waiting(state.inbox.waiting, fact.input_seq)
    del state.inbox.waiting[fact.input_seq]
    state.inbox.consumed += 1
    if not state.is_told(item):
        state.inbox.held_below = 0  # something newer was sent, or somebody said continue: nothing is held any more
    about = (item.origin, item.at_ms, item.is_own, item.said_chars)
    message = RunMessage(fact.input_seq, fact.message_id, *about)
    course = RunCourse(origin.at_ms, origin.at_ms)
    state.run = OpenRun(item.run_id, message, course, fact.agent, fact.known_seq, RunQuestion(item.question))
    state.context.tainted |= taints_thread(item)
    state.context.by_model |= item.is_models
    state.newest = NewestRun(fact.model, f.Outcome(updated_at_ms=origin.at_ms))
    state.walk = ThreadWalk()


def _input_handled(state: ThreadState, fact: f.InputHandled, origin: Origin) -> None:
    state.newest.diagnostics = {**state.newest.diagnostics, **fact.diagnostics}


def _inputs_joined(state: ThreadState, fact: f.InputsJoined, origin: Origin) -> None:
    for seq in fact.input_seqs:
        item = _waiting(state.inbox.waiting, seq)
        state.context.tainted |= taints_thread(item)
        state.context.by_model |= item.is_models
        del state.inbox.waiting[seq]
    state.inbox.consumed += len(fact.input_seqs)
    state.inbox.held_below = 0


def _model_started(state: ThreadState, fact: f.ModelStarted, origin: Origin) -> None:
    model = _run(state, fact).model
    model.open_call, model.replied, model.attempts = fact, False, fact.attempt
    model.begun += 1


def _model_abandoned(state: ThreadState, fact: f.ModelAbandoned, origin: Origin) -> None:
    run = _run(state, fact)
    model, call = run.model, run.model.open_call
    if call is not None:
        if fact.asked and fact.usage is not None:
            charge(state, run, fact.usage.total, fact.usage.cost_micro, origin)
            run.spent.usage += fact.usage
        elif fact.asked:
            charge(state, run, call.reserved_tokens, call.reserved_micro, origin)
        if fact.reason in ("drained", "paused"):  # an orderly stop is no failure of the service
            model.attempts = max(0, model.attempts - 1)
    model.open_call = None


def _text_message_end(state: ThreadState, fact: f.TextMessageEnd, origin: Origin) -> None:
    run = _run(state, fact)
    model, call, usage = run.model, run.model.open_call, fact.usage
    if usage.total or call is None:
        charge(state, run, usage.total, usage.cost_micro, origin)
    else:  # the service did not say
        charge(state, run, call.reserved_tokens, call.reserved_micro, origin)
    run.spent.usage += usage
    model.open_call, model.attempts = None, 0
    state.newest.nudging = False
    note_answer(run.asked, fact)
    model.replied = not any(isinstance(part, ToolCall) for part in fact.parts)
    if fact.outcome is not None:
        state.newest.outcome = fact.outcome


def _tool_call_start(state: ThreadState, fact: f.ToolCallStart, origin: Origin) -> None:
    calls = _run(state, fact).calls
    calls.intents[fact.call_id] = fact.effect
    calls.granted.discard(fact.call_id)  # a permission to run again is good for one time
    calls.begin(fact.call_id)


def _tool_call_result(state: ThreadState, fact: f.ToolCallResult, origin: Origin) -> None:
    run = _run(state, fact)
    run.calls.intents.pop(fact.call_id, None)
    run.calls.permits.pop(fact.call_id, None)
    run.calls.used.pop(fact.call_id, None)
    note_answered(run.asked, fact.call_id, is_error=fact.is_error)


def _reminder(state: ThreadState, fact: f.Reminder, origin: Origin) -> None:
    _run(state, fact).model.replied = False
    if fact.reason in ("nudge", "empty"):
        state.newest.nudged, state.newest.nudging = True, fact.reason == "nudge"
    elif fact.reason == "continue":
        state.newest.agent_loops += 1


def _suspended(state: ThreadState, fact: f.Suspended, origin: Origin) -> None:
    run = _run(state, fact)
    run.waits = {wait.wait_id: wait for wait in fact.waits}
    run.resting = state.walk.waiting_for_user = fact.resting


def _resumed(state: ThreadState, fact: f.Resumed, origin: Origin) -> None:
    run = _run(state, fact)
    course = run.course
    course.parked = course.paused = run.resting = False
    course.crashes = fact.crashes
    course.cuts += fact.reason not in ("answered", "expired", "steered")
    course.started_ms += max(0, origin.at_ms - course.touched_ms)  # nobody worked meanwhile: it does not count
    if fact.reason == "woken":  # it looks by itself what there is of what it waits for
        state.walk.waiting_for_user = False
    if fact.reason == "steered":  # each call looks again, and says that it goes on without waiting
        run.waits, run.known_seq = {}, fact.input_seq
        state.walk.waiting_for_user = False
    if fact.reason not in ("answered", "expired"):
        return
    wait = run.waits.pop(fact.wait_id, None)
    if wait is not None and is_child_wait(wait.wait_id):  # the call looks again, and says what else it waits for
        run.waits = {name: other for name, other in run.waits.items() if other.call_id != wait.call_id}
    state.walk.waiting_for_user = bool(run.waits)
    if fact.reason == "expired" and not fact.input_seq:
        return
    answer = state.inbox.take(fact.input_seq)
    charge_report(state, answer, origin)
    given = answer.fact if answer is not None else None
    if wait is None or not isinstance(given, f.Answer) or fact.reason == "expired":
        return
    if given.verdict == "run_again" and not wait.digest:
        run.calls.granted.add(wait.call_id)
    elif given.verdict in ("approve", "always") and wait.digest:
        always = given.verdict == "always"
        asked = wait.call_id, wait.digest, wait.wait_id, wait.tool, wait.target
        said_ms = answer.at_ms if answer is not None else 0
        permit = Permit(*asked, always=always, for_s=given.for_s, by=given.by, at_ms=said_ms)
        run.calls.permits[wait.call_id] = permit


def _run_paused(state: ThreadState, fact: f.RunPaused, origin: Origin) -> None:
    course = _run(state, fact).course
    course.parked = course.paused = True


def _stopped(state: ThreadState, fact: f.Stopped, origin: Origin) -> None:
    state.inbox.take(fact.input_seq)
    state.inbox.held_below = fact.input_seq


def _continued(state: ThreadState, fact: f.Continued, origin: Origin) -> None:
    state.inbox.take(fact.input_seq)
    state.inbox.held_below = 0


def _input_ignored(state: ThreadState, fact: f.InputIgnored, origin: Origin) -> None:
    charge_report(state, state.inbox.take(fact.input_seq), origin)
    state.inbox.waiting.pop(fact.input_seq, None)


def _run_ended(state: ThreadState, fact: f.RunFinished | f.RunError, origin: Origin) -> None:
    if state.run is None or state.run.id != fact.run_id:
        return  # a run that joined another one never was the open run
    state.spending.usage += state.run.spent.usage
    owe_answer(state, state.run, fact.outcome)
    state.run = None
    if state.kind.recall == "conversation":
        # What was worked on is worked on no more: it goes the way of what the summary covers.
        state.context.transcript.forget_before(state.context.summary.first_kept)
    else:
        state.context.transcript = state.context.transcript.empty()  # no model reads it
    said = fact.outcome.status_report or (fact.message if isinstance(fact, f.RunError) else "")
    state.newest.outcome = replace(fact.outcome, status_report=said)  # whoever asked for it is told why it failed
    state.kind.on_run_ended(state, origin.at_ms)
    state.walk.cycle_complete = True
    state.walk.waiting_for_user = False
    state.walk.node = NodeId("")


def _child_cancelled(state: ThreadState, fact: ChildCancelled, origin: Origin) -> None:
    state.links.children.pop(fact.id, None)


def _child_reported(state: ThreadState, fact: ChildReported, origin: Origin) -> None:
    state.links.reported = True


def _answer_given(state: ThreadState, fact: AnswerGiven, origin: Origin) -> None:
    state.links.owes.pop(fact.wait_id, None)


_PROGRESS: dict[type, Callable[..., None]] = {
    f.RunStarted: _run_started,
    f.InputHandled: _input_handled,
    f.InputsJoined: _inputs_joined,
    f.ModelStarted: _model_started,
    f.ModelAbandoned: _model_abandoned,
    f.TextMessageEnd: _text_message_end,
    f.ToolCallStart: _tool_call_start,
    f.ToolCallResult: _tool_call_result,
    f.Reminder: _reminder,
    f.Suspended: _suspended,
    f.Resumed: _resumed,
    f.RunPaused: _run_paused,
    f.Stopped: _stopped,
    f.Continued: _continued,
    f.InputIgnored: _input_ignored,
    f.RunFinished: _run_ended,
    f.RunError: _run_ended,
    ChildCancelled: _child_cancelled,
    ChildReported: _child_reported,
    AnswerGiven: _answer_given,
}


def _run(state: ThreadState, fact: Fact) -> OpenRun:
    if state.run is None:
        raise CorruptRecord(f"{state.thread_id}: {fact.kind} without an open run")
    return state.run
