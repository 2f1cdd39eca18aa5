"""One model call's request, from a thread's state."""

from __future__ import annotations

from hashlib import blake2b

from sulla.agent.limits import RunLimits
from sulla.agent.prompt import sections
from sulla.agent.reminders import LEFT_OUT
from sulla.agent.spec import AgentSpec
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.providers import ChatRequest, Section, ToolSpec
from sulla.threads import ThreadState

_LEFT_OUT = Message(MessageId("left_out"), "user", (Text(LEFT_OUT, "operator"),), hidden=True)


def build_request(
    state: ThreadState, spec: AgentSpec, tools: tuple[ToolSpec, ...], limits: RunLimits, *, max_tokens: int
) -> ChatRequest:
    """What the model is asked.

    The newest messages that fit, contiguous, beginning with the user's role, as providers want it.

    Args:
        state: the thread.
        spec: the agent that speaks.
        tools: what it may use.
        limits: how much history is shown.
        max_tokens: the most that the reply may have.
    """
    state.transcript.fit(limits.history_tokens)
    messages = state.transcript.since(0)
    if messages and messages[0].role != "user":
        messages.insert(0, _LEFT_OUT)
    return ChatRequest(state.model, sections(spec, state.summary), messages, tools, max_tokens, limits.model_timeout_s)


def reserved_tokens(state: ThreadState, request: ChatRequest, limits: RunLimits) -> int:
    """What a call may cost at the most, roughly: the history shown, the prompt and the tools, and the longest reply."""
    fixed = sum(len(section.text) for section in request.system)
    fixed += sum(len(tool.description) + len(str(tool.schema)) for tool in request.tools)
    return min(state.transcript.tokens, limits.history_tokens) + fixed // 3 + request.max_tokens


def request_hash(request: ChatRequest) -> str:
    """What tells one request from another, cheaply: messages never change, so their ids stand for them."""
    digest = blake2b(digest_size=8)
    for part in _identity(request.model, request.system, request.tools):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    digest.update("\0".join(message.id for message in request.messages).encode())
    return digest.hexdigest()


def _identity(model: str, system: tuple[Section, ...], tools: tuple[ToolSpec, ...]) -> list[str]:
    return [model, *(section.text for section in system), *(tool.name for tool in tools)]
