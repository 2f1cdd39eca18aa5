"""A dry run shows every way once, says what it assumed, and stops at a bound."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput, NotFound
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_known import NOTHING_KNOWN, KnownNames, KnownTool
from sulla.playbooks.rehearsal.base import RehearsalSetting
from sulla.playbooks.rehearsal.dry import MAX_WAYS, DryRun, dry_run


def dry(
    steps: str,
    more: str = "",
    inputs: dict[str, Json] | None = None,
    choose: dict[str, str] | None = None,
    outputs: dict[str, Json] | None = None,
    inner: str = "",
    more_inner: str = "",
    known: KnownNames = NOTHING_KNOWN,
) -> DryRun:
    def made(text: str) -> Definition:
        checked = check_playbook(text)
        assert checked.definition is not None, checked.faults
        return checked.definition

    def find(name: str) -> Definition:
        if not inner:
            raise NotFound(f"there is no playbook {name!r}")
        return made(f"name: {name}\n{more_inner}\nsteps:\n{_below(inner)}")

    definition = made(f"name: p\n{more}\nsteps:\n{_below(steps)}")
    return dry_run(definition, inputs or {}, RehearsalSetting(find, evaluate, known), choose=choose, outputs=outputs)


def _below(steps: str) -> str:
    return "".join(f"  {line}\n" for line in steps.strip("\n").splitlines())


def ways(found: DryRun) -> list[dict[str, str]]:
    return [dict(way.chosen) for way in found.ways]


ROUTED = """
- {id: kind, router: What?, routes: {sales: x, other: y}}
- {id: ok, needs: [kind.sales], human: May I?}
- {id: send, tool: t}
"""


def test_every_way_of_every_choice_is_shown_once() -> None:
    found = dry(ROUTED)
    assert ways(found) == [{"kind": "sales", "ok": "yes"}, {"kind": "other"}, {"kind": "sales", "ok": "no"}]
    assert [len(way.rehearsed.calls) for way in found.ways] == [1, 0, 0]
    assert not found.is_cut


@pytest.mark.parametrize(
    "steps",
    [
        '- {id: b, set: {n: "${{ steps.a.output | length }}"}}',
        '- id: b\n  loop: {for_each: "${{ steps.a.output | lines }}", steps: [{id: c, set: {n: "${{ 1 }}"}}]}',
        '- id: b\n  loop: {count: 2, steps: [{id: c, tool: t}, {id: d, set: {n: "${{ steps.c.output | length }}"}}]}',
    ],
    ids=["set", "for_each", "within a loop"],
)
def test_a_condition_on_what_is_made_from_a_placeholder_goes_both_ways(steps: str) -> None:
    test = "- {id: some, condition: \"${{ (steps.b.output | tojson) == '1' }}\"}"
    found = dry(f"- {{id: a, tool: t}}\n{steps}\n{test}")
    assert ways(found) == [{"some": "yes"}, {"some": "no"}]


def test_what_is_settled_is_not_gone_through() -> None:
    assert ways(dry(ROUTED, choose={"kind": "other"})) == [{"kind": "other"}]
    assert ways(dry(ROUTED, choose={"ok": "no"})) == [{"kind": "sales", "ok": "no"}, {"kind": "other"}]


@pytest.mark.parametrize(
    ("choose", "outputs", "said"),
    [
        ({"kid": "sales"}, {}, "no step 'kid' to choose for. Did you mean 'kind'"),
        ({"kind": "sale"}, {}, "the step 'kind' has no way 'sale'; it has sales, other"),
        ({"send": "yes"}, {}, "the step 'send' (tool) goes no way that could be chosen: say with --output what it"),
        ({}, {"sendd": "x"}, "no step 'sendd' with an output. Did you mean 'send'"),
    ],
)
def test_what_cannot_be_settled_is_refused(choose: dict[str, str], outputs: dict[str, Json], said: str) -> None:
    with pytest.raises(InvalidInput, match="step") as refused:
        dry(ROUTED, choose=choose, outputs=outputs)
    assert said in refused.value.message


def test_very_many_ways_are_cut() -> None:
    found = dry("\n".join(f"- {{id: c{number}, router: What?, routes: {{a: x, b: y}}}}" for number in range(30)))
    assert len(found.ways) == MAX_WAYS
    assert found.is_cut


def test_a_condition_on_what_nobody_knows_goes_both_ways_and_one_on_inputs_does_not() -> None:
    steps = """
