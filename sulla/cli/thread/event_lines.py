"""A thread as a person reads it: each event as a few lines. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from sulla.core.handed import handed_words
from sulla.core.waiting import waiting_words
from sulla.terminal.framed import brief
from sulla.terminal.screen import cut_at_limit, notice_head, paused_head
from sulla.terminal.table import Paper, harmless, one_line
from sulla.terminal.times import second

_ARGS = 120
_RESULT = 200
"""How much is shown of a tool call, in columns."""

Data = dict[str, Any]


def shown(event: dict[str, Any], paper: Paper) -> Iterator[str]:
    """The lines for an event; none for one that says nothing to people.

    What somebody wrote is always indented, and stays within its own lines: it cannot pass for a line of ours.

    Args:
        event: a durable event.
        paper: what it is printed on.
    """
    kind, data = event["type"], event["data"]
    if kind in _SAYS:
        yield from _said(event, paper, *_SAYS[kind](event, data))
    elif (note := _NOTES.get(kind)) is not None and (said := one_line(note(data))):
        yield "    " + paper.faint(said)


def _said(event: dict[str, Any], paper: Paper, who: str = "", text: str = "") -> Iterator[str]:
    if not who:
        return
    when = f"#{event['seq']} {second(event['at'])}"
    yield f"{paper.faint(when)}  {paper.bold(one_line(who))}"
    for line in harmless(text).split("\n") if text else ():
        yield f"    {line}".rstrip()


Says = tuple[()] | tuple[str, str]
"""Who says something and what; nothing for what is not for people."""


def _created(event: dict[str, Any], data: Data) -> Says:
    project = f", project {data['project']}" if data.get("project") else ""
    play = f", playbook {data['play']['name']}" if data.get("play") else ""
    return f"created for {data.get('agent')}{project}{play}", one_line(data.get("title", ""))


def _input(event: dict[str, Any], data: Data) -> Says:
    origin = data.get("origin", "user")
    spoken = data.get("spoken") or {}
    how = f", by voice ({spoken['reason']})" if spoken else ""
    if heard := spoken.get("heard"):
        how += f", over a reply of which {heard['chars']} characters were heard"
    quoted = data.get("quoted")
    lines = [data["text"], "", "(quoted beside it:)", *(f"> {line}" for line in quoted.split("\n"))] if quoted else None
    return ("you" if origin == "user" else origin) + how, "\n".join(lines) if lines else data["text"]


def _overheard(event: dict[str, Any], data: Data) -> Says:
    return "overheard while it was speaking", data["text"]


def _reply(event: dict[str, Any], data: Data) -> Says:
    cut = " (cut off)" if data.get("cut") else " (cut off at the reply's limit)" if cut_at_limit(data) else ""
    shown = not data.get("hidden") and data.get("text")
    return (f"{event['agent'] or 'agent'}{cut}", data["text"]) if shown else ()


_SAYS: dict[str, Callable[[dict[str, Any], Data], Says]] = {
    "THREAD_CREATED": _created,
    "INPUT": _input,
    "OVERHEARD": _overheard,
    "TEXT_MESSAGE_END": _reply,
    "ANSWER": lambda _, data: (
        f"answer to {data['wait_id']} ({data.get('verdict', 'result')}{f', {by}' if (by := data.get('by')) else ''})",
        data["text"],
    ),
    "SUMMARY": lambda _, data: (f"summary of all up to #{data['covers_seq']}", data["text"]),
    "NOTICE": lambda _, data: (notice_head(data), data["text"]),
    "PLAYBOOK_ENDED": lambda _, data: (f"playbook {data['name']} {data['status']}", data.get("text", "")),
}
"""Texts, each under a head of its own."""


def _call(data: Data) -> str:
    refused = " (not made)" if data.get("refused") else ""
    return f"· {data['name']} " + one_line(json.dumps(data.get("args", {}), ensure_ascii=False), _ARGS) + refused


def _result(data: Data) -> str:
    return ("error: " if data.get("is_error") else "→ ") + one_line(data["text"], _RESULT)


def _waits(data: Data) -> str:
    return "waits for " + "; ".join(
        f"{wait['wait_id']}: {one_line(brief(wait.get('prompt', '')), _RESULT)}" for wait in data["waits"]
    )


def _finished(data: Data) -> str:
    outcome = data.get("outcome", {})
    status = outcome.get("status", "in_progress")
    details = (outcome.get(name) for name in ("reason", "blocker_reason", "unblock_requirements"))
    said = ": ".join([f"= {status}", *(detail for detail in details if detail)])
    return f"= taken along by {data['joined']}" if data.get("joined") else said + _usage(data)


def _error(data: Data) -> str:
    return f"= failed ({data['code']}): {data['message']}" + _usage(data)


def _moved(data: Data) -> str:
    """How a flow goes on."""
    name, what, value = data.get("name", ""), data["what"], data.get("value", {}).get("value")
    if what == "left":
        return "the flow is left: something else answers"
    if data.get("failed"):
        return f"{name} failed: {data['failed']}"
    if what == "part" and value is None:
        return f"{name} is over"
    said = ("yes" if value else "no") if what in ("condition", "limit") else json.dumps(value, ensure_ascii=False)
    return f"{name}: {said}" + (", but its max_loops are used up" if what == "limit" else "")


_MADE: dict[str, str] = {
    "made": "the call is made in the model's place",
    "rerouted": "a call leads to another route",
    "fixed": "its fixed text is said",
    "failed": "it has failed",
}
"""How a turn gets on with its route; of the rest the calls beside it tell."""


def _taken(data: Data) -> str:
    """Which route a turn takes."""
    plan = data["plan"]
    route = f"{plan['route']['name']} ({plan['route']['kind']})"
    if data.get("fault"):
        return f"[the route {route} cannot be taken: {data['fault']}]"
    words = ", ".join(map(repr, plan.get("why", ())))
    by = f" by the gate {plan['gate']}" + (f": {words}" if words else "") if plan.get("gate") else ""
    return f"[route {route}{by}]"


def _routed(data: Data) -> str:
    said = _MADE.get(data["what"], "")
    return f"[{said}{f': {why}' if (why := data.get('why')) else ''}]" if said else ""


def _usage(data: Data) -> str:
    usage = data.get("usage", {})
    cached = usage.get("cache_read_tokens", 0) + usage.get("cache_write_tokens", 0)
    tokens = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    more = f", {cached} cached" if cached else ""
    return f"  [tokens: {tokens[0]} in, {tokens[1]} out{more}]" if any(tokens) or cached else ""


_ASKED = {"pause": "pause", "resume": "go on", "step": "take one step"}
_WENT: dict[str, str] = {
    "RUN_STARTED": "begins",
    "RUN_REOPENED": "goes on after its end",
    "RUN_PAUSED": "pauses",
    "RUN_RESUMED": "goes on after its pause",
    "RUN_STOPPED": "is to end",
    "RUN_ENDED": "has ended",
    "STEP_STARTED": "begins",
    "STEP_REASKED": "is asked once more",
    "STEP_HELD": "waits for a person, and its time stands still",
    "STEP_GOES_ON": "goes on, and so does its time",
    "STEP_COMPLETED": "is done",
    "STEP_RETRY": "has failed, and is tried again",
    "STEP_FAILED": "has failed",
    "STEP_SKIPPED": "is skipped",
    "STEP_CANCELLED": "is cancelled",
    "PASS_STARTED": "begins another pass",
    "CALL_ALLOWED": "may make its call",
    "CALL_AGAIN": "makes its call again",
    "RESPONDED": "has told its conversation",
}
"""What a playbook's records say to people; the others are about its own affairs."""


