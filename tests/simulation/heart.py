"""The heartbeat of a simulated home: as the daemon wires it, with a list of projects that is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sulla.agent.active import ActiveAgents
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key
from sulla.agent.turn.input import InputHandler
from sulla.core.ids import RunId, ThreadId
from sulla.core.words import Words
from sulla.heartbeat.agenda import Agenda, BeatView
from sulla.heartbeat.graph import create_heartbeat_graph
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.node import HeartbeatNode
from sulla.heartbeat.plan import ProjectSummary
from sulla.people.slice import Notice
from sulla.projects.projects import Projects
from sulla.testing.world import World

GRAPH = "heartbeat"
"""What works on the thread that an agent beats in."""
CYCLES = 3
IDLE = 0.2
"""How often there is nothing to do."""


@dataclass(frozen=True, slots=True)
class DrawnAgenda(Agenda):
    """Looks at no disk: there is something to do, or there is not."""

    random: Random = field(default_factory=Random)

    async def look(self) -> BeatView:
        """See `Agenda.look`."""
        tasks = 0 if self.random.random() < IDLE else 2
        return BeatView(
            (ProjectSummary("tour", "Tour", "active", "p2", tasks, 0, 0, "", str(self.random.random())),), ""
        )

    async def written(self, since_ms: int) -> int:
        """See `Agenda.written`."""
        return self.random.randrange(2)


def give_heart(world: World, random: Random) -> None:
    """Have a world's agent work by itself where it is woken.

    Args:
        world: it is changed in place.
        random: draws what there is to do.
    """

    async def tell(thread_id: ThreadId, run_id: RunId, key: str, words: Words) -> None:
        await world.threads.tell(thread_id, Notice(words.text, "high", tainted=words.tainted), key, run_id)

    nowhere = Path("nowhere")
    agenda = DrawnAgenda(Projects(nowhere), lambda: "", ActiveAgents(world.threads), nowhere, random=random)
    node = HeartbeatNode(agenda, world.family.children, BeatLimits(CYCLES), tell)
    graph = create_heartbeat_graph(InputHandler(world.chat), node)
    world.actors[actor_key("sulla", graph=GRAPH)] = Actor(AgentSpec("sulla", "Sulla", ""), "", graph)
