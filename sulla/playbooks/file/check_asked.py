"""Before which calls of a playbook a person is asked, as far as its file can tell. Pure.

`tools/policy.py` decides when a call is made; this says beforehand what it will say, so that what runs at night does
not wait for a yes that nobody gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from sulla.agent.subagents.reports import COMMAND
from sulla.playbooks.definition import AgentStep, Definition, PlaybookStep, ToolStep
from sulla.playbooks.file.check_changed import changed, runs
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_known import KnownNames, WithinCalls
from sulla.playbooks.file.check_within import every_step
from sulla.playbooks.file.read_sketch import StepAt
from sulla.playbooks.machine.data_flow import PAYLOAD, DataFlow, reached_by

_UNATTENDED: Final = ("schedule", "webhook", "event", "heartbeat")
"""Triggers behind which nobody stands."""
_FROM_OUTSIDE: Final = ("webhook", "event")
"""Those whose payload somebody outside may have written."""
_ANY_FILE: Final = (
    "as soon as anything from outside lies in the workspace, what a command came to counts as from outside, for it may "
    "have read that"
)


def questions(definition: Definition, steps: Mapping[str, StepAt], known: KnownNames) -> Iterator[PlaybookFault]:
    """What is told of each call before which a person is, or may be, asked.

    Args:
        definition: a playbook without errors.
        steps: where its steps stand.
        known: the tools that there are.
    """
    tools = known.tools or {}
    alone = [trigger.kind for trigger in definition.on if trigger.kind in _UNATTENDED]
    flow = DataFlow(definition)
    surely = _outside(definition, {step: at.does for step, at in steps.items()}, known)
    maybe = {step for step, at in steps.items() if _may_read(at.does, known)}
    commands = {step for step, at in steps.items() if isinstance(at.does, ToolStep) and at.does.tool == COMMAND}
    for step, at in steps.items():
        does = at.does
        if isinstance(does, PlaybookStep):
            found, given = (reached_by(names, surely) for names in (flow.behind(step), flow.into(step)))
            yield from _within(at, does.playbook, found, given, alone, known)
        if isinstance(does, ToolStep) and (name := changed(does)):
            brought = frozenset(surely & {PAYLOAD})
            if found := brought or reached_by(flow.behind(step), surely):
                yield (
                    _given_up(at, name, _named(found))
                    if does.tool == COMMAND
                    else _told(at, "is", _obeyed(found, name))
                )
        tool = tools.get(does.tool) if isinstance(does, ToolStep) else None
        if tool is None or tool.reach != "outward" or not isinstance(does, ToolStep):
            continue
        into = flow.into(step)
        changes = tool.effect_with(does.args) != "pure"
        if changes and alone:
            yield _told(at, "is", f"nobody is there who started it by {alone[0]!r}, and it takes effect outside")
        elif changes and (found := reached_by(flow.behind(step), surely)):
            yield _told(at, "is", f"{_named(found, step)} came from outside, and it takes effect outside")
        elif found := reached_by(into, surely):
            yield _told(at, "is", f"{_named(found, step)} came from outside and flows into its arguments")
        elif why := _possibly(into, maybe if alone else set(), commands):
            yield _told(at, "may be", why)


def _possibly(into: Set[str], agents: set[str], commands: set[str]) -> str:
    """Why a person may be asked before a call of what flows into it, as only the run can tell; empty for no reason."""
    if found := reached_by(into, agents):
        return f"{_named(found)} flows into its arguments, and may have read something outside"
    found = reached_by(into, commands)
    return f"{_named(found)} flows into its arguments, and {_ANY_FILE}" if found else ""


def question_before(definition: Definition, step: str, path: str, known: KnownNames) -> str:
    """Why a person is asked before a step writes a file, where its name is known; empty where nobody is.

    Args:
        definition: a playbook without errors.
        step: one of its steps, by id.
        path: of the file.
        known: the tools that there are.
    """
    if not runs(path):
        return ""
    surely = _outside(definition, {one.id: one.does for one in every_step(definition.all_steps)}, known)
    found = frozenset(surely & {PAYLOAD}) or reached_by(DataFlow(definition).behind(step), surely)
    return _obeyed(found, path) if found else ""


def _outside(definition: Definition, steps: Mapping[str, object], known: KnownNames) -> set[str]:
    """What surely is from outside: steps by their ids, and `PAYLOAD`."""
    found = {PAYLOAD} if any(trigger.kind in _FROM_OUTSIDE for trigger in definition.on) else set[str]()
    return found | {step for step, does in steps.items() if _reads(does, known)}


def _obeyed(found: frozenset[str], name: str) -> str:
    return f"{_named(found)} came from outside, and programs run or obey {name!r}"


def _within(
    at: StepAt, name: str, found: frozenset[str], given: frozenset[str], alone: Sequence[str], known: KnownNames
) -> Iterator[PlaybookFault]:
    """What is told of the calls of a playbook that is a step: behind `found`, and with `given` among its inputs."""
    calls = known.calls.get(name, WithinCalls())
    if calls.changes and alone:
        why = f"nobody is there who started it by {alone[0]!r}, and it takes effect outside"
        yield _told(at, "is", why, calls.changes)
    elif calls.changes and found:
        yield _told(at, "is", f"{_named(found, at.id)} came from outside, and it takes effect outside", calls.changes)
    elif calls.reads and given:
        why = f"{_named(given, at.id)} came from outside, and inputs flow into its arguments"
        yield _told(at, "is", why, calls.reads)


def _reads(does: object, known: KnownNames) -> bool:
    """Whether what a step comes to is from outside."""
    if isinstance(does, PlaybookStep):
        return known.calls.get(does.playbook, WithinCalls()).foreign
    tools = known.tools or {}
    return isinstance(does, ToolStep) and does.tool in tools and tools[does.tool].foreign


def _may_read(does: object, known: KnownNames) -> bool:
    """Whether an agent can read anything from outside."""
    if not isinstance(does, AgentStep):
        return False
    tools = known.tools or {}
    names = does.tools if does.tools is not None else tuple(tools)
    return any("*" in name or known.is_elsewhere(name) or (name in tools and tools[name].foreign) for name in names)


def _named(found: frozenset[str], step: str = "") -> str:
    said = {PAYLOAD: "what starts it", step: f"what {step!r} came to in a pass before"}
    return " and ".join(said.get(name, repr(name)) for name in sorted(found)[:3])


def _given_up(at: StepAt, name: str, whose: str) -> PlaybookFault:
    said = (
        f"{whose} came from outside, and programs run or obey {name!r}: all that this command changes is given up, "
        "and the step fails. Have it in a playbook of its own, or write the file with 'write_file', which asks"
    )
    return PlaybookFault(*at.keys["tool"][1].place[:2], "given-up", said)


def _told(at: StepAt, how: str, why: str, tool: str = "") -> PlaybookFault:
    does = at.does
    key, within = ("playbook", f" within {does.playbook!r}") if isinstance(does, PlaybookStep) else ("tool", "")
    line, column = at.keys[key][1].place[:2]
    name = does.tool if isinstance(does, ToolStep) else tool
    return PlaybookFault(line, column, "asked", f"a person {how} asked here, before {name!r} is called{within}: {why}")
