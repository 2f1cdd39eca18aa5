"""What a playbook is, once it was read and found to be whole: values that nobody changes (design §10). Pure.

`read.py` makes these of a file; the machine walks them. Ids of steps are unique in a whole playbook, those within loops
and branches included, so that an expression names any step as ``steps.<id>``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json

OPENS: Final = "${{"
"""What an expression in a text begins with."""
MAX_STEPS: Final = 1_000
"""Of one playbook, those within loops and branches included."""
MAX_BRANCHES: Final = 50
"""That run side by side (design §10)."""
MAX_PASSES: Final = 1_000
"""Of one loop, however it is written."""
MAX_RUNS_AT_ONCE: Final = 50
"""That `concurrency` lets go on side by side."""
MAX_DEPTH: Final = 8
"""Playbooks within playbooks."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text with ``${{ }}`` in it, or a single expression; what it says was checked when it was read."""

    source: str
    """As it is written. One that is a whole ``${{ … }}`` keeps the type of its value."""


Given = Template | FrozenJson | tuple["Given", ...] | str | int | float | bool | None
"""An argument: JSON in which any text may be a template."""

When = Literal["success", "failure", "always"]
"""How a step that is needed has to have ended. `always` also takes one that was skipped."""


@dataclass(frozen=True, slots=True)
class Need:
    """A step that comes before."""

    step: str
    on: When = "success"
    route: str = ""
    """Which of its ways: a router's route, ``yes`` or ``no`` of a condition or an approval, a choice of a person. Where
    it went another way this need counts as skipped. Empty for any; of an approval that is written out as ``yes``. Only
    with `success`."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a step is tried, and how long between two tries."""

    tries: int = 1
    backoff_s: float = 10.0
    factor: float = 3.0
    """Each wait is so many times the one before it (seed 001: 10, 30, 90 s)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a step or a run may use; None for no limit of its own."""

    tokens: int | None = None
    cost_micro: int | None = None
    wall_s: float | None = None


# ------------------------------------------------------------------------------------------------------- kinds of steps


def moment_of(text: str) -> datetime | None:
    """A point in time that is written with its zone, such as ``2030-01-31T09:00:00+01:00``; None if it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


@dataclass(frozen=True, slots=True)
class AgentStep:
    """A child run of an agent."""

    prompt: Template
    agent: str = ""
    """Empty for the home's own."""
    tools: tuple[str, ...] | None = None
    before: Template | None = None
    """Asked of the orchestrator first: go, go with notes, or ask."""
    after: Template | None = None
    """Asked of it with the result: approve, retry with notes, or ask."""
    success: Template | None = None
    """What counts as done, told to both."""
    output: FrozenJson | None = None
    """JSON Schema that its result has to meet; None for text."""
    memory: bool = False
    """Whether it is told what its agent remembers, and is remembered itself."""
    model: str = ""
    """``provider:model``; empty for its agent's own."""


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One call of a tool."""

    tool: str
    args: Mapping[str, Given] = field(default_factory=dict)
    check: Literal["schema", "orchestrator"] = "schema"
    """`orchestrator`: the agent confirms, edits or refuses the arguments first."""
    may_cut: bool = False
    """Whether it counts as done where the tool could not give all of its result; else it fails."""


@dataclass(frozen=True, slots=True)
class RouterStep:
    """A model chooses one of several ways, by name."""

    question: Template
    routes: Mapping[str, str]
    """What each way is for, by its name."""
    default: str = ""
    """Where it goes without an answer; empty to fail."""


@dataclass(frozen=True, slots=True)
class ConditionStep:
    """Yes or no: by an expression, or by a model where there is a question."""

    test: Template | None = None
    question: Template | None = None


@dataclass(frozen=True, slots=True)
class ParallelStep:
    """Several ways at once, by name; it ends when all have ended."""

    branches: Mapping[str, tuple[Step, ...]]


@dataclass(frozen=True, slots=True)
class MergeStep:
    """Several ways come together. Steps that were skipped do not keep it waiting."""

    need: Literal["all", "first"] | int = "all"
    """`all` that were not skipped; the `first`; or so many of them."""
    rest_goes_on: bool = False
    """Whether what it does not wait for goes on to its end; else that is cancelled, with what serves nothing else."""


@dataclass(frozen=True, slots=True)
class LoopStep:
    """Its steps again and again: so many times, while something holds, or for each item."""

    body: tuple[Step, ...]
    count: Template | None = None
    while_: Template | None = None
    """Looked at before each pass."""
    for_each: Template | None = None
    name: str = "item"
    """What the item is called within; ``loop.index`` is its number from 0."""
    at_once: int = 1
    """Passes side by side, for `for_each` alone."""
    most: int = 100
    """Passes at the most; more is a failure."""
    entries: tuple[Given, ...] | None = None
    """In the place of `for_each`: a list that is written out, with objects or expressions in it."""
    matrix: Mapping[str, Given] | None = None
    """For each combination of the entries of these lists."""


@dataclass(frozen=True, slots=True)
class BreakStep:
    """Ends the loop that it is in, after this pass's running steps."""


@dataclass(frozen=True, slots=True)
class SetStep:
    """Makes values of others, for the steps below it."""

    values: Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class FailStep:
    """Fails, and says why: so a run that has dealt with a failure can still be a failed one."""

    reason: Template


@dataclass(frozen=True, slots=True)
class PlaybookStep:
    """Another playbook, waited for."""

    playbook: str
    args: Mapping[str, Given] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TransferStep:
    """Ends this playbook and begins another one in its place; not within a loop, a branch or another playbook."""

    playbook: str
    args: Mapping[str, Given] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WaitStep:
    """So long, or until then; nothing is held meanwhile."""

    seconds: Template | None = None
    until: Template | None = None
    """ISO 8601 with a zone."""


