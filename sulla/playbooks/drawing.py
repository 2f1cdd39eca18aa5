"""A playbook as a drawing, in Mermaid's words (https://mermaid.js.org/syntax/flowchart.html). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sulla.core.cut import cut
from sulla.playbooks.definition import (
    AgentStep,
    Definition,
    LoopStep,
    MergeStep,
    Need,
    ParallelStep,
    PlaybookStep,
    Step,
    ToolStep,
    TransferStep,
)
from sulla.playbooks.rehearsal.base import kind_of_step

_SHAPES: Final[Mapping[str, tuple[str, str]]] = {
    "router": ('{"', '"}'),
    "condition": ('{"', '"}'),
    "human": ('[/"', '"/]'),
    "wait": ('(["', '"])'),
    "merge": ('(("', '"))'),
    "playbook": ('[["', '"]]'),
    "transfer": ('>"', '"]'),
    "respond": ('("', '")'),
    "prompt": ('("', '")'),
    "break": ('(("', '"))'),
}
_BOX: Final = ('["', '"]')
_MOST: Final = 60
_INDENT: Final = "  "


def mermaid(definition: Definition) -> str:
    """A flowchart: a box for each step, an arrow for each need, a frame for each loop and each branch."""
    lines = ["flowchart TD", *_block(definition.steps, _INDENT)]
    for name, steps in (("on_error", definition.on_error), ("finally", definition.finally_)):
        if steps:
            lines += [f'{_INDENT}subgraph {_node(f"{name}.")}["{name}"]', *_block(steps, 2 * _INDENT), f"{_INDENT}end"]
    return "\n".join(lines) + "\n"


def _block(steps: Sequence[Step], indent: str) -> Iterator[str]:
    for step in steps:
        yield from _step(step, indent)
    for step in steps:
        for need in step.needs:
            yield f"{indent}{_node(need.step)} {_arrow(need)} {_node(step.id)}"


def _step(step: Step, indent: str) -> Iterator[str]:
    match step.does:
        case LoopStep():
            yield f'{indent}subgraph {_node(step.id)}["{_text(f"{step.id}: {_loop(step.does)}")}"]'
            yield from _block(step.does.body, indent + _INDENT)
            yield f"{indent}end"
        case ParallelStep(branches):
            yield f'{indent}subgraph {_node(step.id)}["{_text(f"{step.id}: side by side")}"]'
            for name, branch in branches.items():
                yield f'{indent}{_INDENT}subgraph {_node(f"{step.id}.{name}")}["{_text(name)}"]'
                yield from _block(branch, indent + 2 * _INDENT)
                yield f"{indent}{_INDENT}end"
            yield f"{indent}end"
        case _:
            opens, closes = _SHAPES.get(kind_of_step(step), _BOX)
            yield f"{indent}{_node(step.id)}{opens}{_text(_label(step))}{closes}"


def _label(step: Step) -> str:
    kind = kind_of_step(step)
    match step.does:
        case AgentStep(agent=agent):
            kind = f"agent {agent}".strip()
        case ToolStep(tool):
            kind = f"tool {tool}"
        case PlaybookStep(name) | TransferStep(name):
            kind = f"{kind} {name}"
        case MergeStep(need):
            kind = f"merge {need}"
    return f"{step.title or step.id}<br/>{kind}"


def _loop(does: LoopStep) -> str:
    if does.for_each is not None:
        return f"for each {does.name} of {does.for_each.source}"
    if does.entries is not None:
        return f"for each {does.name} of {len(does.entries)}"
    if does.matrix is not None:
        return f"for each {does.name} of {' and '.join(does.matrix)}"
    if does.while_ is not None:
        return f"while {does.while_.source}"
    return f"{does.count.source if does.count is not None else ''} times"


def _arrow(need: Need) -> str:
    word = need.route or ("" if need.on == "success" else need.on)
    line = "-.->" if need.on != "success" else "-->"
    return f'{line}|"{_text(word)}"|' if word else line


def _node(name: str) -> str:
    """Ids with a letter before them: a step may be called as a word of Mermaid, such as ``end``."""
    return "s_" + "".join(letter if letter.isalnum() or letter == "_" else f"_{ord(letter):x}_" for letter in name)


def _text(text: str) -> str:
    """What cannot end the quotes that it stands in, and is no mark-up but for line breaks."""
    head, mark, tail = text.partition("<br/>")
    parts = []
    for part in (head, tail):
        line = " ".join(part.split())
        line = cut(line, _MOST)
        parts.append(line.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;"))
    return mark.join(parts)
