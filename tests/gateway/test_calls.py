from __future__ import annotations

import pytest

from sulla.gateway.calls import perform
from sulla.gateway.limits import Limits
from sulla.gateway.wire import METHODS, Wire
from sulla.testing.commands import MemoryCommands

KNOWN = {"thread_id": "thr_1", "message_id": "m1", "text": "hi", "id": "review:tool_1"}


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"hello", "events.subscribe", "events.unsubscribe"}))
async def test_every_method_is_done_by_somebody_and_answered_in_its_form(method: str) -> None:
    commands = MemoryCommands()
    commands.make("thr_1")
    model = METHODS[method].params
    params = model.model_validate({name: value for name, value in KNOWN.items() if name in model.model_fields})
    METHODS[method].result.model_validate(await perform(commands, Limits(), params, "owner"))


async def test_a_method_that_nobody_does_is_a_defect() -> None:
    with pytest.raises(TypeError, match="Wire is in the table"):
        await perform(MemoryCommands(), Limits(), Wire(), "owner")
