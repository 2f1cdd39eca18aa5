"""What was used, day by day."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import Field, JsonValue

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Money

MOST_DAYS: Final = 62
"""Days that are kept, today among them."""


class UsageDays(Params):
    """`usage.days`."""

    days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = 30
    """How many, today among them."""


@dataclass(frozen=True, slots=True)
class AgentUse:
    """What one agent used on a day."""

    agent: str
    """Empty for those that are not told apart."""
    tokens_in: int
    tokens_out: int
    tokens: int
    """All of them: where a service did not tell the two apart, it is more than both together."""
    cost_micro: Annotated[Money | None, Field(alias="cost_usd")]
    """Null where no model has a price."""


@dataclass(frozen=True, slots=True)
class PlaybookUse:
    """What the runs of one playbook used on a day, with the agents that did its steps."""

    playbook: str
    """Empty for those that are not told apart."""
    tokens_in: int
    tokens_out: int
    tokens: int
    cost_micro: Annotated[Money | None, Field(alias="cost_usd")]


@dataclass(frozen=True, slots=True)
class UsageDay:
    """One day, by the clocks of the home's time zone."""

    day: str
    """E.g. ``2027-01-15``."""
    tokens_in: int
    tokens_out: int
    tokens: int
    cost_micro: Annotated[Money | None, Field(alias="cost_usd")]
    limit_tokens: int | None
    """What all agents together may use on a day, as it is set now; null for no limit."""
    limit_usd: float | None
    by_agent: tuple[AgentUse, ...]
    """Whoever used most comes first."""
    by_playbook: tuple[PlaybookUse, ...]


@dataclass(frozen=True, slots=True)
class UsageDaysRows:
    """The answer to `usage.days`: the oldest first, those without use too."""

    days: tuple[UsageDay, ...]


class UsageService(Protocol):
    """Knows what was used."""

    async def days(self, days: int) -> UsageDaysRows:
        """The newest days.

        Args:
            days: how many.

        Raises:
            StoreUnavailable: the store does not answer.
        """


async def _days(service: UsageService, params: UsageDays, context: Context) -> UsageDaysRows:
    return await service.days(params.days)


_USE: Final[dict[str, JsonValue]] = {"tokens_in": 1200, "tokens_out": 80, "tokens": 1280, "cost_usd": 0.0041}
METHODS: Final[Methods[UsageService]] = Methods(
    "usage",
    (
        Method(
            "usage.days",
            UsageDays,
            UsageDaysRows,
            "read",
            _days,
            Rest("GET", "/usage", "What was used, day by day.", numbers=("days",)),
            Example(
                {
                    "days": [
                        {
                            "day": "2027-01-15",
                            **_USE,
                            "limit_tokens": 5000000,
                            "limit_usd": None,
                            "by_agent": [{"agent": "sulla", **_USE}],
                            "by_playbook": [],
                        }
                    ]
                }
            ),
            needs="store",
        ),
    ),
)
