"""What the calls of a playbook mean for one that runs it as a step: which of them a person may be asked about. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sulla.playbooks.definition import Definition, PlaybookStep, Step, ToolStep, inside
from sulla.playbooks.file.check_known import KnownNames, KnownTool, WithinCalls
from sulla.playbooks.machine.data_flow import INPUTS, DataFlow


def known_with(known: KnownNames, more: Mapping[str, Definition | None]) -> KnownNames:
    """What names are held against, with more playbooks.

    Args:
        known: the same without them.
        more: each as far as it could be read; None where that is nothing.
    """
    inputs = {name: definition.inputs if definition is not None else {} for name, definition in more.items()}
    calls = {name: calls for name, calls in known.calls.items() if name not in more}
    for name in more:
        _add(name, more, known.tools or {}, calls)
    return replace(known, playbooks={**(known.playbooks or {}), **inputs}, calls=calls)


def _add(
    name: str,
    more: Mapping[str, Definition | None],
    tools: Mapping[str, KnownTool],
    calls: dict[str, WithinCalls],
) -> None:
    """Put in what one playbook calls, and before it what those within it do."""
    definition = more.get(name)
    if name in calls or definition is None:
        return
    calls[name] = WithinCalls()  # one that is within itself is refused elsewhere
    steps = tuple(every_step(definition.all_steps))
    for step in steps:
        if isinstance(step.does, PlaybookStep):
            _add(step.does.playbook, more, tools, calls)
    try:
        calls[name] = _calls(definition, steps, tools, calls)
    except Exception:  # noqa: BLE001 - an unchecked file: it has faults, of which its own check tells
        return


def _calls(
    definition: Definition, steps: tuple[Step, ...], tools: Mapping[str, KnownTool], calls: Mapping[str, WithinCalls]
) -> WithinCalls:
    flow, found = DataFlow(definition), WithinCalls()
    for step in steps:
        does = step.does
        given = INPUTS in flow.into(step.id)
        if isinstance(does, PlaybookStep):
            inner = calls.get(does.playbook, WithinCalls())
        elif isinstance(does, ToolStep) and (tool := tools.get(does.tool)) is not None:
            out = does.tool if tool.reach == "outward" else ""
            changes = out if tool.effect_with(does.args) != "pure" else ""
            inner = WithinCalls(changes, "" if changes else out, foreign=tool.foreign)
        else:
            continue
        found = WithinCalls(
            found.changes or inner.changes,
            found.reads or (inner.reads if given else ""),
            foreign=found.foreign or inner.foreign,
        )
    return found


def every_step(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Steps, and those within them, as they are written."""
    for step in steps:
        yield step
        yield from every_step(inside(step))
