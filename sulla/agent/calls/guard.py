"""Judges each call before it is made, on what is known of its run: the policy's eyes and ears (design §9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final, Protocol

from sulla.agent.approvals.approvals import APPROVAL_S, question, wait_id
from sulla.agent.calls.file_marks import FileTouch
from sulla.agent.calls.secrets import carries_secret
from sulla.agent.calls.taint import answerable, is_known_target, is_unattended, trust_of
from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import ToolCall
from sulla.core.redact import Redactor
from sulla.core.run import Run
from sulla.core.stamp import stamp
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Permit, Wait
from sulla.tools.base import Tool, ToolContext
from sulla.tools.call import mend
from sulla.tools.origins import AllTrusted, FileOrigins
from sulla.tools.policy import (
    Allow,
    AskFirst,
    CallContext,
    Deny,
    FiledCall,
    Verdict,
    digest_of,
    judge,
    reach_of,
    shown_args,
    targets_of,
)
from sulla.tools.registry import Toolbox
from sulla.tools.schema import validate

_NO_PERSONS_WORDS: Final = (
    "it takes effect outside the workspace, and whoever calls it, a sub-agent or a branch of a flow, was set to work "
    "by an agent and not by you"
)


class Rules(Protocol):
    """What people have allowed until further notice."""

    async def allows(self, agent: str, tool: str, target: str) -> bool:
        """Whether calls like this one need no question."""

    async def allow(self, permit: Permit, agent: str) -> None:
        """Make the rule that a person's `always` asks for, once."""


class OpenApprovals(Protocol):
    """What people were asked before."""

    async def asked_already(self, agent: str, wait: Wait, besides: ThreadId) -> Wait | None:
        """The same question of an agent that is open in another thread; None if there is none."""


class NothingAsked:
    """Keeps `OpenApprovals`: each question is the first."""

    async def asked_already(self, agent: str, wait: Wait, besides: ThreadId) -> Wait | None:
        """There is none."""
        return None


class NoRules:
    """Keeps `Rules`: nothing is allowed in advance."""

    async def allows(self, agent: str, tool: str, target: str) -> bool:
        """Never."""
        return False

    async def allow(self, permit: Permit, agent: str) -> None:
        """The answer is good for its own call alone."""


class Files(Protocol):
    """Which files were written by runs that had read what nobody trusts."""

    async def before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> FileTouch:
        """Look at what a call touches, and mark what it is about to write."""

    async def tainted(self, touch: FileTouch) -> bool:
        """Whether what it has read is not to be trusted."""

    async def after(self, touch: FileTouch, rest: Path | None) -> Sequence[str]:
        """Mark what it has written, and where the rest of a result lies that is not to be trusted.

        Returns:
            Files that a command has made or changed, and that programs of the owner run.
        """

    def origins(self, workspace: Path) -> FileOrigins:
        """What tells a tool which files of a workspace are from outside."""


class NoFiles:
    """Keeps `Files` where there is no workspace to look after."""

    async def before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> FileTouch:
        """Nothing is marked."""
        return FileTouch()

    async def tainted(self, touch: FileTouch) -> bool:
        """Nobody knows of anything."""
        return False

    async def after(self, touch: FileTouch, rest: Path | None) -> Sequence[str]:
        """Nothing is kept."""
        return ()

    def origins(self, workspace: Path) -> FileOrigins:
        """All are trusted."""
        return AllTrusted()


@dataclass(frozen=True, slots=True)
class CallAllowed:
    """The call may be made."""

    context: ToolContext
    permit: Permit | None = None
    """The yes that it is made on, to be used up first."""


@dataclass(frozen=True, slots=True)
class CallDenied:
    """It is not made; the model, or the playbook, is told why."""

    text: str
    is_asked: bool = False
    """Whether it only waits for an answer to the same question elsewhere."""


CallDecision = CallAllowed | CallDenied | Wait


