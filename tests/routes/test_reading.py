"""A file of routes is read as it was written, and all that is wrong with one is said with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from sulla.definitions.file_fault import FileFault
from sulla.definitions.yaml_text import plain, read_nodes
from sulla.routes.faults import KnownNames
from sulla.routes.plan import Gate, GateFacts
from sulla.routes.reading import read_routes
from sulla.routes.schema import json_schema
from tests.house.source import ROOT

KNOWN = KnownNames(
    agents=("sulla", "lead"),
    models=("fast",),
    tools=("grounded_lookup", "web_fetch"),
    skills=("calm",),
    procedures=("refund",),
    projects=("site",),
)

WHOLE = """
routes:
  outage: {kind: incident, require: web_fetch, args: {url: "x?{message}"}, fixed_text: We look into it., audit: none}
  docs: {kind: grounded, agent: lead, model: fast, style: calm, without: [web_fetch]}
  money: {kind: procedure, procedure: refund, without: web_fetch, fallback: false}
  rest: {kind: default, instructions: Be brief.}
gates:
  - {name: docs, route: docs, any: ["how do|can i"], unless: [how do i look], facts: {agent: lead, first: true}}
  - name: money
    route: money
    all: [money, back]
    quoted: true
    facts: {project: [site], last_route: [docs, rest], within: 3, words: 5, procedure: false}
  - {name: down, route: outage, any: [down]}
