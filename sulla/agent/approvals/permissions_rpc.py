"""What clients can ask about what is allowed until further notice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Protocol

from pydantic import Field

from sulla.agent.approvals.approvals import RuleMade
from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Params
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time


class ApprovalRules(Params):
    """`approval.rules`."""


class ApprovalForget(Params):
    """`approval.forget`."""

    rule: Id


@dataclass(frozen=True, slots=True)
class RuleRow:
    """Calls that need no question until then."""

    rule: str
    agent: str
    """Who may make them."""
    tool: str
    target: str
    """Where they take effect: `host:…`, or `args:…` for exactly the same arguments."""
    created_ms: Annotated[Time, Field(alias="created_at")]
    expires_ms: Annotated[Time, Field(alias="expires_at")]


@dataclass(frozen=True, slots=True)
class RuleRows:
    """The answer to `approval.rules`."""

    rules: tuple[RuleRow, ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The answer to `approval.forget`: people are asked again."""

    rule: str


class RuleService(Protocol):
    """Keeps what people have allowed; `permissions.Permissions` does."""

    async def list(self) -> Sequence[RuleMade]:
        """What is allowed until further notice, the oldest first.

        Raises:
            CorruptRecord: a record cannot be read.
        """

    async def forget(self, rule_id: str) -> None:
        """Have people asked again.

        Raises:
            NotFound: there is no such rule.
        """


async def _list(service: RuleService, params: ApprovalRules, context: Context) -> RuleRows:
    rows = (RuleRow(one.id, one.agent, one.tool, one.target, one.at_ms, one.expires_ms) for one in await service.list())
    return RuleRows(tuple(rows))


async def _forget(service: RuleService, params: ApprovalForget, context: Context) -> Forgotten:
    await service.forget(params.rule)
    return Forgotten(params.rule)


METHODS: Final[Methods[RuleService]] = Methods(
    "permissions",
    (
        Method(
            "approval.rules",
            ApprovalRules,
            RuleRows,
            "read",
            _list,
            Rest("GET", "/rules", "What is allowed until further notice."),
            Example(
                {
                    "rules": [
                        {
                            "rule": "rule_51ab",
                            "agent": "sulla",
                            "tool": "post",
                            "target": "host:https://example.org",
                            "created_at": "2027-01-15T08:00:01.000Z",
                            "expires_at": "2027-02-14T08:00:01.000Z",
                        }
                    ]
                }
            ),
            needs="store",
        ),
        Method(
            "approval.forget",
            ApprovalForget,
            Forgotten,
            "approve",
            _forget,
            Rest("DELETE", "/rules/{rule}", "Have people asked again."),
            Example({"rule": "rule_51ab"}),
            needs="store",
        ),
    ),
)
