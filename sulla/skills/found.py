"""A skill that was found, and what is said of it: to models in the prompt, to people before its first use."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.skills.skill import Skill

Whose = Literal["home", "shipped", "workspace"]


INDEX_CHARS: Final = 8_000
"""Of the index in the prompt: some 2,000 tokens."""

INDEX_LINE_CHARS: Final = 320
"""Of one skill's line in it: some 80 tokens (agentskills.io says about 100)."""

_HEAD = (
    "Skills are instructions for kinds of work. If one fits what you are asked, read it with load_skill before you "
    "begin, and follow it."
)


@dataclass(frozen=True, slots=True)
class KnownSkill:
    """A skill that was found, where, and whether it is trusted."""

    skill: Skill
    folder: Path
    whose: Whose
    digest: str
    """``sha256:…`` of all its files."""
    files: tuple[str, ...]
    """What lies beside its ``SKILL.md``."""
    trusted: bool
    """Whether it is a shipped one, or a person allowed it as it is now."""
    before: bool = False
    """Whether a person allowed it as it was before."""

    @property
    def in_pack(self) -> bool:
        """Whether it is a part of a pack that Sulla brings along: of use only to a home that was set up for it."""
        return self.whose == "shipped" and dict(self.skill.metadata).get("pack") == "true"


def question(known: KnownSkill) -> str:
    """What a person is asked before a skill is used that nobody has allowed as it is."""
    why = "It has changed since it was allowed" if known.before else "Nobody has allowed it yet"
    return (
        f"May agents work by the skill {known.skill.name!r} in {known.folder}? {why}. It says of itself: "
        f"{known.skill.description[:300]!r}. Read it with `sulla skills show {known.skill.name}`. ({known.digest})"
    )


def index(known: Iterable[KnownSkill]) -> str:
    """The skills as a model is told of them before it needs one; empty if there are none.

    Of untrusted ones only the number is told: their names, too, are words of whoever wrote them, and would stand among
    what the owner says. Those of packs are not told: routes lead to them, and whoever wants one in the index puts it
    into the home.
    """
    every = [one for one in known if not one.in_pack]
    lines = [f"- {one.skill.name}: {about(one)}"[:INDEX_LINE_CHARS] for one in every if one.trusted]
    if waiting := len(every) - len(lines):
        lines.append(f"({waiting} more that nobody has allowed yet; if the person names one, load_skill asks for it.)")
    room, shown = INDEX_CHARS, list[str]()
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            shown.append(f"… and {len(lines) - len(shown)} more: load_skill without a name lists all.")
            break
        shown.append(line)
    return "\n".join([_HEAD, *shown]) if shown else ""


def about(known: KnownSkill) -> str:
    """What a model is told of a skill before it has read it."""
    return known.skill.description if known.trusted else "(a person is asked before its first use)"
