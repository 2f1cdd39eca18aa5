"""Replies compared by what they say: how much of one came together is the network's business."""

from __future__ import annotations

from collections.abc import Iterable

from sulla.core.errors import ProviderProtocol
from sulla.models.base import Completed, Delta
from sulla.models.wire.reply import StreamedReply


def joined(deltas: Iterable[Delta]) -> list[Delta]:
    """The same with neighbours of one kind as one."""
    found: list[Delta] = []
    for delta in deltas:
        last = found[-1] if found else None
        if isinstance(delta, Completed) or isinstance(last, Completed) or type(last) is not type(delta):
            found.append(delta)
        elif last is not None:
            found[-1] = type(delta)(last.text + delta.text)
    return found


def refusal_to_end(reply: StreamedReply) -> str:
    """What a reply says when its stream ends here; empty if nothing. For loops, where `pytest.raises` takes long."""
    try:
        reply.end()
    except ProviderProtocol as error:
        return error.message
    return ""