- {id: look, tool: t}
- {id: good, condition: "${{ steps.look.output == 'ok' }}"}
- {id: big, needs: [], condition: "${{ inputs.n > 3 }}"}
- {id: when, needs: [look], when: "${{ 'x' in steps.look.output }}", tool: t}
"""
    found = dry(steps, "inputs: {n: integer}", {"n": 4})
    assert ways(found) == [
        {"good": "yes", "when": "yes"},
        {"good": "no"} | {"when": "yes"},
        {"good": "yes", "when": "no"},
    ]
    assert {row.route for way in found.ways for row in way.rehearsed.rows if row.at == "big"} == {"yes"}


def test_a_field_of_a_sample_is_a_guess_too() -> None:
    steps = """
- id: look
  agent: x
  prompt: Look
  output: {type: object, properties: {ok: {type: boolean}, kind: {enum: [a, b]}, tags: {type: array}}}
- {id: good, condition: "${{ steps.look.output.ok }}"}
"""
    found = dry(steps)
    assert ways(found) == [{"good": "yes"}, {"good": "no"}]
    assert found.ways[0].rehearsed.rows[0].output == {"ok": True, "kind": "a", "tags": ["<output of look>"]}


def test_what_is_reckoned_with_a_placeholder_is_none_that_is_known() -> None:
    steps = """
- {id: read, tool: t}
- {id: rows, set: {n: "${{ steps.read.output | lines | length }}"}}
- {id: tell, respond: "${{ steps.read.output }}: ${{ steps.rows.output.n }} rows of ${{ 1 + 1 }}"}
- {id: more, prompt: "${{ steps.rows.output.n }}"}
"""
    (way,) = dry(steps, "outputs: {n: '${{ steps.rows.output.n }}'}").ways
    open_ = "<text of ${{ steps.rows.output.n }}>"
    assert way.rehearsed.told[0] == f"<output of read>: {open_} rows of 2"
    assert way.rehearsed.outputs == {"n": open_}


def test_an_output_that_is_given_decides() -> None:
    steps = "- {id: look, tool: t}\n- {id: good, condition: \"${{ steps.look.output == 'ok' }}\"}"
    assert ways(dry(steps, outputs={"look": "ok"})) == [{}]


def test_what_has_no_value_is_assumed_and_told() -> None:
    steps = """
- {id: look, tool: t}
- {id: l, loop: {for_each: "${{ steps.look.result.items }}", steps: [{id: a, tool: t, with: {x: "${{ item.name }}"}}]}}
- {id: c, loop: {count: "${{ steps.look.result.n }}", steps: [{id: b, tool: t}]}}
- {id: w, loop: {while: "${{ steps.look.result.more }}", steps: [{id: d, tool: t}]}}
- {id: s, wait: "${{ steps.look.result.s }}"}
- {id: u, wait: {until: "${{ steps.look.result.u }}"}}
- {id: say, respond: "${{ steps.look.result.words }}"}
"""
    found = dry(steps)
    assert [(way.rehearsed.status, way.chosen) for way in found.ways] == [
        ("completed", {"w": "yes"}),
        ("completed", {"w": "no"}),
    ]
    way = found.ways[0]
    assert [row.at for row in way.rehearsed.rows if "@" in row.at] == ["a@0", "b@0", "d@0"]
    assert [row.at for row in found.ways[1].rehearsed.rows if "@" in row.at] == ["a@0", "b@0"]
    assert way.rehearsed.took_ms == 0
    assert way.rehearsed.told == ("<text of ${{ steps.look.result.words }}>",)
    for said in (
        "'l' has one entry",
        "'c' has one pass",
        "'w' has no further pass",
        "'s' waits for no",
        "'u' waits for no",
    ):
        assert any(said in assumed for assumed in way.assumed), (said, way.assumed)


def test_a_loop_that_may_have_no_pass_is_shown_without_one_too_and_can_be_settled() -> None:
    steps = """
