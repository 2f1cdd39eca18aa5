"""The port through which anything gets run: it decides where and when a log is worked on, never what is done to it.
Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from sulla.core.dataclass import dataclass

JobKind = Literal["turn", "beat", "playbook", "child", "resume"]


@dataclass(frozen=True, slots=True)
class Job:
    """A hint that a log wants to be looked at.

    Losing one costs a second, until the sweep finds the log; doubling one costs nothing.
    """

    key: str
    """The log."""
    kind: JobKind = "turn"


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a worker is doing."""

    running: tuple[str, ...]
    queued: tuple[str, ...]
    failing: tuple[str, ...]
    """Logs whose last job raised; they are tried again later and later."""


Handler = Callable[[Job], Awaitable[None]]
"""Does all there is to do for a log now. Must be safe to call at any time, also when there is nothing to do."""


GroupKind = Literal["turn", "child", "step", "play"]
"""What is worked on: a conversation's turn or a beat, a run that another one asked for, a step of a playbook that an
agent does, or a playbook itself."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the caps count a log by."""

    agent: str
    """Whose it is."""
    kind: GroupKind = "turn"
    parent: str = ""
    """The log that asked for it: a step's playbook is at work while the step is."""


GroupOf = Callable[[str], Awaitable[Group]]
"""Whose log it is."""
