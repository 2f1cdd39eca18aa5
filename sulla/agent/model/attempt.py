"""One attempt at a service, before its breaker: whether it may be made, and how it failed. Pure."""

from __future__ import annotations

from typing import Final

from sulla.agent.model.breaker import Blocked, Breaker
from sulla.agent.model.retry import FailureClass, classify
from sulla.core.clock import Clock
from sulla.core.errors import ProviderTransient, SullaError
from sulla.models.wire.json import shortened

_SERVICE_FAILED: Final[frozenset[FailureClass]] = frozenset({"transient", "llm_error"})
"""Failures that are the service's own; a request that it refuses for good reason is none."""


def ticket_for(breaker: Breaker, name: str, clock: Clock) -> int:
    """Ask for one attempt; what its end is told by.

    Args:
        breaker: the service's.
        name: the service's short name, for messages.
        clock: all time.

    Raises:
        ProviderTransient: the service is left alone for now.
    """
    match breaker.admit(clock.elapsed()):
        case Blocked(retry_after_s):
            until = "until one call has shown how it does" if retry_after_s is None else f"for {retry_after_s:.0f} s"
            raise ProviderTransient(
                f"{name} failed several times in a row and is left alone {until}", retry_after_s=retry_after_s
            )
        case admitted:
            return admitted.ticket


def tell_failure(breaker: Breaker, error: BaseException, ticket: int, clock: Clock) -> None:
    """Tell the breaker how an attempt failed.

    Args:
        breaker: the service's.
        error: why.
        ticket: what `ticket_for` gave.
        clock: all time.
    """
    if not isinstance(error, SullaError):
        breaker.unknown(ticket)
    elif classify(error) in _SERVICE_FAILED:
        breaker.failed(ticket, clock.elapsed(), error.retry_after_s, shortened(error.message))
    else:
        breaker.succeeded(ticket)
