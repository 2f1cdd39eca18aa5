"""The commands that every channel knows."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from sulla.channels.base import Arrived
from sulla.channels.machine.admission import Commanded
from sulla.channels.machine.values import MOST_LEFT
from sulla.channels.run.held import Held
from sulla.core.ids import ThreadId
from sulla.threads.log.records import StopAsked
from sulla.threads.log.state import ThreadState

HELP = """\
- `/new` begins another conversation here
- `/stop` ends what is being done, and drops what waits
- `/status` says how it is
- `/agent NAME` talks to another agent, `/agent` says who there is
- `/help` says this

All else goes to the agent."""


NOTHING_DONE: Final = "Nothing is being done here, and nothing waits."


async def carry_out(
    held: Held, arrived: Arrived, command: Commanded, key: str, *, waits: int = 0, dropped: bool = False
) -> None:
    """Do what a command asks for, and answer; the same one again does nothing new.

    Args:
        held: the channel.
        arrived: the message.
        command: what stands in it.
        key: tells it apart.
        waits: how many messages wait here for files.
        dropped: whether any that did were dropped for it.
    """
    held.talk(arrived.place, arrived.sender.id)
    match command.name:
        case "new":
            said = _new(held, arrived, command.rest, key)
        case "stop":
            said = await _stop(held, arrived, key, dropped=dropped)
        case "status":
            said = await _status(held, arrived, waits)
        case "agent":
            said = await _agent(held, arrived, command.rest)
        case _:
            said = HELP
    held.outbox.say(arrived.place.key, said, key, reply_to=arrived.message_id)


def _new(held: Held, arrived: Arrived, rest: str, key: str) -> str:
    talk = held.book.talks[arrived.place.key]
    if talk.begun != key:
        # What it was at work on is still told.
        left = (*talk.left, (talk.thread, talk.told_seq)) if talk.thread else talk.left
        held.book.talks[talk.place.key] = replace(talk, begun=key, thread="", told_seq=0, left=left[-MOST_LEFT:])
    said = "A new conversation begins with your next message."
    return f"{said} What stands behind `/new` was not taken: send it again." if rest else said


async def _stop(held: Held, arrived: Arrived, key: str, *, dropped: bool) -> str:
    talk = held.book.talks[arrived.place.key]
    state = await held.around.threads.load(ThreadId(talk.thread), messages=False) if talk.thread else None
    if talk.thread:  # also where nothing is to be seen: a message may come to it just now
        await held.around.keeper().stop(ThreadId(talk.thread), key)
    before = _stopped_at(state) if state is not None else 0
    works = state is not None and state.run is not None and state.run.message.seq > before
    drops = dropped or (state is not None and any(seq > before for seq in state.inbox.waiting))
    if works:
        return "Stopped. What waited is dropped, too." if drops else "Stopped."
    return "What waited is dropped; nothing was being done." if drops else NOTHING_DONE


def _stopped_at(state: ThreadState) -> int:
    """Where in the log a stop was asked for that nobody has carried out yet; 0 for none."""
    stops = (seq for seq, one in state.inbox.controls.items() if isinstance(one.fact, StopAsked) and not one.fact.only)
    return max(stops, default=0)


async def _status(held: Held, arrived: Arrived, waits: int) -> str:
    talk = held.book.talks[arrived.place.key]
    state = await held.around.threads.load(ThreadId(talk.thread), messages=False) if talk.thread else None
    fetched = [f"- messages that wait for files or for room, or behind such: {waits}"] if waits else []
    if state is None:
        return "\n".join(fetched) or "There is no conversation here yet: write something."
    doing = "at rest" if state.run is None else "waiting for an answer" if state.suspended else "at work"
    stops = (one.fact for one in state.inbox.controls.values())
    back = {
        one.only for one in stops if isinstance(one, StopAsked)
    }  # taken back, which whoever works there has not seen
    waiting = sum(one.message_id not in back for one in state.inbox.waiting.values())
    lines = [f"- agent: {talk.agent or state.identity.agent}", f"- it is {doing}"]
    lines += [f"- messages that wait: {waiting}"] if waiting else []
    lines += fetched
    return "\n".join([*lines, f"- conversation: `{talk.thread}`"])


async def _agent(held: Held, arrived: Arrived, wanted: str) -> str:
    known = await held.around.agents()
    talk = held.book.talks[arrived.place.key]
    if not wanted:
        return f"You talk to {talk.agent or known[0]}. There is: {', '.join(known)}."
    if wanted not in known:
        near = get_close_matches(wanted[:60], known, n=1)
        hint = f"Did you mean `/agent {near[0]}`?" if near else f"There is: {', '.join(known)}."
        return f"There is no agent {wanted[:60]!r}, so you go on with {talk.agent or known[0]}. {hint}"
    held.book.talks[arrived.place.key] = replace(talk, agent=wanted)
    return f"From your next message on you talk to {wanted}."
