"""Settings to limits: each capability is handed its own."""

from __future__ import annotations

from sulla.agent.limits.ledger import DayLimits
from sulla.agent.limits.limits import RunLimits
from sulla.agent.limits.rate import RateLimits
from sulla.core.units import MICRO
from sulla.daemon.settings.config import Settings
from sulla.playbooks.settings import PlaybookSettings
from sulla.threads.bounds import ThreadLimits
from sulla.threads.retention import Retention
from sulla.work.queue import JobCaps


def run(settings: Settings) -> RunLimits:
    """What one run may use, and its thread on one day."""
    limits = settings.limits
    return RunLimits(
        model_calls=limits.model_calls,
        tokens=limits.run_tokens,
        cost_micro=_micro(limits.run_cost),
        wall_s=limits.run_wall_s,
        thread_day_tokens=limits.thread_day_tokens,
        history_tokens=limits.history_tokens,
        reply_tokens=settings.model.reply_tokens,
        nudge_tokens=limits.nudge_tokens,
        play_tokens=settings.section(PlaybookSettings).run_tokens,
    )


def day(settings: Settings) -> DayLimits:
    """What all agents may use on one day."""
    limits = settings.limits
    return DayLimits(limits.day_tokens, limits.agent_day_tokens, _micro(limits.day_cost))


def rates(settings: Settings) -> RateLimits:
    """How fast people may send messages."""
    limits = settings.limits
    return RateLimits(
        min_interval_ms=limits.message_interval_ms,
        burst=limits.message_burst,
        window_ms=round(limits.message_window_s * 1000),
        token_burst=limits.token_burst,
    )


def threads(settings: Settings) -> ThreadLimits:
    """How much of a thread is loaded, waits, and is held."""
    return ThreadLimits(
        max_waiting=settings.limits.waiting_inputs,
        load_tokens=settings.limits.history_tokens,
        lease_ttl_s=settings.store.lease_ttl_s,
        retention=Retention(settings.store.thread_ttl_s),
    )


def work(settings: Settings) -> JobCaps:
    """How many runs there may be at once."""
    limits = settings.limits
    caps = (limits.runs, limits.runs_per_agent, limits.sub_agents)
    return JobCaps(*caps, settings.section(PlaybookSettings).steps, settings.section(PlaybookSettings).runs)


def _micro(money: float | None) -> int | None:
    return None if money is None else round(money * MICRO)
