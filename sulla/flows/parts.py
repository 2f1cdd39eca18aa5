"""What begins and what ends a part of a flow: the facts to note. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sulla.agent.model.loop import newest_calls
from sulla.agent.model.pictures import shown_text
from sulla.agent.part import WHOLE_TURN, TurnPart
from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import FlowError
from sulla.core.event import Fact
from sulla.core.ids import CallId, MessageId, ThreadId, derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import Words
from sulla.definitions.flow_options import SubAgent, read_flow_options
from sulla.flows.branches import ANSWER, RUN_BRANCHES, given_in
from sulla.flows.conditions import ConditionRegistry, SessionContext
from sulla.flows.roles import OWN_PART, Role, roles_of
from sulla.flows.schema import AgentNode, FlowNode, OnFailure, ParallelNode, every, node_of
from sulla.flows.slice import (
    BRANCHES,
    SUMMARY,
    FlowMoved,
    FlowPart,
    FlowPartStarted,
    WalkedFlow,
    flow_of_run,
    part_of_run,
    value_of,
)
from sulla.flows.walk import Need
from sulla.models.base import ToolSpec
from sulla.threads.log.plays import Question
from sulla.threads.log.records import Reminder, TextMessageEnd, ToolCallStart
from sulla.threads.log.state import ThreadState
from sulla.tools.policy import effect_of
from sulla.tools.registry import Toolbox

DELEGATING: Final = ("fibre",)
"""The roles that have `delegate_tasks`."""
MOST_ASKED: Final = 8_000
"""Characters of the person's message that a lookup gets."""

_PART: Final = "[A part of this turn: {key}.]\n{text}"


@dataclass(frozen=True, slots=True)
class FlowCast:
    """Who and what can take part in the flows of one agent's conversations; made with the agent's graph.

    Args:
        spec: the agent.
        tools: what it may use.
        specs: gives the agents of the home as they are now.
        roles: gives the shipped roles.
        conditions: those that flows may name.
    """

    spec: AgentSpec
    tools: Toolbox
    specs: Callable[[], Sequence[AgentSpec]]
    roles: Callable[[], Mapping[str, Role]]
    conditions: ConditionRegistry

    def role(self, key: str, flow: WalkedFlow) -> Role | None:
        """The role of a key: the turn's own, or a shipped one that no agent of the home has taken the place of."""
        brought = roles_of(brought_by(flow))
        if key in brought:
            return brought[key]
        return None if self.is_agent(key) else self.roles().get(key)

    def place(self, key: str, flow: WalkedFlow) -> Role | None:
        """The role that an agent of the home takes the place of, where that gives a value: the flow waits for it."""
        role = self.roles().get(key) if self.role(key, flow) is None else None
        return role if role is not None and role.answer is not None else None

    def is_agent(self, key: str) -> bool:
        """Whether there is an agent of the home of that id."""
        return any(spec.id == key for spec in self.specs())


def brought_by(flow: WalkedFlow) -> tuple[SubAgent, ...]:
    """The agents that a turn brings along.

    Args:
        flow: its flow.
    """
    return read_flow_options({"custom_sub_agents": [dict(one) for one in flow.agents]}, turn=True).custom_sub_agents


def step(cast: FlowCast, flow: WalkedFlow, need: Need, state: ThreadState, run: Run) -> tuple[Fact, ...]:
    """What to note so that a walk gets on: a variable's value, or the beginning of a part.

    Args:
        cast: who can take part.
        flow: the flow; no part of it is under way.
        need: what it waits for.
        state: the thread.
        run: the open run.

    Raises:
        FlowError: a condition or a variable cannot be read, or an agent is gone.
    """
    match need.what:
        case "variable":
            known = None if _not_given(flow, need.name) else context_of(flow, state).variable(need.name)
            return (FlowMoved(flow.place, "variable", need.name, value_of(known)),)
        case "agent":
            role = cast.role(need.name, flow)
            if role is None and not cast.is_agent(need.name):
                raise FlowError(
                    f"the flow's agent {need.name!r} is not there any more: make it again, or mend the flow"
                )
            if role is not None and role.call:
                return _calls_for((AgentNode(need.name),), cast, flow, need, state, run)
            return _speaks(role, flow, need, state, run, cast.place(need.name, flow))
        case _:
            node = parallel_of(need)
            return _calls_for(node.branches, cast, flow, need, state, run, node.on_failure)


def _not_given(flow: WalkedFlow, name: str) -> bool:
    """Whether a variable is what a part of this flow gives that has not given anything yet: it is null then."""
    part, _, within = name.partition(".")
    if not within or part in flow.values or part in flow.context:
        return False
    return any(isinstance(node, AgentNode) and node.agent_key == part for _, node in every(node_of(flow.root)))


