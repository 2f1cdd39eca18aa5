"""Data goes through a playbook's steps as it is, or the step fails and says why."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.agent.calls.guard import CallGuard
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.core.redact import Redactor
from sulla.core.words import ours
from sulla.playbooks.definition import Template
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.machine.records import Failure, StepFailed
from sulla.playbooks.run import node
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.define import define, giving, value
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, effects, ended, ledger, make, say

__all__ = ["ledger", "make"]

COPIED = """
name: copied
outputs: {bytes: "${{ steps.write.result.bytes }}", old: "${{ steps.read.output }}"}
steps:
  - {id: read, tool: read_file, with: {path: from}}
  - {id: hold, set: {text: "${{ steps.read.result.text }}"}}
  - {id: write, tool: write_file, with: {path: to, content: "${{ steps.hold.output.text }}"}}
  - {id: again, tool: read_file, with: {path: to}}
  - {id: last, tool: write_file, with: {path: end, content: "${{ steps.again.result.text }}"}}
"""
SHORT = """
name: short
outputs:
  text: ${{ steps.tell.result.text }}
  n: ${{ steps.tell.result.n }}
  cut: ${{ steps.tell.result.truncated }}
steps:
  - {id: tell, tool: tell CUT}
  - {id: next, tool: note_safe, with: {what: after}}
"""


def teller(cut: str = "only half of it is here") -> Tool:
    async def tell(context: ToolContext) -> Result:
        """Tell something."""
        return Done(ours("[remark]\nwords"), data={"text": "words", "n": 3}, cut=cut)

    return giving(define(tell, effect="pure", reach="inward", category="testing"), n=value("integer", "a number"))


async def first_failure(world: PlayWorld, run: ThreadId) -> Failure:
    """Of the step that failed first."""
    return next(fact.failure for fact in (await world.record(run)).facts if isinstance(fact, StepFailed))


def home(make: Make, workspace: Path, *texts: str) -> PlayWorld:
    return make(ScriptedProvider(), *texts, more=builtin_tools(), workspace=workspace)


@pytest.mark.parametrize(
    "raw",
    [
        b"".join(b"%d,row %d,\xc3\xa9\r\n" % (number, number) for number in range(3_000)),
        b"".join(b"%s\n" % (b"w" * 300) for _ in range(900)),
        b'{"rows": [{"a": [1, {"b": null}]}]}',
        b"\xef\xbb\xbfwith a mark\n\n\n",
        b"one line " * 20_000,
    ],
)
async def test_a_file_goes_through_five_steps_byte_for_byte(make: Make, tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "from").write_bytes(raw)
    world = home(make, tmp_path, COPIED)
    run = await world.run_play("copied")
    assert (await at(world, run)).status == "completed", await ended(world, run)
    assert (tmp_path / "end").read_bytes() == raw
    outputs = (await ended(world, run)).outputs
    assert outputs["bytes"] == len(raw)
    assert str(outputs["old"]).startswith("[from: lines 1-")


async def test_a_file_that_is_no_text_is_refused_and_nothing_is_written(make: Make, tmp_path: Path) -> None:
    (tmp_path / "from").write_bytes(bytes(range(256)) * 100)
    world = home(make, tmp_path, COPIED)
    run = await world.run_play("copied")
    failure = await first_failure(world, run)
    assert (failure.reason, "is a binary file" in failure.message) == ("refused", True)
    assert not (tmp_path / "to").exists()


async def test_a_result_that_is_not_whole_fails_its_step(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), SHORT.replace(" CUT", ""), more=[teller()])
    run = await world.run_play("short")
    failure = await first_failure(world, run)
    assert (failure.kind, failure.reason) == ("permanent", "cut")
    assert "only half of it is here" in failure.message
    assert "cut: allow" in failure.message
    assert effects(ledger) == []


async def test_a_step_may_allow_that_and_knows_of_it(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), SHORT.replace(" CUT", ", cut: allow"), more=[teller()])
    run = await world.run_play("short")
    assert (await ended(world, run)).outputs == {"text": "words", "n": 3, "cut": True}
    assert effects(ledger) == ["after"]


async def test_values_are_there_after_a_restart(make: Make, tmp_path: Path) -> None:
    raw = b"".join(b"%d,row\n" % number for number in range(3_000))
    (tmp_path / "from").write_bytes(raw)
    text = COPIED.replace("  - {id: hold", "  - {id: wait, human: Go on?}\n  - {id: hold")
    run = await home(make, tmp_path, text).run_play("copied")
    await say(home(make, tmp_path, text), run, "approve")
    assert (tmp_path / "end").read_bytes() == raw


async def test_values_hold_no_secret(make: Make) -> None:
    guard = CallGuard(redactor=Redactor(["words that nobody may see"]))

    async def tell(context: ToolContext) -> Result:
        """Tell something."""
        return Done(ours("told"), data={"text": "these: words that nobody may see", "n": 1})

    world = make(
        ScriptedProvider(), SHORT.replace(" CUT", ""), more=[replace(teller(), run=define(tell).run)], guard=guard
    )
    run = await world.run_play("short")
    assert "nobody may see" not in str((await world.record(run)).facts)
    assert (await ended(world, run)).outputs["n"] == 1


LOOPS = """
name: loops
inputs: {who: list, n: integer}
outputs: {each: "${{ steps.l.output }}", all: "${{ steps.m.output }}"}
steps:
  - id: l
    loop:
      for_each: [{env: staging, n: 1}, {env: live, n: "${{ inputs.n }}"}]
      steps: [{id: x, set: {said: "${{ item.env ~ item.n }}"}}]
  - id: m
    loop:
      matrix: {zone: [eu, us], who: "${{ inputs.who }}"}
      as: it
      most: 6
      at_once: 3
      steps: [{id: y, set: {said: "${{ it.zone ~ it.who }}"}}]
