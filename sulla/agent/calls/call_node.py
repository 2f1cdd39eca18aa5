"""A run of one tool call that nobody had to think about: what a schedule asks for (design §8). No model is asked."""

from __future__ import annotations

import json
from typing import assert_never

from sulla.agent.calls.calls import ToolCalls
from sulla.agent.model.loop import AwaitAnswers, CallModel, Finished, RunCalls, given_reply, next_action
from sulla.agent.model.pictures import shown_text
from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError, InvalidInput
from sulla.core.ids import CallId, MessageId, NodeId, derived_id
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Text, ToolCall, ToolResult
from sulla.core.run import Run
from sulla.core.words import Words
from sulla.graph.decision import END, Continue, Decision, Next
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Edge, Graph
from sulla.threads.log.records import Outcome, TextMessageEnd, ToolCallStart
from sulla.threads.log.state import ThreadState
from sulla.tools.policy import effect_of

CALL = NodeId("call")


def order(name: str, args: JsonObject) -> str:
    """The message that asks for a call.

    Args:
        name: the tool's name.
        args: its arguments.
    """
    return json.dumps({"tool": name, "args": args}, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class CallNode:
    """Makes the call through the ordinary dispatcher: policy, questions, limits, and once over a crash."""

    calls: ToolCalls

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """Make the call that the run's message asks for, and end with what it came to."""
        open_run = state.run
        if open_run is None:
            raise GraphError(f"{state.thread_id}: the call node runs without an open run")
        known = set(open_run.calls.intents)
        if state.context.transcript[-1].role == "user":
            await self._ask(state, run)
        fresh = frozenset(open_run.calls.intents.keys() - known)
        while True:
            run.control.check()
            match next_action(state.context.transcript, open_run):
                case Finished() | AwaitAnswers():
                    return Next()
                case _ if run.control.draining:
                    return Continue()
                case CallModel():
                    self._end(state, run)
                    return Next()
                case RunCalls() as todo:
                    await self.calls.run(todo, state, run, fresh)
                    fresh = frozenset()
                case _ as never:
                    assert_never(never)

    async def _ask(self, state: ThreadState, run: Run) -> None:
        """Write the call down as a reply would."""
        if state.run is not None and state.run.message.origin != "beat":
            raise InvalidInput("this thread makes a schedule's calls and takes no messages: write to another one")
        said = state.context.transcript[-1].parts[0]
        call = _call_of(said.text if isinstance(said, Text) else "", run)
        message_id = MessageId(derived_id("msg", run.id, "call"))
        effect = effect_of(self.calls.toolbox.get(call.name), call.args)
        await run.journal.commit(
            TextMessageEnd(CallId(derived_id("order", run.id)), message_id, "", (call,)),
            ToolCallStart(call.id, call.name, call.args, message_id, effect),
        )

    def _end(self, state: ThreadState, run: Run) -> None:
        results = [part for part in state.context.transcript[-1].parts if isinstance(part, ToolResult)]
        reply = given_reply(MessageId(""), results)
        text = shown_text(Words(reply.text, state.context.by))
        failed = any(result.is_error for result in results)
        now_ms = round(run.clock.now() * 1000)
        outcome = (
            Outcome("failed", reason="tool_error", updated_at_ms=now_ms)
            if failed
            else Outcome("done", updated_at_ms=now_ms)
        )
        call_id, message_id = CallId(derived_id("told", run.id)), MessageId(derived_id("msg", run.id, "told"))
        run.journal.note(TextMessageEnd(call_id, message_id, text, outcome=outcome, tainted=reply.outside))


def create_call_graph(call: CallNode) -> Graph[ThreadState]:
    """The graph of a thread in which a schedule calls a tool.

    Args:
        call: its one node.

    Raises:
        GraphError: never, as it stands.
    """
    draft: GraphDraft[ThreadState] = GraphDraft(
        entry=CALL, nodes={CALL: call}, edges={CALL: Edge(END)}, input_node=CALL
    )
    return draft.build(None)


def _call_of(text: str, run: Run) -> ToolCall:
    try:
        wish = json.loads(text)
    except ValueError:
        wish = None
    match wish:
        case {"tool": str(name), "args": dict(args)}:
            return ToolCall(CallId(derived_id("tool", run.id, "call")), name, args)
        case _:
            raise InvalidInput('expected {"tool": NAME, "args": {…}}, as a schedule writes it')
