"""Whether what a playbook is started with is what it asks for. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.playbooks.definition import Definition, InputSpec

_TYPES: Final[Mapping[str, Callable[[Json], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
}


def complete_inputs(definition: Definition, given: FrozenJson) -> JsonObject:
    """What a run begins with: what was given, and the defaults of what was not.

    Raises:
        InvalidInput: something is missing, unknown, of another type, or none of its choices; the message names all of
            it.
    """
    faults = [_unknown(definition, name) for name in given if name not in definition.inputs]
    found: JsonObject = {}
    for name, spec in definition.inputs.items():
        if name in given:
            faults += _faults(name, spec, given[name])
            found[name] = given[name]
        elif spec.required and spec.default is None:
            faults.append(f"the input {name!r} is missing; expected {_expected(spec)}")
        else:
            found[name] = spec.default
    if faults:
        raise InvalidInput(f"cannot start the playbook {definition.name!r}: {'; '.join(faults)}")
    return found


def _unknown(definition: Definition, name: str) -> str:
    near = difflib.get_close_matches(name, definition.inputs, n=1)
    there_is = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(map(repr, definition.inputs)) or 'none'}"
    return f"it has no input {name[:60]!r}; {there_is}"


def fits(spec: InputSpec, value: Json) -> bool:
    """Whether a value is one that an input takes."""
    if value is None and not spec.required:
        return True
    return _TYPES[spec.type](value) and (not spec.choices or value in spec.choices)


def _faults(name: str, spec: InputSpec, value: Json) -> list[str]:
    if not fits(spec, value):
        return [f"the input {name!r} is {value!r:.60}; expected {_expected(spec)}"]
    return []


def _expected(spec: InputSpec) -> str:
    if spec.choices:
        return f"one of {', '.join(map(repr, spec.choices))}"
    return f"{'an' if spec.type[0] in 'aeiou' else 'a'} {spec.type}"