"""


async def test_loops_go_over_objects_and_over_each_combination(make: Make) -> None:
    world = make(ScriptedProvider(), LOOPS)
    outputs = (await ended(world, await world.run_play("loops", {"who": ["a", "b", "c"], "n": 7}))).outputs
    assert outputs["each"] == [{"said": "staging1"}, {"said": "live7"}]
    assert outputs["all"] == [{"said": zone + who} for zone in ("eu", "us") for who in "abc"]


async def test_more_combinations_than_passes_fail_before_the_first(make: Make) -> None:
    world = make(ScriptedProvider(), LOOPS)
    failure = await first_failure(world, await world.run_play("loops", {"who": ["a", "b", "c", "d"], "n": 7}))
    assert failure.message == "8 passes, and the loop takes 6: raise `most` of it, up to 1000"


FETCHED = """
name: fetched
outputs: {rows: "${{ steps.rows.output.all | length }}"}
steps:
  - {id: tell, tool: tell, with: {}}
  - {id: rows, set: {all: "${{ steps.tell.result.text | lines }}"}}
"""
LARGE = """
name: large
inputs: {text: string}
outputs: {rows: "${{ steps.rows.output.all | length }}"}
steps:
  - {id: rows, set: {all: "${{ inputs.text | lines }}"}}
  - {id: said, respond: done}
"""


@pytest.mark.parametrize(("lines", "beside"), [(10, False), (50_000, True)])
async def test_large_values_are_worked_out_beside_the_event_loop(
    make: Make, monkeypatch: pytest.MonkeyPatch, lines: int, beside: bool
) -> None:
    threads: list[bool] = []

    def noted(template: Template, scope: Mapping[str, object]) -> Json:
        threads.append(threading.current_thread() is not threading.main_thread())
        return evaluate(template, scope)

    monkeypatch.setattr(node, "evaluate", noted)
    world = make(ScriptedProvider(), LARGE)
    run = await world.run_play("large", {"text": "row\n" * lines})
    assert (await ended(world, run)).outputs == {"rows": lines}
    assert set(threads) == {beside}


async def test_what_a_step_has_just_come_to_counts_as_large(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[bool] = []

    def noted(template: Template, scope: Mapping[str, object]) -> Json:
        threads.append(threading.current_thread() is not threading.main_thread())
        return evaluate(template, scope)

    async def tell(context: ToolContext) -> Result:
        """Tell."""
        return Done(ours("row\n" * 50_000))

    monkeypatch.setattr(node, "evaluate", noted)
    world = make(ScriptedProvider(), FETCHED, more=[define(tell, effect="pure")])
    run = await world.run_play("fetched")
    assert (await ended(world, run)).outputs == {"rows": 50_000}
    assert threads == [True, True]
