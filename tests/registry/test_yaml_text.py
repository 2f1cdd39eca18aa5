"""YAML by hand: 1.2, plain values, and nothing that a few lines could do harm with."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.jsontypes import JsonObject
from sulla.registry.yaml_text import MAX_YAML_BYTES, read_map


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("# nothing\n", {}),
        ("on: off\nat: 12:30\nno: no", {"on": "off", "at": "12:30", "no": "no"}),
        ("day: 2026-11-21\nnone:\n7: [1, 2.5, true]", {"day": "2026-11-21", "none": None, "7": [1, 2.5, True]}),
        ("a: {b: [c, {d: e}]}", {"a": {"b": ["c", {"d": "e"}]}}),
        ("text: |\n  one\n  two\n", {"text": "one\ntwo\n"}),
    ],
)
def test_values_are_what_they_look_like(text: str, expected: JsonObject) -> None:
    assert read_map(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: b: c", "line 1: mapping values are not allowed here"),
        ("a: 1\nb: [1,\nc: 2", "line 3"),
        ("a: 1\na: 2", "line 2"),
        ("- a list", "line 1: expected keys and values"),
        ("just words", "line 1: expected keys and values"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: could not determine a constructor"),
        ("a: &x [1]\nb: *x", "line 2: anchors and aliases are not read"),
        ("a: 'never closed", "line 1"),
        ("a: \x00", "special characters are not allowed"),
        ("a: !!int x", "invalid"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_map(text)


def test_a_bomb_of_aliases_is_refused_before_it_is_built() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(InvalidInput, match="line 2: anchors"):
        read_map("\n".join(lines))


@pytest.mark.parametrize("text", ["a: " + "[" * 5_000, "a: " + "{b: " * 5_000, "x" * (MAX_YAML_BYTES + 1)])
def test_neither_depth_nor_length_exhausts_anything(text: str) -> None:
    with pytest.raises(TooLarge):
        read_map(text)
