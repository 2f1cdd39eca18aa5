"""Files of playbooks with one thing changed in them, as a slip of the pen does it; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlScalar, read_nodes
from sulla.playbooks.file.form import KINDS, PARTS, PLAYBOOK, STEP
from sulla.playbooks.file.read_schema import TYPES

VALUES = (
    *(
        "3",
        "-1",
        "1e400",
        ".nan",
        "null",
        "true",
        "''",
        "[]",
        "{}",
        "[a, 1]",
        "{a: 1}",
        "[{}]",
        "{type: [x]}",
        "$",
        "~",
    ),
    *("float", "intger", "list", "dict", "bool", "&a x", "*a", "!!int 3", "'${{ '", "'${{ }}'", "'{{ inputs.x }}'"),
    *("'${{ steps.a.output.b.c > 3 }}'", "'${{ inputs | fromjson }}'", f"'${{{{ {'(' * 300}1{')' * 300} }}}}'"),
    *('\'${{ steps["pa" ~ "ge"].output }}\'', "'${{ steps[inputs.k].output }}'", "'${{ steps | string }}'"),
    *("'${{ steps | tojson }}'", "'${{ steps[0].output }}'", "'${{ inputs | string }}'", "'${{ secrets[inputs.k] }}'"),
    *("'${{ -'", "'${{ 1 < \"x\" }}'", f"{'[' * 55}{']' * 55}", "'\\udc80'", '"\\0"', "99999999999999999999999999"),
    *("'* * 31 2 *'", "1000y", "Europe/Berln", "{type: object, properties: 3, required: x}", "{$ref: '#/x'}"),
)
"""What a value is changed to."""
_IN_SCHEMAS = ("properties", "required", "items", "enum", "$ref", "additionalProperties")
KEYS = (
    *dict.fromkeys(key.name for keys in (PLAYBOOK, STEP, *KINDS.values(), *PARTS.values()) for key in keys),
    *(*_IN_SCHEMAS, "type", "0", "null", "[a]", "'${{ a }}'"),
)
"""What a key is changed to."""


def mutated(text: str, chance: random.Random) -> Iterator[str]:
    """A text with each of its keys and values changed in turn, beginning anywhere; without end.

    Args:
        text: a playbook.
        chance: decides what is changed to what.
    """
    node = read_nodes(text, most_bytes=1 << 20, most_deep=60)
    assert node is not None
    assert not isinstance(node, YamlFault)
    keys, values = _places(node)
    while True:
        if chance.random() < 0.5:
            key = chance.choice(keys)
            yield _with(text, key, _typo(key.text, chance) if chance.random() < 0.5 else chance.choice(KEYS))
        else:
            at = chance.choice(values)
            word = at.text if isinstance(at, YamlScalar) and at.text in TYPES else ""
            yield _with(text, at, _typo(word, chance) if word and chance.random() < 0.5 else chance.choice(VALUES))


def _places(node: YamlNode) -> tuple[list[YamlScalar], list[YamlNode]]:
    keys: list[YamlScalar] = []
    values: list[YamlNode] = []
    ahead = [node]
    while ahead:
        at = ahead.pop()
        inner = at.items if isinstance(at, YamlList) else []
        if isinstance(at, YamlMap):
            keys += [key for key, _ in at.items]
            inner = [value for _, value in at.items]
        values += inner
        ahead += inner
    return keys, values


def _typo(word: str, chance: random.Random) -> str:
    """A word with a letter left out, doubled or in another's place."""
    at = chance.randrange(max(1, len(word)))
    return chance.choice((word[:at] + word[at + 1 :], word[: at + 1] + word[at:], word[:at] + word[at + 1 :][::-1]))


def _with(text: str, node: YamlNode, other: str) -> str:
    return f"{text[: node.place.start]}{other}{text[node.place.end :]}"
