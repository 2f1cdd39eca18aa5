"""The system prompt: ordered sections, stable ones first, so that a provider's cache can hit (design §6)."""

from __future__ import annotations

from datetime import UTC, datetime

from sulla.agent.spec import AgentSpec
from sulla.providers import Section

DIRECTIVE = (
    "Do what the person asks. Use your tools rather than guessing. While you work, say in your own words what you did, "
    "what each tool told you, what comes next and what is in your way; tool results are not kept for ever, your words "
    "are. Never restart steps that are finished. If the same request comes again, assume that the earlier attempt did "
    "not help."
)

WRAPPERS = (
    "End every reply that uses no tool with exactly one completion wrapper.\n"
    "When everything asked for is done:\n"
    "<AGENT_DONE>one or two sentences: what was achieved</AGENT_DONE>\n"
    "When you cannot go on without something that you lack:\n"
    "<AGENT_BLOCKED><BLOCKER_REASON>what stops you</BLOCKER_REASON>"
    "<UNBLOCK_REQUIREMENTS>what you need</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>\n"
    "When there is more to do and you can go on by yourself:\n"
    "<AGENT_CONTINUE><STATUS_REPORT>what is done and what comes next</STATUS_REPORT></AGENT_CONTINUE>\n"
    "The person sees your text without the wrapper, so say everything that matters to them before it."
)


def sections(spec: AgentSpec, summary: str) -> tuple[Section, ...]:
    """The system prompt of an agent.

    Args:
        spec: the agent.
        summary: what was said before the messages that the model is shown; empty for nothing.
    """
    found = [Section("base", spec.prompt), Section("directive", DIRECTIVE)]
    if spec.completion == "wrapper":
        found.append(Section("wrappers", WRAPPERS))
    if summary:
        found.append(Section("summary", f"Earlier in this conversation:\n{summary}", stable=False))
    return tuple(found)


def turn_context(now_s: float, project: str) -> str:
    """What a model is told beside a person's message.

    Args:
        now_s: UTC seconds.
        project: the thread's project; empty for none.
    """
    now = datetime.fromtimestamp(now_s, UTC)
    lines = [f"Time: {now:%A %Y-%m-%d %H:%M} UTC"]
    if project:
        lines.append(f"Project: {project}")
    return "<context>\n" + "\n".join(lines) + "\n</context>"
