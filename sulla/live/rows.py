"""What goes on in a thread, by its head. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.agent.limits.limits import RunLimits, bounds_of, set_aside
from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.finding.title import kind_of, title_of
from sulla.live.rpc import BudgetLeft, Doing, LiveQuestion, LiveRow, What
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import Answer
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait

PROMPT_CHARS: Final = 300
"""Of a question; 500 of them are 150 kB at the most."""
MOST_NAMED: Final = 3
"""Steps, or agents, that are named."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a thread beside what its head says of it."""

    state: ThreadState
    """With the messages that wait."""
    held: bool
    """Whether somebody works on it."""
    tools: tuple[str, ...] = ()
    """The names of the tools that it runs."""
    most_calls: int | None = None
    """The most model calls that a turn of its agent may make; None for what any run may."""


def row_of(seen: Seen, limits: RunLimits) -> LiveRow | None:
    """What goes on there; None if nothing does.

    Args:
        seen: the thread.
        limits: what any run may use.
    """
    state, run = seen.state, seen.state.run
    if run is None and not state.runnable:
        return None
    play, asked = PLAYBOOK_RUN.of(state), _question(state)
    usage = run.spent.usage if run is not None else None
    unpriced = run is None or (run.spent.usage.cost_micro is None and not run.spent.cost_micro)
    return LiveRow(
        state.thread_id,
        _parent(state),
        kind_of(state),
        title_of(state)[0] or (play.name if play is not None else ""),
        (run.agent if run is not None else "") or state.identity.agent,
        state.identity.project,
        run.id if run is not None else "",
        play.name if play is not None else None,
        _since_ms(state),
        _doing(seen, asked),
        usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens if usage is not None else 0,
        usage.output_tokens if usage is not None else 0,
        run.spent.tokens if run is not None else 0,
        None if unpriced or run is None else run.spent.cost_micro,
        _left(seen, limits),
        len(state.inbox.waiting),
        LiveQuestion(asked.wait_id, cut(asked.prompt, PROMPT_CHARS)) if asked is not None else None,
        state.context.tainted,
        seen.held and run is not None and not state.suspended,
    )


def _parent(state: ThreadState) -> str | None:
    birth = state.identity.birth
    return (birth.parent if birth is not None else state.kind.conversation(state)) or None


def _since_ms(state: ThreadState) -> int:
    if state.run is not None:
        return state.run.course.started_ms
    return min((item.at_ms for item in state.runnable), default=state.updated_ms)


def _question(state: ThreadState) -> Wait | None:
    """The first thing that a person is asked, and nobody has answered."""
    if state.run is None:
        return None
    answered = {one.fact.wait_id for one in state.inbox.controls.values() if isinstance(one.fact, Answer)}
    asked = (wait for wait in state.run.waits.values() if wait.is_for_people)
    return next((one for one in asked if one.wait_id not in answered), None)


def _doing(seen: Seen, asked: Wait | None) -> Doing:
    state, run = seen.state, seen.state.run
    if run is None:
        return Doing("queued", "", _since_ms(state))
    what, name = _what(seen, run, asked)
    play = PLAYBOOK_RUN.of(state)
    begun = [step.since_ms for step in play.open] if play is not None and what == "step" else []
    return Doing(what, name, min(begun, default=run.course.touched_ms or run.course.started_ms))


def _what(seen: Seen, run: OpenRun, asked: Wait | None) -> tuple[What, str]:
    state, play = seen.state, PLAYBOOK_RUN.of(seen.state)
    if state.suspended and asked is not None:
        return "waits", asked.tool or asked.wait_id.partition(":")[0]
    if play is not None:
        if play.status == "paused":  # no further step begins; a model call that is under way is let end, in its thread
            return "waits", "paused"
        if play.open:
            return "step", _named([step.at for step in play.open])
        return ("waits", "") if state.suspended else ("queued", "")
    handed = [child.agent for child in state.links.children.values()]
    if state.suspended:
        return ("handed", _named(handed)) if any(map(is_child_wait, run.waits)) else ("waits", "time")
    if not seen.held:
        return "queued", ""
    if run.model.open_call is not None:
        return "model", state.newest.model
    if run.calls.intents.keys() - {wait.call_id for wait in run.waits.values()}:
        return "tool", _named(list(seen.tools))
    return ("handed", _named(handed)) if run.waits and handed else ("model", state.newest.model)


def _named(names: list[str]) -> str:
    known = list(dict.fromkeys(names))
    more = len(known) - MOST_NAMED
    return ", ".join(known[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _left(seen: Seen, limits: RunLimits) -> BudgetLeft:
    state, run = seen.state, seen.state.run
    calls = min(limits.model_calls, seen.most_calls or limits.model_calls)
    own = bounds_of(replace(limits, model_calls=calls), state)
    if run is None:
        return BudgetLeft(own.tokens, own.cost_micro, own.model_calls if PLAYBOOK_RUN.of(state) is None else None)
    aside = set_aside(state)
    tokens = own.tokens - run.spent.tokens - aside.tokens
    micro = None
    if own.cost_micro is not None:
        micro = max(0, own.cost_micro - run.spent.cost_micro - (aside.cost_micro or 0))
    left = max(0, own.model_calls - run.model.begun + run.model.earlier)
    return BudgetLeft(max(0, tokens), micro, left if PLAYBOOK_RUN.of(state) is None else None)
