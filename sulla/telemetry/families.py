"""Everything that is measured, by name: the table that docs/operations.md explains. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.errors import SettingsError
from sulla.telemetry.tally import Counter, Histogram, Tally

_TURN_S: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
_WAIT_S: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
_REQUEST_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)
_LAG_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)

TURNS = Counter("sulla_turns", "Turns that are over.", ("agent", "outcome"))
TURN_FAILURES = Counter("sulla_turn_failures", "Turns that failed, by the reason that clients were told.", ("reason",))
TURN_S = Histogram("sulla_turn_duration_seconds", "From a turn's beginning to its end.", _TURN_S, ("agent",))
QUEUE_S = Histogram("sulla_turn_queue_seconds", "From taking a message to its turn's beginning.", _WAIT_S)
FIRST_TEXT_S = Histogram(
    "sulla_turn_first_text_seconds", "From taking a message to the first word that a person sees.", _WAIT_S
)
MODEL_CALLS = Counter("sulla_model_calls", "Model calls that are over.", ("purpose", "outcome"))
MODEL_CALL_S = Histogram("sulla_model_call_duration_seconds", "How long a model call took.", _WAIT_S, ("outcome",))
TOKENS = Counter("sulla_tokens", "Tokens as the model's service counted them.", ("kind",))
COST = Counter("sulla_cost", "What model calls cost, in the unit of [prices].")
TOOL_CALLS = Counter("sulla_tool_calls", "Tool calls that are over.", ("tool", "outcome"))
TOOL_CALL_S = Histogram("sulla_tool_call_duration_seconds", "How long a tool call took.", _WAIT_S, ("tool",))
SUMMARIES = Counter("sulla_summaries", "Summaries of long conversations.", ("outcome",))
REQUESTS = Counter("sulla_gateway_requests", "Requests of clients.", ("way", "method", "code"))
REQUEST_S = Histogram("sulla_gateway_request_duration_seconds", "How long a request took.", _REQUEST_S, ("method",))
REFUSALS = Counter("sulla_gateway_refusals", "Peers that were not let in.", ("way", "code"))
CONNECTIONS = Counter("sulla_gateway_connections_opened", "Connections and streams that have begun.", ("way",))
LOOP_LAG_S = Histogram("sulla_loop_lag_seconds", "How late the event loop was.", _LAG_S)


def new_tally(more: Iterable[Counter | Histogram] = ()) -> Tally:
    """A tally of all of them.

    Args:
        more: those of capabilities.

    Raises:
        SettingsError: two have one name.
    """
    counters = (TURNS, TURN_FAILURES, MODEL_CALLS, TOKENS, COST, TOOL_CALLS, SUMMARIES, REQUESTS, REFUSALS, CONNECTIONS)
    histograms = (TURN_S, QUEUE_S, FIRST_TEXT_S, MODEL_CALL_S, TOOL_CALL_S, REQUEST_S, LOOP_LAG_S)
    brought = tuple(more)
    names = [one.name for one in (*counters, *histograms, *brought)]
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(f"two figures are called {name!r}: the capability that brings one has to rename it")
    return Tally(
        (*counters, *(one for one in brought if isinstance(one, Counter))),
        (*histograms, *(one for one in brought if isinstance(one, Histogram))),
    )