- {id: look, tool: t}
- {id: l, loop: {while: "${{ steps.look.output != 'ok' }}", steps: [{id: a, set: {x: 1}}]}}
- {id: last, set: {x: "${{ (steps.l.output | last).x }}"}}
"""
    assert [(way.chosen, way.rehearsed.status) for way in dry(steps).ways] == [
        ({"l": "yes"}, "completed"),
        ({"l": "no"}, "failed"),
    ]
    assert ways(dry(steps, choose={"l": "no"})) == [{"l": "no"}]


SKIPPED = """
- {id: a, when: "${{ inputs.n > 1 }}", tool: t}
- {id: b, needs: [{a: always}], set: {y: "${{ steps.a.result.v + 1 }}"}}
"""
OUTPUT_OF_NO = """
- {id: ok, human: May I?}
- {id: send, set: {x: {y: 1}}}
"""


def test_a_step_that_was_skipped_came_to_null_as_in_a_real_run() -> None:
    way = dry(SKIPPED, "inputs: {n: integer}", {"n": 1}).ways[0]
    assert (way.rehearsed.status, way.assumed) == ("failed", ())
    assert way.rehearsed.failure is not None
    assert "steps.a.result is null, so it has no 'v'" in way.rehearsed.failure.message


def test_what_a_placeholder_stands_for_is_assumed_where_the_same_step_was_not_skipped() -> None:
    way = dry(SKIPPED, "inputs: {n: integer}", {"n": 2}).ways[0]
    assert (way.rehearsed.status, way.assumed) == ("completed", ("${{ steps.a.result.v + 1 }} has a value",))


def test_outputs_of_a_way_that_was_not_taken_fail_as_in_a_real_run() -> None:
    found = dry(OUTPUT_OF_NO, 'outputs: {x: "${{ steps.send.output.x.y }}"}')
    assert [(dict(way.chosen), way.rehearsed.status) for way in found.ways] == [
        ({"ok": "yes"}, "completed"),
        ({"ok": "no"}, "failed"),
    ]


def test_a_condition_on_a_step_that_was_skipped_is_no_guess() -> None:
    steps = """
- {id: a, when: "${{ inputs.n > 1 }}", tool: t}
- {id: b, needs: [{a: always}], condition: "${{ steps.a.output == none }}"}
"""
    assert ways(dry(steps, "inputs: {n: integer}", {"n": 1})) == [{}]


def test_inputs_that_are_missing_are_made_up_and_others_are_checked() -> None:
    more = (
        "inputs: {lead: string, n: integer, mode: {choices: [fast, slow]}, tags: list, more: object, x: {default: y}}"
    )
    steps = '- {id: a, tool: t, with: {all: "${{ inputs }}"}}'
    found = dry(steps, more, {"lead": "Ann"})
    assert found.ways[0].rehearsed.calls[0].args == {
        "all": {"lead": "Ann", "n": 1, "mode": "fast", "tags": ["<input tags>"], "more": {}, "x": "y"}
    }
    with pytest.raises(InvalidInput, match="the input 'n' is 'many'"):
        dry(steps, more, {"n": "many"})


def test_playbooks_within_are_gone_through_too() -> None:
    found = dry("- {id: sub, playbook: inner}", inner="- {id: ok, human: May I?}\n- {id: send, tool: t}")
    assert ways(found) == [{"ok": "yes"}, {"ok": "no"}]
    assert [len(way.rehearsed.calls) for way in found.ways] == [1, 0]


TYPED = "inputs: {n: integer, how: {type: string, choices: [fast, slow]}}"


def test_a_placeholder_is_taken_for_what_a_playbook_within_asks_for() -> None:
    loop = """
- {id: read, tool: t}
- id: l
  loop:
    for_each: ${{ steps.read.output | fromjson }}
    steps: [{id: p, playbook: inner, with: {n: "${{ item.n }}", how: "${{ item.how }}"}}]
"""
    found = dry(loop, inner='- {id: w, wait: "${{ inputs.n }}"}', more_inner=TYPED)
    assert [way.rehearsed.status for way in found.ways] == ["completed"]
    assert "the input 'n' of 'inner' is of the type integer" in found.ways[0].assumed
    assert "the input 'how' of 'inner' is one of fast, slow" in found.ways[0].assumed


def test_what_is_known_and_is_none_of_what_a_playbook_within_asks_for_fails_as_in_a_real_run() -> None:
    step = """
- {id: s, set: {n: "n${{ inputs.n }}"}}
- {id: p, playbook: inner, with: {n: "${{ steps.s.output.n }}"}}
"""
    found = dry(step, "inputs: {n: integer}", {"n": 4}, inner="- {id: w, wait: 1s}", more_inner="inputs: {n: integer}")
    assert [way.rehearsed.status for way in found.ways] == ["failed"]


WRITES = KnownNames(
    tools={
        "read": KnownTool({"type": "object", "properties": {}}, "pure"),
        "write": KnownTool({"type": "object", "properties": {"content": {"type": "string"}}}, "idempotent"),
    }
)


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("${{ steps.s.output.size }}", "failed"),
        ("${{ inputs.n }}", "failed"),
        ("size: ${{ steps.s.output.size }}", "completed"),
        ("${{ steps.r.output }}", "completed"),
        ("${{ steps.r.output | length }}", "completed"),
        ("${{ steps.r.output | fromjson }}", "completed"),
    ],
)
def test_a_call_whose_arguments_are_known_is_refused_as_in_a_real_run(content: str, status: str) -> None:
    steps = f"""
