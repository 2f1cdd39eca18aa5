"""What came of trying a playbook out, as the command line and clients are told it. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol

from sulla.agent.subagents.reports import WRITERS
from sulla.core.dataclass import dataclass
from sulla.models.tokens.estimate import estimate_text
from sulla.playbooks.definition import Definition
from sulla.playbooks.file.check_asked import question_before
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.check_within import every_step
from sulla.playbooks.rehearsal.base import Rehearsed, RehearsedCall
from sulla.playbooks.rehearsal.cases_judge import CaseVerdict
from sulla.playbooks.rehearsal.dry import Way
from sulla.playbooks.rehearsal.placeholders import holds_guess
from sulla.playbooks.rehearsal.rows import CaseRow, MissRow, WayCallRow, WayRow, WayStepRow


class ReadingPrices(Protocol):
    """What it costs that models read something."""

    @property
    def prompt_tokens(self) -> int:
        """How much the home's own agent is told before anything else, its tools included; an estimate."""

    def reading_cost(self, tokens: int) -> float | None:
        """What it costs that the home's model reads so many tokens, in the unit of `[prices]`; None if unpriced."""


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate of what models are told; what they write comes on top."""

    calls: int
    tokens: int
    money: float | None
    """In the unit of `[prices]`; None where the model is unpriced."""

    @property
    def told(self) -> str:
        """For people."""
        if not self.calls:
            return "no model is asked"
        money = f", {self.money:.4f} by [prices]" if self.money is not None else ""
        times = "call" if self.calls == 1 else "calls"
        return f"{self.calls} model {times} at the least, about {self.tokens:,} tokens to read{money}"


def case_row(playbook: str, file: str, verdict: CaseVerdict) -> CaseRow:
    """A test as it is told.

    Args:
        playbook: the name of what was tested.
        file: where its tests are, as people are told it.
        verdict: how it went.
    """
    case, rehearsed = verdict.case, verdict.rehearsed
    took_ms = rehearsed.took_ms if rehearsed is not None else None
    misses = tuple(MissRow(miss.line, miss.column, miss.message) for miss in verdict.misses)
    return CaseRow(playbook, case.name, not misses, file, case.line, misses, took_ms)


def way_row(way: Way, definition: Definition, known: KnownNames, cost: Cost) -> WayRow:
    """A way as it is told.

    Args:
        way: how it went.
        definition: the playbook.
        known: the tools that there are.
        cost: what its models would read.
    """
    found = way.rehearsed
    return WayRow(
        chosen=dict(way.chosen),
        assumed=way.assumed,
        asked=asked_told(way, definition, known),
        status=found.status,
        failure=found.failure.message if found.failure is not None else None,
        outputs=dict(found.outputs),
        steps=tuple(WayStepRow(row.at, row.kind, row.status, row.route, row.why) for row in found.rows),
        calls=tuple(_call_row(call, known) for call in found.calls),
        told=found.told,
        model_calls=cost.calls,
        tokens=cost.tokens,
        cost=cost.money,
    )


def _call_row(call: RehearsedCall, known: KnownNames) -> WayCallRow:
    return WayCallRow(call.at, call.tool, effect_told(call, known), dict(call.args), refusal_told(call, known))


def case_json(row: CaseRow) -> dict[str, Any]:
    """A test as `sulla flow test --json` prints it: what is not known is left out."""
    return {name: value for name, value in asdict(row).items() if value is not None}


def way_json(row: WayRow) -> dict[str, Any]:
    """A way as `sulla flow dry-run --json` prints it: a call that is not refused says nothing of that."""
    calls = [{name: value for name, value in asdict(call).items() if name != "refused" or value} for call in row.calls]
    return {**asdict(row), "calls": calls}


def effect_told(call: RehearsedCall, known: KnownNames) -> str:
    """The effect of a call that would be made.

    Args:
        call: it.
        known: the tools that there are.
    """
    tool = (known.tools or {}).get(call.tool)
    return tool.effect_with(call.args) if tool is not None else "not known here"


def refusal_told(call: RehearsedCall, known: KnownNames) -> str:
    """Why a home would refuse a call; empty if it would not, or nobody can know.

    Args:
        call: it.
        known: the tools that there are.
    """
    tool = (known.tools or {}).get(call.tool)
    if tool is None or tool.refuses is None or holds_guess(call.args.get("url")):
        return ""  # nobody knows the address
    return tool.refuses(call.args)


def asked_told(way: Way, definition: Definition, known: KnownNames) -> tuple[str, ...]:
    """Before which calls a person is asked that write a file which programs run, where its name is known by now.

    Args:
        way: how it went.
        definition: the playbook; of those within it their own checks tell.
        known: the tools that there are.
    """
    found = dict[str, None]()
    steps = {step.id for step in every_step(definition.all_steps)}
    for call in way.rehearsed.calls:
        path = call.args.get("path") if call.tool in WRITERS and call.place in steps else None
        if isinstance(path, str) and not holds_guess(path):
            why = question_before(definition, call.place, path, known)
            found |= (
                {f"a person is asked at {call.place!r}, before {call.tool!r} is called: {why}": None} if why else {}
            )
    return tuple(found)


def cost_of(prices: ReadingPrices, found: Rehearsed) -> Cost:
    """What the models of a rehearsal would be told, at the least: how often an agent asks nobody knows.

    Args:
        prices: the home's.
        found: how it went.
    """
    tokens = sum(estimate_text(model.text) for model in found.models)
    if agents := sum(model.what != "choose" for model in found.models):
        tokens += agents * prices.prompt_tokens
    return Cost(len(found.models), tokens, prices.reading_cost(tokens))
