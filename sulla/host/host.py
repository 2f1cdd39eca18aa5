"""What a capability is built with, and what it gives the daemon. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import field
from typing import Protocol, TypeVar

from sulla.agent.calls.calls import ToldOfWaits, ToolCalls
from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.model import Model
from sulla.agent.part import PartOf
from sulla.agent.prompt import Surroundings as Where
from sulla.agent.spec import AgentSpec
from sulla.agent.subagents.children import Children
from sulla.agent.turn.actor import Actor
from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import HandOver, Opening
from sulla.agent.turn.speakers import AgentRouting, Answerer
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError, SullaError
from sulla.core.event import Fact
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Words
from sulla.graph.draft import Patcher
from sulla.host.capability import Capability, find, refuse_twice
from sulla.host.health import Health, Look
from sulla.host.place import Place
from sulla.host.settings import HomeSettings
from sulla.host.team import Team
from sulla.host.tools import AgentTools, ToolRegistry
from sulla.host.waker import Waker
from sulla.models.base import PromptSection
from sulla.rpc.pages import Pages
from sulla.store.base import Store
from sulla.telemetry.reading import Gauge
from sulla.telemetry.tally import Tally
from sulla.threads.follower import LogFollower
from sulla.threads.log.inputs import Urgent, WaitingInput
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.base import Tool, ToolSource
from sulla.tools.builtin.shell import HeldBack
from sulla.tools.registry import Toolbox
from sulla.work.switch import WorkSwitch

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents, and what all of them share."""

    team: Team
    model_of: Callable[[str], Model]
    """Gives a model by its name; the daemon's own if that is empty."""
    limits: RunLimits
    """What any run may use."""
    children: Children
    """Sets sub-agents to work."""
    marks: FileMarks
    """Which files are not to be trusted."""
    held: HeldBack
    """What their commands have changed and a person has to allow."""
    where: Where
    """Where they work, as models are told."""
    look: Callable[[], Awaitable[None]]
    """Takes up what has changed in their folders, at once."""


@dataclass(frozen=True, slots=True)
class Host:
    """What a capability is built with. A daemon makes one before the first capability, and it lives as long."""

    settings: HomeSettings
    place: Place
    store: Store
    threads: ThreadStore
    waker: Waker
    switch: WorkSwitch
    """Says whether all work stands still."""
    health: Health
    tally: Tally
    """Takes what is counted and measured."""
    tools: ToolRegistry
    agents: Agents
    conditions: Mapping[str, object] = field(default_factory=dict)
    """What packages bring for flows to name, by where it stands and whose it is."""
    provided: dict[type, object] = field(default_factory=dict)
    """What the capabilities built so far provide, by its class."""
    unbuilt: dict[str, str] = field(default_factory=dict)
    """Why capabilities were left out, by their names, where a home is only looked at."""

    def needed(self, kind: type[T]) -> T:
        """What a capability provides that this one's manifest says it needs.

        Args:
            kind: its class.

        Raises:
            SettingsError: no capability that was built provides it.
        """
        found = self.provided.get(kind)
        if not isinstance(found, kind):
            if self.unbuilt:
                raise SettingsError("; ".join(f"{name} cannot be used: {why}" for name, why in self.unbuilt.items()))
            raise SettingsError(
                f"no capability that was built gives {kind.__name__}: name the one that does in `needs`"
            )
        return found


@dataclass(frozen=True, slots=True)
class AgentParts:
    """What the graphs of one agent are made of."""

    spec: AgentSpec
    tools: Toolbox
    calls: ToolCalls
    """Runs calls of these tools."""
    first: InputHandler
    """The first node of its conversations."""
    model: Model


Task = Callable[[], Coroutine[object, object, None]]
"""Goes on until it is cancelled."""