- {{id: r, tool: read}}
- {{id: s, set: {{size: "${{{{ 5 * inputs.n }}}}"}}}}
- {{id: w, tool: write, with: {{content: "{content}"}}}}
"""
    (way,) = dry(steps, "inputs: {n: {type: integer, default: 3}}", known=WRITES).ways
    assert way.rehearsed.status == status
    if status == "failed":
        assert way.rehearsed.failure is not None
        assert "write: content: expected string" in way.rehearsed.failure.message


def test_a_loop_until_it_is_good_is_shown_with_one_pass_and_with_all() -> None:
    steps = """
- id: polish
  loop:
    count: 4
    steps:
      - {id: draft, agent: x, prompt: Write}
      - {id: review, agent: x, prompt: Review, output: {type: object, properties: {score: {type: integer}}}}
      - {id: good, when: "${{ steps.review.output.score >= 8 }}", break: true}
"""
    found = dry(steps)
    passes = [sum(row.at.startswith("draft@") for row in way.rehearsed.rows) for way in found.ways]
    assert (ways(found), passes) == ([{"good": "yes"}, {"good": "no"}], [1, 4])


RACE = """
- {id: ask, needs: [], human: May I?}
- {id: look, needs: [], agent: x, prompt: Look}
- {id: read, tool: t}
- {id: m, needs: [ask, read], merge: first}
- {id: say, respond: "${{ steps.m.output }}"}
"""


def test_each_of_those_that_a_merge_waits_for_comes_first_once() -> None:
    found = dry(RACE)
    assert ways(found) == [{"ask": "yes", "m": "ask"}, {"ask": "no"}, {"m": "read"}]
    assert [way.rehearsed.told for way in found.ways] == [("true",), *2 * [("<output of read>",)]]
    ends = [{row.at: row.status for row in way.rehearsed.rows} for way in found.ways]
    assert (ends[0]["read"], ends[2]["ask"]) == ("skipped", "skipped")


def test_who_comes_first_can_be_chosen() -> None:
    assert ways(dry(RACE, choose={"m": "read"})) == [{"m": "read"}]
    with pytest.raises(InvalidInput, match="the step 'm' has no way 'say'; it has ask, read"):
        dry(RACE, choose={"m": "say"})


def test_time_that_has_to_pass_is_waited_for_and_what_nothing_can_change_is_refused() -> None:
    steps = """
- {id: ask, needs: [], human: May I?, expires: 3d}
- {id: short, needs: [], wait: 1h}
- {id: long, needs: [], wait: 2h}
- {id: m, needs: [ask, short, long], merge: first}
"""
    found = dry(steps)
    assert [way.chosen["m"] for way in found.ways] == ["ask", "short", "short"]
    assert found.ways[2].rehearsed.took_ms == 3_600_000
    with pytest.raises(InvalidInput, match="'short' comes first at 'm', whatever is answered: 'long' takes longer"):
        dry(steps, choose={"m": "long"})


def test_ways_that_exclude_each_other_are_no_race_and_a_merge_of_all_is_none() -> None:
    steps = """
- {id: kind, router: What?, routes: {sales: x, other: y}}
- {id: a, needs: [kind.sales], tool: t}
- {id: b, needs: [kind.other], tool: t}
- {id: m, needs: [a, b], merge: first}
"""
    assert ways(dry(steps)) == [{"kind": "sales"}, {"kind": "other"}]
    with pytest.raises(InvalidInput, match=r"'m' \(merge\) goes no way that could be chosen: it waits for"):
        dry(steps.replace("first", "all"), choose={"m": "a"})


def test_within_a_playbook_and_a_loop_the_first_can_be_chosen_too() -> None:
    steps = """
