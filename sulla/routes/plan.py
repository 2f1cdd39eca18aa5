"""Routes as values: how a turn is answered, by which gate it came there, and all routes of a home. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject, replaced
from sulla.routes.phrases import PhraseIndex, distinct, phrase_of

RouteKind = Literal["incident", "clarify", "grounded", "procedure", "memory", "default"]
"""Something has happened that must not wait; it may have, so a question is asked; only what a tool finds is said; a
guided procedure begins; what is remembered is looked at or changed; all else."""

Audit = Literal["full", "anonymous", "none"]
"""Whether a record of the turn is kept, and whether it names the person."""

KINDS: Final[tuple[RouteKind, ...]] = get_args(RouteKind)
AUDITS: Final[tuple[Audit, ...]] = get_args(Audit)

MESSAGE: Final = "{message}"
"""Stands for the person's message in the texts of a tool's arguments."""


@dataclass(frozen=True, slots=True)
class RouteTools:
    """What a route says of tools."""

    require: str = ""
    """A tool that has to be called."""
    args: FrozenJson = field(default_factory=dict)
    """With these arguments, if the model does not call it."""
    text_only: bool = False
    """Whether the reply is the tool's text and nothing else."""
    without: tuple[str, ...] = ()
    """Tools that are not there."""


@dataclass(frozen=True, slots=True)
class RouteReply:
    """What a route says of the reply."""

    style: str = ""
    """A skill whose text says how to reply."""
    instructions: str = ""
    """What the agent is told for this turn."""
    fixed_text: str = ""
    """A reviewed text, said if the model's service fails."""


@dataclass(frozen=True, slots=True)
class Route:
    """One way to answer a turn."""

    name: str
    kind: RouteKind
    agent: str = ""
    """Who answers; empty for whoever has the conversation."""
    model: str = ""
    """What writes the reply; empty for the agent's own."""
    tools: RouteTools = RouteTools()
    reply: RouteReply = RouteReply()
    procedure: str = ""
    """Which guided procedure begins."""
    fallback: bool = True
    """Whether another model may stand in if the model's service fails."""
    audit: Audit = "full"

    def to_json(self) -> JsonObject:
        """As it lies in a log: whole, so that an old record means the same however the table by kind has changed."""
        found: JsonObject = {"name": self.name, "kind": self.kind}
        found |= {name: getattr(self, name) for name in _OWN}
        found |= {name: getattr(self.tools, name) for name in _TOOLS}
        found |= {name: getattr(self.reply, name) for name in _REPLY}
        return found | {"args": dict(self.tools.args), "without": list(self.tools.without)}


_BY_KIND: Final[Mapping[RouteKind, Mapping[str, Json]]] = MappingProxyType(
    {
        "incident": {"fallback": False},
        "clarify": {"fallback": False},
        "grounded": {"require": "grounded_lookup", "args": {"question": MESSAGE}, "text_only": True},
        "procedure": {},
        "memory": {},
        "default": {},
    }
)
"""In what a kind differs from a route of which nothing is said. Another model that stands in for one that was chosen
for incidents has been tried on none."""

_TOOLS: Final = ("require", "args", "text_only", "without")
_REPLY: Final = ("style", "instructions", "fixed_text")
_OWN: Final = ("agent", "model", "procedure", "fallback", "audit")


def default_of(kind: RouteKind, name: str = "") -> Route:
    """A route of which nothing is said but its kind.

    Args:
        kind: what it is for.
        name: its name.
    """
    return route_from({"name": name, "kind": kind})


def route_from(value: FrozenJson) -> Route:
    """The route that a file or `Route.to_json` says; what is not said is as its kind has it.

    Args:
        value: by the names that it has in a file; it was checked before.
    """
    kind: Any = value["kind"]
    given: dict[str, Any] = {**_BY_KIND[kind], **value}
    if value.get("require", given.get("require")) != _BY_KIND[kind].get("require") and "args" not in value:
        given.pop("args", None)  # they are another tool's
    tools = {name: given[name] for name in _TOOLS if name in given}
    if "without" in tools:
        tools["without"] = tuple(tools["without"])
    if "args" in tools:
        tools["args"] = MappingProxyType(dict(tools["args"]))
    reply = {name: given[name] for name in _REPLY if name in given}
    own = {name: given[name] for name in _OWN if name in given}
    return Route(given["name"], kind, tools=RouteTools(**tools), reply=RouteReply(**reply), **own)


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """How one turn is answered; it is written into the record of its thread."""

    route: Route
    query: str
    """The person's message."""
    gate: str = ""
    """By which gate; empty for the default route, or one that was taken because of what was called."""
    why: tuple[str, ...] = ()
    """The words that the gate found, as they were written, in lower case."""

    @property
    def args(self) -> JsonObject:
        """The arguments of the required tool, with the message in its place."""
        return {name: replaced(value, {MESSAGE: self.query}) for name, value in self.route.tools.args.items()}

    def to_json(self) -> JsonObject:
        """As it lies in a log."""
        return {"route": self.route.to_json(), "query": self.query, "gate": self.gate, "why": list(self.why)}


