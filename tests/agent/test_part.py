"""Which part of a turn is under way, where several may say so."""

from __future__ import annotations

from sulla.agent.part import WHOLE_TURN, TurnPart, first_part, whole_turn
from sulla.core.ids import ThreadId
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript

STATE = ThreadState(ThreadId("thr_1"), ModelContext(Transcript(lambda message: 1)))
FORCED = TurnPart(force="look_up")


def test_the_first_that_knows_of_one_says_which() -> None:
    part = first_part([whole_turn, lambda state: FORCED, lambda state: TurnPart(shown=False)])
    assert part(STATE) is FORCED


def test_where_nobody_knows_of_one_it_is_the_whole_turn() -> None:
    assert first_part([])(STATE) is WHOLE_TURN
    assert first_part([whole_turn])(STATE) is WHOLE_TURN
    assert WHOLE_TURN.opens
    assert not FORCED.opens