class Follower(Protocol):
    """Reads threads behind the turns."""

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon. Never waits, never fails."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a capability gives the daemon. Nothing in it has begun; the daemon begins, asks and ends it."""

    provides: tuple[object, ...] = ()
    """For the capabilities that need this one; each is found by its class."""
    methods: tuple[tuple[str, object], ...] = ()
    """Who does its methods: what `rpc.Methods.done_by` says."""
    tools: tuple[Tool, ...] = ()
    agent_tools: AgentTools | None = None
    tool_source: ToolSource | None = None
    """Gives tools that come and go: one of `tools` that lacks something is among them once it lacks nothing."""
    told_of_waits: ToldOfWaits | None = None
    """Hears what runs are about to wait for."""
    sections: Callable[[AgentSpec, Toolbox], tuple[PromptSection, ...]] | None = None
    """What models are told of it that changes with files."""
    instead: Callable[[ThreadState, WaitingInput, str], str] | None = None
    """Says who answers a message that no gate and no name in it has decided, given who has the conversation; empty for
    that one."""
    begins: Callable[[ThreadState, WaitingInput, str], tuple[Fact, ...]] | None = None
    """What is to be noted right behind the beginning of a turn: from the thread, the message and the agent that
    answers (by its id). Pure."""
    graph: Callable[[AgentParts, Opening], Patcher[ThreadState]] | None = None
    """Changes the graph of an agent's conversations before it is built; it is given what else may answer."""
    gate: Callable[[ThreadState, WaitingInput], Answerer | None] | None = None
    """Decides by a message who answers it and what is noted as its turn begins, before a name in it, whoever has the
    conversation, or a flow may; None where it does not, and an empty agent for whoever has the conversation. Pure."""
    urgent: Urgent | None = None
    """Says of a message that waits whether it ends what is going on in its thread, and any question that is asked
    there, and comes before all others; one capability at most."""
    part: PartOf | None = None
    """Says which part of a turn is under way; `WHOLE_TURN` itself for none of its own."""
    part_over: HandOver | None = None
    """What is to be noted where calls were all that a part of the turn had to do."""
    opening: Opening | None = None
    """May answer a person's message in the place of the agent."""
    routing: AgentRouting | None = None
    """Decides which agent speaks; one capability at most."""
    remembered: Callable[[str, str], Awaitable[Words]] | None = None
    """What an agent (by its id) is told before a conversation that begins with a message."""
    recalled: Callable[[str, Mapping[str, int], str, Iterable[str]], Awaitable[Words]] | None = None
    """What an agent (by its id) is told beside a later message of a thread: it is given the threads whose words stand
    there and up to when they were said (UTC ms), and the texts of its memory that it was told there already."""
    about_project: Callable[[str], Awaitable[Words]] | None = None
    """What turns are told of the project, by its name, that their thread is about."""
    models: tuple[str, ...] = ()
    """Models that agents are asked by beside their own."""
    actors: Callable[[AgentParts], Mapping[str, Actor]] | None = None
    """Gives what works on the threads of its kinds, by the name of their graph."""
    look_now: Callable[[], None] | None = None
    """Reads its files at once, for where no daemon runs. It blocks."""
    prepare: Callable[[], None] | None = None
    """Makes what a new home has to have. It may block, and runs before anybody is let in."""
    open: Callable[[], Awaitable[None]] | None = None
    """Opens what it keeps; behind the store."""
    close: Callable[[], Awaitable[None]] | None = None
    before_work: Callable[[], Awaitable[None]] | None = None
    """Is awaited before a thread is worked on."""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """What goes on for as long as the daemon does, by name. One that fails ends the daemon, which whoever supervises it
    starts again."""
    at_gateways: frozenset[str] = frozenset()
    """Which of the tasks clients need: a gateway runs them too, and leaves the others to the workers."""
    followers: Mapping[str, LogFollower] = field(default_factory=dict)
    """What reads the logs behind the turns, by name: it writes what the last turns left before the daemon ends."""
    woken: tuple[Follower, ...] = ()
    """What else hears of each thread that was worked on."""
    forget: Callable[[ThreadId], Awaitable[None]] | None = None
    """Forgets a thread that was deleted."""
    take_up: Callable[[HomeSettings], Callable[[], None]] | None = None
    """Reads those of its settings that are `live` as they are now, and gives what puts them in the place of the old
    ones, which cannot fail. A `SettingsError` changes nothing, for nobody."""
    status: Callable[[], Awaitable[JsonObject]] | None = None
    """What `sulla status --json` says of it: keys that nobody else has, within two seconds."""
    troubles: Mapping[str, Look] = field(default_factory=dict)
    """What can be wrong with it while turns are taken all the same, by a stable word."""
    pages: Pages | None = None
    """What browsers are served at ``/``; one capability at most."""
    gauges: Callable[[], Iterable[Gauge]] | None = None
    """Its figures that go up and down."""

    @property
    def absent_at_gateways(self) -> frozenset[str]:
        """The names of what a gateway leaves to the workers; `status` says under them how each does."""
        return frozenset(self.tasks.keys() - self.at_gateways) | self.followers.keys()


def build_each(capabilities: Iterable[Capability], host: Host, *, lenient: bool = False) -> dict[str, Built]:
    """Build the capabilities, each behind what it needs.

    Args:
        capabilities: all of them, in that order.
        host: what they are built with; it is told what each brings.
        lenient: leave out those that cannot be what the settings ask for, and those that need them: for where a home
            is only looked at, and `sulla doctor` says what is wrong with its settings.

    Raises:
        SettingsError: one of them cannot be what the settings ask for.
    """
    found: dict[str, Built] = {}
    for one in capabilities:
        if not one.build:
            continue
        try:
            built = _built(one, host)
        except SettingsError as error:
            if lenient:
                host.unbuilt[one.name] = error.message
                continue
            raise
        host.provided.update({type(each): each for each in built.provides})
        host.tools.add(built.tools, built.agent_tools, built.tool_source)
        for what, look in built.troubles.items():
            host.health.watch(what, look, blocks=False)
        found[one.name] = built
    works = ((name, owner) for owner, built in found.items() for name in (*built.tasks, *built.followers))
    refuse_twice("task", ((name, f"the capability {owner!r}") for name, owner in works))
    return found


def _built(one: Capability, host: Host) -> Built:
    make = find(one.build, f"the capability {one.name!r}")
    try:
        built = make(host) if callable(make) else None
    except SullaError:
        raise
    except Exception as error:
        raise SettingsError(f"the capability {one.name!r} cannot be built: {type(error).__name__}: {error}") from error
    if not isinstance(built, Built):
        raise SettingsError(f"{one.build} of the capability {one.name!r} gives no host.Built")
    return built
