"""What happens to a run of a playbook: its log, and all that its state is made of. Pure.

A step is named by its address: ``research``, within a loop with the numbers of the passes, ``research@2.0``. A kind's
name is stable for ever; a new field needs a default. These are named tuples and not dataclasses because two of them are
made for every step, and a frozen dataclass takes twice as long to make.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from sulla.agent.model.retry import FailureClass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import FrozenJson, Json, JsonObject

RunStatus = Literal["completed", "failed", "cancelled", "transferred"]
"""How a run ended."""

MESSAGE_CHARS: Final = 500
IN_FINALLY: Final = "in finally: "
"""How it begins why a run has failed whose own steps had not."""
"""How much of a failure's message is kept."""


class Failure(NamedTuple):
    """Why something failed."""

    kind: FailureClass
    """What may be done about it (seed 001)."""
    reason: str
    """A stable word, e.g. ``timeout`` or ``upstream``."""
    message: str
    """For people."""
    cause: str = ""
    """The reason of the step that it began with, where a failure was passed on."""

    def shown(self) -> JsonObject:
        """As expressions see it."""
        return {"kind": self.kind, "reason": self.reason, "message": self.message}


class Spent(NamedTuple):
    """What an attempt used."""

    tokens: int = 0
    cost_micro: int = 0
    """In millionths of the currency's unit."""


NOTHING: Final = Spent()


class RunStarted(NamedTuple):
    """The run exists."""

    playbook: str
    digest: str
    """Of the definition that it is bound to."""
    inputs: FrozenJson
    """Complete: with the defaults of those that were not given."""
    at_ms: int
    stack: tuple[str, ...] = ()
    """The playbooks that this one runs within, outermost first."""
    forked_from: str = ""
    only: str = ""
    """The one step that is done; empty for all of them."""


class StepStarted(NamedTuple):
    """An attempt begins: written before anything is done for it, and what it says is then done."""

    at: str
    attempt: int
    given: FrozenJson | None
    """What it works with, expressions worked out; what is the same in every run is in the definition alone."""
    at_ms: int


class StepHeld(NamedTuple):
    """A person is asked about what it does: its time, and that of what it lies in, stands still."""

    at: str
    at_ms: int


class StepGoesOn(NamedTuple):
    """They have answered: its time goes on."""

    at: str
    at_ms: int


class StepReasked(NamedTuple):
    """A model's answer was none of those allowed: it is asked once more."""

    at: str
    reason: str
    at_ms: int
    spent: Spent = NOTHING


class StepCompleted(NamedTuple):
    """It has ended well."""

    at: str
    value: Json
    """Its output; null for loops, branches and merges, whose outputs follow from what is in them."""
    route: str
    """Which way it went, for those that choose one."""
    at_ms: int
    spent: Spent = NOTHING
    result: FrozenJson | None = None
    """What a tool gave as values, as `result.kept` makes it; None where there is nothing but the text."""


class StepRetry(NamedTuple):
    """An attempt failed, and there will be another one."""

    at: str
    attempt: int
    """The one that failed."""
    failure: Failure
    due_ms: int
    at_ms: int
    spent: Spent = NOTHING


class StepFailed(NamedTuple):
    """It has failed for good."""

    at: str
    failure: Failure
    at_ms: int
    spent: Spent = NOTHING


class StepSkipped(NamedTuple):
    """It is not wanted in this run."""

    at: str
    why: str
    at_ms: int


class StepCancelled(NamedTuple):
    """Whatever is done for it is to be stopped; nobody waits for it any more."""

    at: str
    at_ms: int


class PassStarted(NamedTuple):
    """A loop begins another pass."""

    at: str
    number: int
    """From 0."""
    at_ms: int


class RunPaused(NamedTuple):
    """Nothing more is begun until it is resumed; what runs goes on to its end."""

    why: str
    at_ms: int


class RunResumed(NamedTuple):
    """It goes on."""

    at_ms: int


class RunStopped(NamedTuple):
    """It is to end now: what runs is cancelled."""

    status: RunStatus
    why: str
    at_ms: int
    failure: Failure | None = None
    unbegun: bool = False
    """Whether nothing of it was done: then it has nothing to clean up at its end."""


class RunClosing(NamedTuple):
    """Its steps are over, or were stopped: what it does at its end begins (`on_error`, `finally`)."""

    status: RunStatus
    """How it is to end."""
    at_ms: int
    failure: Failure | None = None
    unbegun: bool = False
    """Whether nothing of it was done: then there is no `finally`."""


class RunEnded(NamedTuple):
    """It is over."""

    status: RunStatus
    outputs: FrozenJson
    at_ms: int
    failure: Failure | None = None
    to: str = ""
    """The playbook that begins in its place, for `transferred`, with `outputs` as its inputs."""


