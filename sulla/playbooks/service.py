"""What can be asked for about playbooks and their runs: for clients, tools, schedules and the command line. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.words import Author
from sulla.playbooks.rpc_forms import PlayBegun, PlaybookRow, PlaybookText, PlayDetail, PlayRow

TriggerKind = Literal[
    "manual", "schedule", "heartbeat", "chat", "webhook", "event", "agent", "project", "playbook", "transfer"
]
"""What started a run. `agent`: an agent's tool; `playbook`: a step of another run; `transfer`: one that handed over."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A run that is wanted."""

    playbook: str
    """Its name; one of the home's unless `source` says what it is."""
    inputs: FrozenJson = field(default_factory=dict)
    trigger: TriggerKind = "manual"
    payload: Json = None
    """What a webhook, an event or a message brought along: ``run.payload``."""
    thread: ThreadId = ThreadId("")
    """The conversation that hears of it, and is asked; empty for none."""
    agent: str = ""
    """Who is asked and does the steps that name nobody; empty for the home's own agent."""
    project: str = ""
    """The project that it works on, of which its agents are told; empty for none."""
    source: str = ""
    """The playbook itself, where it is not one of the home's."""
    by: Author = field(kw_only=True)
    """Whose words its inputs, its payload and its source are: those of the worst."""
    made_by: ThreadId = ThreadId("")
    """The run whose outputs its inputs or its source were made from: its trust is this one's. Empty for none."""
    attended: bool = False
    """Whether a person is there who asked for this, though something else started it."""
    run_id: RunId = RunId("")
    """The run of that conversation that starts it, and ends with that; empty for none."""
    handed: int = 0
    """How often playbooks have handed over to each other before it."""
    chain: int = 0
    """How deep in a chain of events: 1 if an event of somebody's turn begins it; 0 where no event is behind it."""
    begun: str = ""
    """What began the first of the runs that handed over to each other before it; empty where none did."""
    step: str = ""
    """The one step that is done; empty for all of them."""
    outputs: FrozenJson = field(default_factory=dict)
    """What steps are said to have come to, by step: nobody does them."""
    may_answer: bool = False
    """Whether whoever wants it may answer what people are asked, and so may say what they answered."""
    request: FrozenJson = field(default_factory=dict)
    """The ``headers`` and the ``query`` of a webhook's message, each by name; empty for all else."""


class PlaybookService(Protocol):
    """Who does what is about playbooks.

    Every method raises `StoreUnavailable` where the store does not answer, and `NotFound`, with the nearest name, for
    a playbook or a run that there is not.
    """

    async def list(self) -> Sequence[PlaybookRow]:
        """All that the home has, by name; those with faults too."""

    async def get(self, name: str, run: str = "") -> PlaybookText:
        """One of them, as it is now or as it was when a run of it began.

        Args:
            name: its name; where a run is given, the home need not have it any more.
            run: the run; empty for now.
        """

    async def check(self, text: str, file: str) -> Sequence[str]:
        """What is wrong with a text, as ``file:line:column: cause [rule]``; empty for nothing."""

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        """Begin a run; the same key begins it once.

        Raises:
            InvalidInput: the playbook has faults, or the inputs are not what it asks for; each is named.
            MessageIdReused: the key began another run before.
            Forbidden: a step or outputs may pass over a question to a person, who is to answer it.
            QueueFull: too many runs are open.
        """

    async def runs(self, *, after: str = "", limit: int = 100, status: str = "") -> Sequence[PlayRow]:
        """Runs by id, those of one status if one is given; `after` is the last one that is known."""

    async def status(self, run: str) -> PlayDetail:
        """One run."""

    async def cancel(self, run: str, why: str = "") -> None:
        """End it: what it does is stopped."""

    async def pause(self, run: str, why: str = "") -> None:
        """Begin no further step until it is resumed; what runs goes on to its end."""

    async def resume(
        self, run: str, steps: Sequence[str] = (), outputs: FrozenJson | None = None, *, may_answer: bool = False
    ) -> None:
        """Go on: after a pause, or, where it has ended, from the steps named or else from those that failed.

        Args:
            run: the run.
            steps: addresses.
            outputs: what steps are said to have come to, by step: they count as done, and what comes after them is
                done again.
            may_answer: whether whoever wants it may answer what people are asked.

        Raises:
            Forbidden: they may pass over a question to a person, who is to answer it.
            Conflict: it has nothing to go on with.
            InvalidInput: a step cannot come to that.
        """

    async def step(self, run: str) -> None:
        """Begin what can be begun now in a paused run, and pause again.

        Raises:
            Conflict: it is not paused.
        """

    async def fork(
        self, run: str, steps: Sequence[str], inputs: FrozenJson | None, key: str, *, may_answer: bool = False
    ) -> PlayBegun:
        """Begin another run that has done all of this one but for the steps named and what comes after them.

        Args:
            run: the run.
            steps: addresses.
            inputs: in the place of its inputs; None for the same.
            key: the same one begins it once.
            may_answer: as in `resume`.

        Raises:
            Forbidden: as in `resume`.
            InvalidInput: the inputs are not what the playbook asks for.
        """
