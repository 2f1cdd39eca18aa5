"""What a landing has to do, and in which order (`tools.shell.landing`). Pure."""

from __future__ import annotations

from collections.abc import Sequence

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
    """The rights that a folder gets."""
    had: int = 0
    """The rights that it had."""

    @property
    def path(self) -> str:
        """Below the workspace, for people and models."""
        return printable("/".join(self.parts))


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
