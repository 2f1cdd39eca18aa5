"""What a node may decide: where its graph goes next (seed 004 §6). Pure."""

from __future__ import annotations

from typing import Final, final

from sulla.core.dataclass import dataclass
from sulla.core.ids import NodeId


@final
@dataclass(frozen=True, slots=True)
class EndWalk:
    """The walk is over. Edges lead there too: see `END`."""


@final
@dataclass(frozen=True, slots=True)
class Next:
    """Follow the node's edge."""


@final
@dataclass(frozen=True, slots=True)
class Continue:
    """Run the same node again."""


@final
@dataclass(frozen=True, slots=True)
class Goto:
    """Run `node` next, whatever the edges say. A node that the graph does not have is an error."""

    node: NodeId


@final
@dataclass(frozen=True, slots=True)
class Revise:
    """Run the graph's declared reviser next. A graph without one is an error."""


Decision = EndWalk | Next | Continue | Goto | Revise

END: Final = EndWalk()
"""Where an edge leads when the walk is over. It is no node id, so no node can stand for it or hide it."""

Target = NodeId | EndWalk
"""Where an edge may lead."""
