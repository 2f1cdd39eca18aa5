"""The 400 messages for the crisis gates, and what a table of routes makes of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final, Literal, NamedTuple

from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.plan import RouteTable

Half = Literal["seen", "held out"]

EXPECTED: Final = {
    "response": "crisis_response",
    "clarification": "crisis_clarification",
    "near": "",
    "ordinary": "",
}
"""Each class, and the route that its messages should take; nothing for any that is no crisis route."""


class Labelled(NamedTuple):
    """A message of the corpus."""

    label: str
    half: Half
    text: str


class Figures(NamedTuple):
    """How well a route is found."""

    route: str
    precision: float
    recall: float

    def told(self) -> str:
        """One line."""
        return f"{self.route:22} precision {self.precision:.3f}, recall {self.recall:.3f}"


def messages(file: str = "messages.txt") -> list[Labelled]:
    """All of them, in the order of the file.

    Args:
        file: beside this module.
    """
    found: list[Labelled] = []
    label, at = "", 0
    for line in (Path(__file__).parent / file).read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            label, at = line[1:-1], 0
        elif line and not line.startswith("#"):
            found.append(Labelled(label, "held out" if at % 2 else "seen", line.replace("\\n", "\n")))
            at += 1
    return found


def crisis_route(table: RouteTable, message: str) -> str:
    """The crisis route that a message takes; empty for none."""
    plan = route_of(table, message, TurnFacts())
    return plan.route.name if plan is not None and plan.route.name in EXPECTED.values() else ""


def figures(table: RouteTable, some: list[Labelled]) -> list[Figures]:
    """Precision and recall of both crisis routes over some messages."""
    counted = Counter((EXPECTED[one.label], crisis_route(table, one.text)) for one in some)
    found = []
    for route in ("crisis_response", "crisis_clarification"):
        right = counted[route, route]
        taken = sum(count for (_, got), count in counted.items() if got == route)
        wanted = sum(count for (want, _), count in counted.items() if want == route)
        found.append(Figures(route, right / taken if taken else 1.0, right / wanted if wanted else 1.0))
    return found
