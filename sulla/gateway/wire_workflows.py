"""What travels over ``sulla.v1`` about playbooks and their runs, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints

from sulla.gateway.limits import STEP_CHARS, STEPS_AT_ONCE, WORKFLOW_CHARS
from sulla.gateway.wire_form import STEP_PATTERN, Id, Label, Method, Name, Seq, Title, Wire
from sulla.workflow import PlayStatus

PlaybookSource = Annotated[str, StringConstraints(min_length=1, max_length=WORKFLOW_CHARS)]
"""A playbook itself."""
StepAddress = Annotated[str, StringConstraints(min_length=1, max_length=STEP_CHARS, pattern=STEP_PATTERN)]

# ------------------------------------------------------------------------------------------------------ parameters


class WorkflowList(Wire):
    """`workflow.list`."""


class WorkflowGet(Wire):
    """`workflow.get`."""

    playbook: Name


class WorkflowCheck(Wire):
    """`workflow.check`."""

    text: PlaybookSource
    file: Label = "playbook.yaml"
    """What the faults call it."""


class WorkflowStart(Wire):
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


class WorkflowRuns(Wire):
    """`workflow.runs`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    status: PlayStatus | None = None
    """Those that stand like this; null for all."""


class WorkflowStatus(Wire):
    """`workflow.status`: a run, and a page of its steps."""

    run: Id
    after: Seq = 0
    """So many steps are left out: the `next` of the page before."""
    limit: Annotated[int, Field(ge=1, le=500)] = 200


class WorkflowPause(Wire):
    """`workflow.pause`."""

    run: Id
    why: Title = ""


class WorkflowResume(Wire):
    """`workflow.resume`."""

    run: Id
    steps: Annotated[list[StepAddress], Field(max_length=STEPS_AT_ONCE)] = Field(default=[])
    """From where, if it has ended; empty for the steps that failed."""


class WorkflowStep(Wire):
    """`workflow.step`."""

    run: Id


class WorkflowCancel(Wire):
    """`workflow.cancel`."""

    run: Id
    why: Title = ""


class WorkflowFork(Wire):
    """`workflow.fork`."""

    run: Id
    steps: Annotated[list[StepAddress], Field(min_length=1, max_length=STEPS_AT_ONCE)]
    """They, and all that comes after them, are done again."""
    inputs: dict[str, JsonValue] | None = None
    """In the place of the run's; null for the same."""
    request_id: Id | None = None
    """The same one begins the same run."""


# ---------------------------------------------------------------------------------------------------------- results


class PlaybookRow(Wire):
    """One playbook of the home."""

    playbook: str
    """Its name."""
    description: str
    digest: str
    """Of what it says; a run is bound to it."""
    file: str
    steps: int
    on: list[str]
    """What starts it, e.g. `manual` or `schedule 0 9 * * 1-5`."""
    inputs: dict[str, JsonValue]
    """What it takes: by name, `{type, required, default, description}`."""
    trouble: str
    """Why it cannot be run; empty for nothing."""


class PlaybookRows(Wire):
    """The answer to `workflow.list`."""

    playbooks: list[PlaybookRow]


class PlaybookText(Wire):
    """The answer to `workflow.get`."""

    about: PlaybookRow
    text: str
    """The whole file."""


class PlaybookFaults(Wire):
    """The answer to `workflow.check`."""

    faults: list[str]
    """Each as `file:line:column: cause [rule]`; none if nothing is wrong."""


class PlayBegun(Wire):
    """The answer to `workflow.start` and `workflow.fork`: the run is kept and will be worked on."""

    run: str
    """Its id, and that of its thread, whose events tell how it gets on."""
    first: bool
    """False if the same was asked for before."""


class PlayAsked(Wire):
    """The answer to `workflow.pause`, `resume`, `step` and `cancel`: the request is kept."""

    run: str


class PlayRow(Wire):
    """One run of a playbook."""

    run: str
    playbook: str
    digest: str
    status: PlayStatus
    """`waiting`: for time, a person, an agent or another run."""
    trigger: str
    """What started it, e.g. `manual`, `schedule` or `webhook`."""
    thread_id: str
    """The conversation that hears of it; empty for none."""
    started_at: str
    ended_at: str | None
    """Null while it goes on."""
    steps: int
    """In the playbook; those of a loop count once."""
    done: int
    """That have ended, each pass of a loop counted."""
    tokens: int
    cost: float
    """In the currency of the price table."""
    open: list[str]
    """Addresses of the steps that are at work or wait."""
    failure: str
    """Why it failed; empty for no failure."""
    parent: str
    """The run that it is a step of; empty for none."""
    chain: int
    """How deep in a chain of events it is: 1 if an event began it; 0 where no event is behind it."""
    chain_ends: bool
    """Whether it is so deep that what it sets off starts no further playbook."""


class PlayRows(Wire):
    """The answer to `workflow.runs`."""

    runs: list[PlayRow]
    next: str | None
    """The `after` of the next page; null at the end."""


class StepRow(Wire):
    """How a step of a run stands, in one pass."""

    at: str
    """Its address: `research`, in a loop's third pass `research@2`."""
    kind: str
    status: str
    """`running`, `waiting`, `completed`, `failed`, `skipped` or `cancelled`."""
    tries: int
    started_at: str | None
    """Null if it never began."""
    ended_at: str | None
    output: JsonValue
    route: str
    """Which way it went; empty where there is none."""
    error: str
    tokens: int
    cost: float
    note: str
    """What it waits for, or why it was skipped."""


class PlayDetail(Wire):
    """The answer to `workflow.status`."""

    about: PlayRow
    inputs: dict[str, JsonValue]
    outputs: dict[str, JsonValue]
    forked_from: str
    """The run that this one took over from; empty for none."""
    steps: list[StepRow]
    """In the order in which they began."""
    next: int | None
    """The `after` of the next page; null at the end."""


METHODS: dict[str, Method] = {
    "workflow.list": Method(WorkflowList, PlaybookRows, "read"),
    "workflow.get": Method(WorkflowGet, PlaybookText, "read"),
    "workflow.check": Method(WorkflowCheck, PlaybookFaults, "read"),
    "workflow.start": Method(WorkflowStart, PlayBegun, "write"),
    "workflow.runs": Method(WorkflowRuns, PlayRows, "read"),
    "workflow.status": Method(WorkflowStatus, PlayDetail, "read"),
    "workflow.pause": Method(WorkflowPause, PlayAsked, "write"),
    "workflow.resume": Method(WorkflowResume, PlayAsked, "write"),
    "workflow.step": Method(WorkflowStep, PlayAsked, "write"),
    "workflow.cancel": Method(WorkflowCancel, PlayAsked, "write"),
    "workflow.fork": Method(WorkflowFork, PlayBegun, "write"),
}
"""The rows of the protocol about them."""
