"""What expressions are worth, and that none of them reaches, fills or holds up anything."""

from __future__ import annotations

import gc
import resource
from contextlib import suppress
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Template
from sulla.playbooks.expression.expression import evaluate, split, whole
from sulla.playbooks.expression.filter_patterns import PATTERN_FILTERS
from sulla.playbooks.expression.filters import FILTERS, TESTS
from sulla.playbooks.expression.grammar import parse
from sulla.playbooks.expression.tree import paths_of

SCOPE = {
    "inputs": {"lead": "Ann", "n": 3, "f": 2.5, "some": [3, 1, 2, 3], "who": {"name": "Bo", "a b": 1}, "no": None},
    "steps": {"kind": {"route": "sales", "output": None, "status": "completed", "error": None}},
    "big": {"text": "a" * 1_000_000, "list": list(range(100_000)), "deep": [[[[[[[["x"]]]]]]]]},
    "rows": [{"name": "b", "size": {"n": 2}}, {"name": "a", "size": {"n": 1}}],
    "loop": {"index": 0},
}


def value(text: str) -> Json:
    return evaluate(Template(text), SCOPE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("${{ inputs.n }}", 3),
        ("  ${{ inputs.n }}\n", "  3\n"),
        ("${{ inputs.n }} ${{ inputs.lead }}", "3 Ann"),
        ("x${{ inputs.no }}y${{ inputs.who }}", 'xy{"name": "Bo", "a b": 1}'),
        ("${{ inputs.no }}", None),
        ("${{ inputs.who['a b'] + 1 }}", 2),
        ("${{ inputs.some[0] }}${{ inputs.some[-1] }}", "33"),
        ("${{ inputs.some[1:3] }}", [1, 2]),
        ("${{ 'abc'[::-1] }}", "cba"),
        ("${{ 7 // 2 * 2 - 1 % 3 }}", 5),
        ("${{ 7 / 2 }}", 3.5),
        ("${{ -inputs.n }}", -3),
        ("${{ [1] + [2] }}", [1, 2]),
        ("${{ 'a' + 'b' ~ 1 ~ none ~ true }}", "ab1true"),
        ("${{ 1 < inputs.n <= 3 and not 1 > 2 }}", True),
        ("${{ true == 1 }}", False),
        ("${{ inputs.n == 3.0 }}", True),
        ("${{ 2 in inputs.some and 'nn' in inputs.lead and 'name' in inputs.who and 9 not in inputs.some }}", True),
        ("${{ 'many' if inputs.n > 5 else 'few' }}", "few"),
        ("${{ 1 if false }}", None),
        ("${{ null }}", None),
        ("${{ inputs.gone | default(null) }}", None),
        ("${{ [null, 'wait for it in vain'] }}", [None, "wait for it in vain"]),
        ("${{ rows | map('size.m', 0) }}", [0, 0]),
        ("${{ [{'a': 1}, {'b': 2}] | tocsv(columns=['b', 'a']) }}", "b,a\r\n,1\r\n2,\r\n"),
        ("${{ [] | tocsv(columns=['b']) }}", "b\r\n"),
        ("${{ [{'a': ''}, {'a': '2'}] | typed({'a': 'int'}, none) }}", [{"a": None}, {"a": 2}]),
        (
            "${{ [{'at': '2030-01-01T23:30:00Z'}] | typed({'at': ['date', '%d.%m.', 'Europe/Berlin']}) }}",
            [{"at": "02.01."}],
        ),
        ("${{ [1.5, 2] | each(['fixed', 2]) }}", ["1.50", "2.00"]),
        (
            "${{ 'n;a\nMeier, Anna;2,5' | fromcsv(';') | typed({'a': 'float', 'n': 'trim'}, decimal=',') }}",
            [{"n": "Meier, Anna", "a": 2.5}],
        ),
        ("${{ [{'a': 2}, {'a': ''}] | typed({'a': 'int'}, none, ',') }}", [{"a": 2}, {"a": None}]),
        ("${{ inputs.no or 'else' }}", "else"),
        ("${{ {'a': [1, {'b': 2}]} }}", {"a": [1, {"b": 2}]}),
        ("${{ '}}' }} and ${{ \"${{\" }}", "}} and ${{"),
        ("{{ x }} {% if %} {# c #} $ {x}", "{{ x }} {% if %} {# c #} $ {x}"),
        ("${{ inputs.what | default('none') }}${{ inputs.no | default(7) }}", "none7"),
        ("${{ inputs.n | default(inputs.no.deeper) }}${{ false | default(1 / 0) }}", "3false"),
        ("${{ inputs.what.deeper is defined }}${{ inputs.n is undefined }}${{ inputs.no is none }}", "falsefalsetrue"),
        ("${{ inputs.n is number and inputs.lead is string and inputs.some is sequence }}", True),
        ("${{ inputs.n is integer and true is boolean and inputs.who is mapping and true is not number }}", True),
    ],
)
def test_an_expression_has_the_value_that_it_looks_like(text: str, expected: Json) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


