"""Every error that Sulla raises on purpose.

The tree, checked against the classes by ``tests/house/test_errors.py``::

    SullaError                       internal               ours
    +-- Refused                      refused                caller
    |   +-- InvalidInput             invalid_input          caller
    |   |   +-- TooLarge             too_large              caller
    |   |   +-- PathEscape           path_escape            caller
    |   +-- NotFound                 not_found              caller
    |   +-- Conflict                 conflict               caller
    |   |   +-- MessageIdReused      message_id_reused      caller
    |   |   +-- AlreadyAnswered      already_answered       caller
    |   +-- Unauthorized             unauthorized           caller
    |   +-- Forbidden                forbidden              caller
    |   +-- NotAvailable             not_available          caller
    |   +-- Busy                     busy                   caller
    |       +-- QueueFull            queue_full             caller
    |       +-- RateLimited          rate_limited           caller
    +-- Unavailable                  unavailable            ours
    |   +-- StoreUnavailable         store_unavailable      ours
    |   +-- ShuttingDown             shutting_down          ours
    +-- StoreReplaced                store_replaced         ours
    +-- StaleLease                   stale_lease            ours
    +-- CorruptRecord                corrupt_record         ours
    +-- RanksUnusable                ranks_unusable         ours
    +-- LimitReached                 limit_reached          ours
    +-- Aborted                      aborted                caller
    +-- FlowError                    flow_failed            caller
    +-- RouteError                   route_failed           caller
    +-- GraphError                   graph_invalid          ours
    |   +-- NoSuchNode               no_such_node           ours
    +-- ProviderError                provider_error         theirs
    |   +-- ProviderTransient        provider_transient     theirs
    |   |   +-- ProviderUnreachable  provider_unreachable   theirs
    |   +-- ProviderRejected         provider_rejected      theirs
    |   |   +-- ContextTooLong       context_too_long       theirs
    |   |   +-- ToolsRefused         tools_refused          theirs
    |   +-- ProviderUnauthorized     provider_unauthorized  caller
    |   |   +-- ProviderKeyMissing   provider_key_missing   caller
    |   +-- ProviderProtocol         provider_protocol      theirs
    +-- SettingsError                settings_invalid       caller
    +-- HomeInUse                    home_in_use            caller
    +-- PortInUse                    port_in_use            caller

The second column is the stable ``code`` that travels to clients, the third says whose fault it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from sulla.core.limit import LimitHit

Fault = Literal["caller", "ours", "theirs"]


class SullaError(Exception):
    """The root: anything below it is an outcome that Sulla knows how to report.

    Args:
        message: what was wrong, where, what was expected and what to do, in one or two sentences.
        retry_after_s: how long to wait before the same call can succeed, in seconds, where that is known.
    """

    code: ClassVar[str] = "internal"
    fault: ClassVar[Fault] = "ours"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after_s = retry_after_s


class Refused(SullaError):
    """The caller asked for something that cannot be done as asked; nothing has changed."""

    code = "refused"
    fault = "caller"


class InvalidInput(Refused):
    """A value is missing, has the wrong type or breaks a rule."""

    code = "invalid_input"


class TooLarge(InvalidInput):
    """A value is over a documented size."""

    code = "too_large"


class PathEscape(InvalidInput):
    """A path leads out of the folder that it has to stay in."""

    code = "path_escape"


class NotFound(Refused):
    """The named thing does not exist."""

    code = "not_found"


class Conflict(Refused):
    """The request contradicts what is already kept."""

    code = "conflict"


class MessageIdReused(Conflict):
    """A known message id came again with other content."""

    code = "message_id_reused"


class AlreadyAnswered(Conflict):
    """Somebody else's answer to the same question came first."""

    code = "already_answered"


class Unauthorized(Refused):
    """No valid credentials."""

    code = "unauthorized"


class Forbidden(Refused):
    """Valid credentials without the right to do this."""

    code = "forbidden"


class NotAvailable(Refused):
    """The protocol knows this, but this daemon does not offer it."""

    code = "not_available"


class Busy(Refused):
    """The thing is in use right now; the same call can succeed later."""

    code = "busy"
    retryable = True


class QueueFull(Busy):
    """The thread already holds as many waiting inputs as it may."""

    code = "queue_full"


class RateLimited(Busy):
    """Messages come faster than they are taken; this one was not."""

    code = "rate_limited"


class Unavailable(SullaError):
    """Sulla cannot do it now; nothing was acknowledged."""

    code = "unavailable"
    retryable = True


