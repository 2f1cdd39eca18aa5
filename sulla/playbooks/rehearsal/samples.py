"""What stands in a dry run for values that nobody gives. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import Definition, InputSpec
from sulla.playbooks.machine.scope_inputs import fits
from sulla.playbooks.rehearsal.placeholders import holds_guess


def is_wanted(spec: InputSpec) -> bool:
    """Whether whoever starts a playbook has to say an input."""
    return spec.required and spec.default is None


_SAMPLES: Final[Mapping[str, Callable[[str], Json]]] = {
    "string": lambda text: text,
    "number": lambda _: 1,
    "integer": lambda _: 1,
    "boolean": lambda _: True,
    "list": lambda text: [text],
    "object": lambda _: {},
    "null": lambda _: None,
}


def input_sample(name: str, spec: InputSpec) -> Json:
    """What stands for an input that is not given."""
    return spec.choices[0] if spec.choices else _SAMPLES[spec.type](f"<input {name}>")


def fitted(definition: Definition, given: FrozenJson) -> tuple[FrozenJson, list[str]]:
    """What a playbook within is given, with samples where a placeholder is none of what an input takes.

    Args:
        definition: that playbook.
        given: the inputs as they were worked out.

    Returns:
        What it is begun with, and what was assumed for that.
    """
    found, assumed = dict(given), []
    for name, spec in definition.inputs.items():
        if name in given and holds_guess(given[name]) and not fits(spec, given[name]):
            found[name] = input_sample(name, spec)
            assumed.append(f"the input {name!r} of {definition.name!r} is {_expected(spec)}")
    return found, assumed


def _expected(spec: InputSpec) -> str:
    return f"one of {', '.join(map(str, spec.choices))}" if spec.choices else f"of the type {spec.type}"


def sample(schema: FrozenJson, text: str) -> Json:
    """A value that meets a schema, as far as samples do."""
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    inner = schema.get("properties")
    if kind == "object" and isinstance(inner, dict):
        return {name: sample(part, text) for name, part in inner.items() if isinstance(part, dict)}
    if kind == "array":
        items = schema.get("items")
        return [sample(items, text) if isinstance(items, dict) else text]
    return _SAMPLES.get(str(kind), _SAMPLES["string"])(text)