def looked(flow: WalkedFlow, need: Need, holds: bool) -> FlowMoved:
    """What to note where a condition was looked at.

    Args:
        flow: the flow.
        need: what the walk waits for.
        holds: whether the condition holds.
    """
    return FlowMoved(flow.place, "limit" if holds and need.last else "condition", need.name, value_of(holds))


def context_of(flow: WalkedFlow, state: ThreadState) -> SessionContext:
    """What conditions may look at.

    Args:
        flow: the flow.
        state: the thread.
    """
    return SessionContext(flow.context, flow.flags, flow.values, _answered(state), state.thread_id)


def _answered(state: ThreadState) -> bool:
    """Whether a person was told something since their message and since the last tool had a result."""
    for message in reversed(state.context.transcript):
        if message.role == "assistant" and not message.hidden:
            return not message.calls and bool(message.text.strip())
        if message.role == "user" and not message.hidden:
            return False
    return False


def _speaks(
    role: Role | None, flow: WalkedFlow, need: Need, state: ThreadState, run: Run, in_place: Role | None = None
) -> tuple[Fact, ...]:
    """An agent or a role begins to speak. An agent in the place of a role that gives a value gives it too."""
    if role is None:
        part, text = FlowPart(need.name, flow.place, need.name, in_place is None, is_role=False), OWN_PART
    else:
        part = FlowPart(need.name, flow.place, run.agent, role.shown, tools=role.tools)
        text = "\n".join((role.text, *_delegates(role, flow)))
    asked = role or in_place
    part = replace(part, on_failure="ignore") if asked is not None and asked.optional else part
    question = _question(asked) if asked is not None and asked.answer is not None else None
    reminder = MessageId(derived_id("rem", run.id, "part", str(flow.moves)))
    said = Reminder(reminder, "part", _PART.format(key=need.name, text=text))
    return FlowPartStarted(part, question), said


def summary(cast: FlowCast, flow: WalkedFlow, state: ThreadState, run: Run) -> tuple[Fact, ...]:
    """What to note where a flow is over and the person has been told nothing: a summary begins. Nothing where that is
    not so, or somebody else waits for what comes of it.

    Args:
        cast: who can take part.
        flow: the flow.
        state: the thread.
        run: the open run.
    """
    if flow.summed or state.is_child or _answered(state):
        return ()
    return _speaks(cast.role(SUMMARY, flow), flow, Need("agent", SUMMARY), state, run)


def silent(flow: WalkedFlow, state: ThreadState) -> tuple[Fact, ...]:
    """What to note where a flow is over and not even the summary has told the person anything; nothing where it has.

    Args:
        flow: the flow.
        state: the thread.
    """
    if state.is_child or _answered(state) or state.newest.outcome.status == "in_progress":
        return ()
    return (FlowMoved(flow.place, "silent"),)


def _delegates(role: Role, flow: WalkedFlow) -> Iterator[str]:
    """Whom a role can give tasks to beside those that the agent knows."""
    brought = brought_by(flow) if role.key in DELEGATING else ()
    if brought:
        yield "With `delegate_tasks` you can also have these agents work:"
    for one in brought:
        yield f"- {one.agent_key}: {' '.join(one.description.split())}"


def title_of(branch: FlowNode, at: int) -> str:
    """What a branch is called, for people.

    Args:
        branch: the branch.
        at: which one it is, from 0.
    """
    return branch.agent_key if isinstance(branch, AgentNode) else f"branch {at + 1}"


def _question(role: Role) -> Question:
    return Question(ThreadId(""), "", ANSWER, f"Gives what comes of this part: {role.description}.", role.answer or {})


def _calls_for(
    branches: Sequence[FlowNode],
    cast: FlowCast,
    flow: WalkedFlow,
    need: Need,
    state: ThreadState,
    run: Run,
    on_failure: OnFailure = "ignore",
) -> tuple[Fact, ...]:
    """Calls are made in the place of agents that ask no model, and one that has the others work side by side."""
    message_id = MessageId(derived_id("msg", run.id, "part", str(flow.moves)))
    made: list[tuple[str, JsonObject]] = []
    others: list[int] = []
    for at, branch in enumerate(branches):
        role = cast.role(branch.agent_key, flow) if isinstance(branch, AgentNode) else None
        if role is None or not role.call:
            others.append(at)
        elif _usable(cast.tools, role.call):
            made.append((role.call, {**({role.argument: _asked(state)} if role.argument else {}), **role.beside}))
    if others:
        names: list[Json] = [title_of(branches[at], at) for at in others]
        made.append((RUN_BRANCHES, {"place": flow.place, "branches": [*others], "agents": names}))
    key = need.name or BRANCHES
    if not made:  # there is nothing to look up, e.g. no memory
        return (FlowMoved(flow.place, "part", key),)
    calls = tuple(
        ToolCall(CallId(derived_id("call", message_id, str(at))), name, args) for at, (name, args) in enumerate(made)
    )
    part = FlowPart(key, flow.place, run.agent, calls=tuple(call.id for call in calls), on_failure=on_failure)
    reply = TextMessageEnd(CallId(derived_id("flow", message_id)), message_id, "", calls)
    starts = (
        ToolCallStart(call.id, call.name, call.args, message_id, effect_of(cast.tools.get(call.name), call.args))
        for call in calls
    )
    return (FlowPartStarted(part), reply, *starts)


