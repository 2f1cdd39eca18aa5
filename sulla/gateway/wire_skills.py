"""What travels over ``sulla.v1`` about skills, as strict models. Pure."""

from __future__ import annotations

from sulla.gateway.wire_form import Wire


class SkillList(Wire):
    """`skill.list`."""


class SkillRow(Wire):
    """One skill."""

    name: str
    description: str
    """What it says of itself."""
    source: str
    """Who put it there: `home`, `shipped` or `workspace`."""
    trusted: bool
    """Whether it may be used as it is; else a person is asked first."""
    changed: bool
    """Whether it was trusted before somebody changed it."""
    digest: str
    """Of all its files."""
    agents: list[str]
    """Who may use it."""


class SkillRows(Wire):
    """The answer to `skill.list`."""

    skills: list[SkillRow]
    troubles: list[str]
    """What is wrong with others, each with its place."""
