"""An agent's own time without a language model: what a beat's briefing asks for, as far as the fixed rules reach. Pure.

The briefing is read as a model reads it: by its headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sulla.core.dataclass import dataclass
from sulla.core.message import ToolResult
from sulla.models.offline.projects import OfflineStep, PlannedEnd, next_step

SET_FOCUS = "set_focus"
_HEADING = re.compile(r"^## (?P<title>[A-Z][A-Za-z ]*)$", re.MULTILINE)
_FOCUS = re.compile(r"(?P<project>[a-z0-9][a-z0-9_-]{0,63}): (?P<reason>.*)")
_REASON_CHARS = 500


@dataclass(frozen=True, slots=True)
class OfflineWake:
    """What a beat is for."""

    project: str
    """Empty if none is named."""
    reason: str
    """Why that one."""
    message: str
    """What a person wrote to the heartbeat; empty if nobody did."""


def wake_of(request: str) -> OfflineWake | None:
    """What a briefing asks for; None for what is none."""
    parts = _HEADING.split(request)
    if parts[0] or parts[1:2] != ["Directive"]:
        return None
    said = {title: text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    focus = _FOCUS.match(said.get("Focus", ""))
    project, reason = (focus["project"], focus["reason"]) if focus is not None else ("", "")
    return OfflineWake(project, reason[:_REASON_CHARS] or "it comes first", said.get("Message", ""))


def next_beat_step(wake: OfflineWake, results: Sequence[ToolResult], tools: frozenset[str]) -> OfflineStep | PlannedEnd:
    """What to do now: say what is worked on, then one task of that project.

    Args:
        wake: what the beat is for.
        results: of the tools used in this cycle so far.
        tools: what there is.
    """
    if not wake.project:
        return PlannedEnd("No project is named that I could work on.", "Nothing to do.")
    if SET_FOCUS in tools:
        if not results:
            return OfflineStep(SET_FOCUS, {"focus": wake.project, "reason": wake.reason})
        results = results[1:]
    return next_step(wake.project, results, tools, alone=True)
