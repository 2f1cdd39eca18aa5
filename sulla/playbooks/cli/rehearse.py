"""Tries playbooks out: `sulla flow test` and `sulla flow dry-run`. Nothing is done, and no time passes."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sulla.core.errors import InvalidInput, NotFound
from sulla.core.jsontypes import JsonObject
from sulla.playbooks.cli.home_playbooks import HomePlaybooks, Opened, text_of
from sulla.playbooks.cli.inputs import typed_inputs
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.form import TRIGGERS
from sulla.playbooks.rehearsal.base import RehearsalSetting, RehearsedStep
from sulla.playbooks.rehearsal.cases_judge import CaseVerdict, duration_told, try_case
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.playbooks.rehearsal.dry import Way, dry_run, with_payload
from sulla.playbooks.rehearsal.told import (
    Cost,
    asked_told,
    case_json,
    case_row,
    cost_of,
    effect_told,
    refusal_told,
    way_json,
    way_row,
)
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.table import Paper, one_line, paper
from sulla.tools.nearest import did_you_mean

_WORDS = {"completed": "done", "running": "waits"}
_SHOWN_CHARS = 160
_REQUEST = {"header": "headers", "query": "query"}
_PASSES = re.compile(r"@[0-9.]+")


# ---------------------------------------------------------------------------------------------------------------- test


def test_some(given: argparse.Namespace) -> Exit:
    """Run the tests of playbooks; the exit code says whether all are as expected."""
    playbooks = HomePlaybooks(given)
    count = failed = 0
    for opened in playbooks.some(given.names):
        tests = opened.tests()
        if tests is None:
            if opened.name in given.names or str(opened.file) in given.names:
                raise NotFound(f"{opened.file} has no tests: write some in {opened.file.with_suffix('')}.test.yaml")
            continue
        ran, bad = _test(given, playbooks, opened, tests)
        count, failed = count + ran, failed + bad
    if not given.json:
        print(f"{count} test{'' if count == 1 else 's'}, {failed} failed")
    return Exit.FAILED if failed else Exit.OK


def _test(given: argparse.Namespace, playbooks: HomePlaybooks, opened: Opened, tests: Path) -> tuple[int, int]:
    """How many tests there were, and how many were not as expected; a file with faults counts as one."""
    on = paper()
    if not given.json:
        print(on.bold(one_line(opened.name)))
    if opened.definition is None:
        return _faulty(given, opened, opened.told)
    for said in opened.told:  # it can be run, so these are warnings
        tell(one_line(said))
    cases, faults = read_cases(text_of(tests), opened.definition, _finder(playbooks, opened))
    if faults:
        return _faulty(given, opened, [fault.told(str(tests)) for fault in faults])
    ran = bad = 0
    for case in cases:
        if given.only and given.only not in case.name:
            continue
        verdict = try_case(case, opened.definition, _setting(playbooks, opened))
        ran, bad = ran + 1, bad + bool(verdict.misses)
        print(
            json.dumps(case_json(case_row(opened.name, str(tests), verdict)))
            if given.json
            else "\n".join(_verdict_lines(tests, verdict, on))
        )
    return ran, bad


def _faulty(given: argparse.Namespace, opened: Opened, faults: list[str]) -> tuple[int, int]:
    for said in faults:
        print(json.dumps({"playbook": opened.name, "fault": said}) if given.json else f"  {one_line(said)}")
    return 1, 1


def _verdict_lines(tests: Path, verdict: CaseVerdict, on: Paper) -> Iterator[str]:
    name = one_line(verdict.case.name)
    if not verdict.misses:
        took = verdict.rehearsed.took_ms if verdict.rehearsed is not None else 0
        yield f"  ok    {name}" + (on.faint(f"  ({duration_told(took)}, simulated)") if took >= 1000 else "")
        return
    yield f"  {on.bold('FAIL')}  {name}"
    for miss in verdict.misses:
        yield f"        {tests}:{miss.line}:{miss.column}: {one_line(miss.message)}"


# ------------------------------------------------------------------------------------------------------------- dry-run


def dry_run_one(given: argparse.Namespace) -> Exit:
    """Show the ways that a playbook can go."""
    playbooks = HomePlaybooks(given)
    opened = playbooks.open(given.name)
    definition = opened.whole()
    for said in opened.told:  # it can be run, so these are warnings
        tell(one_line(said))
    request: JsonObject = {
        name: dict(_pairs(f"--{flag}", getattr(given, flag), "name")) for flag, name in _REQUEST.items()
    }
    setting = replace(_setting(playbooks, opened), trigger=_trigger(given.trigger or "manual"), request=request)
    known = given.payload is not None or given.trigger == "manual"
    setting = replace(setting, payload=_json(given.payload or "null")) if known else with_payload(definition, setting)
    texts = {name: spec.type == "string" for name, spec in definition.inputs.items()}
    done = dry_run(
        definition,
        typed_inputs(given.input, texts),
        setting,
        choose=dict(_pairs("--choose", given.choose)),
        outputs={step: _json(value) for step, value in _pairs("--output", given.output)},
    )
    on = paper()
    for number, way in enumerate(done.ways, 1):
        cost = cost_of(playbooks.home, way.rehearsed)
        if given.json:
            print(json.dumps(way_json(way_row(way, definition, playbooks.known, cost))))
        else:
            asked = (f"  {one_line(said)}" for said in asked_told(way, definition, playbooks.known))
            print("\n".join((*_way_lines(playbooks, number, len(done.ways), way, cost, on), *asked)))
    if done.is_cut:
        tell(f"there are more than {len(done.ways)} ways: settle some with --choose STEP=WAY")
    return Exit.OK


def _way_lines(playbooks: HomePlaybooks, number: int, of: int, way: Way, cost: Cost, on: Paper) -> Iterator[str]:
    found = way.rehearsed
    chosen = ", ".join(f"{step}={choice}" for step, choice in way.chosen.items())
    yield on.bold(one_line(f"way {number} of {of}{': ' if chosen else ''}{chosen}"))
    yield from (f"  {_row_line(row, count)}" for row, count in _folded(found.rows))
    if found.status != "completed":
        yield f"  it ends {found.status}" + (f": {one_line(found.failure.message)}" if found.failure else "")
    for said in way.assumed:
        yield on.faint(f"  assumed: {one_line(said)}")
    for call in found.calls:
        args = one_line(json.dumps(call.args, ensure_ascii=False), _SHOWN_CHARS)
        yield f"  would call {call.tool} ({effect_told(call, playbooks.known)}) {args}"
        if why := refusal_told(call, playbooks.known):
            yield f"  which this home refuses: {one_line(why)}"
    for text in found.told:
        yield f"  would say {one_line(text, _SHOWN_CHARS)}"
    yield f"  {one_line(cost.told)}"


def _row_line(row: RehearsedStep, count: int) -> str:
    what = row.why if row.status in ("failed", "skipped") else row.route
    word = _WORDS.get(row.status, row.status)
    at = f"{_PASSES.sub('', row.at)} {count} times" if count > 1 else row.at
    return f"{word:<9} {one_line(at):<24} {row.kind:<9} {one_line(what, _SHOWN_CHARS)}".rstrip()


def _folded(rows: tuple[RehearsedStep, ...]) -> Iterator[tuple[RehearsedStep, int]]:
    """Rows with the passes of a loop that went alike put together."""
    passes = Counter(map(_alike, rows))
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        if _alike(row) not in seen:
            seen.add(_alike(row))
            yield row, passes[_alike(row)]


def _alike(row: RehearsedStep) -> tuple[str, ...]:
    return _PASSES.sub("", row.at), row.status, row.route


# -------------------------------------------------------------------------------------------------------------- shared


def _setting(playbooks: HomePlaybooks, opened: Opened) -> RehearsalSetting:
    return RehearsalSetting(_finder(playbooks, opened), evaluate, playbooks.known)


def _finder(playbooks: HomePlaybooks, opened: Opened) -> Callable[[str], Definition]:
    def find(name: str) -> Definition:
        return playbooks.find(opened, name)

    return find


def _trigger(kind: str) -> str:
    if kind not in TRIGGERS:
        meant = did_you_mean(kind, TRIGGERS) or f" Known: {', '.join(TRIGGERS)}."
        raise InvalidInput(f"--trigger: nothing is started by {kind!r}.{meant}")
    return kind


def _pairs(flag: str, words: list[str], what: str = "step") -> Iterator[tuple[str, str]]:
    for word in words:
        step, equals, value = word.partition("=")
        if not equals or not step:
            raise InvalidInput(f"{flag}: expected {what}=value, found {word!r}")
        yield step, value


def _json(value: str) -> Any:  # noqa: ANN401  - any JSON
    try:
        return json.loads(value)
    except ValueError:
        return value
