"""What methods about playbooks and their runs take and give. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.rpc.form import STEP_PATTERN, Id, Label, Name, Params, Seq, Title
from sulla.rpc.limits import STEP_CHARS, STEPS_AT_ONCE, WORKFLOW_CHARS
from sulla.rpc.row import Money, Time

PlayStatus = Literal["queued", "running", "waiting", "paused", "completed", "failed", "cancelled", "transferred"]
"""How a run stands. `waiting`: for time, a person, an agent or another run; nothing is held meanwhile."""

PlaybookSource = Annotated[str, StringConstraints(min_length=1, max_length=WORKFLOW_CHARS)]
"""A playbook itself."""

StepAddress = Annotated[str, StringConstraints(min_length=1, max_length=STEP_CHARS, pattern=STEP_PATTERN)]


class WorkflowList(Params):
    """`workflow.list`."""


class WorkflowGet(Params):
    """`workflow.get`."""

    playbook: Name
    run: Id | None = None
    """The one of its runs with whose text; null for the text as it is now."""


class WorkflowCheck(Params):
    """`workflow.check`."""

    text: PlaybookSource
    file: Label = "playbook.yaml"
    """What the faults call it."""


class WorkflowStart(Params):
    """`workflow.start`: one of `playbook` and `source`."""

    playbook: Name | None = None
    """One of the home's."""
    source: PlaybookSource | None = None
    """One that is not: it does whatever it says, so the token needs the scope `admin`."""
    inputs: dict[str, JsonValue] = Field(default={})
    thread_id: Id | None = None
    """The conversation that hears of it, and is asked; null for none."""
    agent: Id | None = None
    """Who does the steps that name nobody; null for the home's own agent."""
    request_id: Id | None = None
    """The same one begins the same run."""
    step: StepAddress | None = None
    """The one step that is done, with what others came to in `outputs`; null for all of them."""
    outputs: dict[str, JsonValue] = Field(default={})
    """What steps are said to have come to, by step: nobody does them. Of a tool its text, or `{output, result}`."""
    made_by: Id | None = None
    """The run whose outputs the inputs or the source were made from: this one is trusted as little as that one."""
    from_model: bool = False
    """Whether a model of the client's asks for it, which may have read anything: then the run is trusted as little."""


class WorkflowRuns(Params):
    """`workflow.runs`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    status: PlayStatus | None = None
    """Those that stand like this; null for all."""


class WorkflowStatus(Params):
    """`workflow.status`: a run, and a page of its steps."""

    run: Id
    after: Seq = 0
    """So many steps are left out: the `next` of the page before."""
    limit: Annotated[int, Field(ge=1, le=500)] = 200
    step: StepAddress | None = None
    """This step alone, in every pass or in the one named, with all that it was given and gave; null for all, without
    that."""


class WorkflowPause(Params):
    """`workflow.pause`."""

    run: Id
    why: Title = ""


class WorkflowResume(Params):
    """`workflow.resume`."""

    run: Id
    steps: Annotated[list[StepAddress], Field(max_length=STEPS_AT_ONCE)] = Field(default=[])
    """From where, if it has ended; empty for the steps that failed."""
    outputs: dict[str, JsonValue] = Field(default={})
    """What steps are said to have come to, as in `workflow.start`: they count as done, and what comes after them is
    done again."""


class WorkflowStep(Params):
    """`workflow.step`."""

    run: Id


class WorkflowCancel(Params):
    """`workflow.cancel`."""

    run: Id
    why: Title = ""


class WorkflowFork(Params):
    """`workflow.fork`."""

    run: Id
    steps: Annotated[list[StepAddress], Field(min_length=1, max_length=STEPS_AT_ONCE)]
    """They, and all that comes after them, are done again."""
    inputs: dict[str, JsonValue] | None = None
    """In the place of the run's; null for the same."""
    request_id: Id | None = None
    """The same one begins the same run."""


@dataclass(frozen=True, slots=True)
class PlaybookRow:
    """One playbook of the home."""

    playbook: str
    """Its name."""
    description: str
    digest: str
    """Of what it says; a run is bound to it."""
    file: str
    steps: int
    on: tuple[str, ...]
    """What starts it, e.g. `manual` or `schedule 0 9 * * 1-5`."""
    inputs: dict[str, JsonValue]
    """What it takes: by name, `{type, required, default, description}`, and `choices` where there are some."""
    trouble: str
    """Why it cannot be run; empty for nothing."""


@dataclass(frozen=True, slots=True)
class PlaybookRows:
    """The answer to `workflow.list`."""

    playbooks: tuple[PlaybookRow, ...]


