"""Gates that can never hold are found, also where phrases only contain one another, and no other is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.routes.covering import covers
from sulla.routes.faults import KnownNames
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.phrases import phrase_of
from sulla.routes.plan import Gate, RouteTable, default_of
from sulla.routes.reading import read_routes
from tests.routes.test_reading import faults, gates


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        ("hello", "hello world", True),
        ("hello world", "hello", False),
        ("a*", "apple", True),
        ("apple", "a*", False),
        ("a*", "ap*", True),
        ("a|b c", "x a c", True),
        ("a c", "a|b c", False),
        ("a ... c", "a c", True),
        ("a ... c", "a ...2 c", True),
        ("a ...2 c", "a ... c", False),
        ("a ... c", "a b c", False),
    ],
)
def test_what_is_found_wherever_another_phrase_is(wide: str, narrow: str, covered: bool) -> None:
    assert covers(phrase_of(wide), phrase_of(narrow)) == covered


@pytest.mark.parametrize(
    ("first", "second", "shadowed"),
    [
        ("any: [hello]", "any: [hello world]", True),
        ('any: ["a*"]', "any: [apple, ant hill]", True),
        ('any: ["a*"]', "any: [apple, bee]", False),
        ("any: [hello]", "all: [world, hello there]", True),
        ("all: [world]", "any: [hello world, new world]", True),
        ("any: [hello], unless: [no hello]", "any: [hello world]", False),
        ("any: [hello], unless: [no hello]", "any: [hello world], unless: [no hello, world war]", True),
        ("any: [hello], facts: {words: 5}", "any: [hello world]", False),
        ("any: [hello], facts: {words: 5}", "any: [hello world], facts: {words: 4}", True),
        ("any: [hello], facts: {last_route: [a, c]}", "any: [hello], facts: {last_route: a}", True),
        ("any: [hello], facts: {last_route: a}", "any: [hello], facts: {last_route: a, within: 2}", False),
        ("any: [hello], quoted: true", "any: [hello world]", True),
        ("any: [hello]", "any: [hello world], quoted: true", False),
    ],
)
def test_a_gate_behind_one_that_holds_wherever_it_does_is_refused(first: str, second: str, shadowed: bool) -> None:
    text = gates(
        f"{{name: one, route: a, {first}}}", f"{{name: two, route: a, {second}}}", "{name: b, route: b, any: [zz]}"
    )
    if not shadowed:
        assert read_routes(text, KnownNames()).faults == ()
        return
    (fault,) = faults(text)
    assert fault.path.startswith("gates[1].")
    assert "never reached: the gate 'one'" in fault.message


def test_a_gate_that_takes_itself_back_is_refused_and_a_phrase_that_is_taken_back_is_told() -> None:
    (fault,) = faults(gates("{name: one, route: b, any: [hello there], unless: [hello]}"))
    assert (fault.path, fault.line) == ("gates[0].any", 6)
    assert "it can never hold" in fault.message
    rows = gates("{name: one, route: b, any: [hello there, help], unless: [hello]}", "{name: two, route: a, any: [zz]}")
    (fault,) = read_routes(rows, KnownNames()).faults
    assert (fault.path, fault.severity) == ("gates[0].any", "warning")
    assert "the phrase 'hello there' is never found" in fault.message


@pytest.mark.parametrize("text", ["^hel+o$", "(a+)+b", "a.+b", "(down|offline)", "[a-z]ello", "\\bhello"])
def test_a_phrase_that_looks_like_a_regular_expression_is_told(text: str) -> None:
    rows = gates(f"{{name: one, route: b, any: ['{text}', fire]}}", "{name: two, route: a, any: [zz]}")
    (fault,) = read_routes(rows, KnownNames()).faults
    assert (fault.path, fault.severity) == ("gates[0].any[0]", "warning")
    assert "looks like a regular expression" in fault.message


@pytest.mark.parametrize("text", ["c++", "what's up (or so)?", "costs $5", "a|b c", "refund* ...2 now", "1.5 l"])
def test_a_phrase_with_other_marks_is_no_regular_expression(text: str) -> None:
    rows = gates(f'{{name: one, route: b, any: ["{text}"]}}', "{name: two, route: a, any: [zz]}")
    assert read_routes(rows, KnownNames()).faults == ()


_WORDS = st.sampled_from(["a", "b", "ab", "a*", "a|b", "c"])


@st.composite
def _phrases(draw: st.DrawFn) -> str:
    parts = [draw(_WORDS)]
    gaps = st.sampled_from(["", "...1", "...2"])
    parts += [f"{draw(gaps)} {draw(_WORDS)}".strip() for _ in range(draw(st.integers(0, 2)))]
    return " ".join(parts)


@given(_phrases(), _phrases(), st.lists(st.sampled_from(["a", "b", "ab", "c", "x."]), max_size=9))
def test_whatever_is_said_to_be_covered_is(wide: str, narrow: str, text: list[str]) -> None:
    def holds(phrase: str) -> bool:
        table = RouteTable({"r": default_of("clarify", "r")}, [Gate("g", "r", (phrase,))])
        return route_of(table, " ".join(text), TurnFacts()) is not None

    if covers(phrase_of(wide), phrase_of(narrow)) and holds(narrow):
        assert holds(wide)
