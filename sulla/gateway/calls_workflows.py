"""Requests about playbooks and their runs."""

from __future__ import annotations

import orjson

from sulla.access import Principal
from sulla.core.errors import Forbidden, InvalidInput
from sulla.core.ids import MakeId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.core.units import MICRO
from sulla.gateway import wire_workflows as wire
from sulla.gateway.limits import Limits
from sulla.workflow import MOST_CHAINED, Begin, Begun, ListedPlaybook, PlaybookOffice, PlayDetail, PlayRow, StepRow

WorkflowRequest = (
    wire.WorkflowList
    | wire.WorkflowGet
    | wire.WorkflowCheck
    | wire.WorkflowStart
    | wire.WorkflowRuns
    | wire.WorkflowStatus
    | wire.WorkflowPause
    | wire.WorkflowResume
    | wire.WorkflowStep
    | wire.WorkflowCancel
    | wire.WorkflowFork
)


async def perform_workflow(
    office: PlaybookOffice, params: WorkflowRequest, caller: Principal, limits: Limits, make_id: MakeId
) -> JsonObject:
    """List, show, check and start playbooks; list, show and steer their runs.

    Args:
        office: does it.
        params: what is asked for.
        caller: whose token it is.
        limits: how much of a run is told at once.
        make_id: names a run that nobody has named.
    """
    match params:
        case wire.WorkflowList():
            rows = [_playbook(one) for one in await office.list()]
            return wire.PlaybookRows(playbooks=rows).model_dump()
        case wire.WorkflowGet(playbook=name):
            found = await office.get(name)
            return wire.PlaybookText(about=_playbook(found.listed), text=found.source).model_dump()
        case wire.WorkflowCheck(text=text, file=file):
            return wire.PlaybookFaults(faults=list(await office.check(text, file))).model_dump()
        case wire.WorkflowStart(request_id=request_id):
            return _begun(await office.start(begin_of(params, caller), request_id or make_id("req")))
        case wire.WorkflowFork(run=run, steps=steps, inputs=inputs, request_id=request_id):
            return _begun(await office.fork(run, steps, inputs, request_id or make_id("req")))
        case wire.WorkflowRuns():
            return await _runs(office, params)
        case wire.WorkflowStatus(run=run, after=after, limit=limit):
            return page_of(await office.status(run), after, limit, limits.history_bytes)
        case _:
            return await _steer(office, params)


def begin_of(asked: wire.WorkflowStart, caller: Principal) -> Begin:
    """What is asked for.

    Raises:
        InvalidInput: it says several times which playbook, or not at all.
        Forbidden: it brings a playbook along, and the token does not allow that.
    """
    if (asked.playbook is None) == (asked.source is None):
        found = "neither" if asked.playbook is None else "both"
        raise InvalidInput(f"expected one of playbook and source, found {found}")
    if asked.source is not None and "admin" not in caller.scopes:
        raise Forbidden("'workflow.start' with a source needs a token with the scope 'admin': it is a program")
    return Begin(
        playbook=asked.playbook or "",
        inputs=asked.inputs,
        thread=ThreadId(asked.thread_id or ""),
        agent=asked.agent or "",
        source=asked.source or "",
    )


def page_of(detail: PlayDetail, after: int, limit: int, most_bytes: int) -> JsonObject:
    """A run, and so many of its steps. Pure.

    Args:
        detail: the run.
        after: how many of its steps are left out.
        limit: the most steps; at least one is told, however large.
        most_bytes: where the page is cut, so that it fits a client's frame.
    """
    steps: list[wire.StepRow] = []
    size = 0
    for one in detail.rows[after : after + limit]:
        row = _step(one)
        size += len(orjson.dumps(row.model_dump()))
        if steps and size > most_bytes:
            break
        steps.append(row)
    told = after + len(steps)
    return wire.PlayDetail(
        about=_run(detail.row),
        inputs=dict(detail.inputs),
        outputs=dict(detail.outputs),
        forked_from=detail.forked_from,
        steps=steps,
        next=told if told < len(detail.rows) else None,
    ).model_dump()


async def _runs(office: PlaybookOffice, asked: wire.WorkflowRuns) -> JsonObject:
    rows = list(await office.runs(after=asked.after or "", limit=asked.limit + 1, status=asked.status or ""))
    following = rows[asked.limit - 1].run if len(rows) > asked.limit else None
    return wire.PlayRows(runs=[_run(row) for row in rows[: asked.limit]], next=following).model_dump()


async def _steer(
    office: PlaybookOffice,
    params: wire.WorkflowPause | wire.WorkflowResume | wire.WorkflowStep | wire.WorkflowCancel,
) -> JsonObject:
    match params:
        case wire.WorkflowPause(run=run, why=why):
            await office.pause(run, why)
        case wire.WorkflowResume(run=run, steps=steps):
            await office.resume(run, steps)
        case wire.WorkflowStep(run=run):
            await office.step(run)
        case wire.WorkflowCancel(run=run, why=why):
            await office.cancel(run, why)
    return wire.PlayAsked(run=params.run).model_dump()


def _begun(begun: Begun) -> JsonObject:
    return wire.PlayBegun(run=begun.run, first=begun.first).model_dump()


def _playbook(one: ListedPlaybook) -> wire.PlaybookRow:
    return wire.PlaybookRow(
        playbook=one.name,
        description=one.description,
        digest=one.digest,
        file=one.file,
        steps=one.steps,
        on=list(one.on),
        inputs=dict(one.inputs),
        trouble=one.trouble,
    )


def _run(row: PlayRow) -> wire.PlayRow:
    return wire.PlayRow(
        run=row.run,
        playbook=row.playbook,
        digest=row.digest,
        status=row.status,
        trigger=row.trigger,
        thread_id=row.thread,
        started_at=stamp(row.started_ms),
        ended_at=_at(row.ended_ms),
        steps=row.steps,
        done=row.done,
        tokens=row.tokens,
        cost=row.cost_micro / MICRO,
        open=list(row.open),
        failure=row.failure,
        parent=row.parent,
        chain=row.chain,
        chain_ends=row.chain >= MOST_CHAINED,
    )


def _step(row: StepRow) -> wire.StepRow:
    return wire.StepRow(
        at=row.at,
        kind=row.kind,
        status=row.status,
        tries=row.tries,
        started_at=_at(row.started_ms),
        ended_at=_at(row.ended_ms),
        output=row.output,
        route=row.route,
        error=row.error,
        tokens=row.tokens,
        cost=row.cost_micro / MICRO,
        note=row.note,
    )


def _at(at_ms: int) -> str | None:
    return stamp(at_ms) if at_ms else None
