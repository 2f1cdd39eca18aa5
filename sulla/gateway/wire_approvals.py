"""What travels over ``sulla.v1`` about what is allowed until further notice, as strict models. Pure."""

from __future__ import annotations

from sulla.gateway.wire_form import Id, Wire


class ApprovalRules(Wire):
    """`approval.rules`."""


class ApprovalForget(Wire):
    """`approval.forget`."""

    rule: Id


class RuleRow(Wire):
    """Calls that need no question until then."""

    rule: str
    agent: str
    """Who may make them."""
    tool: str
    target: str
    """Where they take effect: `host:…`, or `args:…` for exactly the same arguments."""
    created_at: str
    expires_at: str


class RuleRows(Wire):
    """The answer to `approval.rules`."""

    rules: list[RuleRow]


class Forgotten(Wire):
    """The answer to `approval.forget`: people are asked again."""

    rule: str
