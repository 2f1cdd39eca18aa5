"""Where a client was in a conversation that it keeps itself, as it is noted. Pure."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import orjson

from sulla.core.dataclass import dataclass

_NOTED_CHARS = 600


@dataclass(frozen=True, slots=True)
class ClientPosition:
    """Where a client was in a conversation."""

    thread_id: str
    seq: int
    """The number of the last thing that it was told."""
    system: str = ""
    """A fingerprint of what its application said."""
    run_id: str = ""
    """The turn that waits for an answer, if one does."""
    question: str = ""
    """The id of the question that the client was shown."""
    choices: tuple[str, ...] = ()
    prompt: str = ""
    """The question, as it was shown."""


def note_spot(spot: ClientPosition) -> str:
    """A spot as it is noted."""
    return orjson.dumps(short(spot)).decode()


def read_spot(noted: str) -> ClientPosition | None:
    """A spot as it was noted; None if that was done by a version that noted something else."""
    found = orjson.loads(noted)
    return spot_of(found) if isinstance(found, dict) else None


def spot_of(found: dict[str, Any]) -> ClientPosition | None:
    """The same, once it was read."""
    if found.keys() != {field.name for field in fields(ClientPosition)}:
        return None
    return ClientPosition(**{**found, "choices": tuple(found["choices"])})


def short(spot: ClientPosition) -> ClientPosition:
    """What of a spot is noted."""
    if sum(len(choice) for choice in spot.choices) > _NOTED_CHARS:
        spot = replace(spot, choices=())  # the daemon refuses what is none of them
    return replace(spot, prompt=spot.prompt[:_NOTED_CHARS])
