"""What a flow would do, without doing it: every way that it can go, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson
from sulla.flows.conditions import SessionContext
from sulla.flows.parts import title_of
from sulla.flows.roles import Role
from sulla.flows.schema import AgentFlow, AgentNode, FlowNode, IfNode, LoopNode, ParallelNode, SequenceNode, SwitchNode
from sulla.flows.walk import case_of

_KNOWN = {"is_deep_thinking": "deep_thinking", "enable_plan": "plan", "enable_more_suggest": "more_suggest"}
"""Conditions that the turn's own flags decide, so that the way is known before it begins."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Tells what a flow would do.

    Args:
        agents: the agents of the home.
        roles: the shipped roles.
        context: what is known of the turn beforehand.
    """

    agents: Collection[str]
    roles: Mapping[str, Role]
    context: SessionContext
    branch: bool = False
    """Whether what it tells of is a branch: people see nothing of that in the conversation."""

    def lines(self, flow: AgentFlow) -> Iterator[str]:
        """One line for each part and each way, indented by what it belongs to.

        Args:
            flow: the flow.
        """
        yield f"flow {flow.name}"
        yield from self._node(flow.root, "  ")

    def _node(self, node: FlowNode, indent: str) -> Iterator[str]:
        deeper = f"{indent}  "
        match node:
            case AgentNode():
                yield f"{indent}{node.agent_key}: {self._agent(node.agent_key)}"
            case SequenceNode():
                for step in node.steps:
                    yield from self._node(step, indent)
            case ParallelNode():
                yield (
                    f"{indent}at once, {node.max_concurrency} at most, each in a run of its own; what is said there "
                    f"is told to who comes next; if one fails: {node.on_failure}"
                )
                for at, branch in enumerate(node.branches):
                    alone = isinstance(branch, AgentNode)
                    order = ", one after the other" if isinstance(branch, SequenceNode) else ""
                    yield from () if alone else (f"{deeper}{title_of(branch, at)}{order}:",)
                    yield from replace(self, branch=True)._node(branch, deeper if alone else f"{deeper}  ")
            case LoopNode():
                yield f"{indent}as long as {node.condition}, {node.max_loops} times at most"
                yield from self._node(node.body, deeper)
            case IfNode():
                yield from self._if(node, indent)
            case SwitchNode():
                yield from self._switch(node, indent)

    def _if(self, node: IfNode, indent: str) -> Iterator[str]:
        holds = None
        if (flag := _KNOWN.get(node.condition)) is not None:
            holds = self.context.flags.get(flag) is True
        for said, body in ((True, node.true_body), (False, node.false_body)):
            if body is not None and holds in (None, said):
                yield f"{indent}if {'' if said else 'not '}{node.condition}" + (": so it is" if holds == said else "")
                yield from self._node(body, f"{indent}  ")

    def _switch(self, node: SwitchNode, indent: str) -> Iterator[str]:
        known: FrozenJson = {**self.context.flags, **self.context.system_context}
        value = known.get(node.variable)
        ways: dict[str, FlowNode | None] = {**node.cases, "anything else": node.default}
        if node.variable in known:
            chosen = case_of(value) or ""
            known_way = chosen in node.cases
            ways = {chosen: node.cases[chosen]} if known_way else {"anything else": node.default}
        for said, body in ways.items():
            yield f"{indent}{node.variable} is {said}" + (": nothing is done" if body is None else "")
            if body is not None:
                yield from self._node(body, f"{indent}  ")

    def _agent(self, key: str) -> str:
        shipped = self.roles.get(key)
        role = None if key in self.agents else shipped
        if role is None and (shipped is None or shipped.answer is None):
            return "an agent of the home" if self.branch else "an agent of the home; people see what it says"
        if role is None:
            return "an agent of the home in the place of a role (gives a value)"
        if role.call:
            return f"{role.description} (calls {role.call})"
        seen = ["gives a value"] if role.answer is not None else []
        if not seen and not (self.branch and role.shown):
            seen = ["people see it" if role.shown else "people do not see it"]
        told = "; ".join((*seen, *([] if role.tools is None else ["no tools"])))
        return f"{role.description} ({told})" if told else role.description
