"""What the doctor says of routes: what they name and nobody allowed, and whose words are remembered all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.agent.spec import SULLA
from sulla.routes.checks import judge_memory
from sulla.routes.plan import RouteTable, route_from

DESK = replace(SULLA, id="desk", memory=False)


def table(agent: str, audit: str) -> RouteTable:
    """One route."""
    return RouteTable({"r": route_from({"name": "r", "kind": "default", "agent": agent, "audit": audit})})


@pytest.mark.parametrize(
    ("agent", "audit", "enabled", "told"),
    [
        ("", "anonymous", True, True),
        ("sulla", "anonymous", True, True),
        ("desk", "anonymous", True, False),
        ("", "anonymous", False, False),
        ("", "full", True, False),
    ],
)
def test_an_audit_that_names_nobody_beside_a_memory_is_told(agent: str, audit: str, enabled: bool, told: bool) -> None:
    found = judge_memory(table(agent, audit), (SULLA, DESK), enabled=enabled)
    assert [one.result for one in found] == ["warning"] * told