def parallel_of(need: Need) -> ParallelNode:
    """The parallel node that a walk is at; with one branch, if it is at an agent.

    Args:
        need: what the walk waits for.
    """
    node = node_of(need.branches) if need.branches is not None else None
    return node if isinstance(node, ParallelNode) else ParallelNode([AgentNode(need.name)])


def _usable(tools: Toolbox, name: str) -> bool:
    tool = tools.get(name)
    return tool is not None and not tool.missing


def _asked(state: ThreadState) -> str:
    """The words of the person's message."""
    asked = state.run.message.id if state.run is not None else ""
    return state.context.transcript.words_of(asked)[:MOST_ASKED] or "-"


def ended(state: ThreadState) -> tuple[FlowMoved, ...]:
    """What to note where the agent of a part has had its last word; nothing where it goes on.

    Args:
        state: the thread.
    """
    part, run = part_of_run(state), state.run
    if part is None or run is None or part.calls:
        return ()
    status = state.newest.outcome.status
    if status == "failed":
        said = state.newest.outcome.status_report or state.newest.outcome.reason
        return (_came_to_nothing(part, said),)
    if status != "done" and not (status == "in_progress" and state.newest.nudged and run.model.replied):
        return ()
    if run.asked.answer is None:
        return (FlowMoved(part.place, "part", part.key),)
    value = value_of(_shown(json.loads(run.asked.answer), state), tainted=state.context.tainted)
    return (FlowMoved(part.place, "part", part.key, value),)


def _shown(value: Json, state: ThreadState) -> Json:
    """A value as people may be shown it, without pictures where nobody trusts it."""
    match value:
        case str():
            return shown_text(Words(value, state.context.by))
        case list():
            return [_shown(item, state) for item in value]
        case dict():
            return {name: _shown(item, state) for name, item in value.items()}
        case _:
            return value


def passed_over(state: ThreadState, why: str) -> tuple[FlowMoved, ...]:
    """What to note where the model of a part could not be asked; nothing where the flow needs the part.

    Args:
        state: the thread.
        why: what was in the way.
    """
    part = part_of_run(state)
    if part is None or part.calls or part.on_failure == "fail":
        return ()
    return (_came_to_nothing(part, why),)


def _came_to_nothing(part: FlowPart, why: str) -> FlowMoved:
    if part.on_failure == "fail":
        return FlowMoved(part.place, "part", part.key, failed=why)
    return FlowMoved(part.place, "part", part.key, passed=why)


def calls_over(state: ThreadState, run: Run) -> tuple[Fact, ...]:
    """What to note where the calls that were all of a part have their results; see `agent.HandOver`.

    Args:
        state: the thread.
        run: the run.
    """
    part = part_of_run(state)
    newest = newest_calls(state.context.transcript)
    if part is None or not part.calls or newest is None:
        return ()
    message, results = newest
    if tuple(call.id for call in message.calls) != part.calls:
        return ()
    names = {call.id: call.name for call in message.calls}
    failed = [one.text for one in results if one.is_error and names.get(one.call_id) == RUN_BRANCHES]
    why = failed[0] if failed and part.on_failure == "fail" else ""
    return (FlowMoved(part.place, "part", part.key, failed=why, values=given_in(message, state, run)),)


def turn_part(state: ThreadState, tells: Mapping[str, tuple[ToolSpec, ...]]) -> TurnPart:
    """Under which conditions whoever speaks does so now; see `agent.PartOf`.

    Args:
        state: the thread.
        tells: what roles are told of beside the tools of their agent, by their keys.
    """
    flow = flow_of_run(state)
    if flow is None or flow.part is None:
        return WHOLE_TURN
    part = flow.part
    own = next((one.system_prompt for one in brought_by(flow) if one.agent_key == part.key), "") if part.is_role else ""
    optional = part.on_failure == "ignore" and not part.calls  # nobody is kept waiting for what can be passed over
    return TurnPart(part.shown, part.is_role, part.tools, own, tells.get(part.key, ()), certain=optional)
