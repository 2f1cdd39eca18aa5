"""What a landing has to do, and in which order (`tools.shell.landing`). Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

from sulla.core.dataclass import dataclass
from sulla.tools.paths import printable
from sulla.tools.shell.changes import Change, ChangeKind


@dataclass(frozen=True, slots=True)
class LandingStep:
    """One change on its way into a workspace."""

    parts: tuple[str, ...]
    """Where it is below the workspace."""
    kind: ChangeKind
    is_new: bool
    """Whether nothing was there before."""
    copied: bool = False
    """Whether a copy of what the layer holds is put there, and not that itself."""
    mode: int = 0
    """The rights that a folder gets, or a file with its kind; 0 for those that it has."""
    had: int = 0
    """The rights that it had."""

    @property
    def path(self) -> str:
        """Below the workspace, for people and models."""
        return printable("/".join(self.parts))

    @property
    def is_put(self) -> bool:
        """Whether a file or link is put there."""
        return self.kind in ("file", "link")


@dataclass(frozen=True, slots=True)
class LandingPlan:
    """All that is decided of one landing before it begins. It is written down, and lives until the landing is over."""

    workspace: str
    top: int
    """The inode of the workspace's folder: a disk that is not there leaves another one in its place."""
    inside: bool
    """Whether what is kept meanwhile has to lie in the workspace: nothing can be renamed from the layer to it."""
    steps: tuple[LandingStep, ...]
    """In their order."""
    folders: Mapping[str, int] = field(default_factory=dict)
    """The inodes of the workspace's folders that steps lead through, by path: each has to be what it was."""
    rights: Mapping[str, int] = field(default_factory=dict)
    """The rights of the layer's folders that files cannot be taken out of as they are, by path."""

    def to_text(self) -> str:
        """As it is written down."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> LandingPlan:
        """What was written down.

        Raises:
            ValueError: it is no plan, or not a whole one.
            TypeError: the same.
            KeyError: the same.
        """
        note: dict[str, Any] = json.loads(text)
        steps = tuple(LandingStep(**(one | {"parts": tuple(one["parts"])})) for one in note["steps"])
        return cls(**(note | {"steps": steps}))


def in_order(changes: Sequence[Change]) -> list[Change]:
    """The order in which changes go into a workspace: what was moved is at its new place before it leaves the old one.
    What takes the place of something else has to wait until that is gone.

    Args:
        changes: folders before what is in them, and what is gone before what took its place.
    """
    made = {change.parts for change in changes if change.kind != "gone"}
    replaced = {change.parts for change in changes if change.kind == "gone"} & made

    def turn(change: Change) -> int:
        if any(change.parts[:end] in replaced for end in range(1, len(change.parts) + 1)):
            return 1
        return 2 if change.kind == "gone" else 0

    return sorted(changes, key=turn)