"""

HEAD = "routes:\n  a: {kind: clarify}\n  b: {kind: incident, fixed_text: Call us.}\n  c: {kind: default}\n"


def faults(text: str, known: KnownNames = KNOWN) -> tuple[FileFault, ...]:
    """What is wrong with a text that cannot be used."""
    found = read_routes(text, known)
    assert found.table is None
    assert found.errors
    return found.faults


def gates(*rows: str) -> str:
    """A text with these gates, from its sixth line on."""
    return HEAD + "gates:\n" + "".join(f"  - {row}\n" for row in rows)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("foo", "expected one of anthropic:<model>"),
        ("antropic:x", "did you mean 'anthropic'"),
        ("ollama", "lacks the model"),
        ("openai:a b", "holds blanks"),
    ],
)
def test_where_no_models_are_known_the_form_of_a_models_name_is_looked_at(name: str, said: str) -> None:
    (fault,) = faults(f"routes:\n  rest: {{kind: default, model: '{name}'}}\n", KnownNames())
    assert (fault.path, fault.line) == ("routes.rest.model", 2)
    assert said in fault.message
    assert read_routes("routes:\n  rest: {kind: default, model: 'ollama:qwen3:8b'}\n", KnownNames()).table is not None


def test_a_file_may_say_all_this() -> None:
    read = read_routes(WHOLE, KNOWN)
    assert read.faults == ()
    table = read.table
    assert table is not None
    assert [gate.name for gate in table.gates] == ["down", "docs", "money"]  # an incident's stands before all others
    assert table.gates[1] == Gate(
        "docs", "docs", ("how do|can i",), unless=("how do i look",), facts=GateFacts(agent=("lead",), first=True)
    )
    assert table.gates[2].facts == GateFacts(
        project=("site",), last_route=("docs", "rest"), within=3, words=5, procedure=False
    )
    assert table.routes["outage"].tools.args == {"url": "x?{message}"}
    assert table.routes["docs"].tools.require == "grounded_lookup"
    assert table.routes["money"].tools.without == ("web_fetch",)
    assert table.default is table.routes["rest"]


@pytest.mark.parametrize(
    "text",
    [WHOLE, *((ROOT / f"skills/{name}/routes.yaml").read_text("utf-8") for name in ("wellbeing", "support-desk"))],
)
def test_what_is_read_meets_the_schema(text: str) -> None:
    node = read_nodes(text, most_bytes=len(text.encode()))
    Draft202012Validator(json_schema()).validate(plain(node))  # type: ignore[arg-type]  # it is a node, or this fails


@pytest.mark.parametrize(
    ("text", "line", "path", "said"),
    [
        ("", 1, "the file", "expected `routes`"),
        ("[]", 1, "the file", "expected `routes`"),
        ("gates: []", 1, "the file", "the key `routes` is missing"),
        ("routes: {}", 1, "routes", "expected one route or more"),
        ("routes: {a: *b}", 1, "the file", "anchors"),
        ("routes:\n  a: {kind: clarify}\nroutess: {}", 3, "the file", "Did you mean 'routes'"),
        ("routes:\n  a: {kind: clarify}\n  a: {kind: memory}", 3, "routes", "a second time"),
        ("routes:\n  A b: {kind: clarify}", 2, "routes.A b", "small letters"),
        ("routes:\n  a: {kind: grouned}", 2, "routes.a.kind", "Did you mean 'grounded'"),
        ("routes:\n  a: {agent: lead}", 2, "routes.a", "the key `kind` is missing"),
        ("routes:\n  a: {kind: memory, agnt: lead}", 2, "routes.a", "Did you mean 'agent'"),
        ("routes:\n  a: {kind: memory, agent: leed}", 2, "routes.a.agent", "Did you mean 'lead'"),
        ("routes:\n  a: {kind: memory, model: quick}", 2, "routes.a.model", "there is no model 'quick'"),
        ("routes:\n  a: {kind: memory, require: web_fetsh}", 2, "routes.a.require", "Did you mean 'web_fetch'"),
        ("routes:\n  a: {kind: memory, without: [x]}", 2, "routes.a.without[0]", "there is no tool 'x'"),
        ("routes:\n  a: {kind: memory, style: calmer}", 2, "routes.a.style", "Did you mean 'calm'"),
        ("routes:\n  a: {kind: procedure, procedure: refnd}", 2, "routes.a.procedure", "Did you mean 'refund'"),
        ("routes:\n  a: {kind: procedure}", 2, "routes.a.kind", "the key `procedure` is missing"),
        ("routes:\n  a: {kind: memory, procedure: refund}", 2, "routes.a.procedure", "begins no procedure"),
        ("routes:\n  a: {kind: incident}", 2, "routes.a.kind", "the key `fixed_text` is missing"),
        ("routes:\n  a: {kind: memory, text_only: true}", 2, "routes.a.text_only", "expected `require`"),
        ("routes:\n  a: {kind: memory, args: {q: x}}", 2, "routes.a.args", "expected `require`"),
        ("routes:\n  a: {kind: grounded, args: [x]}", 2, "routes.a.args", "expected arguments by name"),
        ("routes:\n  a: {kind: grounded, without: grounded_lookup}", 2, "routes.a.without", "and is not there"),
        ("routes:\n  a: {kind: memory, fallback: no}", 2, "routes.a.fallback", "expected `true` or `false`"),
        ("routes:\n  a: {kind: memory, audit: ful}", 2, "routes.a.audit", "Did you mean 'full'"),
        ("routes:\n  a: {kind: memory, instructions: ''}", 2, "routes.a.instructions", "one character or more"),
        ("routes:\n  a: {kind: default}\n  b: {kind: default}", 3, "routes.b.kind", "default route already: 'a'"),
        (HEAD + "gates: {}", 5, "gates", "expected a list of gates"),
        (gates("a"), 6, "gates[0]", "expected keys and values"),
        (gates("{name: x, any: [y]}"), 6, "gates[0]", "the key `route` is missing"),
        (gates("{name: x, route: bb, any: [y]}"), 6, "gates[0].route", "there is no route 'bb'"),
        (gates("{name: x, route: a}"), 6, "gates[0]", "hold for every message"),
        (gates("{name: x, route: a, any: []}"), 6, "gates[0].any", "one phrase or more"),
        (gates("{name: x, route: a, any: [y, '?!']}"), 6, "gates[0].any[1]", "it can never be found"),
        (gates("{name: x, route: a, any: [7]}"), 6, "gates[0].any[0]", "needs quotes"),
        (gates("{name: x, route: a, any: [y], ani: [z]}"), 6, "gates[0]", "Did you mean 'any'"),
        (gates("{name: x, route: a, any: [y], any: [z]}"), 6, "gates[0]", "a second time"),
        (gates("{name: x, route: a, any: [y]}", "{name: x, route: b, any: [z]}"), 7, "gates[1].name", "already"),
        (gates("{name: x, route: a, facts: {agent: leed}}"), 6, "gates[0].facts.agent[0]", "Did you mean 'lead'"),
        (gates("{name: x, route: a, facts: {frist: true}}"), 6, "gates[0].facts", "Did you mean 'first'"),
        (gates("{name: x, route: a, facts: {last_route: d}}"), 6, "gates[0].facts.last_route[0]", "no route 'd'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, line: int, path: str, said: str) -> None:
    found = next((one for one in faults(text) if one.severity == "error"), None)
    assert found is not None
    assert (found.line, found.path) == (line, path), found
    assert said in found.message


def test_all_that_is_wrong_is_said_at_once_in_the_order_of_the_text() -> None:
    text = "routes:\n  a: {kind: x}\n  b: {kind: memory, agent: y}\ngates:\n  - {name: g, route: c, any: ['!']}\n"
    assert [fault.path for fault in faults(text)] == [
        "routes.a.kind",
        "routes.b.agent",
        "gates[0].route",
        "gates[0].any[0]",
    ]


@pytest.mark.parametrize(
    ("rows", "reached"),
    [
        (("any: [one, two]", "any: [TWO]"), False),
        (("any: [one]", "any: [one], all: [two]"), False),
        (("any: [one]", "any: [one], facts: {first: true}"), False),
        (("any: [one]", "any: [one], unless: [not one]"), False),
        (("any: [one]", "any: [one, two]"), True),
        (("any: [one], all: [two]", "any: [one]"), True),
        (("any: [one], unless: [not one]", "any: [one]"), True),
        (("any: [one], facts: {first: true}", "any: [one]"), True),
        (("any: [one]", "any: [one], quoted: true"), True),
        (("any: [one], quoted: true", "any: [one]"), False),
    ],
)
def test_a_gate_that_an_earlier_one_leaves_nothing_for_is_refused(rows: tuple[str, str], reached: bool) -> None:
    text = gates(*(f"{{name: g{at}, route: a, {row}}}" for at, row in enumerate(rows)))
    told = [fault for fault in read_routes(text, KNOWN).errors if "never reached" in fault.message]
    assert [(one.line, one.path) for one in told] == ([] if reached else [(7, "gates[1].any")])


def test_an_incidents_gate_is_the_earlier_one_wherever_it_stands() -> None:
    (told,) = read_routes(gates("{name: x, route: a, any: [y]}", "{name: z, route: b, any: [y]}"), KNOWN).errors
    assert (told.line, told.path) == (6, "gates[0].any")
    assert "'z'" in told.message


def test_a_route_that_no_gate_leads_to_is_a_warning_and_the_file_can_be_used() -> None:
    read = read_routes(gates("{name: x, route: b, any: [y]}"), KNOWN)
    assert read.table is not None
    assert [(one.path, one.severity) for one in read.faults] == [("routes.a", "warning")]
    assert read.faults[0].told("routes.yaml").startswith("routes.yaml:2:6: warning: routes.a: no gate leads")


def test_names_are_taken_as_they_are_where_it_is_not_known_which_there_are() -> None:
    read = read_routes("routes:\n  a: {kind: default, agent: x, model: offline, require: z, style: w}", KnownNames())
    assert read.table is not None


def test_a_file_has_bounds() -> None:
    many = json.dumps({"routes": {f"r{at}": {"kind": "memory"} for at in range(65)}})
    assert any("64 are allowed" in one.message for one in faults(many))
    rows = [{"name": f"g{at}", "route": "a", "any": [f"w{at}"]} for at in range(257)]
    assert any(
        "256 are allowed" in one.message
        for one in faults(json.dumps({"routes": {"a": {"kind": "memory"}}, "gates": rows}))
    )
    phrases = [{"name": "g", "route": "a", "any": [f"w{at}" for at in range(257)]}]
    assert any(
        "256 are allowed" in one.message
        for one in faults(json.dumps({"routes": {"a": {"kind": "memory"}}, "gates": phrases}))
    )


_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=4), st.sampled_from(["a", "...", "|", "incident"])
)
_KEYS = st.sampled_from(
    ["routes", "gates", "kind", "any", "all", "facts", "args", "name", "route", "without", "first", "a"]
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=6)),
    max_leaves=20,
)


@given(st.fixed_dictionaries({"routes": st.dictionaries(st.sampled_from("ab"), _TREES), "gates": st.lists(_TREES)}))
def test_whatever_a_file_says_it_is_read_or_refused(value: dict[str, object]) -> None:
    read = read_routes(json.dumps(value), KNOWN)
    assert (read.table is None) == bool(read.errors)


def test_phrases_that_would_take_a_message_long_are_refused_with_their_gate() -> None:
    rows = [", ".join(f"a|b{row} ...9 a{row}{at} ...9 a" for at in range(90)) for row in range(4)]
    (fault,) = faults(gates(*(f"{{name: g{row}, route: a, any: [{text}]}}" for row, text in enumerate(rows))))
    assert fault.path == "gates[0].any"
    assert "the word 'a' would take" in fault.message
    assert "500 are allowed" in fault.message
