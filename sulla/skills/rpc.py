"""What clients can ask about skills."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Example, Method, Methods, Rest


class SkillList(Params):
    """`skill.list`."""


@dataclass(frozen=True, slots=True)
class SkillRow:
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
    agents: tuple[str, ...]
    """Who may use it."""


@dataclass(frozen=True, slots=True)
class SkillRows:
    """The answer to `skill.list`."""

    skills: tuple[SkillRow, ...]
    troubles: tuple[str, ...]
    """What is wrong with others, each with its place."""


class SkillService(Protocol):
    """Knows the skills that there are."""

    async def list_skills(self) -> SkillRows:
        """The skills that there are now, by name, and what is wrong with others."""


async def _list(service: SkillService, params: SkillList, context: Context) -> SkillRows:
    return await service.list_skills()


_EXAMPLE: Final = Example(
    {
        "skills": [
            {
                "name": "plan-a-project",
                "description": "Turns a wish into tasks.",
                "source": "shipped",
                "trusted": True,
                "changed": False,
                "digest": "sha256:9f2c",
                "agents": ["sulla"],
            }
        ],
        "troubles": [],
    }
)

METHODS: Final[Methods[SkillService]] = Methods(
    "skills",
    (
        Method(
            "skill.list",
            SkillList,
            SkillRows,
            "read",
            _list,
            Rest("GET", "/skills", "The skills that agents have."),
            _EXAMPLE,
        ),
    ),
)
