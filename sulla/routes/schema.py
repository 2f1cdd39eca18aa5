"""What a file of routes may say: one table, by which the reader, the JSON Schema and the docs go. Pure."""

from __future__ import annotations

from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.routes.plan import AUDITS, KINDS

MOST_BYTES: Final = 256 * 1024
MOST_NAME: Final = 64
MOST_LOOKED: Final = 1_000
"""Names among which the nearest is looked for."""
MOST_ROUTES: Final = 64
MOST_GATES: Final = 256
MOST_PHRASES: Final = 256
"""Of one list of one gate."""
MOST_PHRASE_CHARS: Final = 400
MOST_STEPS: Final = 500
"""That one word of a message can take (`PhraseIndex.heaviest`): with it a message of 100,000 characters that is written
to take long takes some seconds. The two packs have 200 and 12."""
MOST_TEXT_CHARS: Final = 4_000
"""Of instructions and of a fixed text."""
MOST_COUNT: Final = 9
"""Turns that `within` reaches back, and words of a short message."""
NAME: Final = r"[a-z0-9][a-z0-9_-]*"

Takes = Literal["name", "names", "kind", "audit", "text", "args", "flag", "count", "phrases", "facts"]
"""What may stand behind a key."""

Names = Literal["", "agent", "model", "tool", "skill", "procedure", "project", "route"]
"""What a name has to be the name of, where the caller knows those that there are."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a route, of a gate, or of a gate's facts."""

    name: str
    takes: Takes
    about: str
    names: Names = ""
    required: bool = False


ROUTE_KEYS: Final = (
    Key("kind", "kind", "What the route is for; all that is not said here is as its kind has it.", required=True),
    Key("agent", "name", "Who answers; whoever has the conversation unless said.", "agent"),
    Key("model", "name", "What writes the reply; the agent's own unless said.", "model"),
    Key("require", "name", "A tool that has to be called before the reply.", "tool"),
    Key("args", "args", "Its arguments where the model does not call it; `{message}` stands for the message."),
    Key("text_only", "flag", "Whether the reply is the text of that tool and nothing else."),
    Key("without", "names", "Tools that are not there in this turn.", "tool"),
    Key("style", "name", "A skill whose text says how to reply.", "skill"),
    Key("instructions", "text", "What the agent is told for this turn."),
    Key("procedure", "name", "The guided procedure that begins: the name of its skill.", "procedure"),
    Key("fallback", "flag", "Whether another model may stand in when the service fails."),
    Key("fixed_text", "text", "A reviewed text that is said when the service fails; an incident has to have one."),
    Key("audit", "audit", "`full`, `anonymous` (without the person) or `none`."),
)

GATE_KEYS: Final = (
    Key("name", "name", "By which records tell gates apart.", required=True),
    Key("route", "name", "Where it leads.", "route", required=True),
    Key("any", "phrases", "Phrases of which one has to be said."),
    Key("all", "phrases", "Phrases that all have to be said."),
    Key("unless", "phrases", "Phrases that take back what they overlap in the message."),
    Key("facts", "facts", "What has to be so beside the message."),
    Key("quoted", "flag", "Whether code, and the words of others, are looked at too."),
)

FACT_KEYS: Final = (
    Key("agent", "names", "Who has the conversation: one of these.", "agent"),
    Key("project", "names", "The thread's project: one of these.", "project"),
    Key("last_route", "names", "The route that the turn before took: one of these.", "route"),
    Key(
        "within", "count", "So many turns back it may have been, with none but default turns in between; 1 unless said."
    ),
    Key("words", "count", "So many words the message has at the most."),
    Key("first", "flag", "Whether it is the first message of its thread."),
    Key("procedure", "flag", "Whether a guided procedure is under way."),
)

_NAMED: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": MOST_NAME}
_SHAPES: Final[dict[Takes, JsonObject]] = {
    "name": _NAMED,
    "names": {"oneOf": [_NAMED, {"type": "array", "items": _NAMED, "minItems": 1, "maxItems": MOST_ROUTES}]},
    "kind": {"enum": list[Json](KINDS)},
    "audit": {"enum": list[Json](AUDITS)},
    "text": {"type": "string", "minLength": 1, "maxLength": MOST_TEXT_CHARS},
    "args": {"type": "object"},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1, "maximum": MOST_COUNT},
    "phrases": {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": MOST_PHRASE_CHARS},
        "minItems": 1,
        "maxItems": MOST_PHRASES,
    },
}


def json_schema() -> JsonObject:
    """The JSON Schema of `routes.yaml`, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The routes of a home of Sulla",
        "type": "object",
        "properties": {
            "routes": {
                "type": "object",
                "description": "The ways to answer a turn, by name.",
                "propertyNames": {"pattern": f"^{NAME}$", "maxLength": MOST_NAME},
                "additionalProperties": _object(ROUTE_KEYS),
                "minProperties": 1,
                "maxProperties": MOST_ROUTES,
            },
            "gates": {
                "type": "array",
                "description": "What leads to them: incidents first, then in this order.",
                "items": _object(GATE_KEYS),
                "maxItems": MOST_GATES,
            },
        },
        "required": ["routes"],
        "additionalProperties": False,
    }


def _object(keys: tuple[Key, ...]) -> JsonObject:
    shapes = {key.name: _object(FACT_KEYS) if key.takes == "facts" else _SHAPES[key.takes] for key in keys}
    return {
        "type": "object",
        "properties": {key.name: {**shapes[key.name], "description": key.about} for key in keys},
        "required": [key.name for key in keys if key.required],
        "additionalProperties": False,
    }