@dataclass(frozen=True, slots=True)
class CallGuard:
    """Decides whether calls are made.

    Args:
        rules: what people have allowed until further notice.
        redactor: the daemon's secrets.
        files: which files are not to be trusted.
        approval_s: how long a question waits for its answer, in seconds.
        asked: what people were asked before.
    """

    rules: Rules = field(default_factory=NoRules)
    redactor: Redactor = field(default_factory=Redactor)
    files: Files = field(default_factory=NoFiles)
    approval_s: float = APPROVAL_S
    asked: OpenApprovals = field(default_factory=NothingAsked)

    async def authorize(
        self,
        call: ToolCall,
        toolbox: Toolbox,
        context: ToolContext,
        state: ThreadState,
        run: Run,
        filed: FiledCall | None = None,
    ) -> CallDecision:
        """Whether a call is made now, never, or after a person said yes.

        Args:
            call: what the model wants.
            toolbox: what it may use.
            context: what the tool would get; whose words the call is made of counts.
            state: the thread, with the run open.
            run: the run.
            filed: what is known of a call that stands in a playbook.
        """
        call = mend(toolbox, call)
        tool, open_run = toolbox.get(call.name), state.run
        if open_run is None:
            raise GraphError(f"{state.thread_id}: a call is judged without an open run")
        if tool is None:
            return CallAllowed(context)  # there is nothing that could run
        targets = targets_of(tool, call.args, filed)
        verdict = await self._judge(tool, call, toolbox, context, state, targets)
        match verdict:
            case Allow():
                return CallAllowed(context)
            case Deny(_, reason):
                return CallDenied(f"Not run: {call.name} is not allowed to do this, because {reason}.")
            case AskFirst() if tool.refuses is not None and (why := tool.refuses(call.args)):
                return CallDenied(f"Not run: {why}")  # nobody is asked for what would be refused all the same
            case AskFirst():
                if filed is not None and filed.outside and verdict.rule == "tainted":
                    verdict = replace(verdict, reason=f"{verdict.reason}; from outside is {filed.outside}")
                if verdict.rule == "unattended" and not is_unattended(state):
                    verdict = replace(verdict, reason=_NO_PERSONS_WORDS)
                # What the tool itself asks is asked each time: a general yes would answer what nobody has read.
                target = "" if verdict.question else targets[0]
                if target and (others := ", ".join(answerable(context.agent, state)[1:])):
                    told = f"{verdict.reason}; `always` would count for {others}, who asked for it, too"
                    verdict = replace(verdict, reason=told)
                decision = self._ask(tool, call, verdict, context, open_run, run, target, filed)
                return (
                    await self._once(decision, call, state, open_run, filed) if isinstance(decision, Wait) else decision
                )

    async def _once(
        self, wait: Wait, call: ToolCall, state: ThreadState, open_run: OpenRun, filed: FiledCall | None
    ) -> CallDecision:
        """Ask, unless nobody is there and the same is asked already: who has not answered once is not asked twice."""
        if wait.wait_id in open_run.waits or not is_unattended(state):
            return wait
        asked = await self.asked.asked_already(open_run.agent or state.identity.agent, wait, state.thread_id)
        if asked is None:
            return wait
        until = f" until {stamp(asked.expires_ms)}" if asked.expires_ms else ""
        said = f"{call.name} needs a person's yes, and the same question is open already{until}"
        if filed is not None:
            return CallDenied(f"{said}: `sulla approvals answer {asked.call_id} yes` answers it", is_asked=True)
        return CallDenied(
            f"Not run: {said}, with the same arguments, and not answered yet. Do not ask again; do something else."
        )

    async def allow(self, permit: Permit, agent: str, state: ThreadState) -> None:
        """Make the rule that a person's `always` asks for, once, for all whose permissions counted.

        Args:
            permit: the yes.
            agent: whose call it was given for.
            state: its thread.
        """
        for one in answerable(agent, state):
            own = permit if one == agent else replace(permit, wait_id=f"{permit.wait_id} {one}")  # a rule for each
            await self.rules.allow(own, one)

    async def _judge(
        self,
        tool: Tool,
        call: ToolCall,
        toolbox: Toolbox,
        context: ToolContext,
        state: ThreadState,
        targets: Sequence[str],
    ) -> Verdict:
        def quotes(name: str) -> bool:
            source = toolbox.get(name)
            return source is not None and source.quotes

        said, tainted = state.context.transcript, context.by.tainted
        standing = CallContext(
            "unattended" if state.run is None else trust_of(state.run),
            reach_of(tool, call.args, context) == "outward" and carries_secret(self.redactor, call, said),
            tainted and is_known_target(call, state.context, quotes),
            tainted=tainted,
        )
        verdict = judge(tool, call.args, context, standing)
        if isinstance(verdict, AskFirst) and validate(call.args, tool.schema):
            return Allow("arguments")  # `run_call` answers with the faults: nobody is asked about what is never made
        if not isinstance(verdict, AskFirst) or verdict.question:
            return verdict
        agents = answerable(context.agent, state)
        for target in targets:
            if all([await self.rules.allows(agent, call.name, target) for agent in agents]):
                return judge(tool, call.args, context, replace(standing, allowed=True))
        return verdict

    def _ask(
        self,
        tool: Tool,
        call: ToolCall,
        ask: AskFirst,
        context: ToolContext,
        open_run: OpenRun,
        run: Run,
        target: str,
        filed: FiledCall | None,
    ) -> CallDecision:
        digest = digest_of(tool, call.args, context, ask.question)
        permit = open_run.calls.permits.get(call.id)
        if permit is not None and permit.digest == digest:
            return CallAllowed(replace(context, approved=ask.question), permit)
        if filed is not None and filed.approved is not None:
            before = replace(context, call_id=filed.approved[0])
            if filed.approved[1] == digest_of(tool, call.args, before, ask.question):
                return CallAllowed(replace(context, approved=ask.question))  # another try of what was allowed
        expires_ms = round((run.clock.now() + self.approval_s) * 1000)
        names = filed.shown if filed is not None else {}
        args = shown_args(tool, call.args, context, names)
        shown = {name: self.redactor.json(value) for name, value in args.items()}
        used = open_run.calls.used.get(call.id)
        said, whole = question(replace(call, args=shown), self.redactor.text(ask.reason), digest, used)
        return Wait(
            # Any stop uses the yes up, a crash or none: the question after it has another name than the answered one.
            wait_id(call, digest, open_run.course.crashes if used is None else open_run.course.cuts),
            call.id,
            said,
            digest,
            expires_ms,
            call.name,
            target,
            whole=whole,
        )
