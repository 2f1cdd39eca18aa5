"""A flow as a value: which agents work on a turn, in which order and under which conditions (seed 002 §2). Pure.

The classes can be written down in Python as they stand in the seed, and `to_json` gives the form in which a flow lies
in a file, in a request and in a log; `reading` reads that form back and says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, Union

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json, JsonObject

MAX_LOOPS: Final = 10
"""How often the body of a loop is walked at the most, unless the loop says otherwise (Sage's figure)."""
MAX_CONCURRENCY: Final = 5
"""How many branches work at once, unless their node says otherwise (Sage's figure)."""
MOST_LOOPS: Final = 100
MOST_BRANCHES: Final = 16
MOST_STEPS: Final = 64
"""Steps of a sequence, and cases of a switch."""
MOST_DEEP: Final = 16
"""Nodes within one another."""
MOST_NODES: Final = 256
MOST_PARALLEL: Final = 3
"""Parallel nodes within one another: so deep may runs have others work for them (`subagents.children.MAX_DEPTH`)."""

FlowNode = Union["AgentNode", "SequenceNode", "ParallelNode", "LoopNode", "IfNode", "SwitchNode"]

OnFailure = Literal["fail", "collect", "ignore"]
"""What becomes of a node of which a branch has failed: it fails too and ends the others; it has the failure among its
results; or it goes on as if that branch had not been there."""


@dataclass(frozen=True, slots=True)
class AgentNode:
    """One agent, or one of the shipped roles, does its part."""

    type: ClassVar[str] = "agent"
    agent_key: str


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """Steps, one after the other."""

    type: ClassVar[str] = "sequence"
    steps: Sequence[FlowNode]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))


@dataclass(frozen=True, slots=True)
class ParallelNode:
    """Branches that work side by side; each that asks a model is a run of its own."""

    type: ClassVar[str] = "parallel"
    branches: Sequence[FlowNode]
    max_concurrency: int = MAX_CONCURRENCY
    on_failure: OnFailure = "fail"

    def __post_init__(self) -> None:
        object.__setattr__(self, "branches", tuple(self.branches))


@dataclass(frozen=True, slots=True)
class LoopNode:
    """A body that is walked again as long as a condition holds, which is asked before each pass."""

    type: ClassVar[str] = "loop"
    condition: str
    body: FlowNode
    max_loops: int = MAX_LOOPS


@dataclass(frozen=True, slots=True)
class IfNode:
    """One of two bodies, or nothing, by a condition."""

    type: ClassVar[str] = "if"
    condition: str
    true_body: FlowNode
    false_body: FlowNode | None = None


@dataclass(frozen=True, slots=True)
class SwitchNode:
    """One of several bodies, by the value of a variable."""

    type: ClassVar[str] = "switch"
    variable: str
    cases: Mapping[str, FlowNode]
    default: FlowNode | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cases", MappingProxyType(dict(self.cases)))


@dataclass(frozen=True, slots=True)
class AgentFlow:
    """A flow, whole."""

    name: str
    root: FlowNode

    def to_json(self) -> JsonObject:
        """As it lies in a file, a request and a log."""
        return {"name": self.name, "root": node_to_json(self.root)}


Takes = Literal["agent", "condition", "word", "node", "nodes", "cases", "loops", "concurrency", "failure"]
"""What may stand behind a key of a node."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a node."""

    name: str
    takes: Takes
    about: str
    required: bool = True


CLASSES: Final[Mapping[str, type[FlowNode]]] = MappingProxyType(
    {cls.type: cls for cls in (AgentNode, SequenceNode, ParallelNode, LoopNode, IfNode, SwitchNode)}
)
"""The nodes, by the `type` that they have in a file."""

KEYS: Final[Mapping[str, tuple[Key, ...]]] = MappingProxyType(
    {
        "agent": (Key("agent_key", "agent", "The agent, or the shipped role, that does this part."),),
        "sequence": (Key("steps", "nodes", "What is done, one after the other."),),
        "parallel": (
            Key("branches", "nodes", "What is done side by side."),
            Key("max_concurrency", "concurrency", f"So many at once; {MAX_CONCURRENCY} unless said otherwise.", False),
            Key("on_failure", "failure", "`fail`, `collect` or `ignore`: what a failed branch means.", False),
        ),
        "loop": (
            Key("condition", "condition", "Asked before each pass; the body is walked as long as it holds."),
            Key("body", "node", "What is done in each pass."),
            Key("max_loops", "loops", f"Passes at the most; {MAX_LOOPS} unless said otherwise.", False),
        ),
        "if": (
            Key("condition", "condition", "Asked once."),
            Key("true_body", "node", "What is done where it holds."),
            Key("false_body", "node", "What is done where it does not; nothing unless said.", False),
        ),
        "switch": (
            Key("variable", "word", "Whose value chooses: a flag of the turn, or a key of its `system_context`."),
            Key("cases", "cases", "What is done, by that value."),
            Key("default", "node", "What is done for any other value; nothing unless said.", False),
        ),
    }
)
"""The one table of what a file may say: the reader, the JSON Schema and the docs go by it."""


