"""Why an answer broke off, for dialects whose clients know nothing but errors. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import ShuttingDown
from sulla.gateway.problems import DEFECT, Problem
from sulla.gateway.rest.models import Reason

STOPPING: Final = Problem(
    503, ShuttingDown.code, "the daemon is stopping: the turn goes on when it is back", retryable=True
)


def why(reason: Reason, problem: Problem | None) -> Problem:
    """What went wrong.

    Args:
        reason: why the answer breaks off.
        problem: what is known of it.
    """
    if problem is not None:
        return problem
    return STOPPING if reason == "stopping" else DEFECT
