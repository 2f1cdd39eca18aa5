"""What goes out of one record of a conversation's log."""

from __future__ import annotations

from sulla.agent.ending import DROPPED, WITHDRAWN
from sulla.channels.machine.outgoing import Ended, step_of
from sulla.core.ids import RunId
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.records import Outcome, RunFinished


def test_the_end_of_a_message_that_never_had_a_turn_ends_none() -> None:
    waited, other = RunId("run_waited"), RunId("run_other")
    for record, step in (
        (RunFinished(waited, Outcome("cancelled", reason=WITHDRAWN)), None),
        (RunFinished(waited, Outcome("cancelled", reason=DROPPED)), None),
        (RunFinished(waited, Outcome("done", reason="joined"), joined=other), None),
        (RunFinished(waited, Outcome("cancelled", reason="stopped")), Ended(broken_off=True)),
        (RunFinished(waited, Outcome("done", reason=DROPPED)), Ended()),
    ):
        assert step_of(Entry(1, record.kind, offered=False, origin=Origin(1), data=record.data())) == step, record
