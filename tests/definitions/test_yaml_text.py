"""YAML by hand: 1.2, plain values, and nothing that a few lines could do harm with."""

from __future__ import annotations

from contextlib import suppress
from math import inf

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.jsontypes import JsonObject
from sulla.definitions.yaml_text import MAX_YAML_BYTES, YamlFault, YamlList, YamlMap, plain, read_map, read_nodes


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
        (
            "a: b: c",
            "line 1: the value of 'a' holds ': ', and text without quotes ends there: put it in quotes, such as `",
        ),
        ("x:\n  - say: It's so: yes", "line 2: the value of 'say' holds ': '"),
        ("a: b\n  c: d", "line 2: this ': ' makes a key of the line, which goes on with the text above"),
        ("a: 1\nb: [1,\nc: 2", "line 2: while parsing a flow sequence"),
        ("a: 1\na: 2", "line 2"),
        ("- a list", "line 1: expected keys and values"),
        ("just words", "line 1: expected keys and values"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: tags such as !!int are not read"),
        ("a: &x [1]\nb: *x", r"line 1: anchors and aliases are not read; write it out \(more of them in line 2\)"),
        ("a: &x [1]\nb: [", "line 1: anchors and aliases are not read; write it out$"),
        ("a: 'never closed", "line 1"),
        ("a: \x00", "line 1: the character .* cannot stand in YAML"),
        ("a: !!int x", "line 1: tags such as !!int are not read"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_map(text)


def test_a_bomb_of_aliases_is_refused_before_it_is_built() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(InvalidInput, match="line 1: anchors"):
        read_map("\n".join(lines))


@pytest.mark.parametrize("text", ["a: " + "[" * 5_000, "a: " + "{b: " * 5_000, "x" * (MAX_YAML_BYTES + 1)])
def test_neither_depth_nor_length_exhausts_anything(text: str) -> None:
    with pytest.raises(TooLarge):
        read_map(text)


@pytest.mark.parametrize("text", ["a: !!bool x", "a: !!int", "!!bool x", "a: !<x> y", "- !!set {a}", "a: ! b"])
def test_a_tag_that_makes_the_library_fail_is_a_mistake_like_any_other(text: str) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        read_map(text)


@given(
    st.lists(
        st.sampled_from(
            [*"a:\n -[]{}!?|>'\"#1~&*", "!!int", "!!bool", "!!float", "!!set", "0x", ".nan", "<<", "12:30"]
        ),
        max_size=12,
    ).map("".join)
)
def test_whatever_stands_there_is_read_or_a_mistake(text: str) -> None:
    found: object = None
    with suppress(InvalidInput):
        found = read_map(text)
    assert found is None or isinstance(found, dict)


# --------------------------------------------------------------------------------------------------------------- places

PLACED = "ä: 'x ü' # c\nlist:\n- 1\n-  [a, {b: 2}]\ntext: |\n  one\n  two\nlast: >-\n  folded\n"


def test_everything_has_its_place_counted_as_editors_do() -> None:
    found = read_nodes(PLACED)
    assert isinstance(found, YamlMap)
    at = {key.text: (key.place[:2], value.place[:2]) for key, value in found.items}
    assert at == {
        "ä": ((1, 1), (1, 4)),
        "list": ((2, 1), (3, 1)),
        "text": ((5, 1), (5, 7)),
        "last": ((8, 1), (8, 7)),
    }
    items = found.items[1][1]
    assert isinstance(items, YamlList)
    assert [item.place[:2] for item in items.items] == [(3, 3), (4, 4)]
    assert PLACED[slice(*found.items[0][1].place[2:])] == "'x ü'"
    assert PLACED[slice(*found.items[2][1].place[2:])] == "|\n  one\n  two\n"


def test_a_key_that_stands_twice_is_there_twice() -> None:
    found = read_nodes("a: 1\na: 2\n")
    assert isinstance(found, YamlMap)
    assert [(key.place.line, plain(value)) for key, value in found.items] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: 1\n  b: 2\n", (2, 4)),
        ("a: [1\n", (1, 4)),
        ("a: 'x\n", (1, 4)),
        ("a: *x\n", (1, 4)),
        ("a: 1\n---\nb: 2\n", (2, 1)),
        ("? [a]\n: b\n", (1, 3)),
        ("a: \x07\n", (1, 4)),
        (f"a: {'9' * 31}\n", (1, 4)),
    ],
)
def test_what_is_no_yaml_is_told_with_its_place(text: str, fault: tuple[int, int]) -> None:
    found = read_nodes(text)
    assert isinstance(found, YamlFault)
    assert (found.line, found.column) == fault


def test_words_mean_what_yaml_1_2_says() -> None:
    words = "yes 0o17 0x1F 017 1_000 1e3 .5 -.inf 1:30 = 2026-11-21 Null TRUE ~ <<".split()
    expected = ["yes", 15, 31, 17, "1_000", 1000.0, 0.5, -inf, "1:30", "=", "2026-11-21", None, True, None, "<<"]
    found = read_map(f"a: [{', '.join(words)}]")["a"]
    assert found == expected
    assert isinstance(found, list)
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("text", [PLACED, "a: {b: [c, {d: e}]}\n", "- 'x'\n- \"y\\n\"\n", "", "# c\n", "x: &a 1\n"])
def test_without_its_c_part_the_library_finds_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = read_nodes(text)
    monkeypatch.delattr(yaml, "CLoader")
    assert read_nodes(text) == fast
