"""What `sulla status` says of the model and of what was used (design §4.8, §6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sulla import __version__
from sulla.agent.model.model import Model
from sulla.core.clock import Clock
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.stamp import stamp
from sulla.core.units import MICRO
from sulla.daemon.models.choice import Choice, how_to
from sulla.daemon.models.prices import listed_for
from sulla.daemon.models.ranks import LazyRanks
from sulla.daemon.settings.config import Settings
from sulla.host.health import Trouble
from sulla.models.catalog import OFFLINE
from sulla.threads.pending import ELSEWHERE


def report_settings(settings: Settings, choice: Choice, store: str) -> JsonObject:
    """What does not change while the daemon runs.

    Args:
        settings: everything that can be set.
        choice: the model, and why it is this one.
        store: where everything is kept, and which setting says so, for people.
    """
    return {
        "version": __version__,
        "home": str(settings.home),
        "store": store,
        "model": str(choice.model),
        "model_why": choice.why,
        "offline": choice.model.provider == OFFLINE,
        "how_to": how_to(settings.model) if choice.model.provider == OFFLINE else "",
        "workspace": str(settings.workspace),
    }


def report_elsewhere(said: JsonObject, absent: Collection[str]) -> JsonObject:
    """What a gateway says instead of parts that it does not run: they are neither behind nor yet to come up here.

    Args:
        said: what the parts say of themselves.
        absent: the names of those that do not run here, under which they say it.
    """
    found: JsonObject = {}
    for name in said.keys() & set(absent):
        part = said[name]
        if part == "behind":
            found[name] = ELSEWHERE
        if isinstance(part, list):
            found[name] = [row | {"state": ELSEWHERE} for row in part if isinstance(row, dict)]
    if isinstance(shell := said.get("shell"), dict):
        found["shell"] = shell | {"here": False}
    return found


def report_troubles(troubles: Sequence[Trouble]) -> JsonObject:
    """What is wrong, in the words of `/readyz`."""
    told: list[Json] = [
        {"what": one.what, "why": one.why, "since": stamp(one.since_ms), "blocks": one.blocks} for one in troubles
    ]
    return {"troubles": told}


def report_use(settings: Settings, model: Model, ranks: LazyRanks, clock: Clock) -> JsonObject:
    """What was used today, and how the model does.

    Args:
        settings: for the limits.
        model: the model.
        ranks: who counts near a ceiling.
        clock: all time.
    """
    used, limits = model.ledger.used(clock.now()), settings.limits
    name = model.estimator.info.name
    priced, by_list = model.estimator.info.prices.of(name) is not None, listed_for(settings, name)
    return {
        "today": {
            "tokens": used.tokens,
            "tokens_limit": limits.day_tokens,
            "cost": (used.cost_micro or 0) / MICRO if priced else None,
            "cost_limit": limits.day_cost,
        },
        "unpriced": not priced,
        "listed": {"as_of": by_list.as_of, "source": by_list.source} if by_list is not None else None,
        "service": model.breaker.state,
        "tokens_exact": ranks.usable,
        "window_tokens": model.estimator.info.window_tokens,
    }
