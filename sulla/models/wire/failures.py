"""What any HTTP service's failures have in common. Pure."""

from __future__ import annotations

import errno
import math
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from sulla.core.errors import ProviderError, ProviderTransient, ProviderUnreachable
from sulla.core.pattern import late_pattern

HERE_S: Final = 1.0
"""How soon a service on this machine is asked again that nobody listens for, or that has failed: with four attempts it
is over within four seconds. Ours."""

_LOOPBACK = late_pattern(r"\w+://(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)
_NOT_TAKEN: Final = "ClientConnector"
_HUNG_UP: Final = ("ReadError", "ServerDisconnectedError")
"""How errors are called by httpx, and by aiohttp, over which the SDKs speak: they take the last one for a
``ConnectTimeout`` or a ``ConnectError``."""
_NOT_ITS_OWN: Final = frozenset((408, 502, 504, *range(520, 528)))
"""What a proxy (520 to 527: Cloudflare's) answers for a service that may still be at work: nobody knows what it
counts. With every other failing status services say that they have not answered, and charge nothing: Anthropic and
OpenAI both bill by the tokens of replies that were given."""
_NO_TOOLS: Final = (
    "does not support tool",  # Ollama
    "does not support function calling",
    "enable-auto-tool-choice",  # vLLM
    "support tool use",  # OpenRouter: no endpoint does
    "unsupported param: tools",  # llama.cpp
    "tools param requires",  # llama.cpp
    "tools is not supported",  # Groq, OpenAI
    "tool calling is not supported",
)
"""How services say that a model takes no tools, in small letters and without quotes; seen in their users' reports."""

_STATUS = late_pattern(r"^\d{3}, message[:=]\s*")
"""aiohttp has a status for what it could not read; nobody answered with it."""
_CUT = late_pattern(r"without sending complete message body \(([^()]+)\)$")
"""How httpx puts it that not all of an answer came."""
_USER = late_pattern(r"//[^/]*@")


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


def refused(error: ProviderError, status: int, address: str) -> ProviderError:
    """An error for an answer with a failing HTTP status: one of the service's own costs nothing, and a service on this
    machine that has failed itself is asked again soon.

    Args:
        error: what the answer means; changed in place.
        status: 400 to 599.
        address: the service's URL.
    """
    error.asked = status in _NOT_ITS_OWN
    # Every other status may be that of a service far away, which a proxy on this machine passes on.
    if status == 500 and error.retry_after_s is None and is_loopback(address):
        error.retry_after_s = HERE_S
    return error


def refuses_tools(said: str) -> bool:
    """Whether a service has refused a request because there were tools in it.

    Args:
        said: its own words.
    """
    plain = re.sub("[`'\"]", "", said.lower())
    return any(phrase in plain for phrase in _NO_TOOLS)


def innermost(error: Exception) -> str:
    """The innermost words about a failed connection, in one line; the outer ones only say that it failed."""
    if any(type(cause).__name__ == "gaierror" for cause in _causes(error)):
        return "its name could not be looked up; perhaps there is no network"
    while isinstance(error.__cause__, Exception):
        error = error.__cause__
    return _in_short(str(error)) or type(error).__name__


def _in_short(words: str) -> str:
    """What a library says, in one line and without what only says that something failed."""
    line = _STATUS.sub("", " ".join(words.split())).rstrip(". ")
    return found[1] if (found := _CUT.search(line)) is not None else line


def shown(address: str) -> str:
    """An address for people: without a password, and without a query, which can hold a key. Clients are told it too."""
    return _USER.sub("//", re.split(r"[?#]", address, maxsplit=1)[0])


def caused_by(error: Exception, *kinds: type[Exception]) -> bool:
    """Whether an error, or one that led to it, is of these kinds."""
    return any(isinstance(cause, kinds) for cause in _causes(error))


def _causes(error: Exception) -> Iterator[BaseException]:
    """An error, what led to it, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__  # httpcore hides what led to its errors, and keeps it


def hung_up(error: Exception) -> bool:
    """Whether somebody took the connection and ended it before any answer, by what an HTTP client has raised."""
    causes = list(_causes(error))
    if any(type(cause).__name__.startswith(_NOT_TAKEN) for cause in causes):
        return False
    return any(
        type(cause).__name__ in _HUNG_UP
        or isinstance(cause, ConnectionResetError | BrokenPipeError)
        or (isinstance(cause, OSError) and cause.errno in (errno.ECONNRESET, errno.EPIPE))
        or "disconnected without sending a response" in str(cause)
        for cause in causes
    )


def no_answer(address: str, whom: str) -> ProviderTransient:
    """The error for a connection that was ended so (`hung_up`).

    Args:
        address: who was asked.
        whom: what for, e.g. ``the model 'x'``.
    """
    return ProviderTransient(
        f"{shown(address)} closed the connection without an answer for {whom}: try again, or look at what runs there"
    )


def soon_again_s(address: str, error: Exception) -> float | None:
    """How soon a service is asked again that nobody took the connection of.

    Args:
        address: its URL.
        error: what the transport raised.

    Returns:
        Seconds, where this machine itself said that nobody listens there: the answer is quick and sure, and whoever
        waits is better told so than kept. None where our own waits hold.
    """
    *_, last = _causes(error)
    tried = last.exceptions if isinstance(last, BaseExceptionGroup) else (last,)  # a name can have several addresses
    refused = all(isinstance(one, ConnectionRefusedError) for one in tried)
    return HERE_S if refused and is_loopback(address) else None


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
    if hung_up(error):
        return no_answer(address, f"the model {model!r}")
    kind = ProviderUnreachable if caused_by(error, *nobody) else ProviderTransient
    return kind(
        f"no connection to {shown(address)} for the model {model!r} ({innermost(error)}): "
        f"check the network and {variable}",
        retry_after_s=soon_again_s(address, error),
    )
