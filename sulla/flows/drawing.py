"""A flow as a drawing, in Mermaid's words (https://mermaid.js.org/syntax/flowchart.html). Pure."""

from __future__ import annotations

from itertools import count

from sulla.flows.schema import AgentFlow, AgentNode, FlowNode, IfNode, LoopNode, ParallelNode, SequenceNode, SwitchNode
from sulla.flows.slice import SUMMARY

_Ends = list[tuple[str, str]]
"""Where something comes from: a box, and what the arrow says."""


def mermaid(flow: AgentFlow) -> str:
    """A flowchart: a box for each agent, a diamond for each condition and variable, an arrow for each way.

    Args:
        flow: the flow.
    """
    drawing = _Drawing()
    ends = drawing.draw(flow.root, [(drawing.box('(["', "begins", '"])'), "")])
    told = drawing.box('{"', "was the person told anything?", '"}')
    drawing.join(ends, told)
    summary = drawing.draw(AgentNode(SUMMARY), [(told, "no")])
    drawing.join([(told, "yes"), *summary], drawing.box('(["', "done", '"])'))
    return "\n".join(("flowchart TD", *(f"  {line}" for line in drawing.lines))) + "\n"


class _Drawing:
    """Collects the lines of one drawing."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers = count(1)

    def box(self, left: str, text: str, right: str) -> str:
        """A new box; its name."""
        name = f"n{next(self._numbers)}"
        self.lines.append(f"{name}{left}{text.replace(chr(34), '#quot;')}{right}")
        return name

    def join(self, ends: _Ends, to: str) -> None:
        """Arrows from all that ends here to a box."""
        for name, says in ends:
            arrow = f"-->|{says}|" if says else "-->"
            self.lines.append(f"{name} {arrow} {to}")

    def draw(self, node: FlowNode, ends: _Ends) -> _Ends:
        """Draw a node behind what ends before it; what ends behind it."""
        match node:
            case AgentNode():
                box = self.box('["', node.agent_key, '"]')
                self.join(ends, box)
                return [(box, "")]
            case SequenceNode():
                for step in node.steps:
                    ends = self.draw(step, ends)
                return ends
            case ParallelNode():
                fork = self.box('{{"', f"{len(node.branches)} at once, {node.max_concurrency} at most", '"}}')
                self.join(ends, fork)
                return [end for branch in node.branches for end in self.draw(branch, [(fork, "")])]
            case LoopNode():
                box = self.box('{"', f"{node.condition}?", '"}')
                self.join(ends, box)
                self.join(self.draw(node.body, [(box, "yes")]), box)
                return [(box, f"no, or {node.max_loops} times")]
            case IfNode():
                box = self.box('{"', f"{node.condition}?", '"}')
                self.join(ends, box)
                return self._ways(box, {"yes": node.true_body, "no": node.false_body})
            case SwitchNode():
                box = self.box('{"', node.variable, '"}')
                self.join(ends, box)
                return self._ways(box, {**node.cases, "else": node.default})

    def _ways(self, box: str, ways: dict[str, FlowNode | None]) -> _Ends:
        found: _Ends = []
        for says, body in ways.items():
            found += self.draw(body, [(box, says)]) if body is not None else [(box, says)]
        return found
