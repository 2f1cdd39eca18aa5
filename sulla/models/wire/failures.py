"""What any HTTP service's failures have in common. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from sulla.core.errors import ProviderTransient, ProviderUnreachable

HERE_S: Final = 1.0
"""How soon is asked again where this machine refused: with four attempts it is over within four seconds. Ours."""

_LOOPBACK = re.compile(r"\w+://(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)
_USER = re.compile(r"//[^/]*@")


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """How long a service asks to wait.

    Args:
        headers: of the answer; ``retry-after-ms`` goes before ``retry-after``, which is seconds or a date.
        now_s: UTC seconds.

    Returns:
        Seconds, never negative; None if it doesn't say.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(value):
            return max(0.0, value)
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now_s)
    except ValueError:
        return None


def innermost(error: Exception) -> str:
    """The innermost words about a failed connection; the outer ones only say that it failed."""
    while isinstance(error.__cause__, Exception):
        error = error.__cause__
    return str(error) or type(error).__name__


def shown(address: str) -> str:
    """An address for people: without a password, and without a query, which can hold a key. Clients are told it too."""
    return _USER.sub("//", re.split(r"[?#]", address, maxsplit=1)[0])


def caused_by(error: Exception, *kinds: type[Exception]) -> bool:
    """Whether an error, or one that led to it, is of these kinds."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, kinds):
            return True
        if isinstance(cause, BaseExceptionGroup):  # a name with several addresses: each was tried
            return all(isinstance(one, Exception) and caused_by(one, *kinds) for one in cause.exceptions)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return False


def soon_again_s(address: str, error: Exception) -> float | None:
    """How soon a service is asked again that nobody took the connection of.

    Args:
        address: its URL.
        error: what the transport raised.

    Returns:
        Seconds, where this machine itself said that nobody listens there: the answer is quick and sure, and whoever
        waits is better told so than kept. None where our own waits hold.
    """
    return HERE_S if is_loopback(address) and caused_by(error, ConnectionRefusedError) else None


def is_loopback(address: str) -> bool:
    """Whether a URL names this machine itself."""
    return _LOOPBACK.match(address) is not None


def took_too_long(model: str, timeout_s: float) -> ProviderTransient:
    """The error for an answer that takes longer than `timeout_s` seconds."""
    return ProviderTransient(f"the reply of the model {model!r} took longer than {timeout_s:g} s; nothing of it counts")


def no_connection(
    model: str, address: str, variable: str, error: Exception, *nobody: type[Exception]
) -> ProviderTransient:
    """The error for a request that never got its answer.

    Args:
        model: who was asked.
        address: where.
        variable: what the address is set by, e.g. ``OPENAI_BASE_URL``.
        error: what the transport raised.
        nobody: what it raises where nobody took the connection.
    """
    kind = ProviderUnreachable if caused_by(error, *nobody) else ProviderTransient
    return kind(
        f"no connection to {shown(address)} for the model {model!r} ({innermost(error)}): "
        f"check the network and {variable}",
        retry_after_s=soon_again_s(address, error),
    )
