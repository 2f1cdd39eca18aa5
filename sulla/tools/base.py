"""What a tool is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import Origin

Effect = Literal["pure", "idempotent", "once"]
"""What a repeat would do: nothing at all; nothing more (same key); harm. Undeclared means `once` (design §2)."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call gets besides its arguments."""

    thread_id: ThreadId
    run_id: RunId
    call_id: CallId
    idempotency_key: str
    """The same for every attempt at this call."""
    workspace: Path
    clock: Clock
    control: Control
    progress: Callable[[Json], None]


@dataclass(frozen=True, slots=True)
class Done:
    """A call's result, as text for the model."""

    text: str
    is_error: bool = False
    origin: Origin = "tool"
    passing: bool = False
    """For an error: what was in the way may be gone in a while, so the same call may succeed then."""
    retry_after_s: float | None = None
    """When, in seconds, where that is known."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The call has no result yet: its run is suspended until an answer is offered under `wait_id`."""

    wait_id: str
    """``approval:<id>``, ``child:<id>``, ``answer:<run>:<step>:<n>``, ``review:<call>``; the same at every attempt."""
    prompt: str
    """What is waited for, for people."""


Result = Done | Waiting


class ToolFunction(Protocol):
    """The work itself: arguments that have been checked against the schema in, a result out."""

    def __call__(self, args: FrozenJson, context: ToolContext) -> Awaitable[Result]:
        """Do it."""
        ...


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that an agent can do. Holds no state."""

    name: str
    description: str
    schema: FrozenJson
    """JSON Schema of the arguments, an object."""
    run: ToolFunction
    effect: Effect = "once"
    category: str = "general"
    timeout_s: float = 60.0
    parallel: bool = True
    """Whether it may run beside other calls of the same reply."""
    rest: str = ""
    """How to get at the rest of a result that had to be cut; empty for a general remark."""