def node_to_json(node: FlowNode) -> JsonObject:
    """A node as it lies in a file; what is as it would be without a word is left out.

    Args:
        node: the node, with all below it.
    """
    found: JsonObject = {"type": node.type}
    for key in KEYS[node.type]:
        value = getattr(node, key.name)
        match key.takes:
            case "node":
                given: Json = node_to_json(value) if value is not None else None
            case "nodes":
                given = [node_to_json(one) for one in value]
            case "cases":
                given = {name: node_to_json(one) for name, one in value.items()}
            case _:
                given = value
        if key.required or given not in (None, _DEFAULTS.get(key.name)):
            found[key.name] = given
    return found


_DEFAULTS: Final = {"max_concurrency": MAX_CONCURRENCY, "max_loops": MAX_LOOPS, "on_failure": "fail"}


def node_of(value: FrozenJson) -> FlowNode:
    """The node that `node_to_json` made `value` from: what a log holds was checked before it was written.

    Args:
        value: the JSON.
    """
    kind = str(value["type"])
    given: dict[str, Any] = {}
    for key in KEYS[kind]:
        found: Any = value.get(key.name)
        match key.takes:
            case _ if found is None:
                continue
            case "node":
                given[key.name] = node_of(found)
            case "nodes":
                given[key.name] = tuple(map(node_of, found))
            case "cases":
                given[key.name] = {name: node_of(one) for name, one in found.items()}
            case _:
                given[key.name] = found
    make: Any = CLASSES[kind]
    node: FlowNode = make(**given)
    return node


def below(node: FlowNode) -> Iterator[tuple[str, FlowNode]]:
    """The nodes right below one, each with its place from there, e.g. ``steps[1]``.

    Args:
        node: the node.
    """
    for key in KEYS[node.type]:
        value = getattr(node, key.name)
        match key.takes:
            case "node" if value is not None:
                yield key.name, value
            case "nodes":
                yield from ((f"{key.name}[{at}]", one) for at, one in enumerate(value))
            case "cases":
                yield from ((f"{key.name}.{name}", one) for name, one in value.items())
            case _:
                pass


def every(node: FlowNode, place: str = "root") -> Iterator[tuple[str, FlowNode]]:
    """A node and all below it, with their places, in the order of the file.

    Args:
        node: the node.
        place: where it stands.
    """
    yield place, node
    for at, one in below(node):
        yield from every(one, f"{place}.{at}")


def json_schema() -> JsonObject:
    """The JSON Schema of a flow's file, for editors."""
    node: JsonObject = {"$ref": "#/$defs/node"}
    shapes: dict[Takes, JsonObject] = {
        "agent": {"type": "string", "minLength": 1},
        "condition": {"type": "string", "minLength": 1},
        "word": {"type": "string", "minLength": 1},
        "node": node,
        "nodes": {"type": "array", "items": node, "minItems": 1, "maxItems": MOST_STEPS},
        "cases": {"type": "object", "additionalProperties": node, "minProperties": 1, "maxProperties": MOST_STEPS},
        "loops": {"type": "integer", "minimum": 1, "maximum": MOST_LOOPS},
        "concurrency": {"type": "integer", "minimum": 1, "maximum": MOST_BRANCHES},
        "failure": {"enum": ["fail", "collect", "ignore"]},
    }
    kinds: list[Json] = [
        {
            "type": "object",
            "description": (CLASSES[name].__doc__ or "").partition("\n")[0],
            "properties": {
                "type": {"const": name},
                **{key.name: {**shapes[key.takes], "description": key.about} for key in keys},
            },
            "required": ["type", *(key.name for key in keys if key.required)],
            "additionalProperties": False,
        }
        for name, keys in KEYS.items()
    ]
    word: JsonObject = {"type": "string", "description": "An agent node, in short: its `agent_key`."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A flow of Sulla",
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1}, "root": node},
        "required": ["name", "root"],
        "additionalProperties": False,
        "$defs": {"node": {"oneOf": [word, *kinds]}},
    }
