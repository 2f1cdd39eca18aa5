"""The agents of the seed: roles that an agent takes on for a part of a turn, shipped as files (seed 002 §1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson
from sulla.definitions.flow_options import SubAgent
from sulla.definitions.front_matter import read_front, text_of

OWN_PART: Final = "Now it is for you to do your part of what the person asks, with what stands above."
"""What is told an agent that works as itself."""
_FOLDER: Final = Path(__file__).parent / "roles"


@dataclass(frozen=True, slots=True)
class Role:
    """What an agent does for one part of a turn. It stays who it is: its words, its model and its rights."""

    key: str
    description: str
    text: str = ""
    """What it is told, as the newest message."""
    shown: bool = True
    """Whether people see what it says."""
    tools: tuple[str, ...] | None = None
    """The tools that it may use; None for all that its agent has."""
    answer: FrozenJson | None = None
    """JSON Schema of what it says, where that is one forced call and no text."""
    call: str = ""
    """The tool that is called in its place, without asking a model."""
    optional: bool = False
    """Whether the turn goes on if it fails."""
    argument: str = ""
    """The argument of that which gets the person's message; empty for none."""
    beside: FrozenJson = field(default_factory=dict, hash=False)
    """Its other arguments."""


def read_roles(folder: Path = _FOLDER) -> Mapping[str, Role]:
    """The roles that are shipped, by their keys. It reads files.

    Args:
        folder: where they lie.
    """
    return {file.stem: _role(file.stem, file.read_text("utf-8")) for file in sorted(folder.glob("*.md"))}


def roles_of(agents: Iterable[SubAgent]) -> Mapping[str, Role]:
    """The agents that a turn brings along, as roles.

    Args:
        agents: those.
    """
    return {one.agent_key: Role(one.agent_key, one.description, OWN_PART, tools=one.available_tools) for one in agents}


def _role(key: str, text: str) -> Role:
    front = read_front(text)
    answer, beside = front.fields.get("answer"), front.fields.get("beside")
    return Role(
        key,
        text_of(front.fields, "description"),
        " ".join(front.body.split()),
        front.fields.get("shown", True) is not False,
        () if front.fields.get("tools") == "none" else None,
        answer if isinstance(answer, dict) else None,
        text_of(front.fields, "call"),
        front.fields.get("optional") is True,
        text_of(front.fields, "argument"),
        beside if isinstance(beside, dict) else {},
    )
