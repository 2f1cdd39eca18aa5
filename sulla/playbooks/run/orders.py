"""What the message says that begins a playbook's run, or has it go on. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from hashlib import blake2b
from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.ids import ThreadId, derived_id
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.stamp import stamp
from sulla.core.words import Author, agent
from sulla.playbooks.definition import Definition
from sulla.playbooks.machine.plan import build
from sulla.threads.log.plays import Play


def request_of(key: str) -> str:
    """The request id of a run's thread, by the key that begins the run once."""
    # No client can ask so: its ids have no colon.
    return f"play:{key}"


def key_of_successor(run_id: str) -> str:
    """The key under which a run hands over to another playbook."""
    return derived_id("over", run_id)


def successor_of(run_id: str) -> ThreadId:
    """The thread of the run that takes over from another one; it is known before there is one."""
    return ThreadId(derived_id("thr", "request", request_of(key_of_successor(run_id))))


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What a run is to do."""

    do: Literal["start", "resume", "fork"]
    seal: str = ""
    """What stands for secrets in the log follows from this; nobody outside can guess it."""
    inputs: FrozenJson | None = None
    """For `fork`: None for those of the other run."""
    payload: Json = None
    stack: tuple[str, ...] = ()
    """The playbooks that it runs within, outermost first."""
    steps: tuple[str, ...] = ()
    """For `resume` and `fork`: what is done again. For `start`: the one step that is done; empty for all of them."""
    run: str = ""
    """For `fork`: of which run."""
    upto: int = 0
    """For `fork`: what of that run counts, up to this record."""
    by: Author = field(kw_only=True)
    """Whose words it holds."""
    handed: int = 0
    """How often playbooks have handed over to each other before it."""
    request: FrozenJson = field(default_factory=dict)
    """The ``headers`` and the ``query`` of a webhook's message."""
    begun: str = ""
    """What began the outermost run, where it is a step of another one or took over from it."""
    own: bool = False
    """Whether its playbook is a file of the home, which nobody but the owner has written, whoever begins it. Orders
    that were kept before there was this say no."""
    inputs_own: bool = False
    """Whether nothing from outside flows into its inputs, although it is begun behind such words: the playbook that it
    is a step of says so."""
    given: FrozenJson = field(default_factory=dict)
    """What steps came to that nobody does, by step, as `playbooks.given` settled it."""

    def text(self) -> str:
        """As a message."""
        said: JsonObject = {"do": self.do, "seal": self.seal}
        said |= {"inputs": dict(self.inputs) if self.inputs is not None else None}
        said |= {"stack": list(self.stack), "steps": list(self.steps), "run": self.run, "upto": self.upto}
        said |= {"tainted": self.by.tainted, "handed": self.handed, "own": self.own}
        said |= {"begun": self.begun, "inputs_own": self.inputs_own}
        said = {name: value for name, value in said.items() if value not in (None, "", [], 0, False)}
        said |= {"request": dict(self.request)} if self.request else {}
        said |= {"given": dict(self.given)} if self.given else {}
        # An empty one is one: whoever brings it along again has to be known by it.
        return json.dumps(said | ({"payload": self.payload} if self.payload is not None else {}))


def read_order(text: str) -> RunOrder:
    """The order that a message is.

    Raises:
        InvalidInput: it is none: somebody wrote to a playbook's thread.
    """
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    match said:
        case {"do": "start" | "resume" | "fork" as do} if _is_order(said):
            lists = {name: tuple(map(str, said.get(name, ()))) for name in ("stack", "steps")}
            inputs = said.get("inputs")
            known = dict(inputs) if isinstance(inputs, Mapping) else None
            seal, run, upto = str(said.get("seal", "")), str(said.get("run", "")), int(said.get("upto", 0))
            told = (said.get("payload"), lists["stack"], lists["steps"], run, upto)
            by, handed = agent(tainted="tainted" in said), int(said.get("handed", 0))
            request, own, begun = said.get("request", {}), "own" in said, str(said.get("begun", ""))
            order = RunOrder(do, seal, known, *told, by=by, handed=handed, request=request, begun=begun, own=own)
            return replace(order, given=said.get("given", {}), inputs_own="inputs_own" in said)
    raise InvalidInput("this thread is a run of a playbook and takes no messages: write to another one")


def _is_order(said: Mapping[str, object]) -> bool:
    """Whether the fields that are worked with are what they are to be."""
    lists = all(isinstance(said.get(name, []), list) for name in ("stack", "steps"))
    numbers = all(isinstance(said.get(name, 0), int) for name in ("upto", "handed"))
    return lists and numbers and all(isinstance(said.get(name, {}), Mapping) for name in ("request", "given"))


def begun_with(play: Play) -> Definition | None:
    """The playbook that a run was begun with. It was checked then: what has come to be a fault since stops no run.

    Args:
        play: what the run's thread began with.

    Returns:
        None if its text is not the one that was begun.
    """
    from sulla.playbooks.file.read import read
    from sulla.playbooks.file.read_digest import digest_of

    sketch = read(play.source)
    if isinstance(sketch, list) or digest_of(sketch.definition) != play.digest:
        return None
    return replace(sketch.definition, digest=play.digest)


def play_of(
    definition: Definition,
    source: str,
    trigger: str,
    thread: ThreadId,
    *,
    tokens: int = 0,
    cost_micro: int | None = None,
    chain: int = 0,
) -> Play:
    """What a thread that walks a playbook begins with.

    Args:
        definition: the playbook.
        source: its text.
        trigger: what started it.
        thread: the conversation that hears of it; empty for none.
        tokens: the most that it may use where it does not say so; 0 for what any playbook may.
        cost_micro: the same in money; None for no limit.
        chain: how deep in a chain of events it is.
    """
    budget = definition.budget
    micro = budget.cost_micro if budget.cost_micro is not None else cost_micro
    steps = len(build(definition).nodes)
    return Play(
        definition.name, definition.digest, source, steps, trigger, thread, budget.tokens or tokens, micro, chain
    )


def run_scope(thread_id: ThreadId, play: Play, order: RunOrder, started_ms: int) -> JsonObject:
    """The names in ``run``.

    Args:
        thread_id: the run's.
        play: what it walks.
        order: what it was begun with.
        started_ms: when it was ordered, UTC milliseconds.
    """
    return {
        "id": thread_id,
        "playbook": play.name,
        "started_at": stamp(started_ms),
        "trigger": play.trigger,
        "payload": order.payload,
        "headers": order.request.get("headers", {}),
        "query": order.request.get("query", {}),
        "status": "running",
        "error": None,
    }


def stands_for(seal: str, secret: str) -> str:
    """What stands in the log in the place of a secret.

    Args:
        seal: the run's.
        secret: its name.
    """
    return f"secret_{blake2b(f'{seal}:{secret}'.encode(), digest_size=16).hexdigest()}"
