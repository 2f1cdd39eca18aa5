"""The system prompt: ordered sections, stable ones first, so that a provider's cache can hit (design §6). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final
from zoneinfo import ZoneInfo

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.words import NO_WORDS, Words, joined, made_of, ours
from sulla.models.base import PromptSection

DIRECTIVE = (
    "Do what the person asks. Use your tools rather than guessing. While you work, say in your own words what is done, "
    "what comes next and what is in your way; say also what each tool told you: tool results are not kept for ever, "
    "your words are. Never restart steps that are finished. If the same request comes again, assume that the earlier "
    "attempt did not help."
)

AWARENESS = (
    "People write to you from several places at once: a desktop, a voice or a web client, or a command line. Your "
    "replies are shown to all that follow this conversation. Other agents may be at work beside you; the <context> at "
    "the end of a message names them, the time, and the project if there is one. It comes from the daemon, not from "
    "the person. A message that begins with a line in brackets about a playbook is that playbook's, not the person's."
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

PROJECT: Final = "Project: "
"""How the line begins that names the thread's project."""
MOST_NAMED: Final = 20
"""Agents at work that are named; of more only the number is told."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where an agent works: the same for as long as the daemon runs."""

    system: str = ""
    """The operating system, e.g. ``Linux``."""
    workspace: str = ""
    """The folder that its file tools work in."""


@dataclass(frozen=True, slots=True)
class ActiveAgent:
    """An agent at work somewhere else."""

    name: Words
    project: Words
    since_ms: int
    """When its run began, moved on by the time that it waited for answers. UTC milliseconds."""
    thread_id: ThreadId = ThreadId("")
    """The conversation that it works in."""


def sections(spec: AgentSpec, surroundings: Surroundings) -> tuple[PromptSection, ...]:
    """The system prompt of an agent. It depends on nothing that a turn changes.

    Args:
        spec: the agent.
        surroundings: where it works.
    """
    found = [
        PromptSection("base", ours(spec.prompt)),
        PromptSection("directive", ours(DIRECTIVE)),
        PromptSection("awareness", ours(AWARENESS)),
    ]
    if spec.directives:
        found.append(PromptSection("directives", ours(spec.directives)))
    if spec.completion == "wrapper":
        found.append(PromptSection("wrappers", ours(WRAPPERS)))
    if environment := "\n\n".join(filter(None, (_environment(surroundings), spec.environment))):
        found.append(PromptSection("environment", ours(environment)))
    return tuple(found)


def once_told(project: str, about: Words, earlier: Iterable[str]) -> Words:
    """How it is with a project, in full only where that is not in the conversation already: what stands there stays,
    and is paid for once.

    Args:
        project: its name.
        about: how it is with it.
        earlier: what turns before were told, the newest first.
    """
    if not about:
        return about
    digest = sha256(about.text.encode()).hexdigest()[:8]
    full = re.compile(re.escape(f"{PROJECT}{_plain(project)} (state ") + "([0-9a-f]{8}): ")
    known = next((found[1] for text in earlier if (found := full.search(text))), "")
    if known == digest:
        return ours(f"unchanged since state {digest}")
    return made_of(f"state {digest}: {about.text}", about)


def turn_context(
    now_s: float,
    project: str,
    active: Sequence[ActiveAgent] = (),
    jobs: Sequence[Words] = (),
    zone: str = "UTC",
    about: Words = NO_WORDS,
) -> Words:
    """What a model is told beside a person's message: all that differs from turn to turn.

    Args:
        now_s: UTC seconds.
        project: the thread's project; empty for none.
        active: the agents at work in other threads; a project whose name nobody trusts is not told.
        jobs: how commands in the background have ended that it was not told of yet.
        zone: the name of the time zone that it is told the time in.
        about: how it is with the project.
    """
    now = datetime.fromtimestamp(now_s, ZoneInfo(zone))
    where = zone if zone == "UTC" else f"UTC{now.isoformat()[-6:]} ({zone})"
    lines = [f"Time: {now:%A %Y-%m-%d %H:%M} {where}"]
    if project:
        lines.append(f"{PROJECT}{_plain(project)}" + (f" ({about.text})" if about else ""))
    if active:
        named = "; ".join(_named(agent, now_s) for agent in active[:MOST_NAMED])
        more = f"; and {len(active) - MOST_NAMED} more" if len(active) > MOST_NAMED else ""
        lines.append(f"Agents at work elsewhere: {named}{more}")
    if jobs:
        lines.append(f"Background jobs: {joined(jobs, '; ').text}")
    text = "<context>\n" + "\n".join(lines) + "\n</context>"
    return made_of(text, about, *(agent.name for agent in active), *jobs)


def _environment(surroundings: Surroundings) -> str:
    lines = []
    if surroundings.system:
        lines.append(f"You run on {surroundings.system}.")
    if surroundings.workspace:
        lines.append(f"Your files are in the workspace {surroundings.workspace}; paths are taken from there.")
    return " ".join(lines)


def _named(agent: ActiveAgent, now_s: float) -> str:
    minutes = max(0, int(now_s - agent.since_ms / 1000) // 60)
    # A folder's name may be somebody's words: they would taint whoever begins while that agent is at work.
    project = f" on {_plain(agent.project.text)}" if agent.project and not agent.project.tainted else ""
    return f"{_plain(agent.name.text)}{project}, for {minutes} min"


def _plain(name: str) -> str:
    """A name that somebody chose, so that it cannot pass for more than a name."""
    return " ".join(name.replace("<", "(").replace(">", ")").split())[:60]
