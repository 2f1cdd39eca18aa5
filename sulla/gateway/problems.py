"""What went wrong, as an HTTP answer. Pure."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from typing import Final

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import (
    Busy,
    Conflict,
    FlowError,
    Forbidden,
    InvalidInput,
    NotAvailable,
    NotFound,
    Refused,
    RouteError,
    StoreUnavailable,
    SullaError,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from sulla.core.jsontypes import JsonObject

_STATUS: tuple[tuple[type[SullaError], int], ...] = (
    (TooLarge, 413),
    (InvalidInput, 400),
    (Unauthorized, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (Conflict, 409),
    (Busy, 429),
    (NotAvailable, 501),
    (Refused, 400),
    (FlowError, 422),
    (RouteError, 422),
    (Unavailable, 503),
)
"""The first that fits. Whatever is not here is a defect of ours."""

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal or a failure. The form of its body is ``rest_models.Failure``."""

    status: int
    code: str
    message: str
    retryable: bool = False
    retry_after_s: float | None = None
    allow: tuple[str, ...] = ()
    """The verbs that there are, for 405."""
    param: str = ""
    """Where in the request it is, for dialects that say so."""

    def body(self) -> bytes:
        """The answer's body."""
        return orjson.dumps({"error": self.error()})

    def error(self) -> JsonObject:
        """What is in it."""
        return {
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            "retry_after_s": self.retry_after_s,
        }

    def headers(self) -> Headers:
        """What the status asks for."""
        found: Headers = []
        if self.retry_after_s is not None:
            found.append((b"retry-after", str(ceil(self.retry_after_s)).encode()))
        if self.status == 401:
            found.append((b"www-authenticate", b"Bearer"))
        if self.allow:
            found.append((b"allow", ", ".join(self.allow).encode()))
        return found


STORE_AWAY: Final = (
    "the daemon's store is away, so nothing can be taken or read just now: try again soon. Whoever runs the daemon "
    "sees why"
)
"""What those are told of the store who do not run the daemon."""


class Malformed(Exception):
    """A request that is wrong as HTTP; there is no word for it in the protocol."""

    def __init__(self, status: int, code: str, message: str, param: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(status, code, message, param=param)


def problem_of(error: SullaError | Malformed) -> Problem:
    """The answer that an error deserves."""
    if isinstance(error, Malformed):
        return error.problem
    return Problem(status_of(error), error.code, error.message, error.retryable, error.retry_after_s)


def told_to(error: SullaError, scopes: Collection[str]) -> SullaError:
    """An error as whoever has these scopes may hear it: where the store is, and what to do about it, is for those who
    run the daemon.
    """
    if not isinstance(error, StoreUnavailable) or "admin" in scopes:
        return error
    return StoreUnavailable(STORE_AWAY, retry_after_s=error.retry_after_s)


def status_of(error: SullaError) -> int:
    """The HTTP status that an error deserves."""
    return status_of_kind(type(error))


def status_of_kind(kind: type[SullaError]) -> int:
    """The same for all errors of a kind."""
    return next((status for known, status in _STATUS if issubclass(kind, known)), 500)


def no_such_path(path: str) -> Problem:
    """Nothing is found there."""
    shown = path if len(path) <= 80 else f"{path[:80]}…"
    return Problem(404, "not_found", f"nothing is found under {shown!r}: /openapi.json lists what there is")


def no_such_verb(verb: str, path: str, allowed: tuple[str, ...]) -> Problem:
    """Something is there, but it cannot be used like that."""
    shown = path if len(path) <= 80 else f"{path[:80]}…"
    message = f"{shown!r} does not take {verb[:20]}: it takes {' and '.join(allowed)}"
    return Problem(405, "method_not_allowed", message, allow=allowed)


DEFECT = Problem(500, SullaError.code, "something went wrong inside the daemon; its log has the details")
"""Nobody waits for ever, not even because of a defect of ours."""
