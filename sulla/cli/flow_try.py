"""Tries playbooks out: `sulla flow test` and `sulla flow dry-run`. Nothing is done, and no time passes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sulla.cli.flow_place import Bench, Opened, text_of
from sulla.cli.flow_run_inputs import typed_inputs
from sulla.cli.flow_try_cost import Cost, cost_of
from sulla.core.errors import InvalidInput, NotFound
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.rehearsal.base import Row, Setting
from sulla.playbooks.rehearsal.cases_judge import Verdict, duration_told, try_case
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.playbooks.rehearsal.dry import Way, dry_run
from sulla.terminal.exits import Exit
from sulla.terminal.table import Paper, one_line, paper

_WORDS = {"completed": "done", "running": "waits"}
_SHOWN_CHARS = 160
_PASSES = re.compile(r"@[0-9.]+")


# ---------------------------------------------------------------------------------------------------------------- test


def test_some(given: argparse.Namespace) -> Exit:
    """Run the tests of playbooks; the exit code says whether all are as expected."""
    bench = Bench(given)
    count = failed = 0
    for opened in bench.some(given.names):
        tests = opened.tests()
        if tests is None:
            if opened.name in given.names or str(opened.file) in given.names:
                raise NotFound(f"{opened.file} has no tests: write some in {opened.file.with_suffix('')}.test.yaml")
            continue
        ran, bad = _test(given, bench, opened, tests)
        count, failed = count + ran, failed + bad
    if not given.json:
        print(f"{count} test{'' if count == 1 else 's'}, {failed} failed")
    return Exit.FAILED if failed else Exit.OK


def _test(given: argparse.Namespace, bench: Bench, opened: Opened, tests: Path) -> tuple[int, int]:
    """How many tests there were, and how many were not as expected; a file with faults counts as one."""
    on = paper()
    if not given.json:
        print(on.bold(one_line(opened.name)))
    if opened.definition is None:
        return _faulty(given, opened, opened.told)
    cases, faults = read_cases(text_of(tests), opened.definition, _finder(bench, opened))
    if faults:
        return _faulty(given, opened, [fault.told(str(tests)) for fault in faults])
    ran = bad = 0
    for case in cases:
        if given.only and given.only not in case.name:
            continue
        verdict = try_case(case, opened.definition, _setting(bench, opened))
        ran, bad = ran + 1, bad + bool(verdict.misses)
        print(
            json.dumps(_verdict_json(opened, tests, verdict))
            if given.json
            else "\n".join(_verdict_lines(tests, verdict, on))
        )
    return ran, bad


def _faulty(given: argparse.Namespace, opened: Opened, faults: list[str]) -> tuple[int, int]:
    for said in faults:
        print(json.dumps({"playbook": opened.name, "fault": said}) if given.json else f"  {one_line(said)}")
    return 1, 1


def _verdict_lines(tests: Path, verdict: Verdict, on: Paper) -> Iterator[str]:
    name = one_line(verdict.case.name)
    if not verdict.misses:
        took = verdict.rehearsed.took_ms if verdict.rehearsed is not None else 0
        yield f"  ok    {name}" + (on.faint(f"  ({duration_told(took)})") if took >= 1000 else "")
        return
    yield f"  {on.bold('FAIL')}  {name}"
    for miss in verdict.misses:
        yield f"        {tests}:{miss.line}:{miss.column}: {one_line(miss.message)}"


def _verdict_json(opened: Opened, tests: Path, verdict: Verdict) -> dict[str, object]:
    return {
        "playbook": opened.name,
        "test": verdict.case.name,
        "ok": not verdict.misses,
        "file": str(tests),
        "line": verdict.case.line,
        "misses": [{"line": miss.line, "column": miss.column, "message": miss.message} for miss in verdict.misses],
        **({"took_ms": verdict.rehearsed.took_ms} if verdict.rehearsed is not None else {}),
    }


# ------------------------------------------------------------------------------------------------------------- dry-run


def dry_run_one(given: argparse.Namespace) -> Exit:
    """Show the ways that a playbook can go."""
    bench = Bench(given)
    opened = bench.open(given.name)
    definition = opened.whole()
    texts = {name: spec.type == "string" for name, spec in definition.inputs.items()}
    done = dry_run(
        definition,
        typed_inputs(given.input, texts),
        _setting(bench, opened),
        choose=dict(_pairs("--choose", given.choose)),
        outputs={step: _json(value) for step, value in _pairs("--output", given.output)},
    )
    on = paper()
    for number, way in enumerate(done.ways, 1):
        cost = cost_of(bench, way.rehearsed)
        if given.json:
            print(json.dumps(_way_json(bench, way, cost)))
        else:
            print("\n".join(_way_lines(bench, number, len(done.ways), way, cost, on)))
    if done.is_cut:
        print(f"there are more than {len(done.ways)} ways: settle some with --choose STEP=WAY", file=sys.stderr)
    return Exit.OK


def _way_lines(bench: Bench, number: int, of: int, way: Way, cost: Cost, on: Paper) -> Iterator[str]:
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
        yield f"  would call {call.tool} ({_effect(bench, call.tool)}) {args}"
    for text in found.told:
        yield f"  would say {one_line(text, _SHOWN_CHARS)}"
    yield f"  {one_line(cost.told)}"


def _row_line(row: Row, count: int) -> str:
    what = row.why if row.status in ("failed", "skipped") else row.route
    word = _WORDS.get(row.status, row.status)
    at = f"{_PASSES.sub('', row.at)} {count} times" if count > 1 else row.at
    return f"{word:<9} {one_line(at):<24} {row.kind:<9} {one_line(what, _SHOWN_CHARS)}".rstrip()


def _way_json(bench: Bench, way: Way, cost: Cost) -> dict[str, Any]:
    found = way.rehearsed
    return {
        "chosen": dict(way.chosen),
        "assumed": list(way.assumed),
        "status": found.status,
        "failure": found.failure.message if found.failure is not None else None,
        "outputs": found.outputs,
        "steps": [
            {"at": row.at, "kind": row.kind, "status": row.status, "route": row.route, "why": row.why}
            for row in found.rows
        ],
        "calls": [
            {"at": call.at, "tool": call.tool, "effect": _effect(bench, call.tool), "args": call.args}
            for call in found.calls
        ],
        "told": list(found.told),
        "model_calls": cost.calls,
        "tokens": cost.tokens,
        "cost": cost.money,
    }


def _folded(rows: tuple[Row, ...]) -> Iterator[tuple[Row, int]]:
    """Rows with the passes of a loop that went alike put together."""
    passes = Counter(map(_alike, rows))
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        if _alike(row) not in seen:
            seen.add(_alike(row))
            yield row, passes[_alike(row)]


def _alike(row: Row) -> tuple[str, ...]:
    return _PASSES.sub("", row.at), row.status, row.route


def _effect(bench: Bench, tool: str) -> str:
    known = (bench.known.tools or {}).get(tool)
    return known.effect if known is not None else "not known here"


# -------------------------------------------------------------------------------------------------------------- shared


def _setting(bench: Bench, opened: Opened) -> Setting:
    return Setting(_finder(bench, opened), evaluate, bench.known)


def _finder(bench: Bench, opened: Opened) -> Callable[[str], Definition]:
    def find(name: str) -> Definition:
        return bench.find(opened, name)

    return find


def _pairs(flag: str, words: list[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        step, equals, value = word.partition("=")
        if not equals or not step:
            raise InvalidInput(f"{flag}: expected step=value, found {word!r}")
        yield step, value


def _json(value: str) -> Any:  # noqa: ANN401  - any JSON
    try:
        return json.loads(value)
    except ValueError:
        return value
