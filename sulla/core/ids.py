"""Names of things, as types that do not mix."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Final, NewType

ThreadId = NewType("ThreadId", str)
RunId = NewType("RunId", str)
MessageId = NewType("MessageId", str)
CallId = NewType("CallId", str)
NodeId = NewType("NodeId", str)

MakeId = Callable[[str], str]
"""The promise to make a new id: ``make_id("thr")`` gives ``thr_…``, never the same twice."""


def derived_id(prefix: str, *parts: str) -> str:
    """An id that is always the same for the same parts.

    Used where an id has to survive a re-send or a restart without being looked up: a run's id follows from its thread
    and the client's message id.

    Args:
        prefix: what kind of thing it names, e.g. ``run``.
        parts: what it is made from; their order and borders matter.

    Returns:
        ``<prefix>_<24 hex digits>``.
    """
    digest = blake2b(digest_size=12)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return f"{prefix}_{digest.hexdigest()}"


OF_A_FLOW: Final = "flow"
"""What an id of a child is derived with that does a part of its parent's turn."""


def is_of_a_flow(child: str) -> bool:
    """Whether a child is a branch of a flow, or a task that a flow delegates.

    Args:
        child: its id.
    """
    return child.startswith(f"{OF_A_FLOW}_")