- {id: sub, needs: [], playbook: inner}
- {id: l, needs: [], loop: {count: 1, steps: [{id: t1, tool: t}]}}
- {id: m, needs: [sub, l], merge: first, rest: go_on}
"""
    found = dry(steps, inner="- {id: send, tool: t}")
    assert ways(found) == [{"m": "sub"}, {"m": "l"}]


@pytest.mark.parametrize(
    "step",
    [
        "- {id: s, set: {v: '${{ inputs.a.b }}'}}",
        "- {id: s, set: {v: '${{ inputs.l | map(\"x\") }}'}}",
        "- {id: s, respond: 'It is ${{ inputs.a.b }}'}",
        "- {id: s, condition: '${{ inputs.a.go }}'}",
    ],
)
def test_what_a_given_input_does_not_have_fails_as_in_a_real_run(step: str) -> None:
    more = "inputs: {a: {type: object}, l: {type: list, default: [{y: 1}]}}"
    (way,) = dry(step, more, {"a": {"c": 1}}).ways
    assert (way.rehearsed.status, way.assumed) == ("failed", ())


def test_what_an_input_that_is_not_given_has_is_assumed() -> None:
    (way,) = dry("- {id: s, set: {v: '${{ inputs.a.b }}'}}", "inputs: {a: {type: object}}").ways
    assert (way.rehearsed.status, way.assumed) == ("completed", ("${{ inputs.a.b }} has a value",))


@pytest.mark.parametrize(
    "value",
    [
        "${{ steps.a.output.text | int }}",
        "${{ run.started_at | plus(steps.a.output.text) }}",
        "${{ steps.a.output.list | sum('v') }}",
    ],
)
def test_a_filter_that_cannot_work_on_values_that_are_known_fails_as_in_a_real_run(value: str) -> None:
    steps = f'- {{id: a, set: {{text: "a;b", list: [{{v: x}}]}}}}\n- {{id: b, set: {{n: "{value}"}}}}'
    way = dry(steps).ways[0]
    assert (way.rehearsed.status, way.assumed) == ("failed", ())


LOOPED = """
- id: l
  loop: {count: 2, steps: [{id: say, agent: x, prompt: Hi}, {id: kept, set: {k: 3}}]}
- {id: open, loop: {count: 2, steps: [{id: kept2, set: {k: 3}}, {id: said, agent: x, prompt: Hi}]}}
"""


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("steps.l.output[0].k == 3", [{}]),
        ("steps.open.output | length == 2", [{}]),
        ("steps.open.output is sequence", [{}]),
        ("steps.open.output[0] == 'x'", [{"c": "yes"}, {"c": "no"}]),
        ("(steps.open.output | last | length) > 3", [{"c": "yes"}, {"c": "no"}]),
    ],
)
def test_what_is_known_of_a_loops_output_goes_one_way(test: str, expected: list[dict[str, str]]) -> None:

    assert ways(dry(LOOPED + f'- {{id: c, condition: "${{{{ {test} }}}}"}}')) == expected


def test_a_loop_over_the_output_of_a_loop_has_as_many_passes_as_that_had() -> None:

    steps = (
        LOOPED
        + '- {id: again, loop: {for_each: "${{ steps.open.output }}", steps: [{id: q, set: {x: "${{ item }}"}}]}}'
    )
    way = dry(steps).ways[0]
    assert [row.at for row in way.rehearsed.rows if row.at.startswith("q@")] == ["q@0", "q@1"]
    assert way.assumed == ()


def test_what_a_merge_of_a_placeholder_holds_is_a_guess() -> None:
    steps = """
- {id: look, agent: x, prompt: Look, output: {type: object, properties: {score: {type: integer}}}}
- {id: n, needs: [], set: {x: 1}}
- {id: m, needs: [look, n], merge: all}
- {id: c, condition: "${{ steps.m.output.look.score > 5 }}"}
"""
    assert ways(dry(steps)) == [{"c": "yes"}, {"c": "no"}]


def test_a_skipped_router_went_no_way_so_a_default_is_taken() -> None:
    steps = """
- {id: kind, when: "${{ inputs.n > 1 }}", router: What?, routes: {sales: a, other: b}}
- {id: say, needs: [{kind: always}], respond: "${{ steps.kind.route | default('nobody asked') }}"}
"""
    assert dry(steps, "inputs: {n: integer}", {"n": 1}).ways[0].rehearsed.told == ("nobody asked",)


def test_what_is_done_at_the_end_of_a_run_that_went_well_has_no_error_to_look_into() -> None:
    (way,) = dry("- {id: a, set: {x: 1}}", 'finally: [{id: f, respond: "${{ run.error.message }}"}]').ways
    assert way.rehearsed.status == "failed"
    assert way.rehearsed.failure is not None
    assert "run.error is null, so it has no 'message'" in way.rehearsed.failure.message