def _played(data: Data) -> str:
    went = _WENT.get(data["what"])
    if went is None:
        return ""
    detail = data.get("detail") or {}
    failure = detail.get("failure")
    why = failure.get("message") if isinstance(failure, dict) else detail.get("why") or detail.get("reason")
    said = [detail.get("status") if data["what"] == "RUN_ENDED" else detail.get("route"), why]
    about = ": ".join(str(one) for one in said if one)
    return f"[{data.get('at') or 'the run'} {went}{': ' if about else ''}{about}]"


_NOTES: dict[str, Callable[[Data], str]] = {
    "MODEL_ABANDONED": lambda data: f"[a reply broke off: {data.get('reason', '')}]",
    "TOOL_CALL_START": _call,
    "TOOL_CALL_RESULT": _result,
    "INPUTS_JOINED": lambda data: f"[took along: {len(data['input_seqs'])} more]",
    "SUSPENDED": _waits,
    "RESUMED": lambda data: f"[goes on: {data['reason']}]",
    "RUN_PAUSED": lambda data: f"[{paused_head(data)}]",
    "RUN_WAITING": lambda data: f"[{waiting_words(data['reason'], data['wait_s'], data.get('said', ''))}]",
    "BARGED_IN": lambda data: "[somebody spoke over the reply]",
    "STOP": lambda data: "[somebody asked to stop]",
    "CONTINUE": lambda data: "[somebody asked to continue]",
    "STOPPED": lambda data: "[stopped]",
    "CONTINUED": lambda data: "[continued]",
    "INPUT_IGNORED": lambda data: f"[#{data['input_seq']} was put away: {data['reason']}]",
    "CHILD_STARTED": lambda data: f"[sub-agent {data['id']} ({data['agent']}): {data.get('task', '')}]",
    "CHILD_CANCELLED": lambda data: f"[sub-agent {data['id']} was told to end]",
    "CHILD_REPORTED": lambda data: "[told to whoever asked for it]" if data.get("known", True) else "[nobody to tell]",
    "AGENT_ROUTED": lambda data: f"[{handed_words(data)}]",
    "FLOW_STARTED": lambda data: (
        f"[cannot be walked: {data['fault']}]" if data.get("fault") else f"[walked by the flow {data['name']}]"
    ),
    "FLOW_PART_STARTED": lambda data: f"[part: {data['part']['key']}]",
    "FLOW_MOVED": lambda data: f"[{_moved(data)}]",
    "ROUTE_TAKEN": _taken,
    "ROUTE_MOVED": _routed,
    "PROCEDURE_MOVED": lambda data: f"[procedure {data['name']}, {data.get('of') or data['step']}: {data['what']}]",
    "THREAD_NAMED": lambda data: f"[named {data['title']!r}]" if data["title"] else "[its name was taken back]",
    "BEAT_STARTED": lambda data: f"[beat: {data['why']}]",
    "BEAT_SKIPPED": lambda data: f"[no beat ({data['reason']}): {data.get('text', '')}]",
    "CYCLE_STARTED": lambda data: f"[cycle {data['number']} begins]",
    "CYCLE_ENDED": lambda data: f"[cycle {data['number']} {data['status']}: {data.get('summary', '')}]",
    "BEAT_ENDED": lambda data: f"[beat {data['status']}; changed: {data.get('changed') or 'nothing'}]",
    "PLAYBOOK": _played,
    "PLAYBOOK_ASKED": lambda data: f"[somebody wants it to {_ASKED.get(data['ask'], data['ask'])}]",
    "PLAYBOOK_BEGAN": lambda data: f"[playbook {data['name']} begins: {data['thread_id']}]",
    "ANSWER_GIVEN": lambda data: "[told to the playbook that asked]" if data.get("known", True) else "[nobody to tell]",
    "END_TOLD": lambda data: "[told to its conversation]" if data.get("known", True) else "[nobody to tell]",
    "RUN_FINISHED": _finished,
    "RUN_ERROR": _error,
}
"""What is said of events beside the texts; of those that are not here, nothing."""
