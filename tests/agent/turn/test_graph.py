"""The graphs are what docs/inside/graph.md says, under both names of each."""

from __future__ import annotations

import re
from typing import Any

from sulla.agent.turn import graph as turn
from sulla.graph.draw import draw
from sulla.heartbeat import graph as heartbeat
from tests.house.source import ROOT

MODULES: dict[str, Any] = {"sulla.agent.turn.graph": turn, "sulla.heartbeat.graph": heartbeat}


async def nothing(*_: object) -> None:
    """A node that is drawn and never run."""


def test_both_names_make_the_graph_of_the_table() -> None:
    text = (ROOT / "docs" / "inside" / "graph.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(create_\w+)` \| `(create_\w+)` \| `(sulla\.[\w.]+)` \| `(\w+)`, then `(\w+)`", text, re.MULTILINE
    )
    assert [row[:2] for row in rows] == [
        ("create_agent_graph", "create_general_graph"),
        ("create_heartbeat_graph", "create_overlord_graph"),
    ]
    for name, other, door, first, second in rows:
        graphs = [getattr(MODULES[door], each)(nothing, nothing) for each in (name, other)]
        assert [(graph.entry, *graph.nodes) for graph in graphs] == [(first, first, second)] * 2
        assert draw(graphs[0]) == draw(graphs[1])
