"""Reads the JSON Schemas in a playbook: of what an agent gives, and of what a person writes. Pure.

What a schema asks for is checked when a run is there already (`tools.validate`), which leaves alone what it does not
know. So a slip of the pen in one is told here, however deep it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from sulla.core.jsontypes import FrozenJson, Json
from sulla.definitions.yaml_text import YamlList, YamlMap, YamlNode, YamlScalar
from sulla.playbooks.file.read_sketch import Keys
from sulla.playbooks.file.read_values import FileReading
from sulla.tools.nearest import did_you_mean

TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_TYPES_TOLD: Final = "string, number, integer, boolean, array, object or 'null' (in quotes)"
_EXAMPLE: Final = "a JSON Schema such as {type: object, properties: {…}}"
_ELSEWHERE: Final[Mapping[str, str]] = {
    "list": "array",
    "tuple": "array",
    "set": "array",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "dict": "object",
    "map": "object",
    "text": "string",
    "none": "null",
    "nil": "null",
}
"""Types by what they are called in other places, and nothing like here."""

_Read = Callable[[FileReading, YamlNode, str], object]
"""Looks at the value of a keyword: the file, the value, and where it stands."""


def read_schema(reading: FileReading, node: YamlNode, key: str) -> FrozenJson | None:
    """Read a JSON Schema.

    Args:
        reading: the file; is told what is wrong.
        node: the schema.
        key: what it stands behind, for people.

    Returns:
        It as it is written, with its faults; None if it is none at all.
    """
    if not isinstance(node, YamlMap):
        reading.wrong(node, key, _EXAMPLE)
        return None
    before = len(reading.faults)
    _schema(reading, node, key)
    if len(reading.faults) == before:
        _doubt(reading, node, key)
    return cast("dict[str, Json]", reading.literal(node, key))


def _doubt(reading: FileReading, node: YamlNode, where: str) -> None:
    """Tell the first thing that a schema asks for in vain; what stands below it is no more heeded."""
    for key, value in node.items if isinstance(node, YamlMap) else ():
        if key.text in _UNCHECKED:
            said = "is told to whoever answers, and not checked: what does not meet it is taken"
            reading.fault(key.place, "unchecked", f"{where}: {key.text!r} {said}; check it in a step behind")
        elif key.text == "properties" and isinstance(value, YamlMap):
            for name, inner in value.items:
                _doubt(reading, inner, f"{where}.{name.text[:60]}")
        elif key.text in ("items", "additionalProperties"):
            _doubt(reading, value, f"{where}.{key.text}")


def _schema(reading: FileReading, node: YamlNode, where: str) -> None:
    if not isinstance(node, YamlMap):
        reading.wrong(node, where, _EXAMPLE)
        return
    keys: Keys = {key.text: (key, value) for key, value in node.items}
    for key, value in node.items:
        if key.text.startswith("x-"):
            continue  # by custom the keywords of other programs, which have none like it here
        read = _KEYWORDS.get(key.text)
        if read is None:
            meant = did_you_mean(key.text, (name for name in _KEYWORDS if name not in keys))
            hint = meant or " The fields of an object stand in its `properties`."
            reading.fault(key.place, "unknown-key", f"{where}: a JSON Schema has no {key.text[:60]!r}.{hint}")
        else:
            read(reading, value, f"{where}.{key.text}")
    if "required" in keys:
        _required(reading, keys, f"{where}.required")


def _required(reading: FileReading, keys: Keys, where: str) -> None:
    node = keys["required"][1]
    if not isinstance(node, YamlList):
        reading.wrong(node, where, "a list of names")
        return
    of = keys["properties"][1] if "properties" in keys else None
    names = [key.text for key, _ in of.items] if isinstance(of, YamlMap) else []
    others = "patternProperties" in keys or (
        "additionalProperties" in keys and isinstance(keys["additionalProperties"][1], YamlMap)
    )
    for item in node.items:
        if not isinstance(item, YamlScalar) or not isinstance(item.value, str):
            reading.wrong(item, where, "the name of a property, as text")
        elif names and item.value not in names and not others:
            meant = did_you_mean(item.value, names) or f" There are: {', '.join(names)}."
            reading.fault(item.place, "schema", f"{where}: there is no property {item.value[:60]!r}.{meant}")


def _type(reading: FileReading, node: YamlNode, where: str) -> None:
    given = node.items if isinstance(node, YamlList) else [node]
    if not given:
        reading.wrong(node, where, _TYPES_TOLD)
    for one in given:
        word = one.value if isinstance(one, YamlScalar) else None
        if not isinstance(word, str):
            reading.wrong(one, where, _TYPES_TOLD)
        elif word not in TYPES:
            other = _ELSEWHERE.get(word.casefold())
            meant = f" Did you mean {other!r}?" if other else did_you_mean(word, TYPES)
            reading.fault(one.place, "value", f"{where}: expected {_TYPES_TOLD}, got {word[:60]!r}.{meant}".rstrip("."))


def _by_name(reading: FileReading, node: YamlNode, where: str) -> None:
    if not isinstance(node, YamlMap):
        reading.wrong(node, where, "names, each with a JSON Schema such as {type: string}")
        return
    for key, value in node.items:
        _schema(reading, value, f"{where}.{key.text[:60]}")


def _several(reading: FileReading, node: YamlNode, where: str) -> None:
    for number, item in enumerate(reading.listed(node, where, lambda item: item, least=1)):
        _schema(reading, item, f"{where}[{number}]")


def _open(reading: FileReading, node: YamlNode, where: str) -> None:
    if not isinstance(node, YamlScalar) or not isinstance(node.value, bool):
        _schema(reading, node, where)


def _elsewhere(reading: FileReading, node: YamlNode, where: str) -> None:
    reading.fault(node.place, "schema", f"{where}: references are not followed: write the schema out where it is used")


def _is(expected: str, fits: Callable[[Json], bool]) -> _Read:
    def read(reading: FileReading, node: YamlNode, where: str) -> None:
        if not isinstance(node, YamlScalar) or not fits(node.value):
            reading.wrong(node, where, expected)

    return read


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TEXT: Final = _is("text", lambda value: isinstance(value, str))
_FLAG: Final = _is("true or false", lambda value: isinstance(value, bool))
_NUMBER: Final = _is("a number", _is_number)
_COUNT: Final = _is("a whole number from 0", lambda value: isinstance(value, int) and _is_number(value) and value >= 0)

_GROUPS: Final[Mapping[_Read, str]] = {
    _type: "type",
    _by_name: "properties patternProperties dependentSchemas",
    _schema: "items not if then else contains propertyNames unevaluatedItems",
    _open: "additionalProperties unevaluatedProperties",
    _several: "anyOf oneOf allOf prefixItems",
    _elsewhere: "$ref $defs definitions $dynamicRef $anchor $dynamicAnchor",
    _NUMBER: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
    _COUNT: "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    _FLAG: "uniqueItems deprecated readOnly writeOnly nullable",
    _TEXT: "title description format pattern contentEncoding contentMediaType $comment $schema $id",
    (lambda reading, node, where: reading.listed(node, where, reading.json, least=1)): "enum examples",
    (
        lambda reading, node, where: None
    ): "const default example required",  # any value; `required` is read with its properties
}
_UNCHECKED: Final = frozenset(
    "pattern format anyOf oneOf allOf not if then else contains minContains maxContains propertyNames prefixItems "
    "patternProperties dependentSchemas minProperties maxProperties unevaluatedItems unevaluatedProperties".split()
)
"""What asks for something that `tools.validate` does not check."""
_KEYWORDS: Final = {word: read for read, words in _GROUPS.items() for word in words.split()}
"""What JSON Schema knows (2020-12), and OpenAPI's two beside it (`nullable`, `example`), with how each value is read.
Those that `tools.validate` does not check are for whoever answers to read."""
