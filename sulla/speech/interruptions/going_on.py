"""Having an agent go on with an answer that was cut off for nothing."""

from __future__ import annotations

import logging
from typing import Final

from sulla.core.ids import MessageId, ThreadId
from sulla.speech.interruptions.ongoing_reply import BARGED_IN, GO_ON
from sulla.threads.log.records import Input, RunStarted
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

LATE_S: Final = 60.0
"""No answer is gone on with that was cut off longer ago, e.g. before a restart: nobody may be there any more."""

NEWEST: Final = 256
"""Records among which the beginning of a run is looked for; an answer that took more of them does not go on."""

GO_ON_TEXT: Final = (
    "What sounded like an interruption was none: nobody said anything. Go on exactly where your last words were cut "
    "off, without repeating them and without a word about this. If you had said nothing yet, answer now."
)


async def go_on(threads: ThreadStore, thread_id: ThreadId, now_s: float) -> bool:
    """Tell the agent to go on, if nothing has come after its answer to a person was spoken over; once for each answer.

    Args:
        threads: where conversations are kept.
        thread_id: the conversation.
        now_s: UTC seconds.

    Returns:
        Whether there is anything to be worked on.

    Raises:
        NotFound: there is no such thread.
        QueueFull: too many messages wait.
        StoreUnavailable: try again later.
    """
    info, state = await threads.get(thread_id)
    if state is None or (barged := state.inbox.barged) is None or not _rests_since(state, now_s):
        return False
    if not await _is_persons(threads, thread_id, info.last_seq):
        return False
    message_id = MessageId(f"{GO_ON}{barged.message_id}")
    sent = await threads.send(thread_id, Input(message_id, GO_ON_TEXT, origin="operator"))
    if sent.first:
        log.info("an answer goes on: nobody had interrupted it", extra={"thread_id": thread_id})
    return True


async def _is_persons(threads: ThreadStore, thread_id: ThreadId, last_seq: int) -> bool:
    """Whether a person had asked for the answer: what goes on must not be trusted more than what was cut off."""
    newest = await threads.entries(thread_id, after=max(0, last_seq - NEWEST), limit=NEWEST)
    seqs = [entry.fact.input_seq for entry in newest if isinstance(entry.fact, RunStarted)]
    if not seqs:
        return False
    (asked,) = await threads.entries(thread_id, after=seqs[-1] - 1, before=seqs[-1] + 1, limit=1)
    return isinstance(asked.fact, Input) and asked.fact.origin in ("user", "operator")


def _rests_since(state: ThreadState, now_s: float) -> bool:
    """Whether nothing has come since an answer was spoken over, and that is not long ago."""
    rests = state.run is None and not state.inbox.waiting and not state.inbox.held_below
    lately = now_s - state.newest.outcome.updated_at_ms / 1000 < LATE_S
    return rests and lately and state.newest.outcome.reason == BARGED_IN
