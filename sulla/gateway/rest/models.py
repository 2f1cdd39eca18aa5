"""What the REST interface answers beside the models of ``wire``. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.rpc.form import Params

Reason = Literal["finished", "ended", "stopping", "too_slow", "revoked", "failed"]
"""Why a stream is over."""


class TurnTaken(Params):
    """The answer to a message: it is kept."""

    run_id: str
    seq: int
    message_id: str
    """As given, or as made here: the same one again gives the same answer and does nothing twice."""


class Trouble(Params):
    """What went wrong, for machines and for people."""

    code: str
    message: str
    retryable: bool
    retry_after_s: float | None


class Failure(Params):
    """The body of every answer with a status of 400 or more."""

    error: Trouble


class End(Params):
    """The data of ``end``, the last event of every stream."""

    reason: Reason
    error: Trouble | None = None
    """What went wrong, if something did."""


class ChildEnded(Params):
    """The data of ``child_ended``: a sub-agent can be followed no longer."""

    thread_id: str
    error: Trouble


class Hole(Params):
    """The data of ``gap``: kept events between two numbers are not there any more."""

    thread_id: str
    after: int
    next: int