@dataclass(frozen=True, slots=True)
class PlaybookText:
    """The answer to `workflow.get`."""

    about: PlaybookRow
    text: str
    """The whole file."""
    saved: str = ""
    """The digest of the whole file, for `workflow.save`."""


@dataclass(frozen=True, slots=True)
class PlaybookFaults:
    """The answer to `workflow.check`."""

    faults: tuple[str, ...]
    """Each as `file:line:column: cause [rule]`; none if nothing is wrong."""


@dataclass(frozen=True, slots=True)
class PlayBegun:
    """The answer to `workflow.start` and `workflow.fork`: the run is kept and will be worked on."""

    run: str
    """Its id, and that of its thread, whose events tell how it gets on."""
    first: bool
    """False if the same was asked for before."""


@dataclass(frozen=True, slots=True)
class PlayAsked:
    """The answer to `workflow.pause`, `resume`, `step` and `cancel`: the request is kept."""

    run: str


@dataclass(frozen=True, slots=True)
class PlayRow:
    """One run of a playbook."""

    run: str
    playbook: str
    digest: str
    status: PlayStatus
    """`waiting`: for time or a person, and nobody works for it meanwhile, no agent and no other run."""
    trigger: str
    """What started it, e.g. `manual`, `schedule` or `webhook`."""
    thread_id: str
    """The conversation that hears of it; empty for none."""
    started_ms: Annotated[Time, Field(alias="started_at")]
    ended_ms: Annotated[Time | None, Field(alias="ended_at")]
    """Null while it goes on."""
    steps: int
    """In the playbook; those of a loop count once."""
    done: int
    """That are done. Of a loop's steps here, as below, the first pass counts: all together there are never more than
    `steps`."""
    tokens: int
    cost_micro: Annotated[Money | None, Field(alias="cost")]
    """In the currency of the price table; null where it is not known: what was used has no price, or nothing was used
    yet and it goes on."""
    open: tuple[str, ...]
    """Addresses of the steps that are at work or wait."""
    failure: str
    """Why it failed; empty for no failure."""
    parent: str
    """The run that it is a step of; empty for none."""
    chain: int
    """How deep in a chain of events it is: 1 if an event began it; 0 where no event is behind it."""
    chain_ends: bool
    """Whether it is so deep that what it sets off starts no further playbook."""
    tainted: bool
    """Whether what comes of it may repeat what nobody trusts."""
    behind: tuple[str, ...] = ()
    """The runs that it waits for before it begins, the first three, where its playbook has `concurrency`."""
    failed: int = 0
    """Steps that began and have failed."""
    skipped: int = 0
    """Steps that were not wanted in this run."""
    cancelled: int = 0
    """Steps that were stopped as they were at work."""
    not_begun: int = 0
    """Steps that have not begun, or in a run that is over were never reached."""


@dataclass(frozen=True, slots=True)
class PlayRows:
    """The answer to `workflow.runs`."""

    runs: tuple[PlayRow, ...]
    next: str | None
    """The `after` of the next page; null at the end."""


@dataclass(frozen=True, slots=True)
class StepRow:
    """How a step of a run stands, in one pass."""

    at: str
    """Its address: `research`, in a loop's third pass `research@2`."""
    kind: str
    status: str
    """`running`, `waiting`, `completed`, `failed`, `skipped` or `cancelled`."""
    tries: int
    started_ms: Annotated[Time | None, Field(alias="started_at")]
    """Null if it never began."""
    ended_ms: Annotated[Time | None, Field(alias="ended_at")]
    output: JsonValue
    route: str
    """Which way it went; empty where there is none."""
    error: str
    tokens: int
    cost_micro: Annotated[Money | None, Field(alias="cost")]
    """As that of the run."""
    note: str
    """What it waits for, or why it was skipped."""
    given: JsonValue = None
    """What its newest attempt worked with, secrets by their names; told where `workflow.status` names the step."""
    result: JsonValue = None
    """What a tool gave as values; told with `given`."""


@dataclass(frozen=True, slots=True)
class PlayDetail:
    """The answer to `workflow.status`."""

    about: PlayRow
    inputs: dict[str, JsonValue]
    outputs: dict[str, JsonValue]
    forked_from: str
    """The run that this one took over from; empty for none."""
    steps: tuple[StepRow, ...]
    """In the order in which they began."""
    next: int | None
    """The `after` of the next page; null at the end."""
    successor: str = ""
    """The run that took over from this one by a transfer; empty for none."""
