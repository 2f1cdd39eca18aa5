"""Messages that join a turn under way."""

from __future__ import annotations

from typing import Final

from sulla.agent.turn.input import screen_latest
from sulla.core.ids import RunId
from sulla.core.run import Run
from sulla.threads.log.records import InputsJoined, Outcome, RunFinished
from sulla.threads.log.state import ThreadState

FLOW_LEFT_OUT: Final = "It joined a turn under way, so its `flow` was left out: send it with `queue` for a turn by it."
"""What is said of a message that names a flow and joins."""


async def join_steering(state: ThreadState, run: Run) -> None:
    """Take along the messages that want to steer; their own runs end here (design §4.2).

    Args:
        state: the thread, with the run open.
        run: the run.
    """
    for item in state.steering:
        said = FLOW_LEFT_OUT if item.flow is not None else ""
        run.journal.note(
            InputsJoined((item.seq,), (item.run_id,)),
            RunFinished(item.run_id, Outcome("done", said, reason="joined"), joined=RunId(run.id)),
        )
        await screen_latest(state, run)
