"""What is wrong with routes and gates that are well written: what contradicts itself or is never reached. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from sulla.definitions.file_fault import Severity
from sulla.definitions.yaml_text import YamlNode
from sulla.routes.covering import Coverings
from sulla.routes.phrases import Choice, Phrase, phrase_of
from sulla.routes.plan import Gate, GateFacts, Route, RouteTable
from sulla.routes.schema import MOST_NAME, MOST_STEPS

_T = TypeVar("_T")

_REACHED: Final = ("default", "memory", "grounded")
"""Kinds of which the first route needs no gate: nothing else has decided, or the model called such a tool by itself."""


class Written(NamedTuple, Generic[_T]):
    """A route or a gate, and where it stands."""

    path: str
    node: YamlNode
    values: Mapping[str, YamlNode]
    """What stands behind its keys."""
    value: _T

    def at(self, key: str) -> tuple[YamlNode, str]:
        """Where something is told of a key: its value, or the whole where it is not said.

        Args:
            key: which.
        """
        return (self.values[key], f"{self.path}.{key}") if key in self.values else (self.node, self.path)


class Tell(Protocol):
    """Takes what is wrong."""

    def __call__(self, node: YamlNode, path: str, message: str, severity: Severity = "error") -> None:
        """One thing.

        Args:
            node: where.
            path: the same, in words.
            message: what is wrong, and what was expected.
            severity: whether the file cannot be used.
        """


def judge_route(written: Written[Route], tell: Tell) -> None:
    """What of a route contradicts the rest of it.

    Args:
        written: the route.
        tell: takes what is wrong.
    """
    route, values = written.value, written.values
    if route.kind == "incident" and not route.reply.fixed_text and "fixed_text" not in values:
        tell(*written.at("kind"), "the key `fixed_text` is missing: what is said when the model's service fails")
    if route.kind == "procedure" and not route.procedure and "procedure" not in values:
        tell(*written.at("kind"), "the key `procedure` is missing: which one begins")
    if route.kind != "procedure" and route.procedure:
        tell(*written.at("procedure"), f"a route of kind `{route.kind}` begins no procedure; expected `procedure`")
    if not route.tools.require and "require" not in values:
        for key in ("args", "text_only"):
            if key in values and getattr(route.tools, key):
                tell(*written.at(key), "there is no tool that this is said of; expected `require` beside it")
    if route.tools.require and route.tools.require in route.tools.without:
        tell(*written.at("without"), f"the tool {route.tools.require!r} has to be called and is not there")


def judge_routes(routes: Sequence[Written[Route]], gates: Sequence[Written[Gate]], tell: Tell) -> None:
    """What of several routes does not go together.

    Args:
        routes: all that are well written.
        gates: what leads to them.
        tell: takes what is wrong.
    """
    led = {gate.value.route for gate in gates}
    first: dict[str, str] = {}
    for written in routes:
        route = written.value
        reached = first.setdefault(route.kind, route.name) == route.name and route.kind in _REACHED
        if route.kind == "default" and not reached:
            tell(*written.at("kind"), f"there is a default route already: {first['default']!r}; expected one")
        elif route.name not in led and not reached:
            said = f"no gate leads to the route {route.name!r}, so no turn takes it"
            tell(written.node, written.path, said, "warning")


def judge_gates(gates: Sequence[Written[Gate]], tell: Tell) -> None:
    """What of the gates can never hold, or says nothing.

    Args:
        gates: all that are well written, in the order of the file.
        tell: takes what is wrong.
    """
    names: set[str] = set()
    for gate in gates:
        if gate.value.name in names:
            tell(*gate.at("name"), f"there is a gate {gate.value.name!r} already; expected another name")
        names.add(gate.value.name)
        if gate.value.facts.within > 1 and not gate.value.facts.last_route:
            tell(*gate.at("facts"), "`within` says how far back a route may be; expected `last_route` beside it")
        said_nothing = not (gate.value.any or gate.value.all or gate.value.facts != GateFacts())
        if said_nothing and not {"any", "all", "facts"} & gate.values.keys():
            tell(gate.node, gate.path, "it would hold for every message; expected `any`, `all` or `facts`")


def judge_reach(gates: Sequence[Written[Gate]], table: RouteTable, tell: Tell) -> bool:
    """Whether every gate can hold.

    Args:
        gates: all, well written.
        table: the routes, with their gates in the order in which they are asked.
        tell: takes what is wrong.
    """
    coverings = Coverings(table)
    shadowed = coverings.shadowed(table.gates, table)
    good = True
    for gate in gates:
        key = "any" if gate.value.any else "all" if gate.value.all else "facts"
        if coverings.never_holds(gate.value):
            tell(*gate.at(key), "it can never hold: its `unless` takes back all that it holds for")
            good = False
        elif before := shadowed.get(gate.value.name):
            said = f"it is never reached: the gate {before!r}, which is asked before it, holds wherever it does"
            tell(*gate.at(key), said)
            good = False
        else:
            for text in coverings.taken_back(gate.value):
                said = f"the phrase {text[:MOST_NAME]!r} is never found: the gate's own `unless` takes it back"
                tell(*gate.at(key), said, "warning")
    return good


def judge_weight(gates: Sequence[Written[Gate]], table: RouteTable, tell: Tell) -> bool:
    """Whether no word of a message takes more steps than are allowed.

    Args:
        gates: all, well written.
        table: the routes, with their index.
        tell: takes what is wrong.
    """
    steps, word = table.index.heaviest()
    if steps <= MOST_STEPS:
        return True
    heaviest = max(gates, key=lambda gate: sum(_has_word(phrase_of(text), word) for text in gate.value.any))
    said = f"the word {word!r} would take {steps} steps in a message; {MOST_STEPS} are allowed"
    do = "write fewer phrases with it that begin alike or end with it, and narrower gaps behind it"
    tell(*heaviest.at("any"), f"{said}: {do}")
    return False


def _has_word(phrase: Phrase, word: str) -> bool:
    return any(isinstance(slot, Choice) and slot.takes(word) for slot in phrase)
