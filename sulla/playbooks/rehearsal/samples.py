"""What stands in a dry run for values that nobody gives. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import InputSpec


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
