"""What a playbook's file says comes out as it was meant, however it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sulla.playbooks.definition import (
    AgentStep,
    Budget,
    ConditionStep,
    Definition,
    HumanStep,
    InputSpec,
    LoopStep,
    MergeStep,
    Need,
    ParallelStep,
    Retry,
    RouterStep,
    Step,
    Template,
    ToolStep,
    TransferStep,
    Trigger,
    WaitStep,
)
from sulla.playbooks.durations import MAX_DURATION_S, read_duration
from sulla.playbooks.file.check import check_playbook
from tests.playbooks.corpus import GOOD


def definition(text: str) -> Definition:
    checked = check_playbook(text)
    assert checked.definition is not None, checked.faults
    return checked.definition


def steps(text: str) -> dict[str, Step]:
    return {step.id: step for step in definition(f"name: a\nsteps:\n{text}").steps}


def test_a_step_follows_the_one_above_it_unless_it_says_what_it_needs() -> None:
    found = steps(
        "  - {id: a, wait: 3s}\n"
        "  - {id: b, wait: 3s}\n"
        "  - {id: c, needs: [], wait: 3s}\n"
        "  - {id: d, needs: a, wait: 3s}\n"
        "  - {id: e, needs: [b, {d: failure}, {c: always}], wait: 3s}\n"
    )
    assert [step.needs for step in found.values()] == [
        (),
        (Need("a"),),
        (),
        (Need("a"),),
        (Need("b"), Need("d", "failure"), Need("c", "always")),
    ]


def test_a_need_may_name_a_way_and_of_an_approval_it_is_the_yes() -> None:
    found = steps(
        "  - {id: kind, router: What?, routes: {sales: s, in-house: o}}\n"
        "  - {id: ask, needs: [kind.sales], human: Well?}\n"
        "  - {id: go, wait: 3s}\n"
        "  - {id: no, needs: [ask.no], wait: 3s}\n"
        "  - {id: late, needs: [{ask: failure}], wait: 3s}\n"
        "  - {id: either, needs: [ask, kind.in-house], merge: all}\n"
        "  - {id: pick, human: Which?, choices: [x, y]}\n"
        "  - {id: then, wait: 3s}\n"
    )
    assert found["ask"].needs == (Need("kind", route="sales"),)
    assert found["go"].needs == (Need("ask", route="yes"),)
    assert found["no"].needs == (Need("ask", route="no"),)
    assert found["late"].needs == (Need("ask", "failure"),)
    assert found["either"].needs == (Need("ask", route="yes"), Need("kind", route="in-house"))
    assert found["then"].needs == (Need("pick"),)


def test_what_stands_below_a_break_is_done_where_there_was_none() -> None:
    loop = steps(GOOD["a loop of quality with a break"].partition("steps:\n")[2])["polish"].does
    assert isinstance(loop, LoopStep)
    assert [step.needs for step in loop.body] == [
        (),
        (Need("draft"),),
        (Need("review"),),
        (Need("enough"),),
    ]


def test_steps_within_steps_are_whole() -> None:
    found = steps(
        "  - id: p\n"
        "    parallel:\n"
        "      branches:\n"
        "        x: [{id: x1, wait: 3s}, {id: x2, human: Yes?}, {id: x3, wait: 1m}]\n"
        "        y: [{id: l, loop: {for_each: [1, a, null, true], as: one, at_once: 2, steps: [{id: y1, wait: 3s}]}}]\n"
    )
    does = found["p"].does
    assert isinstance(does, ParallelStep)
    assert [step.id for step in does.branches["x"]] == ["x1", "x2", "x3"]
    assert does.branches["x"][2].needs == (Need("x2", route="yes"),)
    loop = does.branches["y"][0].does
    assert isinstance(loop, LoopStep)
    assert (loop.for_each, loop.name, loop.at_once) == (Template('${{ [1, "a", none, true] }}'), "one", 2)
    assert [step.id for step in loop.body] == ["y1"]


def test_everything_of_an_agent_is_read() -> None:
    found = definition(GOOD["everything of an agent"])
    assert found.budget == Budget(500_000, 2_500_000, 7_200.0)
    step = found.steps[0]
    assert step.title == "The work"
    assert step.retry == Retry(2)
    assert step.timeout_s == 5_400.0
    assert step.budget == Budget(50_000, None, 1_800.0)
    assert step.does == AgentStep(
        prompt=Template("Look into it.\nWell.\n"),
        agent="researcher",
        tools=("read_file", "mcp__*"),
        before=Template("Is this worth it?"),
        after=Template("Is this enough?"),
        success=Template("Three sources."),
        output={"type": "array", "items": {"type": "string"}},
    )


NESTED: Any = {"b": (Template("${{ inputs }}"), 1)}


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("agent: , prompt: x", AgentStep(Template("x"))),
        ("agent: , prompt: x, memory: true", AgentStep(Template("x"), memory=True)),
        ("tool: t, with: {a: {b: ['${{ inputs }}', 1]}}", ToolStep("t", {"a": NESTED})),
        ("router: q, routes: {a: b, c: d}, default: c", RouterStep(Template("q"), {"a": "b", "c": "d"}, "c")),
        ("condition: '${{ 1 > 2 }}'", ConditionStep(test=Template("${{ 1 > 2 }}"))),
        ("condition: {ask: Well?}", ConditionStep(question=Template("Well?"))),
        ("wait: 1h30m", WaitStep(seconds=Template("${{ 5400 }}"))),
        ("wait: {until: '2027-01-01T00:00Z'}", WaitStep(until=Template("2027-01-01T00:00Z"))),
        ("human: Well?", HumanStep(Template("Well?"))),
        ("human: Well?, expires: never", HumanStep(Template("Well?"), expires_s=None)),
        ("human: Well?, choices: [a, 7]", HumanStep(Template("Well?"), ("a", "7"))),
        ("transfer: other, with: {a: 1}", TransferStep("other", {"a": 1})),
        ("loop: {count: 200, steps: [{id: y, wait: 3s}]}",
         LoopStep((Step("y", WaitStep(Template("${{ 3 }}"))),), count=Template("${{ 200 }}"), most=200)),
    ],
)  # fmt: skip
def test_a_kind_is_what_was_written(text: str, does: object) -> None:
    assert steps(f"  - {{id: x, {text}}}\n")["x"].does == does


@pytest.mark.parametrize(("word", "need"), [("all", "all"), ("first", "first"), ("2", 2)])
def test_a_merge_waits_for_so_many(word: str, need: object) -> None:
    found = steps(
        f"  - {{id: a, wait: 3s}}\n  - {{id: b, needs: [], wait: 3s}}\n  - {{id: m, needs: [a, b], merge: {word}}}\n"
    )
    assert found["m"].does == MergeStep(need)  # type: ignore[arg-type]  # one of what it may be


def test_triggers_and_inputs_are_read() -> None:
    found = definition(
        "name: a\n"
        "on: [manual, heartbeat, {schedule: 0 9 * * 1-5, zone: Europe/Berlin, inputs: {n: 3}},"
        " {chat: a lead}, {event: run.failed}]\n"
        "inputs:\n"
        "  n: integer\n"
        "  s:\n"
        "  o: {type: object, required: false, description: Odds.}\n"
        "  c: {choices: [a, b], default: b}\n"
        "steps: [{id: a, wait: 3s}]\n"
    )
    assert found.on == (
        Trigger("manual"),
        Trigger("heartbeat"),
        Trigger("schedule", "0 9 * * 1-5", "Europe/Berlin", {"n": 3}),
        Trigger("chat", "a lead"),
        Trigger("event", "run.failed"),
    )
    assert found.inputs == {
        "n": InputSpec("integer"),
        "s": InputSpec("string"),
        "o": InputSpec("object", required=False, description="Odds."),
        "c": InputSpec("string", required=False, default="b", choices=("a", "b")),
    }


# --------------------------------------------------------------------------------------------------------------- digest

SAME = (
    "name: a\ninputs: {x: {type: string}}\nsteps:\n"
    "  - {id: a, tool: t, with: {x: 1, y: '2'}, timeout: 60s}\n  - {id: b, wait: 3s}\n"
)


@pytest.mark.parametrize(
    "text",
    [
        f"# A comment\n{SAME}",
        SAME.replace("60s", "1m").replace("{x: 1, y: '2'}", '{y: "2", x: 1}'),
        SAME.replace("{x: {type: string}}", "\n  x: string"),
        SAME.replace("{id: b, wait: 3s}", "{id: b, needs: [a], wait: 3s, on_failure: fail}"),
        SAME.replace("name: a\n", "") + "name: a\n",
    ],
    ids=["a comment", "other words for the same", "a short form", "a default written out", "another order of keys"],
)
def test_how_a_playbook_is_written_does_not_change_its_digest(text: str) -> None:
    assert text != SAME
    assert definition(text).digest == definition(SAME).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: a", "name: b"),
        ("60s", "61s"),
        ("x: 1", "x: '1'"),
        ("x: 1", "x: 1.0"),
        ("x: 1", "x: true"),
        ("'2'", "'${{ 2 }}'"),
        ("{id: b, wait: 3s}", "{id: b, needs: [], wait: 3s}"),
        ("{id: b, wait: 3s}", "{id: b, wait: 3s, title: B}"),
        ("tool: t", "tool: u"),
        ("type: string", "type: number"),
        ("tool: t, with: {x: 1, y: '2'}", "transfer: t, with: {x: 1, y: '2'}"),
    ],
)  # fmt: skip
def test_whatever_a_playbook_says_otherwise_changes_its_digest(old: str, new: str) -> None:
    text = SAME.replace(old, new)
    assert text != SAME
    other = check_playbook(text.replace("  - {id: b, wait: 3s}\n", "") if "transfer" in new else text).definition
    assert other is not None
    assert other.digest != definition(SAME).digest


def test_what_definitions_did_not_have_once_changes_no_digest_where_nothing_is_said() -> None:
    """A run that was begun before goes on: this is the digest that it is bound to."""
    before = "184069f274f1928543be5395056b71227e8b9abdd56bed2b514f7c3bf218d711"
    text = "name: a\nsteps:\n  - {id: a, agent: , prompt: x}\n"
    assert definition(text).digest == before
    assert definition(text.replace("prompt: x", "prompt: x, memory: true")).digest != before


def test_playbooks_of_all_kinds_have_digests_of_their_own() -> None:
    digests = {definition(text).digest for text in GOOD.values()}
    assert len(digests) == len(GOOD)
    assert all(len(digest) == 64 for digest in digests)


# ------------------------------------------------------------------------------------------------------------ durations


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10s", 10), ("90m", 5_400), ("1h30m", 5_400), ("3d", 259_200), ("1d1h1m1s", 90_061), ("366d", MAX_DURATION_S)],
)
def test_a_duration_is_so_many_seconds(text: str, seconds: int) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "s", "1.5h", "30m1h", "-3s", " 3s", "3 s", "367d", "3w", "\uff19s"])
def test_anything_else_is_no_duration(text: str) -> None:
    assert read_duration(text) is None


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert definition("\ufeff" + SAME).digest == definition(SAME).digest


def test_the_corpus_is_whole() -> None:
    assert {path.name for path in Path(__file__).parent.parent.glob("*.txt")} == {
        "good_playbooks.txt",
        "seeded_faults.txt",
    }


@pytest.mark.parametrize("many", ["0", "51", "1.5", "some", "true"])
def test_so_many_steps_side_by_side_as_there_may_be(many: str) -> None:
    text = f"name: a\nat_once: {many}\nsteps:\n  - id: s\n    respond: Hi\n"
    (fault,) = check_playbook(text).faults
    assert (fault.line, fault.rule) == (2, "value")
    assert "at_once: expected a whole number from 1 to 50" in fault.message
    checked = check_playbook(text.replace(many, "3")).definition
    assert checked is not None
    assert checked.at_once == 3


def test_defaults_hold_for_what_asks_a_model_or_calls_a_tool_and_says_nothing_else() -> None:
    text = """
