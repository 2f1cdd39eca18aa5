"""What a skill says of itself: its ``SKILL.md``, read as the field writes it (agentskills.io) and as the original did.

Pure and lenient: whatever is there is read, and what is not as it should be is told in warnings.
"""

from __future__ import annotations

import re
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.core.pattern import late_pattern
from sulla.definitions.front_matter import FrontMatter, read_front, text_of, texts_of

SKILL_FILE: Final = "SKILL.md"
MAX_NAME: Final = 64
MAX_DESCRIPTION: Final = 1024
"""Characters (agentskills.io)."""

MAX_COMPATIBILITY: Final = 500
MAX_BODY_LINES: Final = 500
"""What is longer is better kept in files beside it (agentskills.io)."""

_NAME = late_pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KNOWN = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_ORIGINALS = frozenset(
    "slug title tags triggers trigger category section author order locked skillKey condition".split()
)
"""Keys that the original's skills have; they are read as metadata."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, as its `SKILL.md` describes it."""

    name: str
    """That of its folder, which is what it is called by."""
    description: str
    """What it does and when it is of use, on one line."""
    body: str
    """What is to be done, Markdown."""
    license: str = ""
    compatibility: str = ""
    tools: tuple[str, ...] = ()
    """``allowed-tools``: what it wishes for. It is given nothing by that."""
    metadata: tuple[tuple[str, Json], ...] = ()
    warnings: tuple[str, ...] = ()


def read_skill(folder: str, text: str) -> Skill:
    """Read a ``SKILL.md``.

    Args:
        folder: the name of the folder that it lies in.
        text: what it holds.

    Raises:
        InvalidInput: the folder's name cannot be a skill's, or there is nothing in the file.
    """
    if len(folder) > MAX_NAME or not _NAME.fullmatch(folder):
        raise InvalidInput(
            f"a skill cannot be called {folder[:100]!r}: its folder's name has 1 to {MAX_NAME} small letters and "
            "digits, with single hyphens between them"
        )
    front = read_front(text)
    if not front.body and not front.fields:
        raise InvalidInput(f"{SKILL_FILE} is empty: it begins with name and description between two lines of ---")
    warnings = [*front.warnings, *_misnamed(folder, front)]
    description = text_of(front.fields, "description")
    if not description:
        description = _described(front.body) or text_of(front.fields, "title")
        warnings.append("there is no description: say what it does and when it is of use")
    if when := texts_of(front.fields, "triggers") or texts_of(front.fields, "trigger"):
        description = f"{description} Use it for: {', '.join(when)}." if description else f"For: {', '.join(when)}."
    if len(description) > MAX_DESCRIPTION:
        warnings.append(f"the description has {len(description)} characters; {MAX_DESCRIPTION} are shown")
    compatibility = text_of(front.fields, "compatibility")
    if len(compatibility) > MAX_COMPATIBILITY:
        warnings.append(f"compatibility has {len(compatibility)} characters; {MAX_COMPATIBILITY} are allowed")
    if (lines := front.body.count("\n") + 1) > MAX_BODY_LINES:
        warnings.append(f"the text has {lines} lines: move what is rarely needed into files beside it")
    allowed = front.fields.get("allowed-tools")
    return Skill(
        folder,
        description[:MAX_DESCRIPTION],
        front.body,
        text_of(front.fields, "license"),
        compatibility[:MAX_COMPATIBILITY],
        tuple(allowed.split()) if isinstance(allowed, str) else texts_of(front.fields, "allowed-tools"),
        _metadata(front),
        tuple(warnings),
    )


def _misnamed(folder: str, front: FrontMatter) -> list[str]:
    warnings = []
    name = text_of(front.fields, "name")
    if not name:
        warnings.append(f"there is no name: write `name: {folder}`, like the folder")
    elif name != folder:
        warnings.append(f"it calls itself {name[:100]!r} and lies in {folder!r}: it is known as {folder!r}")
    if others := sorted(front.fields.keys() - _KNOWN - _ORIGINALS):
        warnings.append(f"keys that the standard does not know: {', '.join(others)[:200]}; they belong under metadata")
    if olds := sorted(front.fields.keys() & _ORIGINALS):
        warnings.append(f"keys of the original: {', '.join(olds)}; they were read, and belong under metadata")
    return warnings


def _metadata(front: FrontMatter) -> tuple[tuple[str, Json], ...]:
    given = front.fields.get("metadata")
    own = {key: value for key, value in front.fields.items() if key not in _KNOWN}
    return tuple(sorted(({**given, **own} if isinstance(given, dict) else own).items()))


_GOAL = late_pattern(r"^\*\*Goal:?\*\*:?[ \t]*(.+)$", re.MULTILINE)
_ABOUT = late_pattern(r"^##[ \t]+Description[ \t]*\n+([^\n#].*?)(?:\n[ \t]*\n|\n#|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE = late_pattern(r"^(?![#>*`|\s-])(.+)$", re.MULTILINE)


def _described(body: str) -> str:
    """What the text says of itself, where the original's skills say it."""
    for place in (_ABOUT, _GOAL, _SENTENCE):
        if (found := place.search(body)) is not None:
            return " ".join(found[1].split())
    return ""
