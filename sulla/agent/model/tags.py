"""The tags of the completion protocol, and of calls that a model only writes down, as characters. Pure."""

from __future__ import annotations

import re

from sulla.core.dataclass import dataclass

WRAPPERS = frozenset({"AGENT_DONE", "AGENT_BLOCKED", "AGENT_CONTINUE"})
CALLS = frozenset({"TOOL_CALL", "TOOL_CALLS", "FUNCTION_CALL", "FUNCTION_CALLS", "INVOKE"})
"""What models put around a call that they write instead of making it: Hermes, Qwen and GLM were taught to, and others
write ``<invoke name="…">``."""
FIELDS = frozenset({"KEY_RESULT", "BLOCKER_REASON", "UNBLOCK_REQUIREMENTS", "STATUS_REPORT", "STATUS_MESSAGE"})

MAX_ATTRIBUTES = 80
"""Code points between a tag's name and its ``>``. No model needs any; one that writes some is still understood."""

_NAMES = WRAPPERS | CALLS | FIELDS
_STARTS = frozenset(name[:length] for name in _NAMES for length in range(len(name) + 1))

MAX_TAG = len("</>") + max(map(len, _NAMES)) + MAX_ATTRIBUTES
"""The longest tag, in code points: what a reader has to hold back at the most."""

_TAG = re.compile(rf"<(/?)([A-Za-z_]*)((?:[ \t/][^<>\n]{{0,{MAX_ATTRIBUTES - 1}}})?)(>?)")


@dataclass(frozen=True, slots=True)
class Tag:
    """One such tag."""

    name: str
    """In capitals, whatever it was written in."""
    closes: bool
    empty: bool
    """Opens and closes at once: ``<AGENT_DONE/>``."""
    end: int
    """Where the text goes on behind it."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The text ends before it is clear whether this becomes a tag."""

    surely_meant: bool
    """Whether it can hardly be anything else: what a reply that was cut off leaves behind."""


_MEANT = Unfinished(surely_meant=True)
_OPEN = Unfinished(surely_meant=False)


def read_tag(text: str, at: int) -> Tag | Unfinished | None:
    """See whether a tag begins at the ``<`` at `at`; None if it does not, whatever may follow."""
    match = _TAG.match(text, at)
    if match is None:
        return None
    slash, written, attributes, end = match.groups()
    name = written.upper()
    if end:
        return Tag(name, bool(slash), attributes.endswith("/"), match.end()) if name in _NAMES else None
    if match.end() < len(text):
        return None
    if name not in (_NAMES if attributes else _STARTS):
        return None
    return _MEANT if "_" in name or (len(name) > 1 and written.isupper()) else _OPEN
