"""What an agent can do with playbooks: see which there are, and start one, which then takes over (seed 004 §2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, cast

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, MessageIdReused
from sulla.core.ids import RunId
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import ours
from sulla.playbooks.rpc_forms import PlaybookRow
from sulla.playbooks.run.caller import Caller, caller_of
from sulla.playbooks.service import Begin, PlaybookService, TriggerKind
from sulla.threads.store import ThreadStore
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds

MOST_LISTED: Final = 100
"""Playbooks that an agent is told of."""
MOST_CHARS: Final = 300
"""Of a playbook's description, and of why it cannot be run."""


def nothing_given(playbook: str, kinds: Collection[TriggerKind]) -> FrozenJson:
    """No trigger gives an input."""
    return {}


@dataclass(frozen=True, slots=True)
class Starts:
    """What agents need to start playbooks."""

    service: PlaybookService
    threads: ThreadStore
    given: Callable[[str, Collection[TriggerKind]], FrozenJson] = nothing_given
    """The inputs that a playbook's first trigger of these kinds gives; what an agent gives goes before."""


def playbook_tools(starts: Callable[[], Starts]) -> tuple[Tool, ...]:
    """`list_playbooks` and `run_playbook`.

    Args:
        starts: what they need, asked for at each call.
    """
    tools = _PlaybookTools(starts)
    make = partial(define, reach="inward", category="playbooks", timeout_s=30.0)
    run = make(tools.run_playbook, effect="idempotent")
    return make(tools.list_playbooks, effect="pure"), replace(run, return_direct=True, takes_over=True)


def may_start(on: Sequence[str], *, unattended: bool) -> bool:
    """Whether an agent may start a playbook.

    Args:
        on: what starts it, as `PlaybookRow.on` says it.
        unattended: whether nobody is there who asked for it.
    """
    words = {text.partition(" ")[0] for text in on}
    return not words.isdisjoint(_kinds(unattended=unattended))


def playbook_line(one: PlaybookRow) -> str:
    """A playbook, as agents are told of it.

    Args:
        one: the playbook.
    """
    chats = [text.partition(" ")[2] for text in one.on if text.startswith("chat ")]
    parts = [f"{one.playbook}: {_short(one.description) or 'no description'}"]
    if chats:
        parts.append(f"For messages about: {_short('; '.join(chats))}")
    if one.inputs:
        parts.append(f"Inputs: {', '.join(_input(name, about) for name, about in one.inputs.items())}")
    return "- " + " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def told_started(playbook: str, run: str) -> str:
    """What a conversation is told when a playbook begins in it.

    Args:
        playbook: its name.
        run: the run's id.
    """
    return f"Playbook {playbook} runs: {run}. You will be told what comes of it."


class _PlaybookTools:
    """The tools' functions."""

    def __init__(self, starts: Callable[[], Starts]) -> None:
        self._starts = starts

    async def list_playbooks(self, context: ToolContext) -> Result:
        """See which playbooks you can start with run_playbook: prepared ways to do something, step by step."""
        found = await self._starts().service.list()
        mine = [one for one in found if may_start(one.on, unattended=context.unattended)]
        good = [playbook_line(one) for one in mine if not one.trouble]
        bad = [f"- {one.playbook} cannot be run: {_short(one.trouble)}" for one in mine if one.trouble]
        lines = (*good, *bad)
        if not lines:
            return Done(ours("There is no playbook that you can start here."))
        cut = f"and {len(lines) - MOST_LISTED} more" if len(lines) > MOST_LISTED else ""
        return Done(ours("\n".join(filter(None, (*lines[:MOST_LISTED], cut)))), cut=cut)

    async def run_playbook(
        self, context: ToolContext, *, playbook: Annotated[str, Bounds(1, 100)], inputs: dict[str, object] | None = None
    ) -> Result:
        """Start a playbook. It takes over, so this ends your turn; what comes of it is told when it is done.

        Args:
            playbook: Its name, as list_playbooks says it.
            inputs: What it takes, by name.
        """
        starts = self._starts()
        caller = await caller_of(starts.threads, context)
        if caller.refusal:
            return Done(ours(caller.refusal), is_error=True)
        listed = (await starts.service.get(playbook)).about
        if listed.trouble:
            raise InvalidInput(f"the playbook {playbook!r} cannot be run: {listed.trouble}")
        if not may_start(listed.on, unattended=context.unattended):
            return Done(ours(_not_yours(listed, unattended=context.unattended)), is_error=True)
        given = starts.given(playbook, _kinds(unattended=context.unattended))
        begin = Begin(
            playbook,
            {**given, **cast("FrozenJson", inputs or {})},  # they came as JSON
            "heartbeat" if context.unattended else "agent",
            thread=caller.thread,
            agent=caller.root.identity.agent,
            by=context.by,
            attended=not context.unattended,
            # What a sub-agent starts goes on beside the conversation, whose turn has to hear of its end first.
            run_id=context.run_id if caller.thread == context.thread_id else RunId(""),
        )
        try:
            begun = await starts.service.start(begin, _key(caller, context, playbook))
        except MessageIdReused:
            return Done(ours(f"{playbook} was started already, with other inputs: once is enough."), is_error=True)
        if caller.thread:
            return Done(ours(told_started(playbook, begun.run)))
        return Done(ours(f"Playbook {playbook} runs: {begun.run}. `sulla flow show {begun.run}` says how it gets on."))


def _kinds(*, unattended: bool) -> Sequence[TriggerKind]:
    """What has to be among that which starts a playbook, so that an agent may."""
    return ("heartbeat",) if unattended else ("manual", "chat")


def _key(caller: Caller, context: ToolContext, playbook: str) -> str:
    """A call begins one run, however often it is made; a beat one of each playbook, however many calls it makes."""
    if not context.unattended:
        return f"agent:{context.run_id}:{context.call_id}"
    beat = caller.root.run.id if caller.root.run is not None else context.run_id
    return f"beat:{beat}:{playbook}"


def _not_yours(listed: PlaybookRow, *, unattended: bool) -> str:
    wanted = "`heartbeat`, and nobody is here who asked" if unattended else "`manual` or `chat`"
    said = ", ".join(listed.on) or "nothing"
    return f"You may not start {listed.playbook}: its `on` says {said}; an agent needs {wanted}."


def _input(name: str, about: object) -> str:
    if not isinstance(about, Mapping):
        return name
    needed = "" if about.get("required") else ", may be left out"
    text, choices = about.get("description"), about.get("choices")
    kind = f"one of {_short(json.dumps(choices, ensure_ascii=False)[1:-1])}" if choices else about.get("type", "string")
    return f"{name} ({kind}{needed}{f'; {_short(str(text))}' if text else ''})"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_CHARS else f"{line[: MOST_CHARS - 1]}…"