class StoreUnavailable(Unavailable):
    """The store does not answer or refuses to write.

    Args:
        message: see `SullaError`.
        retry_after_s: see there.
        refused: the store answers, and takes nothing more: it has no room, or may not be written to.
    """

    code = "store_unavailable"

    def __init__(self, message: str, *, retry_after_s: float | None = None, refused: bool = False) -> None:
        super().__init__(message, retry_after_s=retry_after_s)
        self.refused = refused


class ShuttingDown(Unavailable):
    """The daemon is stopping and takes no new work."""

    code = "shutting_down"


class StoreReplaced(SullaError):
    """The store is not the one that was kept in: it was emptied, or another one is in its place."""

    code = "store_replaced"


class StaleLease(SullaError):
    """Somebody else holds the log now: whoever sees this must start and emit nothing more."""

    code = "stale_lease"


class CorruptRecord(SullaError):
    """A kept record does not match its checksum or its form; it is never read as empty."""

    code = "corrupt_record"


class RanksUnusable(SullaError):
    """The tokenizer's ranks are missing or damaged: tokens are estimated instead, and people are told once."""

    code = "ranks_unusable"


class LimitReached(SullaError):
    """A limit that is always on stopped the work; the message says which, where and by how much.

    Args:
        reason: what the outcome says, stable, e.g. ``limit_model_calls`` or ``repeating``.
        message: the rest.
        hit: the same in figures.
    """

    code = "limit_reached"

    def __init__(self, reason: str, message: str, hit: LimitHit | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.hit = hit


class Aborted(SullaError):
    """A person or the daemon asked the work to end; ``reason`` says which."""

    code = "aborted"
    fault = "caller"

    def __init__(self, reason: str) -> None:
        super().__init__(f"aborted: {reason}")
        self.reason = reason


class FlowError(SullaError):
    """The flow of a turn cannot be walked on: a condition failed, or what it names is not there any more."""

    code = "flow_failed"
    fault = "caller"


class RouteError(SullaError):
    """The route of a turn cannot be gone on with: what it requires is not there, or came to nothing."""

    code = "route_failed"
    fault = "caller"


class GraphError(SullaError):
    """A graph that cannot work: it is refused when it is built, never while it runs."""

    code = "graph_invalid"


class NoSuchNode(GraphError):
    """A decision named a node that the graph does not have."""

    code = "no_such_node"


class ProviderError(SullaError):
    """A language model's service failed; a subclass says how."""

    code = "provider_error"
    fault: ClassVar[Fault] = "theirs"
    asked: bool = True
    """Whether the service may count the request: not if nobody got it, nor if it was answered with a refusal."""


class ProviderTransient(ProviderError):
    """Overload, rate limit, time-out or a lost connection: the same request may succeed later."""

    code = "provider_transient"
    retryable = True


class ProviderUnreachable(ProviderTransient):
    """Nobody took the connection: nothing was asked."""

    code = "provider_unreachable"
    asked = False


class ProviderRejected(ProviderError):
    """The service understood the request and will not do it, however often it is asked."""

    code = "provider_rejected"


class ContextTooLong(ProviderRejected):
    """The request is longer than the model's window."""

    code = "context_too_long"


class ToolsRefused(ProviderRejected):
    """The model, or whoever serves it, takes no tools: the same request without them may succeed."""

    code = "tools_refused"
    asked = False  # services look at the tools before any model reads the request


class ProviderUnauthorized(ProviderError):
    """The key is missing, wrong or not allowed to use the model."""

    code = "provider_unauthorized"
    fault = "caller"


class ProviderKeyMissing(ProviderUnauthorized):
    """There is no key to ask with: nothing was asked."""

    code = "provider_key_missing"
    asked = False


class ProviderProtocol(ProviderError):
    """The reply broke off or broke its own protocol: nothing of it may be taken as final."""

    code = "provider_protocol"
    retryable = True


class SettingsError(SullaError):
    """The settings cannot be used; the message names the key, the place and the remedy."""

    code = "settings_invalid"
    fault = "caller"


class HomeInUse(SullaError):
    """Another daemon runs on the same home."""

    code = "home_in_use"
    fault = "caller"


class PortInUse(SullaError):
    """The address to listen on is taken."""

    code = "port_in_use"
    fault = "caller"


def leaf(error: BaseException) -> BaseException:
    """The first error inside a group: a task group raises what happened in it wrapped, often more than once."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def foremost(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """What of several failures at once decides how a run goes on: a lost lease, a store that is away, an abort, or else
    the first.

    Args:
        failures: at least one.
    """
    for kind in (StaleLease, StoreUnavailable, Aborted):
        found = failures.subgroup(kind)
        if found is not None:
            return leaf(found)
    return leaf(failures)
