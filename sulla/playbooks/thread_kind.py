"""What the thread of a playbook's run is like. Pure."""

from __future__ import annotations

from typing import Final

from sulla.agent.model.pictures import shown_text
from sulla.agent.subagents.reports import cut_report
from sulla.core.event import Fact
from sulla.core.ids import MessageId, ThreadId, derived_id
from sulla.core.words import Words
from sulla.playbooks.records import EndTold, PlaybookAsked, PlaybookEnded, PlayState
from sulla.playbooks.slice import PLAYBOOK_RUN, run_created, run_ended
from sulla.threads.leaving import DELETED
from sulla.threads.log.delivery import EndNews, RecordDelivery
from sulla.threads.log.kind import RunBudget, ThreadKind
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import Input
from sulla.threads.log.state import ThreadState

NO_MESSAGES: Final = "this thread is a run of a playbook and takes no messages: write to another one"

_ENDS: Final = {"completed": "run to its end", "failed": "failed", "cancelled": "been cancelled"}


def chain_of(state: ThreadState) -> int:
    """How deep in a chain of events a playbook's run is; 0 for any other thread.

    Args:
        state: the run's thread.
    """
    play = PLAYBOOK_RUN.of(state)
    return play.chain if play is not None else 0


def _conversation(state: ThreadState) -> ThreadId:
    play = PLAYBOOK_RUN.of(state)
    return play.thread if play is not None else ThreadId("")


def _budget(state: ThreadState) -> RunBudget | None:
    play = PLAYBOOK_RUN.of(state)
    return RunBudget(play.tokens, play.cost_micro) if play is not None else None


def _heard_by(state: ThreadState) -> ThreadId:
    """Of a step the playbook around it is told, and of one that was handed over the next one's conversation."""
    play = PLAYBOOK_RUN.of(state)
    if play is None or play.told or state.identity.birth is not None or state.run is not None:
        return ThreadId("")
    return play.thread if play.ended and play.status != "transferred" else ThreadId("")


def _news(state: ThreadState) -> RecordDelivery | None:
    """A conversation hears that its playbook has ended; its agent says so, unless the playbook has done that."""
    play = PLAYBOOK_RUN.of(state)
    if play is None:
        return None
    text = shown_text(_told(state, play))
    key = f"ended:{state.thread_id}:{play.ended_ms}"
    told = play.status == "completed" and play.responded
    offers: tuple[tuple[Fact, str], ...] = (
        (PlaybookEnded(state.thread_id, play.name, play.status, text, state.context.tainted, not told), key),
    )
    if not told:
        message_id = MessageId(derived_id("msg", key))
        offers = (
            *offers,
            (Input(message_id, text, origin="playbook", tainted=state.context.tainted, chain=play.chain), ""),
        )
    return RecordDelivery(offers, EndTold)


def _told(state: ThreadState, play: PlayState) -> Words:
    """What a conversation is told of a playbook that it started and that has ended."""
    outcome = state.newest.outcome
    head = f"[The playbook {play.name} has {_ENDS.get(play.status, 'ended')} ({state.thread_id}).]"
    if play.status == "completed":
        said = f"{head}\nWhat it gives back: {outcome.response}\nTell the person what came of it, briefly."
        return Words(cut_report(said), state.context.by)
    why = play.failure or outcome.status_report or outcome.reason or "nobody knows why"
    return Words(cut_report(f"{head}\n{why}\nTell the person, and what can be done about it."), state.context.by)


def _removed(state: ThreadState) -> tuple[ThreadId, Fact, str] | None:
    """The same where the thread is about to be removed, at work or not."""
    play = PLAYBOOK_RUN.of(state)
    if play is None or not play.thread or state.identity.birth is not None or play.told or play.status == "transferred":
        return None
    how = (play.status, play.failure) if play.ended else ("cancelled", DELETED)
    return (
        play.thread,
        PlaybookEnded(state.thread_id, play.name, *how, state.context.tainted),
        f"ended:{state.thread_id}",
    )


PLAYBOOK_THREAD: Final[ThreadKind[ThreadState]] = ThreadKind(
    "playbook",
    graph=PLAYBOOK,
    group="play",
    recall="nothing",  # whoever walks it reads it by itself, as a whole
    refusal=NO_MESSAGES,
    waits_while_working=True,
    orders=(PlaybookAsked,),
    conversation=_conversation,
    budget=_budget,
    gives_response=True,  # JSON, for the playbook around it
    end_news=EndNews(_heard_by, _news, _removed),
    on_created=run_created,
    on_run_ended=run_ended,
    max_children=1_100,  # each of its steps is one at the most, and it begins no more than it may at once
)
"""A run of a playbook: its steps are children, calls and questions, several at once."""