@dataclass(frozen=True, slots=True)
class HumanStep:
    """A person says yes, chooses, or writes something."""

    question: Template
    choices: tuple[str, ...] = ()
    """Empty for an approval where `input` is None, else for free text."""
    input: FrozenJson | None = None
    """JSON Schema of what is asked for; None for yes or no, or one of `choices`."""
    expires_s: float | None = 86_400.0
    """Without an answer the step then fails as `expired`; None to wait for ever."""


@dataclass(frozen=True, slots=True)
class RespondStep:
    """Tells the thread that the playbook was started from."""

    text: Template


@dataclass(frozen=True, slots=True)
class PromptStep:
    """Asks the agent of that thread; its reply is the output."""

    text: Template


Kind = (
    AgentStep
    | ToolStep
    | RouterStep
    | ConditionStep
    | ParallelStep
    | MergeStep
    | LoopStep
    | BreakStep
    | SetStep
    | FailStep
    | PlaybookStep
    | TransferStep
    | WaitStep
    | HumanStep
    | RespondStep
    | PromptStep
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step."""

    id: str
    does: Kind
    needs: tuple[Need, ...] = ()
    """What comes before it. In a file a step without ``needs`` follows the one above it; here that is written out."""
    when: Template | None = None
    """Skipped where this does not hold."""
    retry: Retry | None = None
    """None for what the class of a failure asks for (seed 001); loops, branches, merges and the like are never tried
    again as a whole."""
    timeout_s: float | None = None
    on_failure: Literal["fail", "go_on"] = "fail"
    """`go_on`: what needs it goes on as if it had succeeded, with its output null and ``steps.<id>.error`` set."""
    budget: Budget = Budget()
    title: str = ""
    """For people; empty for the id."""


# ------------------------------------------------------------------------------------------------------ the whole thing


@dataclass(frozen=True, slots=True)
class InputSpec:
    """A value that a playbook is started with."""

    type: Literal["string", "number", "integer", "boolean", "list", "object"] = "string"
    required: bool = True
    default: Json = None
    choices: tuple[Json, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class WebhookForm:
    """How the messages of a webhook are signed, and what they are answered with."""

    signed: Literal["standard", "github", "stripe", "slack", "hmac"] = "standard"
    """`hmac`: HMAC-SHA256 over the body, in a header of the sender's own."""
    header: str = ""
    """For `hmac`: the header that holds the signature, in small letters."""
    prefix: str = ""
    """For `hmac`: what stands before the signature."""
    encoding: Literal["hex", "base64"] = "hex"
    """For `hmac`: how the signature is written."""
    id: str = ""
    """For `hmac`: the header that names the message, in small letters; empty where its body does."""
    tolerance_s: float = 300.0
    """How far the time of a message may be from ours, either way: what Standard Webhooks, Stripe and Slack all say."""
    answer: Literal["begun", "run"] = "begun"
    """`run`: what came of the run."""
    output: str = ""
    """For `run`: the one output that is the answer; empty for all of them."""
    within_s: float = 20.0
    """For `run`: after this time the answer is that the run has begun."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """What starts it."""

    kind: Literal["manual", "schedule", "heartbeat", "chat", "webhook", "event"]
    text: str = ""
    """A cron expression or period for `schedule`, what a message has to be about for `chat`, the event's type for
    `event`, the name of the secret that signs for `webhook`."""
    zone: str = ""
    """Whose clocks count for `schedule`; empty for those of the home."""
    inputs: FrozenJson = field(default_factory=dict)
    """What it is started with then."""
    webhook: WebhookForm | None = None
    """None for what a `webhook` is unless said otherwise, and for all other kinds."""


@dataclass(frozen=True, slots=True)
class Concurrency:
    """How many runs of a playbook go on at a time, and what becomes of one for which there is no place."""

    key: Template | None = None
    """Runs count together whose keys are the same; None for all of the playbook."""
    limit: int = 1
    when_full: Literal["queue", "skip", "cancel_old"] = "queue"
    """`queue`: it waits for its turn; `skip`: it ends at once; `cancel_old`: the oldest one is cancelled for it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A playbook."""

    name: str
    digest: str
    """Of all that it says: a run is bound to it."""
    steps: tuple[Step, ...]
    description: str = ""
    on: tuple[Trigger, ...] = (Trigger("manual"),)
    inputs: Mapping[str, InputSpec] = field(default_factory=dict)
    outputs: Mapping[str, Given] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    """The names of those that its expressions may use, as ``secrets.<name>``; values come from settings."""
    budget: Budget = Budget()
    at_once: int | None = None
    """Steps that are at work side by side; None for as many as there may be. Those that only wait don't count."""
    concurrency: Concurrency | None = None
    """None for any number of runs at a time."""
    on_error: tuple[Step, ...] = ()
    """What is done where the run has failed, before it ends."""
    finally_: tuple[Step, ...] = ()
    """What is done behind that, however the run came to its end."""

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """Those that stand directly in it, in the order in which they have their turn."""
        return (*self.steps, *self.on_error, *self.finally_)


def inside(step: Step) -> tuple[Step, ...]:
    """The steps that stand in a loop or in branches, without those within these.

    Args:
        step: any step.
    """
    match step.does:
        case LoopStep(body=body):
            return body
        case ParallelStep(branches=branches):
            return tuple(inner for branch in branches.values() for inner in branch)
    return ()
