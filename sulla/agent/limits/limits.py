"""Limits that are always on (design §4.8): one run's, one thread's for a day; and the words that say which was hit.
Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached
from sulla.core.limit import LimitHit, LimitUnit
from sulla.core.run import Run
from sulla.core.units import DAY_S, MICRO
from sulla.threads.log.family import Birth, ChildStarted, Report
from sulla.threads.log.records import Answer
from sulla.threads.log.state import ThreadState


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may use, and its thread on one day."""

    model_calls: int = 50
    """Calls of a model (seed 001: turns per agent)."""
    tokens: int = 500_000
    """Tokens charged, reservations of failed calls included."""
    cost_micro: int | None = None
    """Money, in millionths of the currency's unit; None for no limit."""
    wall_s: float = 1800.0
    """Seconds from the run's start, waiting included only while it runs."""
    crashes: int = 3
    """The crash with this number ends the run."""
    thread_day_tokens: int = 2_000_000
    """Tokens of all the thread's runs and summaries on one day."""
    history_tokens: int = 96_000
    """What a model is shown, prompt and tools included (seed 004 §1)."""
    reply_tokens: int = 8192
    """The most that one reply may have."""
    nudge_tokens: int = 200
    """The most that the answer to a nudge may have (design §5), thinking aside."""
    model_timeout_s: float = 600.0
    """How long one reply may take."""
    play_tokens: int = 5_000_000
    """What a playbook's run may use that says nothing of it, all that it sets to work included."""
    play_wall_s: float = 86_400.0
    """Seconds that a playbook's own steps may take; what agents do and people think over does not count."""


def narrowed(limits: RunLimits, birth: Birth | None) -> RunLimits:
    """The bounds of a run that another one asked for: what any run may use, or less.

    Args:
        limits: what any run may use.
        birth: who asked for it, and how much it was given; None for a run that nobody asked for.
    """
    if birth is None:
        return limits
    costs = [cost for cost in (limits.cost_micro, birth.cost_micro) if cost is not None]
    return replace(
        limits,
        tokens=min(limits.tokens, birth.tokens or limits.tokens),
        cost_micro=min(costs) if costs else None,
        wall_s=min(limits.wall_s, birth.wall_s or limits.wall_s),
    )


def bounds_of(limits: RunLimits, state: ThreadState) -> RunLimits:
    """The bounds of a thread's run: `narrowed`, for a kind with a budget of its own from what such runs may use.

    Args:
        limits: what any run may use.
        state: the thread.
    """
    own = state.kind.budget(state)
    if own is not None:
        costs = [cost for cost in (limits.cost_micro, own.cost_micro) if cost is not None]
        tokens, cost_micro = own.tokens or limits.play_tokens, min(costs) if costs else None
        limits = replace(limits, tokens=tokens, cost_micro=cost_micro, wall_s=limits.play_wall_s)
    return narrowed(limits, state.identity.birth)


@dataclass(frozen=True, slots=True)
class Charge:
    """What a model call takes, or may take at the most."""

    tokens: int = 0
    cost_micro: int | None = None
    """In millionths of the currency's unit; None where the model has no price."""


def set_aside(state: ThreadState) -> Charge:
    """What the open run's children may still use, or have used and it was not charged for yet: else each of them could
    use as much as the run itself.
    """
    answers = (control.fact for control in state.inbox.controls.values() if isinstance(control.fact, Answer))
    reports = [answer.report for answer in answers if answer.report is not None]
    given: list[ChildStarted | Report] = [*state.links.children.values(), *reports]
    return Charge(sum(one.tokens for one in given), sum(one.cost_micro or 0 for one in given))


def check_model_call(state: ThreadState, charge: Charge, now_s: float, limits: RunLimits) -> None:
    """See whether one more model call fits.

    Args:
        state: the thread, with the run open.
        charge: what the call may take at the most.
        now_s: UTC seconds.
        limits: the bounds.

    Raises:
        LimitReached: it does not; the error says which limit and by how much.
    """
    run = state.run
    if run is None:
        return
    calls = run.model.begun - run.model.earlier
    refuse_over(LimitHit("model_calls", "run", "calls", limits.model_calls, calls, 1), now_s)
    check_used(state, charge, now_s, limits)
    check_thread_day(state, charge, now_s, limits)


def check_used(state: ThreadState, charge: Charge, now_s: float, limits: RunLimits) -> None:
    """See whether a call fits into what the run may use.

    Args:
        state: the thread.
        charge: what the call may take at the most.
        now_s: UTC seconds.
        limits: the bounds.

    Raises:
        LimitReached: it does not.
    """
    run, aside = state.run, set_aside(state)
    if run is None:
        return
    used = run.spent.tokens + aside.tokens
    refuse_over(LimitHit("tokens", "run", "tokens", limits.tokens, used, charge.tokens), now_s)
    if limits.cost_micro is not None:
        wanted = charge.cost_micro or 0
        spent = run.spent.cost_micro + (aside.cost_micro or 0)
        refuse_over(LimitHit("cost", "run", "micro", limits.cost_micro, spent, wanted), now_s)


