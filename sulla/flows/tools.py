"""The tools by which branches of a flow, and tasks that are delegated, become runs of their own (seed 002 §1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from sulla.agent.spec import AgentSpec
from sulla.agent.subagents.children import Children, ChildTask
from sulla.agent.subagents.reports import ChildFinding, finding_of, tell
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, NotFound
from sulla.core.ids import OF_A_FLOW, derived_id
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.message import Message, Text
from sulla.core.words import Words, agent, joined, ours, worst
from sulla.definitions.flow_options import FlowOptions, SubAgent, options_to_json
from sulla.flows.branches import RUN_BRANCHES, branch_id
from sulla.flows.parts import DELEGATING, brought_by, parallel_of, title_of
from sulla.flows.roles import Role
from sulla.flows.schema import AgentFlow, AgentNode, FlowNode, node_to_json
from sulla.flows.slice import WalkedFlow, flow_of_run
from sulla.threads.log.family import child_thread, wait_of
from sulla.threads.log.quoted import QUOTED
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.nearest import did_you_mean

DELEGATE: Final = "delegate_tasks"
MOST_TASKS: Final = 16
"""Tasks of one call."""
MOST_AT_ONCE: Final = 5
"""Of them that are at work at once."""
TASK_CHARS: Final = 32_000
TOLD_CHARS: Final = 24_000
"""Of what was said so far, told to a branch or to a task that goes on with an earlier one (Sage's figure)."""

_TASK: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "agent_id": {"type": "string", "description": "Who does it; one like yourself where it is empty."},
        "task_name": {"type": "string", "minLength": 1, "maxLength": 100, "description": "In a few words."},
        "original_task": {
            "type": "string",
            "maxLength": TASK_CHARS,
            "description": "What the person asked, as far as it matters for this.",
        },
        "content": {
            "type": "string",
            "minLength": 1,
            "maxLength": TASK_CHARS,
            "description": "What to do, what to give back, and all that has to be known for it.",
        },
        "session_id": {"type": "string", "description": "Of an earlier task that this one goes on with."},
    },
    "required": ["task_name", "content"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class FlowTools:
    """The functions of the tools. One for all agents of a daemon."""

    children: Children
    threads: ThreadStore
    specs: Callable[[], Sequence[AgentSpec]]
    roles: Callable[[], Mapping[str, Role]]

    def made(self) -> tuple[Tool, ...]:
        """The tools: one that only walks call, one that is told in parts that delegate."""
        make = partial(Tool, category="sub-agents", effect="idempotent", reach="inward", timeout_s=30.0, told=False)
        branches: JsonObject = {
            "type": "object",
            "properties": {
                "place": {"type": "string"},
                "branches": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
                "agents": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["place", "branches"],
            "additionalProperties": False,
        }
        tasks: JsonObject = {
            "type": "object",
            "properties": {"tasks": {"type": "array", "items": _TASK, "minItems": 1, "maxItems": MOST_TASKS}},
            "required": ["tasks"],
            "additionalProperties": False,
        }
        said = (
            "Have other agents do several tasks side by side, and get what each came to. All tasks are looked at "
            "before any begins. Each agent knows nothing but its task."
        )
        return (
            make(RUN_BRANCHES, "Has the branches of a flow work side by side.", branches, self.run_branches),
            make(DELEGATE, said, tasks, self.delegate_tasks),
        )

    async def run_branches(self, args: FrozenJson, context: ToolContext) -> Result:
        """Have the branches work that the flow of the turn is at."""
        parent = await self._parent(context)
        flow = flow_of_run(parent)
        need = flow.need if flow is not None else None
        if flow is None or flow.part is None or need is None or context.call_id not in flow.part.calls:
            return Done(ours("Only the flow of a turn has its branches work."), is_error=True)
        node = parallel_of(need)
        asked = await self._told(parent)
        chosen: Any = args["branches"]
        known = {spec.id: self.roles().get(spec.id) for spec in self.specs()}
        tasks = [
            _branch(flow, node.branches[at], context, at, asked, known) for at in chosen if 0 <= at < len(node.branches)
        ]
        return await self._work(tasks, parent, node.max_concurrency, node.on_failure)

    async def delegate_tasks(self, args: FrozenJson, context: ToolContext) -> Result:
        """Have others do tasks side by side; all are looked at before any begins."""
        parent = await self._parent(context)
        flow = flow_of_run(parent)
        if flow is None or flow.part is None or flow.part.key not in DELEGATING:
            return Done(ours(f"There is no tool {DELEGATE!r} here."), is_error=True)
        brought = {one.agent_key: one for one in (brought_by(flow) if flow is not None else ())}
        wanted: Any = args["tasks"]
        own = next((one for one in self.specs() if one.id == context.agent), None)
        known = (context.agent, *brought, *(own.spawns if own is not None else ()))
        wrong = [
            f"Task {at} ({one['task_name']}): there is no agent {one['agent_id']!r} here."
            f"{did_you_mean(one['agent_id'], known)}"
            for at, one in enumerate(wanted, 1)
            if one.get("agent_id") and one["agent_id"] not in known
        ]
        earlier = {one["session_id"]: await self._earlier(one, parent) for one in wanted if one.get("session_id")}
        wrong += [
            f"There is no earlier task {name!r} of this conversation." for name, told in earlier.items() if not told
        ]
        if wrong:
            said = f"Nobody was set to work. {' '.join(wrong)} Known: {', '.join(known)}."
            return Done(ours(said), is_error=True)
        tasks = [
            _delegated(one, at, brought, context, earlier.get(one.get("session_id", "")))
            for at, one in enumerate(wanted)
        ]
        return await self._work(tasks, parent, MOST_AT_ONCE, "collect")

    async def _work(self, tasks: Sequence[ChildTask], parent: ThreadState, most: int, on_failure: str) -> Result:
        """Set those to work that are not, as many as may be at once; what they came to once all have reported."""
        found = {task.id: finding_of(parent, task.id) for task in tasks}
        failed = next((one for one in found.values() if one is not None and not one.good), None)
        missing = [task for task in tasks if found[task.id] is None]
        if failed is not None and on_failure == "fail":
            for task in missing:
                if task.id in parent.links.children:
                    await self.children.cancel(task.id)
            title = next(task.title for task in tasks if task.id == failed.id)
            return Done(
                Words(tell(failed, f"the branch {title!r}"), agent(tainted=failed.report.tainted)), True, "child"
            )
        under_way = list[ChildTask]()
        new = [task.id for task in missing[:most] if task.id not in parent.links.children]
        for task in missing[:most]:
            try:
                # Equal shares of what was left before, and one that is left for those that come after them.
                await self.children.start(replace(task, part=len(new) + 1), parent)
            except LimitReached as limit:
                if under_way:  # what those leave may be enough for it
                    break
                return self._cut_short(limit.message, found, tasks)
            under_way.append(task)
        if under_way:
            first, *others = under_way
            names = ", ".join(task.title for task in under_way)
            return Waiting(wait_of(first.id), f"waits for {names}", tuple(wait_of(task.id) for task in others))
        findings = [one for one in found.values() if one is not None and (one.good or on_failure != "ignore")]
        return _told(findings, {task.id: task.title for task in tasks})

    def _cut_short(self, why: str, found: Mapping[str, ChildFinding | None], tasks: Sequence[ChildTask]) -> Result:
        """A limit keeps the rest from beginning: what the others came to is told all the same."""
        done = [one for one in found.values() if one is not None]
        left = ", ".join(task.title for task in tasks if found[task.id] is None)
        told = _told(done, {task.id: task.title for task in tasks}).words
        return Done(joined([ours(f"Not begun: {left}, because {why}"), told], "\n\n"), True, "child")

    async def _parent(self, context: ToolContext) -> ThreadState:
        state = await self.threads.load(context.thread_id, messages=False)
        if state is None or state.run is None:
            raise NotFound(f"{context.thread_id}: its run is over")
        return state

    async def _told(self, parent: ThreadState) -> Words:
        """What a branch is told: what the person asked, and what was said since."""
        state = await self.threads.load(parent.thread_id)
        messages = list(state.context.transcript) if state is not None else []
        asked = parent.run.message.id if parent.run is not None else ""
        at = next((at for at, one in enumerate(messages) if one.id == asked), 0)
        said = [text for message in messages[at:] if (text := _words(message)).strip()]
        return Words(_cut("\n\n".join(said)), parent.context.by)

    async def _earlier(self, task: Mapping[str, str], parent: ThreadState) -> Words | None:
        """What was said in an earlier task of this conversation; None where there is none."""
        state = await self.threads.load(child_thread(task["session_id"]))
        birth = state.identity.birth if state is not None else None
        if state is None or birth is None or birth.parent != parent.thread_id:
            return None
        messages = list(state.context.transcript)
        said = [f"{one.role}: {text}" for one in messages if (text := _words(one)).strip()]
        return Words(_cut("\n\n".join(said)), state.context.by)


def _branch(
    flow: WalkedFlow, node: FlowNode, context: ToolContext, at: int, asked: Words, known: Mapping[str, Role | None]
) -> ChildTask:
    """A branch as a run of its own: of an agent of the home, or of the same agent, which walks what is below it. So
    does an agent in the place of a role that gives a value: in a flow it gives one."""
    title = title_of(node, at)
    child = branch_id(context.run_id, context.call_id, at)
    own = isinstance(node, AgentNode) and title in known and all(title != one.agent_key for one in brought_by(flow))
    if own and ((place := known[title]) is None or place.answer is None):
        return ChildTask(child, title, asked, "call", title, context.project)
    options = FlowOptions(
        custom_flow=AgentFlow(f"{flow.name}: {title}", node).to_json(),
        custom_sub_agents=brought_by(flow),
        system_context=flow.context,
        deep_thinking=flow.flags.get("deep_thinking") is True,
        plan=flow.flags.get("plan") is True,
        more_suggest=flow.flags.get("more_suggest") is True,
    )
    agent_id, flow_json = title if own else context.agent, options_to_json(options)
    alone = isinstance(node, AgentNode) and any(title == one.agent_key for one in brought_by(flow))
    return ChildTask(child, agent_id, asked, "call", title, context.project, flow=flow_json, memory=not alone)


def _delegated(
    task: Mapping[str, str], at: int, brought: Mapping[str, SubAgent], context: ToolContext, earlier: Words | None
) -> ChildTask:
    name = task.get("agent_id") or context.agent
    by = context.by
    parts = [Words(f"{label}:\n{task[key]}", by) for key, label in _LABELS if task.get(key)]
    if earlier is not None:
        parts.insert(0, replace(earlier, text=f"What you said and did before, for an earlier task:\n{earlier.text}"))
    child = ChildTask(
        derived_id(OF_A_FLOW, context.run_id, context.call_id, str(at)),
        name,
        joined(parts, "\n\n"),
        "call",
        task["task_name"],
        context.project,
    )
    if (own := brought.get(name)) is None:
        return child
    root = node_to_json(AgentNode(name))
    options = FlowOptions(custom_flow={"name": name, "root": root}, custom_sub_agents=(own,))
    flow = options_to_json(options)
    return replace(child, agent=context.agent, tools=own.available_tools, flow=flow, memory=False)


_LABELS: Final = (("original_task", "What the person asked"), ("content", "Your task"))


def _told(findings: Iterable[ChildFinding], titles: Mapping[str, str]) -> Done:
    found = list(findings)
    text = "\n\n".join(_blocks(found, titles)) or "No branch came to anything."
    return Done(Words(text, worst([agent(tainted=one.report.tainted) for one in found])), origin="child")


def _words(message: Message) -> str:
    """What was said in a message: without what the daemon puts beside it, and without its notes."""
    if message.role == "assistant":
        return message.text
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    if message.role != "user" or message.hidden or not texts:
        return ""
    return "\n\n".join((texts[0], *(text for text in texts[1:] if text.startswith(QUOTED))))


def _blocks(findings: Iterable[ChildFinding], titles: Mapping[str, str]) -> Iterator[str]:
    for one in findings:
        yield f"[{titles.get(one.id, 'a branch')}; session_id {one.id}]\n{tell(one)}"


def _cut(text: str) -> str:
    """The beginning and the end of a text that is too long to be told whole."""
    if len(text) <= TOLD_CHARS:
        return text
    head = TOLD_CHARS // 4
    return f"{text[:head]}\n[… {len(text) - TOLD_CHARS:,} characters are left out here …]\n{text[head - TOLD_CHARS :]}"
