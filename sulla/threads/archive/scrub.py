"""A record's body with other texts in it: for what has to be gone from a log that is kept. Pure."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from sulla.core.jsontypes import Json
from sulla.store.sealing import seal, unseal


def scrubbed(kind: str, body: bytes, change: Callable[[Json], Json]) -> bytes:
    """A record's body as it is changed; the very body if nothing is.

    Args:
        kind: the record's.
        body: as the store has it.
        change: gives what takes the place of its JSON; the same object for nothing new.

    Raises:
        CorruptRecord: the bytes are not what was written.
    """
    value: Json = orjson.loads(unseal(kind, body, kind))
    changed = change(value)
    return body if changed is value else seal(kind, orjson.dumps(changed))