def check_thread_day(state: ThreadState, charge: Charge, now_s: float, limits: RunLimits) -> None:
    """See whether a call fits into what the thread may use today.

    Raises:
        LimitReached: it does not.
    """
    today = int(now_s) // DAY_S
    used = state.spending.day_tokens if today <= state.spending.day <= today + 1 else 0
    hit = LimitHit("thread_day_tokens", "thread", "tokens", limits.thread_day_tokens, used, charge.tokens)
    refuse_over(hit, now_s)


def check_wall(run: Run, limits: RunLimits) -> None:
    """See whether a run still has time.

    Raises:
        LimitReached: it has not.
    """
    hit = wall_hit(run, limits)
    if hit is not None:
        raise limit_reached(hit)


def wall_hit(run: Run, limits: RunLimits) -> LimitHit | None:
    """The limit on a run's time if it is used up, else None."""
    late_s = run.clock.elapsed() - run.deadline_s
    if late_s <= 0:
        return None
    return LimitHit("wall_s", "run", "seconds", round(limits.wall_s), round(limits.wall_s + late_s))


def refuse_over(hit: LimitHit, now_s: float, agent: str = "") -> None:
    """Do nothing if a limit holds.

    Args:
        hit: the limit, what was used of it and what is wanted.
        now_s: UTC seconds.
        agent: whose it is, for the error; empty where that is told already.

    Raises:
        LimitReached: the two together are more than is allowed.
    """
    if hit.used + hit.wanted > hit.allowed:
        raise limit_reached(hit, now_s, agent)


def reply_cut(allowed_tokens: int, used_tokens: int) -> LimitReached:
    """The error that says that a reply has ended at its limit, and what to do.

    Args:
        allowed_tokens: the most that the reply may have.
        used_tokens: what it had, as its service says; 0 where that says nothing. A full window ends it before.
    """
    used_tokens = used_tokens or allowed_tokens
    text = (
        f"the answer was cut off at the reply's limit: it had {used_tokens} tokens, and one reply may have "
        f"{allowed_tokens} (model.reply_tokens, or the agent's own reply_tokens, and at most a quarter of "
        "model.window_tokens). Ask for the rest, or raise the limit"
    )
    return LimitReached(
        "limit_reply_tokens", text, LimitHit("reply_tokens", "run", "tokens", allowed_tokens, used_tokens)
    )


def limit_reached(hit: LimitHit, now_s: float | None = None, agent: str = "") -> LimitReached:
    """A limit as the error that says so, in words and in figures, and for an agent's what to do meanwhile."""
    unit, whose = _UNITS[hit.unit], _WHOSE[hit.scope].format(agent=agent or "the agent")
    text = f"{whose} used {_amount(hit.used, hit.unit)}{unit}"
    by_call = hit.unit == "calls"  # each is one more: there is nothing to say about it
    if hit.wanted and not by_call:
        text += f" and the next step may need {_amount(hit.wanted, hit.unit)} more"
    over = f", which is {_amount(hit.over, hit.unit)} over" if hit.over and not by_call else ""
    text += f"{over}: the limit ({_SETTINGS.get(hit.limit, hit.limit)}) is {_amount(hit.allowed, hit.unit)}"
    if now_s is not None and hit.scope != "run":
        left_min = (DAY_S - int(now_s) % DAY_S + 59) // 60
        text += f"; it begins anew at 00:00 UTC, in {left_min // 60} h {left_min % 60} min"
    if hit.scope == "agent":
        text += ". Another agent can answer meanwhile, or raise the limit"
    return LimitReached(f"limit_{hit.limit}", text, hit)


_WHOSE: Final = {
    "run": "the run has",
    "thread": "the thread has today",
    "agent": "{agent} has today",
    "day": "all agents together have today",
}
_SETTINGS: Final = {
    "model_calls": "limits.model_calls, or an agent's max_turns",
    **{name: f"limits.{name}" for name in ("thread_day_tokens", "agent_day_tokens", "day_tokens", "day_cost")},
}
"""The settings of those limits that nothing else can have narrowed, by the limits' names."""
_UNITS: Final[dict[LimitUnit, str]] = {
    "calls": " model calls",
    "tokens": " tokens",
    "micro": " of money",
    "seconds": " s",
    "repeats": " equal steps in a row",
    "steps": " steps",
}


def _amount(value: int, unit: LimitUnit) -> str:
    return f"{value / MICRO:.6g}" if unit == "micro" else str(value)
