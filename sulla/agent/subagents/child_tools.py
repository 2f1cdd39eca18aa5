"""What an agent can do with sub-agents: set them to work, wait for them, look at them, end them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Annotated, Final, Literal

from sulla.agent.subagents.children import Children, ChildTask
from sulla.agent.subagents.reports import ChildFinding, Combine, combined, enough, finding_of, tell
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, NotFound
from sulla.core.ids import derived_id
from sulla.core.words import Author, Words, agent, ours, worst
from sulla.threads.log.family import child_thread, wait_of
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.define import define
from sulla.tools.nearest import did_you_mean
from sulla.tools.schema import Bounds

MAX_TASK: Final = 32_000
"""Characters of a task."""
MAX_WAITED: Final = 32
"""Sub-agents that one call waits for."""

_SUMMARIZE: Final = "Sum up what these sub-agents found, briefly, and say where they disagree."


@dataclass(frozen=True, slots=True)
class Subagents:
    """What the tools for sub-agents work with; one for all agents of a daemon."""

    children: Children
    threads: ThreadStore
    spawns: Callable[[str], Sequence[str]]
    """Whom an agent may set to work, beside one like itself."""
    tools_of: Callable[[str], Collection[str]]
    """The names of the tools that an agent may use at this moment."""


def sub_agent_tools(subagents: Callable[[], Subagents]) -> tuple[Tool, ...]:
    """Tools for sub-agents.

    Args:
        subagents: what they need, asked for at each call.
    """
    tools = _ChildTools(subagents)
    make = partial(define, reach="inward", category="sub-agents", timeout_s=30.0)
    return (
        make(tools.spawn_sub_agent, effect="idempotent"),
        make(tools.wait_sub_agents, effect="idempotent"),
        make(tools.poll_sub_agent, effect="pure"),
        make(tools.cancel_sub_agent, effect="idempotent"),
    )


class _ChildTools:
    """The tools' functions."""

    def __init__(self, subagents: Callable[[], Subagents]) -> None:
        self._subagents = subagents

    @property
    def _children(self) -> Children:
        return self._subagents().children

    @property
    def _threads(self) -> ThreadStore:
        return self._subagents().threads

    async def spawn_sub_agent(
        self,
        context: ToolContext,
        *,
        task: Annotated[str, Bounds(1, MAX_TASK)],
        agent: str = "",
        mode: Literal["call", "spawn"] = "call",
        tools: Annotated[list[str], Bounds(maximum=100)] | None = None,
    ) -> Result:
        """Have a sub-agent do a task. It knows nothing of this conversation: say all that it needs in the task.

        Args:
            task: What to do, what to give back, and all that has to be known for it.
            agent: Who does it; empty for one like yourself.
            mode: "call" waits for the result; "spawn" gives an id at once, to work beside it.
            tools: The names of the tools that it may use; left out for all that it has.
        """
        others = self._subagents().spawns(context.agent)
        if agent and agent not in (context.agent, *others):
            return _refused(f"You may not set {agent!r} to work.", others)
        # Its id follows from the call: the same call after a crash is the same child.
        child = derived_id("sub", context.run_id, context.call_id)
        parent = await self._parent(context)
        if strange := self._strange(agent or context.agent, tools or (), parent):
            return Done(ours(strange), is_error=True)
        child_task = ChildTask(
            child,
            agent or context.agent,
            Words(task, context.by),
            "spawn" if mode == "spawn" else "call",
            project=context.project,
            tools=tuple(tools) if tools is not None else None,
        )
        if (finding := finding_of(parent, child)) is not None:
            return _told(tell(finding), [finding], failed=not finding.good)
        try:
            thread_id = await self._children.start(child_task, parent)
        except LimitReached as limit:
            return Done(ours(limit.message), is_error=True)
        if mode == "spawn":
            return Done(ours(f"{child} works on it, in the thread {thread_id}. Wait for it with wait_sub_agents."))
        return _waits(parent, (child,), f"{child_task.agent} works on: {task[:200]}")

    async def wait_sub_agents(
        self,
        context: ToolContext,
        *,
        ids: Annotated[list[str], Bounds(1, MAX_WAITED)],
        combine: Combine = "concat",
        instruction: Annotated[str, Bounds(0, MAX_TASK)] = "",
    ) -> Result:
        """Wait until sub-agents are done, and get what they found.

        Args:
            ids: The ids that spawn_sub_agent gave.
            combine: concat, first_success (the first good one), all (an error if one failed), vote (what most say),
                summarize, or reduce (another sub-agent makes one of them by your instruction).
            instruction: What to make of them, for reduce.
        """
        parent = await self._parent(context)
        chosen = list(dict.fromkeys(ids))
        findings = [finding for child in chosen if (finding := finding_of(parent, child)) is not None]
        known = {finding.id for finding in findings}
        if strange := [child for child in chosen if child not in known and child not in parent.links.children]:
            return _refused(f"No sub-agents of this turn: {', '.join(strange)}.", tuple(parent.links.children))
        missing = [child for child in chosen if child not in known]
        if missing and not enough(combine, findings):
            return _waits(parent, missing, f"waits for {', '.join(missing)}")
        text, failed = combined(combine, findings)
        if combine not in ("summarize", "reduce") or failed:
            return _told(text, findings, failed=failed)
        return await self._made_one(
            context,
            parent,
            Words(f"{instruction or _SUMMARIZE}\n\n{text}", worst((context.by, *_by(findings)))),
            findings,
        )

    async def poll_sub_agent(self, context: ToolContext, *, id: str) -> Result:
        """See how far a sub-agent is, without waiting.

        Args:
            id: What spawn_sub_agent gave.
        """
        parent = await self._parent(context)
        if (finding := finding_of(parent, id)) is not None:
            return _told(tell(finding), [finding])
        if id not in parent.links.children:
            return _refused(f"No sub-agent of this turn: {id}.", tuple(parent.links.children))
        state = await self._threads.load(child_thread(id))
        if state is None:
            return Done(ours(f"{id} has not begun."))
        said = [message.text for message in state.context.transcript if message.role == "assistant" and message.text]
        so_far = f" It said last:\n{said[-1][:2_000]}" if said else ""
        doing = "waits for an answer" if state.suspended else "works"
        return Done(
            Words(f"{id} {doing}; {state.spending.tokens} tokens so far.{so_far}", state.context.by),
            origin="child",
        )

    async def cancel_sub_agent(self, context: ToolContext, *, id: str) -> Result:
        """End a sub-agent that is not needed any more.

        Args:
            id: What spawn_sub_agent gave.
        """
        parent = await self._parent(context)
        if id not in parent.links.children:
            return _refused(f"{id} is not at work for this turn.", tuple(parent.links.children))
        try:
            await self._children.cancel(id)
        except NotFound:
            return Done(ours(f"{id} had not begun."))
        return Done(ours(f"{id} is told to end."))

    async def _made_one(
        self, context: ToolContext, parent: ThreadState, task: Words, findings: Sequence[ChildFinding]
    ) -> Result:
        """Have one more sub-agent, without tools, make one text of several."""
        child = derived_id("sub", context.run_id, context.call_id)
        if (made := finding_of(parent, child)) is not None:
            return _told(made.text if made.good else tell(made), [*findings, made], failed=not made.good)
        try:
            await self._children.start(
                ChildTask(child, context.agent, task, "call", "puts findings together", tools=()), parent
            )
        except LimitReached as limit:
            return Done(ours(limit.message), is_error=True)
        return Waiting(wait_of(child), "puts together what sub-agents found")

    def _strange(self, agent: str, tools: Sequence[str], parent: ThreadState) -> str:
        """Why a sub-agent cannot have these tools, with the nearest that it could have; empty if it can."""
        allowed = parent.identity.birth.tools if parent.identity.birth is not None else None
        known = [name for name in self._subagents().tools_of(agent) if allowed is None or name in allowed]
        said = [f"{agent!r} has no tool {name!r}.{did_you_mean(name, known)}" for name in tools if name not in known]
        return " ".join((*said, "Nobody was set to work.")) if said else ""

    async def _parent(self, context: ToolContext) -> ThreadState:
        state = await self._threads.load(context.thread_id, messages=False)
        if state is None or state.run is None:
            raise NotFound(f"{context.thread_id}: its run is over")
        return state


def _waits(parent: ThreadState, children: Sequence[str], prompt: str) -> Result:
    """The call waits for children; not if a message came meanwhile that wants to steer."""
    if parent.steering:
        names = ", ".join(children)
        return Done(ours(f"{names} at work still. A message came meanwhile: see to it, then use wait_sub_agents."))
    first, *others = children
    return Waiting(wait_of(first), prompt, tuple(map(wait_of, others)))


def _told(text: str, findings: Sequence[ChildFinding], *, failed: bool = False) -> Done:
    return Done(Words(text, worst(_by(findings))), failed, "child")


def _by(findings: Sequence[ChildFinding]) -> Iterator[Author]:
    return (agent(tainted=one.report.tainted) for one in findings)


def _refused(text: str, known: Sequence[str]) -> Done:
    return Done(ours(f"{text} Known: {', '.join(known) or 'none'}."), is_error=True)