def plan_from(value: FrozenJson) -> RoutePlan:
    """The plan that `RoutePlan.to_json` made `value` from.

    Args:
        value: the JSON.
    """
    given: Any = value
    return RoutePlan(route_from(given["route"]), given["query"], given.get("gate", ""), tuple(given.get("why", ())))


# ---------------------------------------------------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class GateFacts:
    """What has to be so beside the message; what is empty or None is not asked."""

    agent: tuple[str, ...] = ()
    """Who has the conversation: one of these."""
    project: tuple[str, ...] = ()
    """The project that the thread belongs to: one of these."""
    last_route: tuple[str, ...] = ()
    """The route that the turn before took: one of these."""
    within: int = 1
    """So many turns back it may have been, with none but turns of the default route in between."""
    words: int | None = None
    """The message has so many words at the most."""
    first: bool | None = None
    """Whether it is the first message of its thread."""
    procedure: bool | None = None
    """Whether a guided procedure is under way."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What leads a message to a route; see `gates` for when it holds."""

    name: str
    route: str
    any: tuple[str, ...] = ()
    """Phrases of which one has to occur."""
    all: tuple[str, ...] = ()
    """Phrases that all have to."""
    unless: tuple[str, ...] = ()
    """Phrases that take back what they overlap."""
    facts: GateFacts = GateFacts()
    quoted: bool = False
    """Whether it also looks at code and at the words of others."""


@dataclass(frozen=True, slots=True)
class RouteTable:
    """The routes of a home, and what leads to them.

    Raises:
        InvalidInput: two gates have one name, a gate leads to no route, or a phrase is none.
        TooLarge: the phrases come to more than an index holds.
    """

    routes: Mapping[str, Route]
    gates: Sequence[Gate] = ()
    """In the order in which they are asked: those of incidents stand before all others."""
    numbers: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Each phrase, as a gate has it, and its number in the index."""
    index: PhraseIndex = field(init=False, repr=False, compare=False)
    leads: Mapping[int, tuple[int, ...]] = field(init=False, repr=False, compare=False)
    """Each phrase, by its number, and the gates that may hold where it is found, by their places."""
    always: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The gates that ask for no words."""

    def __post_init__(self) -> None:
        for gate in self.gates:
            if gate.route not in self.routes:
                raise InvalidInput(f"the gate {gate.name!r} leads to no route: there is no {gate.route!r}")
        if len({gate.name for gate in self.gates}) < len(self.gates):
            raise InvalidInput("two gates have the same name; expected one for each, by which records tell them apart")
        gates = sorted(self.gates, key=lambda gate: self.routes[gate.route].kind != "incident")
        texts = dict.fromkeys(text for gate in gates for text in (*gate.any, *gate.all, *gate.unless))
        phrases = {text: phrase_of(text) for text in texts}
        numbers = distinct(phrases.values())
        object.__setattr__(self, "routes", MappingProxyType(dict(self.routes)))
        object.__setattr__(self, "gates", tuple(gates))
        object.__setattr__(self, "numbers", {text: numbers[phrase] for text, phrase in phrases.items()})
        object.__setattr__(self, "index", PhraseIndex(tuple(numbers)))
        leads: dict[int, tuple[int, ...]] = {}
        for at, gate in enumerate(gates):
            for number in {self.numbers[text] for text in gate.any or gate.all}:
                leads[number] = (*leads.get(number, ()), at)
        object.__setattr__(self, "leads", leads)
        object.__setattr__(self, "always", tuple(at for at, gate in enumerate(gates) if not gate.any and not gate.all))

    def may_hold(self, found: Iterable[int]) -> Sequence[int]:
        """The gates that may hold, by their places in `gates`, in order.

        Args:
            found: the phrases that a message has, by their numbers.
        """
        leads = [self.leads.get(number, ()) for number in found]
        return sorted({*self.always, *chain.from_iterable(leads)}) if leads else self.always

    @property
    def leads_to_incidents(self) -> bool:
        """Whether a gate does: theirs stand before all others."""
        return bool(self.gates) and self.routes[self.gates[0].route].kind == "incident"

    @property
    def looks_at_quoted(self) -> bool:
        """Whether a gate also looks at what is quoted."""
        return any(gate.quoted for gate in self.gates)

    @property
    def default(self) -> Route | None:
        """The route of a turn that nothing else has decided about."""
        return self.of_kind("default")

    def of_kind(self, kind: RouteKind) -> Route | None:
        """The first route of a kind, in the order of the file.

        Args:
            kind: which.
        """
        return next((route for route in self.routes.values() if route.kind == kind), None)