name: a
defaults: {retry: {tries: 5}, timeout: 2m, model: "ollama:qwen3:8b"}
steps:
  - {id: a, agent: '', prompt: Go}
  - {id: b, agent: '', prompt: Go, model: "anthropic:claude", retry: 1, timeout: 9m}
  - {id: c, tool: read_file, with: {path: x}}
  - {id: d, wait: 3d}
  - {id: e, human: Now?}
  - id: f
    loop: {count: 2, steps: [{id: g, router: Which?, routes: {x: one, y: other}}]}
"""
    steps = {step.id: step for step in definition(text).steps}
    loop = steps["f"].does
    assert isinstance(loop, LoopStep)
    found = {
        id_: (step.retry and step.retry.tries, step.timeout_s) for id_, step in (steps | {"g": loop.body[0]}).items()
    }
    assert found == {
        "a": (5, 120.0),
        "b": (1, 540.0),
        "c": (5, 120.0),
        "d": (None, None),
        "e": (None, None),
        "f": (None, None),
        "g": (5, 120.0),
    }
    models = [does.model for step in steps.values() if isinstance(does := step.does, AgentStep)]
    assert models == ["ollama:qwen3:8b", "anthropic:claude"]


def test_what_stands_in_defaults_is_the_same_as_where_it_is_written_out() -> None:
    steps = "steps: [{id: a, agent: '', prompt: Go%s}]"
    short = f"name: a\ndefaults: {{timeout: 2m, model: 'ollama:x'}}\n{steps % ''}"
    whole = f"name: a\n{steps % (', timeout: 120s, model: ' + repr('ollama:x'))}"
    assert definition(short).digest == definition(whole).digest
