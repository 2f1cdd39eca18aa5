"""Asking an embedding model, beside all runs: within the day's limits, and not again if it fails."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.agent.limits.limits import Charge
from sulla.agent.model.attempt import tell_failure, ticket_for
from sulla.agent.model.model import Model
from sulla.core.clock import Clock
from sulla.core.errors import LimitReached, ProviderError, SettingsError
from sulla.models.base import Embedder


async def embed(model: Model, texts: Sequence[str], call_id: str, clock: Clock, timeout_s: float) -> list[list[float]]:
    """Places in the model's space, one for each text.

    Args:
        model: an embedding model.
        texts: what is to be placed.
        call_id: a name for the call that no other one has.
        clock: all time.
        timeout_s: how long it may take.

    Raises:
        LimitReached: it does not fit the day's limits; it was not made.
        ProviderError: the service failed, or is left alone for now.
        SettingsError: the service has no embedding models.
        InvalidInput: a text cannot be written as JSON.
    """
    name = model.estimator.info.name
    if not isinstance(model.provider, Embedder):
        raise SettingsError(f"{str(name)!r} is no embedding model: name one in memory.embed")
    charge = model.estimator.charge_of(texts)
    ticket = ticket_for(model.breaker, model.provider.name, clock)
    try:
        model.ledger.reserve(call_id, "", charge, clock.now())
    except LimitReached:
        model.breaker.unknown(ticket)
        raise
    try:
        found = await model.provider.embed(name.model, texts, timeout_s)
    except BaseException as error:
        if isinstance(error, ProviderError) and not error.asked:
            charge = Charge(0)
        tell_failure(model.breaker, error, ticket, clock)
        raise
    finally:
        model.ledger.settle(call_id, "", charge, clock.now())
    model.breaker.succeeded(ticket)
    return found
