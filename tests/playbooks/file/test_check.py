"""Everything that is wrong with a playbook is told at once, each thing where it stands; and nothing that is right."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.ids import ThreadId
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_fault import RULES, WARNINGS
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.run.orders import begun_with, play_of
from tests.playbooks.corpus import GOOD, KNOWN, SEEDED, marked

HEAD = "name: a\ninputs: {lead: string, n: integer, some: list}\nsteps:\n"
A = "  - {id: a, agent: , prompt: Begin}\n"


@pytest.mark.parametrize("what", SEEDED)
def test_a_seeded_fault_is_told_at_its_place_and_nothing_else(what: str) -> None:
    seeded, rule, said = SEEDED[what]
    text, line, column = marked(seeded)
    checked = check_playbook(text, KNOWN)
    found = [(fault.line, fault.column, fault.rule) for fault in checked.faults]
    assert found == [(line, column, rule)], [fault.told("x") for fault in checked.faults]
    assert said in checked.faults[0].message
    assert (checked.definition is None) == (rule not in WARNINGS)


def test_there_are_sixty_seeded_faults_and_each_rule_has_one() -> None:
    assert len(SEEDED) >= 60
    assert {rule for _, rule, _ in SEEDED.values()} | {"size", "defect", "unreadable"} == set(RULES)


@pytest.mark.parametrize("what", GOOD)
def test_a_good_file_raises_no_alarm(what: str) -> None:
    checked = check_playbook(GOOD[what], KNOWN)
    assert [fault.told(what) for fault in checked.faults] == []
    assert checked.definition is not None


@pytest.mark.parametrize("what", [*GOOD, *(what for what, (_, rule, _) in SEEDED.items() if rule in WARNINGS)])
def test_what_a_check_lets_pass_can_be_begun(what: str) -> None:
    text = GOOD[what] if what in GOOD else marked(SEEDED[what][0])[0]
    definition = check_playbook(text, KNOWN).definition
    assert definition is not None
    assert begun_with(play_of(definition, text, "manual", ThreadId(""))) == definition


def test_places_count_where_lines_end_as_on_windows() -> None:
    for seeded, rule, _ in SEEDED.values():
        text, line, column = marked(seeded.replace("\n", "\r\n"))
        assert [(fault.line, fault.column, fault.rule) for fault in check_playbook(text, KNOWN).faults] == [
            (line, column, rule)
        ]


def test_there_are_thirty_good_files() -> None:
    assert len(GOOD) >= 30


def test_all_faults_are_told_at_once_in_the_order_of_the_file() -> None:
    text = "name: A b\nsteps:\n  - {id: x, wiat: 3s}\n  - {id: y, needs: [z], tool: nosuch}\n  - {id: y, wait: soon}\n"
    faults = check_playbook(text, KNOWN).faults
    assert [(fault.line, fault.rule) for fault in faults] == [
        (1, "name"),
        (3, "unknown-key"),
        (4, "unknown-step"),
        (4, "unknown-tool"),
        (5, "double-id"),
        (5, "value"),
    ]


def test_a_fault_reads_like_a_compilers() -> None:
    fault = check_playbook(f"{HEAD}{A}  - {{id: b, needs: [aa], wait: 3s}}\n").faults[0]
    assert fault.told("w.yaml") == (
        "w.yaml:5:21: error: needs: there is no step 'aa'. Did you mean 'a'? [unknown-step]"
    )


@pytest.mark.parametrize(
    "steps", ["steps['pa' ~ 'ge'].output", "steps[inputs.k].output", "steps | string", "steps | tojson"]
)
def test_a_step_whose_name_is_worked_out_is_a_fault_of_its_place(steps: str) -> None:
    text = f'{HEAD}  - {{id: w, tool: write_file, with: {{path: x, content: "${{{{ {steps} }}}}"}}}}\n'
    (fault, *_) = [one for one in check_playbook(text, KNOWN).faults if "say which step" in one.message]
    assert (fault.line, fault.rule) == (4, "unknown-name")


def test_what_nobody_knows_is_not_complained_of() -> None:
    text = f"{HEAD}  - {{id: a, tool: anything, with: {{x: 1}}, retry: 3}}\n  - {{id: b, agent: anyone, prompt: x}}\n"
    assert check_playbook(text).faults == ()


def test_a_schedule_is_tried_where_somebody_knows_how() -> None:
    def refuse(text: str, zone: str) -> None:
        raise InvalidInput(f"no day ever fits {text} in {zone}")

    checked = check_playbook(
        "name: a\non: [{schedule: 0 0 31 2 *, zone: Europe/Berlin}]\nsteps:\n" + A, KnownNames(schedule=refuse)
    )
    assert [(fault.line, fault.column, fault.message) for fault in checked.faults] == [
        (2, 17, "no day ever fits 0 0 31 2 * in Europe/Berlin")
    ]


BRANCHES = ", ".join(f"b{n}: [{{id: s{n}, wait: 3s}}]" for n in range(51))
LOOPS = "".join(f"[{{id: l{n}, loop: {{count: 2, steps: " for n in range(9)) + "[{id: x, wait: 3s}]" + "}}]" * 9


@pytest.mark.parametrize(
    "text",
    [
        "name: a\nsteps:\n" + "".join(f"  - {{id: s{n}, wait: 3s}}\n" for n in range(1_001)),
        f"name: a\nsteps: [{{id: p, parallel: {{branches: {{{BRANCHES}}}}}}}]\n",
        f"name: a\nsteps: {LOOPS}\n",
    ],
    ids=["1,001 steps", "51 branches", "loops nine deep"],
)
def test_a_playbook_stays_below_its_limits(text: str) -> None:
    assert [fault.rule for fault in check_playbook(text).faults] == ["size"]


@pytest.mark.parametrize("count", [2, 30])
def test_rings_of_any_length_are_found_once(count: int) -> None:
    steps = "".join(f"  - {{id: s{n}, needs: [s{(n + 1) % count}], wait: 3s}}\n" for n in range(count))
    assert [fault.rule for fault in check_playbook(f"name: a\nsteps:\n{steps}").faults] == ["cycle"]


PIECES = """\
name: a
steps:
  - id: x
    needs:
