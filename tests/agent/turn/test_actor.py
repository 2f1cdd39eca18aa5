"""Who can be set to work on a thread."""

from __future__ import annotations

import pytest

from sulla.agent.turn.actor import actor_of
from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World


def test_of_an_agent_that_is_gone_people_are_told_who_is_there_and_what_to_do() -> None:
    world = World(MemoryStore(ManualClock(), lambda prefix: f"{prefix}_1"), ScriptedProvider())
    actor = world.actors["sulla"]
    actors = {"sulla": actor, "sulla call": actor, "sulla openai:m": actor, "reader": actor, "reader heartbeat": actor}
    with pytest.raises(NotFound) as told:
        actor_of(actors, "gone", world.threads.schema.new(ThreadId("thr_1")))
    assert told.value.message.startswith("no agent 'gone' (known: reader, sulla): this conversation goes on once its")
