"""What differs between two readings of the settings, and what of it a running daemon takes up. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sulla.core.dataclass import dataclass
from sulla.daemon.settings.config import Settings
from sulla.host.section import Section


@dataclass(frozen=True, slots=True)
class Changes:
    """The names of settings that differ, e.g. ``gateway.port``; their values are nobody's business."""

    live: tuple[str, ...]
    """What a running daemon takes up: `Section.live` of each section says which these are."""
    waiting: tuple[str, ...]
    """What waits for its next start."""


def changes(running: Settings, wanted: Settings) -> Changes:
    """Compare the settings that a daemon runs with and those that are written down now.

    Args:
        running: what it runs with.
        wanted: what there is now.
    """
    found = tuple(_changed(running, wanted))
    return Changes(tuple(name for name, live in found if live), tuple(name for name, live in found if not live))


def taken_up(running: Settings, wanted: Settings) -> Settings:
    """What a daemon runs with once it has taken up what it can."""
    update = {}
    for name in type(running).model_fields:
        before, after = getattr(running, name), getattr(wanted, name)
        if isinstance(before, Section) and isinstance(after, Section):
            live = {key: getattr(after, key) for key in type(before).live}
            update[name] = before.model_copy(update=live)
    return running.model_copy(update=update)


def _changed(running: Settings, wanted: Settings) -> Iterator[tuple[str, bool]]:
    for name in type(running).model_fields:
        before, after = getattr(running, name), getattr(wanted, name)
        if before == after:
            continue
        if not isinstance(before, Section) or not isinstance(after, Section):
            yield name, False
            continue
        for key in type(before).model_fields:
            if getattr(before, key) != getattr(after, key):
                yield f"{name}.{key}", key in type(before).live
