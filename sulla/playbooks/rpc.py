"""What clients can do with playbooks and their runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.access.principal import Principal
from sulla.core.errors import Forbidden, InvalidInput, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.definitions.text_file import text_digest
from sulla.playbooks.rpc_forms import (
    PlayAsked,
    PlayBegun,
    PlaybookFaults,
    PlaybookRows,
    PlaybookText,
    PlayDetail,
    PlayRows,
    StepRow,
    WorkflowCancel,
    WorkflowCheck,
    WorkflowFork,
    WorkflowGet,
    WorkflowList,
    WorkflowPause,
    WorkflowResume,
    WorkflowRuns,
    WorkflowStart,
    WorkflowStatus,
    WorkflowStep,
)
from sulla.playbooks.service import Begin, PlaybookService
from sulla.rpc.caller import Context
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import size_of
from sulla.tools.nearest import did_you_mean


async def _list(service: PlaybookService, params: WorkflowList, context: Context) -> PlaybookRows:
    return PlaybookRows(tuple(await service.list()))


async def _get(service: PlaybookService, params: WorkflowGet, context: Context) -> PlaybookText:
    found = await service.get(params.playbook, params.run or "")
    return replace(found, saved=text_digest(found.text))


async def _check(service: PlaybookService, params: WorkflowCheck, context: Context) -> PlaybookFaults:
    return PlaybookFaults(tuple(await service.check(params.text, params.file)))


async def _start(service: PlaybookService, params: WorkflowStart, context: Context) -> PlayBegun:
    key = params.request_id or context.make_id("req")
    return await service.start(begin_of(params, context.caller.principal), key)


async def _fork(service: PlaybookService, params: WorkflowFork, context: Context) -> PlayBegun:
    key = params.request_id or context.make_id("req")
    return await service.fork(
        params.run, params.steps, params.inputs, key, may_answer=_may_answer(context.caller.principal)
    )


async def _runs(service: PlaybookService, params: WorkflowRuns, context: Context) -> PlayRows:
    limit = params.limit
    rows = await service.runs(after=params.after or "", limit=limit + 1, status=params.status or "")
    return PlayRows(tuple(rows[:limit]), rows[limit - 1].run if len(rows) > limit else None)


async def _status(service: PlaybookService, params: WorkflowStatus, context: Context) -> PlayDetail:
    detail = only(await service.status(params.run), params.step or "")
    return page_of(detail, params.after, params.limit, context.page_bytes)


async def _pause(service: PlaybookService, params: WorkflowPause, context: Context) -> PlayAsked:
    await service.pause(params.run, params.why)
    return PlayAsked(params.run)


async def _resume(service: PlaybookService, params: WorkflowResume, context: Context) -> PlayAsked:
    await service.resume(params.run, params.steps, params.outputs, may_answer=_may_answer(context.caller.principal))
    return PlayAsked(params.run)


async def _step(service: PlaybookService, params: WorkflowStep, context: Context) -> PlayAsked:
    await service.step(params.run)
    return PlayAsked(params.run)


async def _cancel(service: PlaybookService, params: WorkflowCancel, context: Context) -> PlayAsked:
    await service.cancel(params.run, params.why)
    return PlayAsked(params.run)


def begin_of(asked: WorkflowStart, caller: Principal) -> Begin:
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
        made_by=ThreadId(asked.made_by or ""),
        step=asked.step or "",
        outputs=asked.outputs,
        may_answer=_may_answer(caller),
        by=Author.OUTSIDE if asked.from_model else Author.PERSON,
    )


def _may_answer(caller: Principal) -> bool:
    return "approve" in caller.scopes


def only(detail: PlayDetail, step: str) -> PlayDetail:
    """A run with one of its steps in full, or with all of them in short. Pure.

    Args:
        detail: the run, with all of them in full.
        step: an address, or an id for every pass; empty for all.

    Raises:
        NotFound: there is no such step among those that have begun or ended.
    """
    if not step:
        return replace(detail, steps=tuple(replace(row, given=None, result=None) for row in detail.steps))
    from sulla.playbooks.machine.rerun import address

    name, path = address(step)
    at = f"{name}@{'.'.join(map(str, path))}" if path else name
    found = tuple(row for row in detail.steps if row.at == at or (not path and row.at.partition("@")[0] == name))
    if not found:
        known = dict.fromkeys(row.at.partition("@")[0] for row in detail.steps)
        raise NotFound(f"no step {step[:60]!r} of this run has begun.{did_you_mean(name, known)}".rstrip("."))
    return replace(detail, steps=found)


def page_of(detail: PlayDetail, after: int, limit: int, most_bytes: int) -> PlayDetail:
    """A run, and so many of its steps. Pure.

    Args:
        detail: the run, with all of them.
        after: how many of its steps are left out.
        limit: the most steps; at least one is told, however large.
        most_bytes: where the page is cut, so that it fits a client's frame.
    """
    steps: list[StepRow] = []
    size = 0
    for step in detail.steps[after : after + limit]:
        size += size_of(StepRow, step)
        if steps and size > most_bytes:
            break
        steps.append(step)
    told = after + len(steps)
    return replace(detail, steps=tuple(steps), next=told if told < len(detail.steps) else None)


_PLAYBOOK: Final[JsonObject] = {
    "playbook": "lead-triage",
    "description": "Sorts a new lead.",
    "digest": "sha256:5d0a",
    "file": "workflows/lead-triage.yaml",
    "steps": 4,
    "on": ["manual", "chat a new lead"],
    "inputs": {"lead": {"type": "string", "required": True, "default": None, "description": ""}},
    "trouble": "",
}
_PLAY: Final[JsonObject] = {
    "run": "thr_51c0",
    "playbook": "lead-triage",
    "digest": "sha256:5d0a",
    "status": "waiting",
    "trigger": "manual",
    "thread_id": "thr_9b2d",
    "started_at": "2027-01-15T08:00:00.000Z",
    "ended_at": None,
    "steps": 4,
    "done": 2,
    "tokens": 900,
    "cost": 0.0004,
    "open": ["approve"],
    "failure": "",
    "parent": "",
    "chain": 0,
    "chain_ends": False,
    "tainted": False,
    "failed": 0,
    "skipped": 0,
    "cancelled": 0,
    "not_begun": 1,
}
_STEP: Final[JsonObject] = {
    "at": "kind",
    "kind": "router",
    "status": "completed",
    "tries": 1,
    "started_at": "2027-01-15T08:00:00.000Z",
    "ended_at": "2027-01-15T08:00:01.000Z",
    "output": "sales",
    "route": "sales",
    "error": "",
    "tokens": 200,
    "cost": 0.0001,
    "note": "",
}

METHODS: Final[Methods[PlaybookService]] = Methods(
    "playbooks",
    (
        Method(
            "workflow.list",
            WorkflowList,
            PlaybookRows,
            "read",
            _list,
            Rest("GET", "/workflows", "The playbooks of the home."),
            Example({"playbooks": [_PLAYBOOK]}),
        ),
        Method(
            "workflow.get",
            WorkflowGet,
            PlaybookText,
            "read",
            _get,
            Rest(
                "GET",
                "/workflows/{playbook}",
                "One playbook, with its file, or with the text that a run of it began with.",
            ),
            Example({"about": _PLAYBOOK, "text": "name: lead-triage\n", "saved": "sha256:01ab"}),
        ),
        Method(
            "workflow.check",
            WorkflowCheck,
            PlaybookFaults,
            "read",
            _check,
            Rest("POST", "/workflow-check", "Say what is wrong with the text of a playbook."),
            Example(
                {"faults": ["triage.yaml:1:1: `steps` is missing [missing-key]"]},
                {"text": "name: lead-triage\n", "file": "triage.yaml"},
            ),
            heavy=True,
        ),
        Method(
            "workflow.start",
            WorkflowStart,
            PlayBegun,
            "write",
            _start,
            Rest("POST", "/workflow-runs", "Begin a run.", 202, "request_id"),
            Example(
                {"run": "thr_51c0", "first": True},
                {"playbook": "lead-triage", "inputs": {"lead": "Ann, ann@example.org"}, "request_id": "ann-1"},
            ),
        ),
        Method(
            "workflow.runs",
            WorkflowRuns,
            PlayRows,
            "read",
            _runs,
            Rest("GET", "/workflow-runs", "Runs of playbooks by id, a page at a time."),
            Example({"runs": [_PLAY], "next": None}),
        ),
        Method(
            "workflow.status",
            WorkflowStatus,
            PlayDetail,
            "read",
            _status,
            Rest("GET", "/workflow-runs/{run}", "One run, with its steps.", numbers=("after", "limit")),
            Example(
                {
                    "about": _PLAY,
                    "inputs": {"lead": "Ann, ann@example.org"},
                    "outputs": {},
                    "forked_from": "",
                    "steps": [_STEP],
                    "next": None,
                }
            ),
        ),
        Method(
            "workflow.pause",
            WorkflowPause,
            PlayAsked,
            "write",
            _pause,
            Rest("POST", "/workflow-runs/{run}/pause", "Have it begin no further step.", 202),
            Example({"run": "thr_51c0"}, {"why": "let me look"}),
        ),
        Method(
            "workflow.resume",
            WorkflowResume,
            PlayAsked,
            "write",
            _resume,
            Rest("POST", "/workflow-runs/{run}/resume", "Have it go on, also from what failed.", 202),
            Example({"run": "thr_51c0"}, {"steps": ["research"]}),
        ),
        Method(
            "workflow.step",
            WorkflowStep,
            PlayAsked,
            "write",
            _step,
            Rest("POST", "/workflow-runs/{run}/step", "Have a paused one begin what it can now.", 202),
            Example({"run": "thr_51c0"}),
        ),
        Method(
            "workflow.cancel",
            WorkflowCancel,
            PlayAsked,
            "write",
            _cancel,
            Rest("POST", "/workflow-runs/{run}/cancel", "End it.", 202),
            Example({"run": "thr_51c0"}, {"why": "not needed any more"}),
        ),
        Method(
            "workflow.fork",
            WorkflowFork,
            PlayBegun,
            "write",
            _fork,
            Rest("POST", "/workflow-runs/{run}/fork", "Begin another one that takes over from it.", 202, "request_id"),
            Example(
                {"run": "thr_77fe", "first": True},
                {"steps": ["research"], "inputs": {"lead": "Bob"}, "request_id": "again-1"},
            ),
        ),
    ),
)
