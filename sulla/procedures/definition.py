"""A procedure as a value: its steps, when each of them is done, and the phrases that end it. Pure.

`to_json` gives the form in which it lies in a file; `reading` reads that form and says what is wrong with it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject

FILE: Final = "procedure.yaml"
"""Its file, beside the `SKILL.md` of a skill."""
MOST_STEPS: Final = 20
"""A person who is led through more of them has lost the thread long before."""
MOST_ITEMS: Final = 10
"""What one step can ask for."""
MOST_PHRASES: Final = 30
PHRASE_CHARS: Final = 80
LINE_CHARS: Final = 160
"""Code points of a title and of a description."""
TEXT_CHARS: Final = 1_600
"""Code points of what the agent is told of a step."""
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""Names of procedures and of steps."""

How = Literal["phrases", "items", "model"]


@dataclass(frozen=True, slots=True)
class DoneWhen:
    """When a step is done."""

    how: How
    """By a phrase that the person says, by so many things that the person names, or by a model's judgement."""
    phrases: tuple[str, ...] = ()
    items: str = ""
    """What is named, such as ``things that you can see``."""
    count: int = 0
    """How many of them."""

    def to_json(self) -> Json:
        """As it lies in a file."""
        if self.how == "phrases":
            return {"phrases": list(self.phrases)}
        return {"items": self.items, "count": self.count} if self.how == "items" else "model"


@dataclass(frozen=True, slots=True)
class ProcedureStep:
    """One step."""

    id: str
    """Stable: an open procedure goes on at the step of this name if its file is changed."""
    title: str
    instructions: str
    """What the agent is to do in this step."""
    done_when: DoneWhen = field(default_factory=lambda: DoneWhen("model"))
    hint: str = ""
    """What the agent says if the person is stuck."""
    keep: bool = False
    """Whether the answer that completes it is kept, so that later steps can come back to it."""

    def to_json(self) -> JsonObject:
        """As it lies in a file."""
        found: JsonObject = {"id": self.id, "title": self.title, "instructions": self.instructions}
        if self.done_when.how != "model":
            found["done_when"] = self.done_when.to_json()
        if self.hint:
            found["hint"] = self.hint
        return {**found, "keep": True} if self.keep else found


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure, whole."""

    name: str
    title: str
    description: str
    steps: tuple[ProcedureStep, ...]
    is_not: str = ""
    """What it is not, such as a therapy: the agent says so when it begins, and whenever it is asked for that."""
    exits: tuple[str, ...] = ()
    """Phrases that end it, beside those that end all of them (`verdicts`)."""
    closing: str = ""
    """What the agent is to do when the last step is done."""

    def to_json(self) -> JsonObject:
        """As it lies in a file."""
        texts: JsonObject = {"is_not": self.is_not, "closing": self.closing}
        lists: JsonObject = {"exits": list(self.exits)}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            **{key: value for key, value in (*texts.items(), *lists.items()) if value},
            "steps": [step.to_json() for step in self.steps],
        }

    @property
    def digest(self) -> str:
        """What tells it from one that says something else: ``sha256:…`` over all of it."""
        text = json.dumps(self.to_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def place(self, step: str) -> int:
        """Where a step stands, counted from 0; -1 if there is none of that name.

        Args:
            step: its id.
        """
        return next((at for at, one in enumerate(self.steps) if one.id == step), -1)


Takes = Literal["name", "line", "text", "phrases", "steps", "done", "flag"]
"""What may stand behind a key."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the file."""

    name: str
    takes: Takes
    about: str
    required: bool = False


KEYS: Final[Mapping[str, tuple[Key, ...]]] = MappingProxyType(
    {
        "procedure": (
            Key("name", "name", "Its name: small letters, digits and dashes.", required=True),
            Key("title", "line", "What people are told it is called.", required=True),
            Key("description", "line", "What it is for, in one sentence.", required=True),
            Key("is_not", "text", "What it is not; the agent says so."),
            Key("exits", "phrases", "Phrases that end it, beside those that end every procedure."),
            Key("closing", "text", "What the agent is to do when the last step is done."),
            Key("steps", "steps", "The steps, one after the other.", required=True),
        ),
        "step": (
            Key("id", "name", "A name that stays as it is when the file is changed.", required=True),
            Key("title", "line", "What people are told it is called.", required=True),
            Key("instructions", "text", "What the agent is to do in this step.", required=True),
            Key("done_when", "done", "When it is done; `model` unless said otherwise."),
            Key("hint", "text", "What the agent says if the person is stuck."),
            Key("keep", "flag", "Whether the answer that completes it is kept; no unless said otherwise."),
        ),
    }
)
"""The one table of what a file may say: the reader and the JSON Schema go by it."""


def json_schema() -> JsonObject:
    """The JSON Schema of a procedure's file, for editors."""
    phrases: JsonObject = {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": PHRASE_CHARS},
        "minItems": 1,
        "maxItems": MOST_PHRASES,
    }
    line: JsonObject = {"type": "string", "minLength": 1, "maxLength": LINE_CHARS}
    done: list[Json] = [
        {"const": "model"},
        _object({"phrases": phrases}),
        _object({"items": line, "count": {"type": "integer", "minimum": 1, "maximum": MOST_ITEMS}}),
    ]
    shapes: dict[Takes, JsonObject] = {
        "name": {"type": "string", "pattern": f"^{NAME.pattern}$"},
        "line": line,
        "text": {"type": "string", "minLength": 1, "maxLength": TEXT_CHARS},
        "phrases": phrases,
        "done": {"oneOf": done},
        "flag": {"type": "boolean"},
    }
    step = _shape("step", shapes)
    steps: JsonObject = {"type": "array", "items": step, "minItems": 1, "maxItems": MOST_STEPS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A procedure of Sulla",
        **_shape("procedure", {**shapes, "steps": steps}),
    }


def _shape(of: str, shapes: Mapping[Takes, JsonObject]) -> JsonObject:
    keys = KEYS[of]
    named: JsonObject = {key.name: {**shapes[key.takes], "description": key.about} for key in keys}
    return {**_object(named), "required": [key.name for key in keys if key.required]}


def _object(named: JsonObject) -> JsonObject:
    return {"type": "object", "properties": named, "required": list(named), "additionalProperties": False}