FILTERED = {
    "each": ("['1', '2.5', 3] | each('float')", [1.0, 2.5, 3.0]),
    "typed": (
        "'n,price\n1,2.50\n2,0.5\n' | fromcsv | typed({'n': 'int', 'price': 'float'}) | select('price', '>', 1)",
        [{"n": 1, "price": 2.5}],
    ),
    "flatten": ("[[1, 2], [], [[3]]] | flatten", [1, 2, [3]]),
    "batches": ("[1, 2, 3, 4, 5] | batches(2)", [[1, 2], [3, 4], [5]]),
    "sort_by": ("rows | sort_by('size.n') | map('name')", ["a", "b"]),
    "select": ("inputs.some | select('', '>', 1)", [3, 2, 3]),
    "compute": (
        "[{'n': 2, 'p': 1.5}] | compute('t', 'n', '*', 'p') | compute('u', 10, '-', 'n')",
        [{"n": 2, "p": 1.5, "t": 3.0, "u": 8}],
    ),
    "reject": ("rows | reject('name', 'in', ['a']) | map('name')", ["b"]),
    "group_by": (
        "[{'k': 1, 'v': 'x'}, {'k': 2, 'v': 'y'}, {'k': 1, 'v': 'z'}] | group_by('k')",
        [{"key": 1, "entries": [{"k": 1, "v": "x"}, {"k": 1, "v": "z"}]}, {"key": 2, "entries": [{"k": 2, "v": "y"}]}],
    ),
    "fromcsv": ("'a;b\r\n1;\"x;\ny\"\r\n\r\n' | fromcsv(';')", [{"a": "1", "b": "x;\ny"}]),
    "tocsv": ("[{'a': 1, 'b': 'x,y'}, {'a': none, 'b': '\"'}] | tocsv", 'a,b\r\n1,"x,y"\r\n,""""\r\n'),
    "base64": ("'Grün' | base64", "R3LDvG4="),
    "frombase64": ("'R3LDvG4=' | frombase64", "Grün"),
    "quote": ('"b\'s; rm -rf /" | quote', "'b'\"'\"'s; rm -rf /'"),
    "urlencode": ("{'q': 'a b&c', 'n': 1} | urlencode", "q=a%20b%26c&n=1"),
    "plus": ("'2030-01-31T09:00:00Z' | plus('1mo1d')", "2030-03-01T09:00:00Z"),
    "minus": ("'2030-03-31T09:00:00+02:00' | minus('1mo')", "2030-02-28T09:00:00+02:00"),
    "in_zone": ("'2030-07-01T09:00:00Z' | in_zone('Europe/Berlin')", "2030-07-01T11:00:00+02:00"),
    "date": ("'2030-07-01T23:00:00Z' | date('%A %d.%m.%Y %H:%M', 'Europe/Berlin')", "Tuesday 02.07.2030 01:00"),
    "seconds_since": ("'2030-01-01T00:00:00Z' | seconds_since('2029-12-31T23:00:00+00:30')", 5400),
    "days_since": ("'2030-01-01T23:30:00Z' | days_since('2030-01-01', 'Europe/Berlin')", 1),
    "timestamp": ("'1970-01-02T00:00:00Z' | timestamp", 86400),
    "upper": ("'ab' | upper", "AB"),
    "lower": ("'AB' | lower", "ab"),
    "capitalize": ("'ab' | capitalize", "Ab"),
    "trim": ("' a ' | trim", "a"),
    "replace": ("'abab' | replace('a', 'c')", "cbcb"),
    "truncate": ("'abcdef' | truncate(3)", "ab…"),
    "split": ("'a, b c' | split", ["a,", "b", "c"]),
    "lines": ("['a\\nb' | lines, 'a\\r\\n\\nb\\r\\n' | lines, '' | lines]", [["a", "b"], ["a", "", "b"], []]),
    "join": ("['a', 1, none] | join('-')", "a-1-"),
    "length": ("inputs.some | length + ('ab' | length) + (inputs.who | length)", 8),
    "first": ("inputs.some | first", 3),
    "last": ("'abc' | last", "c"),
    "reverse": ("[1, 2] | reverse", [2, 1]),
    "sort": (
        "rows | sort(attribute='size.n')",
        [{"name": "a", "size": {"n": 1}}, {"name": "b", "size": {"n": 2}}],
    ),
    "unique": ("inputs.some | unique", [3, 1, 2]),
    "map": ("rows | map('size.n')", [2, 1]),
    "sum": ("rows | sum(attribute='size.n')", 3),
    "min": ("inputs.some | min", 1),
    "max": ("['a', 'c', 'b'] | max", "c"),
    "keys": ("inputs.who | keys", ["name", "a b"]),
    "values": ("inputs.who | values", ["Bo", 1]),
    "int": ("('7' | int) + (2.9 | int)", 9),
    "float": ("'2.5' | float", 2.5),
    "round": ("2.345 | round(2)", 2.35),
    "fixed": ("2.675 | fixed(2)", "2.68"),
    "abs": ("-3 | abs", 3),
    "string": ("7 | string", "7"),
    "tojson": ("inputs.who | tojson", '{"name": "Bo", "a b": 1}'),
    "fromjson": ("'{\"a\": [1]}' | fromjson", {"a": [1]}),
    "default": ("inputs.no | default(other=[])", []),
}


