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


def note_position(position: ClientPosition) -> str:
    """A position as it is noted."""
    return orjson.dumps(short(position)).decode()


def read_spot(noted: str) -> ClientPosition | None:
    """A position as it was noted; None if that was done by a version that noted something else."""
    found = orjson.loads(noted)
    return position_of(found) if isinstance(found, dict) else None


def position_of(found: dict[str, Any]) -> ClientPosition | None:
    """The same, once it was read."""
    if found.keys() != {field.name for field in fields(ClientPosition)}:
        return None
    return ClientPosition(**{**found, "choices": tuple(found["choices"])})


def short(position: ClientPosition) -> ClientPosition:
    """What of a position is noted."""
    if sum(len(choice) for choice in position.choices) > _NOTED_CHARS:
        position = replace(position, choices=())  # the daemon refuses what is none of them
    return replace(position, prompt=position.prompt[:_NOTED_CHARS])
