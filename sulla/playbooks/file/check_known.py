"""What a playbook's names are held against. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import field
from typing import Literal, cast

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.definition import InputSpec
from sulla.tools.base import Effect, Reach, TimeLimit


@dataclass(frozen=True, slots=True)
class KnownTool:
    """What a check has to know of a tool."""

    schema: FrozenJson
    """JSON Schema of its arguments, an object."""
    effect: Effect = "once"
    missing: str = ""
    """What this home has to set before it can be used; empty for nothing."""
    gives: FrozenJson = field(default_factory=dict)
    """JSON Schema of each of the values that it gives beside the text, by name."""
    effect_of: Callable[[FrozenJson], Effect] | None = None
    """What a repeat of a call would do, where that depends on its arguments."""
    reach: Reach | Literal[""] = ""
    """Where it takes effect; empty where that hangs on the call."""
    foreign: bool = False
    """Whether its results are from outside: pages, servers."""
    remarks: bool = False
    """Whether its text for models says more than it gave: see `Tool.remarks`."""
    refuses: Callable[[FrozenJson], str] | None = None
    """Why a call would be refused in this home, as far as its arguments tell; empty where they do not."""

    sorts_failures: bool = False
    """See `Tool.sorts_failures`."""
    limit: Callable[[FrozenJson], TimeLimit] | None = None
    """What becomes of a call that takes too long, by its arguments; None where nobody knows."""

    def effect_with(self, args: Mapping[str, object]) -> Effect:
        """What a repeat would do of a call with these arguments, as far as they are written out."""
        return self.effect if self.effect_of is None else self.effect_of(cast("FrozenJson", args))


@dataclass(frozen=True, slots=True)
class WithinCalls:
    """What a check has to know of the calls of a playbook that is a step of another one."""

    changes: str = ""
    """A tool that it calls and that takes effect outside; empty for none."""
    reads: str = ""
    """A tool that reads outside and is called with something of the playbook's inputs; empty for none."""
    foreign: bool = False
    """Whether anything that it calls gives results from outside."""


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What there is beside a playbook's file. None: nobody knows here, so nothing is said of it."""

    tools: Mapping[str, KnownTool] | None = None
    agents: Set[str] | None = None
    playbooks: Mapping[str, Mapping[str, InputSpec]] | None = None
    """Each with its inputs."""
    calls: Mapping[str, WithinCalls] = field(default_factory=dict)
    """What those of them call whose files could be read."""
    faulty: Set[str] = frozenset()
    """The names of those that are there, and have faults."""
    secrets: Set[str] | None = None
    """The names of those that settings hold."""
    short_secrets: Set[str] = frozenset()
    """The names of those that are too short to sign webhooks."""
    elsewhere: str = ""
    """How the names of tools begin that may be there although they are not among these; empty for none."""
    schedule: Callable[[str, str], None] | None = None
    """Takes what a schedule says and its zone; raises `InvalidInput` if no schedule can be made of it."""
    reply_tokens: int = 0
    """What one reply of a model may take, in tokens; 0 where nobody knows."""

    def is_elsewhere(self, tool: str) -> bool:
        """Whether nothing can be said of a tool that is not known."""
        return bool(self.elsewhere) and tool.startswith(self.elsewhere)


NOTHING_KNOWN = KnownNames()