@pytest.mark.parametrize("name", FILTERED)
def test_a_filter_does_what_it_says(name: str) -> None:
    source, expected = FILTERED[name]
    assert value(f"${{{{ {source} }}}}") == expected


def test_every_filter_and_test_is_tried() -> None:
    assert {*FILTERED, *PATTERN_FILTERS} == set(FILTERS)  # test_filter_patterns.py tries those
    assert set(TESTS) == set("defined undefined none string number integer boolean sequence mapping".split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${{ steps.kind.rote }}", "in ${{ steps.kind.rote }}: steps.kind has no 'rote'. Did you mean 'route'?"),
        ("${{ (inputs.no | default({})).rates }}", "what is made of inputs.no has no 'rates'. It is empty."),
        ("${{ inputs.leed }}", "inputs has no 'leed'. Did you mean 'lead'?"),
        ("${{ input.lead }}", "there is no 'input'. Did you mean 'inputs'?"),
        ("${{ steps.kind.output.x }}", "steps.kind.output is null, so it has no 'x'"),
        ("${{ inputs.some[9] }}", "inputs.some has 4 entries, none at [9]"),
        ("${{ inputs.some['x'] }}", "inputs.some is a list, so it has no 'x'"),
        ("${{ inputs.lead + inputs.n }}", "two numbers, two texts or two lists, got the text 'Ann' and the number 3"),
        ("${{ inputs.lead < 3 }}", "'<' compares two numbers or two texts"),
        ("${{ -inputs.lead }}", "'-' takes a number, got the text 'Ann'"),
        ("${{ 1 / 0 }}", "it divides by 0"),
        ("${{ 1 in 'a' }}", "'in' looks for a text in a text"),
        ("${{ 1 in 2 }}", "'in' looks into a text, a list or an object"),
        ("${{ 'x' | int }}", "expected a number, or a text that is one, got the text 'x'"),
        ("${{ [] | first }}", "first: there is no first one: it is empty"),
        ("${{ rows | map('size.m') }}", "has no 'm'"),
        ("${{ [1, 'a'] | sort }}", "numbers alone or texts alone"),
        ("${{ 'x' | fromjson }}", "expected JSON"),
        ("${{ 'NaN' | fromjson }}", "expected JSON"),
        ("${{ 3 | upper }}", "expected a text, got the number 3"),
        ("${{ {1: 2} }}", "a field's name is a text"),
        ("${{ 'a' | replace('', 'b') }}", "nothing to look for"),
        ("${{ 'abc'[::0] }}", "a slice takes"),
        ("${{ }}", "nothing between"),
        ("${{ 1 = 1 }}", "write '=='"),
        ("${{ [x.id for x in inputs.some] }}", "no `for` and no `lambda` in an expression: write `list | map('id')`"),
        ("${{ inputs.some | map(lambda x: x) }}", "there is no `for` and no `lambda`"),
        ("${{ rows | map('size.m', 0) | map('x') }}", "has no 'x'"),
        ("${{ ['a', {'b': 1}] | tocsv }}", "`tocsv(columns=['a', 'b'])`"),
        ("${{ a b }}", "nothing was expected behind the value, found 'b'"),
        ("${{ 'a' | center(3) }}", "there is no filter 'center'"),
        ("${{ 'a' | round(1, 2, 3) }}", "takes digits; it got 3 values"),
        ("${{ 'a' | replace('b') }}", "takes old, new; it got 1 values"),
        ("${{ '%.2f' | format(1) }}", "`number | fixed(2)`"),
        ("${{ 1 | round(places=2) }}", "takes digits, not 'places'"),
        ("${{ 1 is even }}", "there is no test 'is even'"),
        ("${{ inputs.lead", "never ends"),
    ],
)  # fmt: skip
def test_a_mistake_says_which_expression_and_what_there_is(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        value(text)
    assert said in caught.value.message


HOSTILE = {
    "a text times a number": "'a' * 10**9",
    "a text times a number without a power": "'a' * 1000000000",
    "a list times a number": "[0] * 1000000000",
    "a tower of powers": "9**9**9",
    "a format of enormous width": "'%0999999999d' % 1",
    "a method that formats": "'{:>999999999}'.format(1)",
    "center": "'a' | center(999999999)",
    "ljust": "'a'.ljust(999999999)",
    "indent": "big.text | indent(999999999)",
    "range": "range(1000000000)",
    "range of ranges": "[range(99999), range(99999)] | sum(start=[])",
    "a comprehension": "[x for x in big.list for y in big.list]",
    "a generator that never ends": "cycler(1).next()",
    "a replace that explodes": "big.text | replace('a', 'bbbbbbbbbb')",
    "a join that explodes": "big.list | join(big.text)",
    "a chain of joins": " ~ ".join(["big.text"] * 100),
    "each on enormous texts": f"[{', '.join(['big.text'] * 60)}] | each('lower')",
    "each on each list of lists": f"[{', '.join(['big.list'] * 60)}] | each('string')",
    "typed on an enormous table": f"[{', '.join(['{name: big.text}'] * 30)}]".replace("name", "'a'")
    + " | typed({'a': 'upper'})",
    "flattening enormous lists": f"[{', '.join(['big.list'] * 60)}] | flatten",
    "nested lists by reference": f"[{', '.join(['big.list'] * 60)}] | tojson",
    "nested objects by reference": "{'a': [big, big, big], 'b': [big, big, big]} | tojson | length",
    "comparing enormous lists again and again": " and ".join(["big.list == big.list"] * 40),
    "looking for lists in lists": "[0] in [" + ", ".join(["big.list"] * 60) + "]",
    "sorting again and again": "big.list" + " | sort | reverse" * 15 + " | length",
    "unique on unique": "big.list" + " | unique" * 15,
    "numbers that grow": " * ".join(["9223372036854775807"] * 40),
    "an endless number": "1e999",
    "a number of a thousand digits": "9" * 999,
    "rounding to a billion places": "1.5 | round(1000000000)",
    "rounding to minus a billion places": "15 | round(-1000000000)",
    "brackets without end": "(" * 450 + "1" + ")" * 450,
    "lists without end": "[" * 450 + "]" * 450,
    "signs without end": "-" * 950 + "1",
    "nots without end": "not " * 240 + "true",
    "choices without end": "1 if 0 else " * 80 + "1",
    "filters without end": "'a'" + "|trim" * 190,
    "an expression of a megabyte": "1 + " * 250_000 + "1",
    "classes": "''.__class__.__mro__[1].__subclasses__()",
    "classes of inputs": "inputs.__class__",
    "classes by key": "inputs['__class__']['__init__']['__globals__']",
    "classes through a filter": "[inputs] | map('__class__')",
    "attr": "inputs | attr('__class__')",
    "globals": "lipsum.__globals__['os']",
    "self": "self._TemplateReference__context",
    "an import": "__import__('os').system('true')",
    "a method of a text": "'a'.encode()",
    "a method of an object": "inputs.items()",
    "an own method by name": "inputs.get",
    "a format string": "'{0.__class__}' | format(inputs)",
    "a macro": "caller()",
}


MOST_UNITS = 30
"""Two seconds of a core that reckons 2,000,000 squares in 0.07 s; others have as much longer as these take them."""


def unit_s() -> float:
    """How long this machine takes for 2,000,000 squares, in seconds of its processor."""
    took = list[float]()
    for _ in range(3):
        began = process_time()
        sum(number * number for number in range(2_000_000))
        took.append(process_time() - began)
    return min(took)


@pytest.mark.thorough
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_expression_is_a_clear_mistake_within_two_seconds_and_takes_no_memory(what: str) -> None:
    gc.freeze()  # what other tests have left is not looked through meanwhile
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = process_time()
    with pytest.raises(InvalidInput) as caught:
        value(f"so ${{{{ {HOSTILE[what]} }}}}")
    took_s = process_time() - began
    assert took_s < 2 or took_s < MOST_UNITS * unit_s()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 64 * 1024
    assert caught.value.message.startswith("in ${{ ")
    assert len(caught.value.message) < 500


@pytest.mark.thorough
def test_an_enormous_template_is_refused_whatever_it_is_made_of() -> None:
    with pytest.raises(InvalidInput, match="1000000 are allowed"):
        value("${{ big.text }}x")
    with pytest.raises(InvalidInput, match="steps of work"):
        value("${{ big.list }}" * 100)


@pytest.mark.thorough
def test_values_nested_without_end_are_refused() -> None:
    endless: list[Json] = []
    for _ in range(100_000):
        endless = [endless]
    for text in ("${{ x | tojson }}", "${{ x == [x] }}", "a ${{ x }}", "${{ x }}"):
        with pytest.raises(InvalidInput, match=r"nested|steps of work"):
            evaluate(Template(text), {"x": endless})
    while endless:  # so that taking it down does not nest, either
        inner = endless.pop()
        endless = inner if isinstance(inner, list) else []


def test_a_value_is_a_copy_of_what_was_looked_up() -> None:
    scope: dict[str, object] = {"inputs": {"list": [{"a": 1}]}}
    found = evaluate(Template("${{ inputs.list }}"), scope)
    assert isinstance(found, list)
    found[0] = 2
    assert scope == {"inputs": {"list": [{"a": 1}]}}


@given(st.text(alphabet="${}'\"ab |.[]()+-*/~<>=!,:0123456789\\\n", max_size=40))
def test_whatever_stands_there_has_a_value_or_is_a_mistake(text: str) -> None:
    for written in (text, f"${{{{ {text} }}}}"):
        found: Json = None
        with suppress(InvalidInput):
            found = value(written)
        assert found is None or isinstance(found, bool | int | float | str | list | dict)


@given(st.text(max_size=60).filter(lambda text: "${{" not in text))
def test_text_without_expressions_is_itself(text: str) -> None:
    assert evaluate(Template(text), {}) == text
    assert split(text) == (text,)
    assert whole(text) is None


def test_what_an_expression_looks_up_can_be_told_beforehand() -> None:
    tree = parse(
        "steps.a.output[loop.index].x ~ (inputs['b c'] | default(steps.d.route)) if run.id is defined else item"
    )
    assert [(str(path), path.optional) for path in paths_of(tree)] == [
        ("run.id", True),
        ("loop.index", False),
        ("steps.a.output", False),
        ("inputs.b c", True),
        ("steps.d.route", False),
        ("item", False),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'2030-03-30T08:00:00+01:00' | plus('1d', 'Europe/Berlin')", "2030-03-31T08:00:00+02:00"),
        ("'2030-03-30T08:00:00+01:00' | plus('24h', 'Europe/Berlin')", "2030-03-31T09:00:00+02:00"),
        ("'2030-03-30T02:30:00+01:00' | plus('1d', 'Europe/Berlin')", "2030-03-31T03:30:00+02:00"),
        ("'2030-10-27T00:00:00' | plus('1d', 'Europe/Berlin')", "2030-10-28T00:00:00+01:00"),
        ("'2028-02-29' | plus('1y', 'UTC')", "2029-02-28T00:00:00Z"),
        ("'2030-01-01T00:00:00Z' | minus('1w1s')", "2029-12-24T23:59:59Z"),
        ("0 | in_zone('UTC')", "1970-01-01T00:00:00Z"),
        ("[{'ok': true, 'n': 1}, {'ok': false, 'n': 2}] | select('ok') | map('n')", [1]),
        ("rows | unique('size.n') | length", 2),
        ("[{'d': '01.03.2025'}, {'d': '01.04.2025'}] | select('d', 'contains', '03.2025') | length", 1),
        ("[{'d': ['a', 'b']}, {'d': ['b']}] | reject('d', 'contains', 'a')", [{"d": ["b"]}]),
        ("[{'d': '01.03.2025'}, {'d': 'soon'}] | select('d', 'matches', '^[0-9.]+$') | length", 1),
        ("'a b' | urlencode", "a%20b"),
        ("'\ufeffa,b\n' | fromcsv", []),
        ("'a,b\n1,2\n' | fromcsv | tocsv", "a,b\r\n1,2\r\n"),
        ("[{'a': ''}] | tocsv | fromcsv", [{"a": ""}]),
    ],
)
def test_times_and_tables_are_reckoned_with_as_calendars_and_tables_have_it(text: str, expected: Json) -> None:
    assert value(f"${{{{ {text} }}}}") == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("'tomorrow' | plus('1d')", "expected a time such as"),
        ("'2030-01-01T00:00:00' | plus('1d')", "does not say its zone"),
        ("'2030-01-01T00:00:00Z' | plus('1 day')", "expected a span such as"),
        ("'2030-01-01T00:00:00Z' | plus('9999y')", "after the year 9999"),
        ("'2030-01-01T00:00:00Z' | in_zone('Europe/Berln')", "no time zone"),
        ("'2030-01-01T00:00:00Z' | in_zone('../etc/passwd')", "no time zone"),
        ("'2030-01-01T00:00:00Z' | date('%c')", "is no form"),
        ("1000000000000000 | in_zone('UTC')", "after the year 9999"),
        ("rows | select('name')", "say how to compare"),
        ("rows | select('name', '=', 'a')", "is no comparison. Write '=='. Known: ==, "),
        ("rows | select('name', 'contain', 'a')", "is no comparison. Did you mean 'contains'"),
        ("rows | compute('x', 'name', '*', 2)", "takes two numbers"),
        ("rows | compute('x', 'name', '^', 2)", "nothing to reckon by. Known: +"),
        ("rows | compute('x', 'nome', '+', 2)", "has no 'nome'"),
        ("[1] | compute('x', 2, '+', 2)", "expected an object"),
        ("rows | select('nome', '==', 'a')", "has no 'nome'"),
        ("'a,b\n1\n' | fromcsv", "line 2 of the table has 1 fields, and 2 names"),
        ("'a,a\n' | fromcsv", "the same name"),
        ("'a,b\n\"x' | fromcsv", "none of a table"),
        ("[{'a': 1}, {'b': 1}] | tocsv", "expected objects with the fields a"),
        ("'a' | fromcsv('ab')", "expected one character"),
        ("['a'] | each('float')", "entry 1: expected a number"),
        ("['1'] | each(['date', '%Y', 'UTC', 'x'])", "'date' takes form, zone, got 3"),
        ("['1'] | each(['in_zone'])", "'in_zone' takes zone, got 0"),
        ("['1'] | each(['in_zone', 'Europe/Brelin'])", "Europe/Brelin"),
        ("['1'] | each(['date', '%J'])", "date: "),
        ("['1'] | each([])", "expected a text"),
        ("['x'] | each(['date', '%Y'])", "entry 1: "),
        ("['1'] | each('flot')", "'flot' is .* Did you mean 'float'"),
        ("['1'] | each('reverse')", "'reverse' is no filter that entries can go through"),
        ("[{'n': 'x'}] | typed({'n': 'int'})", "entry 1, 'n': expected a number"),
        ("[{'n': '1.000'}] | typed({'n': 'float'}, decimal=',')", "entry 1, 'n': expected a number with ','"),
        ("[{'n': '1,0'}] | typed({'n': 'float'}, decimal=';')", "the decimal sign is '.' or ','"),
        ("[{'n': '1'}] | typed({'m': 'int'})", "entry 1 has no 'm'"),
        ("[{'n': '1'}] | typed({'n': 'it'})", "'it' is .* Did you mean 'int'"),
        ("[[1], 2] | flatten", "expected a list of lists, one is the number 2"),
        ("[1] | batches(0)", "expected a whole number from 1"),
        ("'!' | frombase64", "expected Base64"),
        ("'/w==' | frombase64", "no text in UTF-8"),
    ],
)
def test_what_cannot_be_reckoned_with_is_told(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        value(f"${{{{ {text} }}}}")


@pytest.mark.parametrize("columns", [3, 10])
def test_a_table_of_a_megabyte_is_read_typed_grouped_and_added_up_in_one_expression(columns: int) -> None:
    row = ",".join(["Ann", *(f"{number}.5" for number in range(1, columns))])
    head = ",".join(["name", *(f"c{number}" for number in range(1, columns))])
    rows = 1_000_000 // (len(row) + 1)
    scope = {"x": "\n".join([head, *[row] * rows])}
    table = "(x | fromcsv | typed({'c1': 'float'}) | group_by('name') | first).entries"
    assert evaluate(Template(f"${{{{ {table} | sum('c1') }}}}"), scope) == 1.5 * rows


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("3.5 | fixed(2)", "3.50"),
        ("3 | fixed(2)", "3.00"),
        ("1234567.891 | fixed(2)", "1234567.89"),
        ("0.125 | fixed(2)", "0.13"),
        ("1.005 | fixed(2)", "1.01"),
        ("-0.125 | fixed(2)", "-0.13"),
        ("-0.001 | fixed(2)", "0.00"),
        ("2.5 | fixed(0)", "3"),
        ("(0.1 + 0.2) | fixed(2)", "0.30"),
        ("9000000000000000000 | fixed(15)", "9000000000000000000.000000000000000"),
    ],
)
def test_a_number_has_as_many_decimals_as_are_asked_for(source: str, expected: str) -> None:
    assert value(f"${{{{ {source} }}}}") == expected


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 15))
def test_any_number_can_have_any_decimals(number: float, digits: int) -> None:
    found = evaluate(Template(f"${{{{ inputs.n | fixed({digits}) }}}}"), {"inputs": {"n": number}})
    assert isinstance(found, str)
    assert len(found.partition(".")[2]) == digits


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("text | replace('\r\n', '|')", "a|b"),
        (r"text | replace('\r\n', '|')", "a|b"),
        ('text | replace("\r", "")', "a\nb"),
        ("'\r' == '\n'", False),
        ("'\r\n' | length", 2),
        ("text |\r\n length", 4),
    ],
)
def test_an_end_of_a_line_within_quotes_is_the_one_that_is_written(source: str, value: object) -> None:
    assert evaluate(Template("${{ " + source + " }}"), {"text": "a\r\nb"}) == value


def test_a_byte_order_mark_before_json_is_passed_over() -> None:
    assert evaluate(Template("${{ text | fromjson }}"), {"text": '\ufeff{"a": 1}'}) == {"a": 1}
