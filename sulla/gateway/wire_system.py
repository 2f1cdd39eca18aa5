"""What travels over ``sulla.v1`` about the kill switch, as strict models. Pure."""

from __future__ import annotations

from sulla.gateway.wire_form import Title, Wire


class SystemPause(Wire):
    """`system.pause`: have all work stand still, in every daemon on the store, until it is resumed."""

    reason: Title = ""
    """Why, in a line; people are shown it."""


class SystemResume(Wire):
    """`system.resume`: have work go on where it was."""


class SwitchState(Wire):
    """The answer to `system.pause` and `system.resume`: how it stands, and that is kept."""

    paused: bool
    since: str | None
    """When the pause began that holds; null for none."""
    by: str
    """The name of the token that it was asked for with."""
    reason: str