[x]
{x: failure}
    loop:
      count: 2
      steps:
[{id: y, wait: 3s}]
    when:
${{ steps.x.output }}
    tool: t
    with:
{a: b}
on:
[manual]
inputs:
    merge: all
    parallel:
{branches: {a: []}}
    router: q
    routes: {a: b}
${{
}}
    prompt: p
    agent:
7
secrets:
outputs:
budget: {tokens: x}
    retry:
    human: q
    wait: {until: x}
"""


@given(
    st.lists(st.sampled_from([*PIECES.splitlines(keepends=True), *PIECES.splitlines(), " "]), max_size=25).map("".join)
)
def test_whatever_stands_there_is_a_playbook_or_has_faults(text: str) -> None:
    checked = check_playbook(text, KNOWN)
    assert (checked.definition is None) == any(fault.severity == "error" for fault in checked.faults)
    lines = text.count("\n") + 1
    assert all(1 <= fault.line <= lines and fault.column >= 1 and fault.rule in RULES for fault in checked.faults)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{id: b, wait: '${{ inputs.some }}'}", "expected seconds or a time such as '2h', this gives a list"),
        ("{id: b, wait: 3s, retry: {max: 3}}", "retry has no 'max'. In a `loop` write `most:`, in a `retry` `tries:`."),
        (
            "{id: b, loop: {for_each: [1], steps: [{id: c, respond: '${{ loop.item }}'}]}}",
            "loop has no 'item'. The entry itself is `item`, or what the loop's `as` calls it.",
        ),
    ],
)
def test_what_is_written_in_anothers_words_is_told_in_ours(step: str, said: str) -> None:
    (fault,) = check_playbook(f"{HEAD}{A}  - {step}\n").faults
    assert said in fault.told("x")


def test_a_text_may_say_how_long_to_wait() -> None:
    assert check_playbook(f"{HEAD}{A}  - {{id: b, wait: '${{{{ inputs.lead }}}}'}}\n").faults == ()


RACE: Final = """
name: race
steps:
  - {id: ack, human: Who looks?, choices: [ann, bob]}
  - {id: late, needs: [], wait: 1h}
  - {id: first, needs: [ack, late], merge: first}
"""


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{id: b, needs: [first.ack], respond: hi}", ""),
        ("{id: b, when: \"${{ steps.first.route == 'late' }}\", respond: hi}", ""),
        ("{id: b, when: \"${{ steps.first.route == 'ann' }}\", respond: hi}", "'first' has no way 'ann'"),
        ("{id: b, needs: [first.yes], respond: hi}", "'first' has no way 'yes'"),
    ],
)
def test_who_came_first_is_the_way_of_a_merge(step: str, said: str) -> None:
    faults = check_playbook(f"{RACE}  - {step}\n").faults
    assert [said in fault.message for fault in faults] == [True] * bool(said)
