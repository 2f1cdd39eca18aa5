"""What travels over the store's bus for the cluster's queue: a wish has just been put there. It may be lost. Pure."""

from __future__ import annotations

import json
from typing import Final

from sulla.core.dataclass import dataclass

CHANNEL: Final = "work:hints"
"""Where workers listen."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A wish that somebody with a free place may see to before it is found in the queue."""

    key: str
    """The log."""
    mark: str
    """The wish's name in the queue."""
    although_held: bool = False
    """See `Wish.although_held`."""


def pack(hint: Hint) -> bytes:
    """A hint as bytes."""
    return json.dumps([hint.key, hint.mark, hint.although_held]).encode()


def unpack(payload: bytes) -> Hint | None:
    """The hint, or None if the payload is of a form that this version does not know: the queue has the wish."""
    match json.loads(payload):
        case [str(key), str(mark), bool(although_held)]:
            return Hint(key, mark, although_held)
        case _:
            return None