class RunReopened(NamedTuple):
    """An ended run goes on: these steps, and all that comes after them, are done again."""

    steps: tuple[str, ...]
    """Addresses."""
    at_ms: int
    done: int = 0
    """What of its steps stays as it was: see `counts.StepCounts`. Nothing is said in logs of before."""
    failed: int = 0
    skipped: int = 0
    cancelled: int = 0


Fact = (
    RunStarted | StepStarted | StepReasked | StepCompleted | StepRetry | StepFailed | StepSkipped | StepCancelled
    | PassStarted | RunPaused | RunResumed | RunStopped | RunClosing | RunEnded | RunReopened | StepHeld | StepGoesOn
)  # fmt: skip

KINDS: Final[Mapping[str, type[Fact]]] = {
    "RUN_STARTED": RunStarted,
    "STEP_STARTED": StepStarted,
    "STEP_HELD": StepHeld,
    "STEP_GOES_ON": StepGoesOn,
    "STEP_REASKED": StepReasked,
    "STEP_COMPLETED": StepCompleted,
    "STEP_RETRY": StepRetry,
    "STEP_FAILED": StepFailed,
    "STEP_SKIPPED": StepSkipped,
    "STEP_CANCELLED": StepCancelled,
    "PASS_STARTED": PassStarted,
    "RUN_PAUSED": RunPaused,
    "RUN_RESUMED": RunResumed,
    "RUN_STOPPED": RunStopped,
    "RUN_CLOSING": RunClosing,
    "RUN_ENDED": RunEnded,
    "RUN_REOPENED": RunReopened,
}
_NAMES: Final = {cls: name for name, cls in KINDS.items()}

_TEXTS: Final = {"playbook", "digest", "forked_from", "only", "at", "reason", "route", "why", "status", "to"}
_NUMBERS: Final = {"attempt", "at_ms", "due_ms", "number", "done", "failed", "skipped", "cancelled"}
_OBJECTS: Final = {"inputs", "outputs", "result"}
_LISTS: Final = {"stack", "steps"}
_FLAGS: Final = {"unbegun"}
_PARTS: Final[Mapping[str, type[Failure | Spent]]] = {"failure": Failure, "spent": Spent}


def kind_of(fact: Fact) -> str:
    """The name of its kind."""
    return _NAMES[type(fact)]


def encode(fact: Fact) -> JsonObject:
    """A fact as JSON; fields that still have their default are left out."""
    defaults = fact._field_defaults
    found: JsonObject = {}
    for name, value in zip(fact._fields, fact, strict=True):
        if name not in defaults or value != defaults[name]:
            found[name] = _plain(value)
    return found


def decode(kind: str, data: object, where: str) -> Fact:
    """The fact that `encode` made `data` from.

    Args:
        kind: the name of its kind.
        data: JSON.
        where: names the place for the error.

    Raises:
        CorruptRecord: it is no such fact, or of a kind that only a later version knows.
    """
    if kind not in KINDS:
        raise CorruptRecord(f"{where}: {kind[:40]!r} is no kind of fact that this version knows")
    if not isinstance(data, dict):
        raise CorruptRecord(f"{where}: {kind} is {type(data).__name__}, not an object")
    cls: Any = KINDS[kind]
    optional = {name for name, default in cls._field_defaults.items() if default is None}
    try:
        found: Fact = cls(
            **{
                name: None if value is None and name in optional else _read(name, value, f"{where}: {kind}")
                for name, value in data.items()
            }
        )
    except TypeError as wrong:
        raise CorruptRecord(f"{where}: {wrong}") from None
    return found


def _plain(value: Any) -> Json:  # noqa: ANN401  - the field of any fact
    if isinstance(value, Failure | Spent):
        return {name: item for name, item in value._asdict().items() if name != "cause" or item}
    if isinstance(value, tuple):
        return list(value)
    plain: Json = dict(value) if isinstance(value, Mapping) else value
    return plain


def _read(name: str, value: Any, where: str) -> object:  # noqa: ANN401  - the field of any fact
    if name in _PARTS and isinstance(value, dict):
        part = _PARTS[name](**value)
        if not all(isinstance(item, str if name == "failure" else int) for item in part):
            raise CorruptRecord(f"{where}: {name} is {value!r:.80}")
        return part
    if name in _LISTS and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    wanted = (
        str if name in _TEXTS else int if name in _NUMBERS else dict if name in _OBJECTS
        else list if name in _LISTS else bool if name in _FLAGS else object
    )  # fmt: skip
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)) or name in {*_LISTS, *_PARTS}:
        raise CorruptRecord(f"{where}: {name} is {value!r:.80}")
    return value
