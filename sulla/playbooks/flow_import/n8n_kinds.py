"""What each kind of node of n8n is here. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final, Self

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.flow_import.kinds import playbook_name, word_of
from sulla.playbooks.flow_import.n8n_values import NodeNames, condition_of, value_of
from sulla.playbooks.flow_import.text import NOTE, dicts

PASSED: Final = frozenset(("noOp", "splitOut", "limit"))
"""Kinds behind which things go on as if they were not there."""
_CODE_LINES: Final = 200
_UNITS: Final[Mapping[str, str]] = {"seconds": "s", "minutes": "m", "hours": "h", "days": "d"}


@dataclass(frozen=True, slots=True)
class N8nNode:
    """A node."""

    name: str
    kind: str
    """Its type, without the package that it is of."""
    parameters: JsonObject
    disabled: bool

    @classmethod
    def of(cls, said: JsonObject) -> Self:
        """Read one."""
        given = said.get("parameters")
        kind = str(said.get("type") or "").rpartition(".")[2]
        name = str(said.get("name") or said.get("id") or "step")
        return cls(name, kind, given if isinstance(given, dict) else {}, said.get("disabled") is True)

    @property
    def is_trigger(self) -> bool:
        """Whether it starts the workflow."""
        return self.kind.lower().endswith("trigger") or self.kind in ("webhook", "start", "cron", "interval")


def values_of(node: N8nNode, step: str) -> str:
    """Where the values are that a node gives."""
    return f"steps.{step}.result.value" if node.kind == "httpRequest" else f"steps.{step}.output"


# ------------------------------------------------------------------------------------------------------------- triggers


def on_of(node: N8nNode, notes: list[str]) -> Json:
    """What a trigger is here; None if it has no counterpart, which is told."""
    given = node.parameters
    match node.kind:
        case "manualTrigger" | "start" | "executeWorkflowTrigger":
            return "manual"
        case "webhook":
            name = word_of(str(given.get("path") or node.name), "hook").lower()
            notes.append(
                f"the webhook {node.name!r} takes signed messages alone: set the secret {name!r}, and say how they are "
                "signed (`signed`) and answered (`answer`)"
            )
            return {"webhook": name}
        case "scheduleTrigger" | "cron" | "interval":
            if (cron := _cron(given)) is not None:
                return {"schedule": cron}
    notes.append(f"the trigger {node.name!r} ({node.kind}) has no counterpart; `manual` starts it")
    return None


def _cron(given: JsonObject) -> str | None:
    rule = given.get("rule")
    intervals = dicts(rule.get("interval")) if isinstance(rule, dict) else []
    if len(intervals) != 1:
        return None
    one = intervals[0]

    def number(key: str, otherwise: int) -> int:
        found = one.get(key)
        return found if isinstance(found, int) else otherwise

    hour, minute = number("triggerAtHour", 0), number("triggerAtMinute", 0)
    match one.get("field", "days"):
        case "cronExpression":
            fields = str(one.get("expression") or "").split()
            return " ".join(fields[-5:]) if len(fields) in (5, 6) else None
        case "minutes":
            return f"{number('minutesInterval', 5)}m"
        case "hours":
            return f"{minute} */{number('hoursInterval', 1)} * * *"
        case "days" if number("daysInterval", 1) == 1:
            return f"{minute} {hour} * * *"
        case "weeks" if number("weeksInterval", 1) == 1:
            days = one.get("triggerAtDay")
            named = ",".join(str(day) for day in days) if isinstance(days, list) and days else "0"
            return f"{minute} {hour} * * {named}"
        case "months" if number("monthsInterval", 1) == 1:
            return f"{minute} {hour} {number('triggerAtDayOfMonth', 1)} * *"
    return None


# ---------------------------------------------------------------------------------------------------------------- kinds


@dataclass(frozen=True, slots=True)
class _Asked:
    """A node that is made a step of."""

    node: N8nNode
    names: NodeNames
    others: Mapping[str, str]
    notes: list[str]
    """Taken further."""

    def value(self, said: Json) -> Json:
        """A value, with its expressions."""
        return value_of(said, self.names, self.notes, repr(self.node.name))

    def text(self, *keys: str) -> str:
        """The first text that stands behind one of some keys."""
        found = next((self.node.parameters[key] for key in keys if self.node.parameters.get(key)), "")
        made = self.value(found)
        return made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)


def step_of_n8n(node: N8nNode, names: NodeNames, others: Mapping[str, str], notes: list[str]) -> JsonObject:
    """What a node does, as the keys of a step.

    Args:
        node: the node.
        names: what the names in its expressions stand for.
        others: the names of other playbooks, by the ids of their workflows.
        notes: taken further.
    """
    asked = _Asked(node, names, others, notes)
    return _KINDS[node.kind](asked) if node.kind in _KINDS else _unknown(asked)


def _unknown(asked: _Asked) -> JsonObject:
    kind = asked.node.kind
    asked.notes.append(
        f"{asked.node.name!r} is a {kind!r}: say which tool does that here, an MCP server's for instance"
    )
    given = {key: asked.value(item) for key, item in asked.node.parameters.items() if key != "options"}
    return {"tool": word_of(kind, "tool"), "with": given}


def _http(asked: _Asked) -> JsonObject:
    given, name = asked.node.parameters, asked.node.name
    made: JsonObject = {"url": asked.text("url")}
    if (method := str(given.get("method") or given.get("requestMethod") or "GET")) != "GET":
        made["method"] = method
    headers = _pairs(asked, "headerParameters", "headerParametersUi")
    if headers:
        made["headers"] = headers
    if query := _pairs(asked, "queryParameters", "queryParametersUi"):
        asked.notes.append(f"{name!r}: put its query into the address: {json.dumps(query, ensure_ascii=False)[:200]}")
    body = asked.value(given.get("jsonBody") or given.get("body")) or _pairs(
        asked, "bodyParameters", "bodyParametersUi"
    )
    if isinstance(body, str):
        try:
            made["json"] = json.loads(body)
        except ValueError:
            made["body"] = body
    elif body:
        made["json"] = body
    kind = given.get("nodeCredentialType") or given.get("genericAuthType") or given.get("authentication")
    if kind and kind != "none":
        asked.notes.append(f"{name!r} signs in ({kind}): keep the key as a secret, and give it in `headers`")
    return {"tool": "http", "with": made}


def _pairs(asked: _Asked, *keys: str) -> JsonObject:
    """Names and values, as either version of n8n keeps them."""
    for key in keys:
        held = asked.node.parameters.get(key)
        listed = dicts(held.get("parameters", held.get("parameter"))) if isinstance(held, dict) else []
        if listed:
            return {str(one.get("name")): asked.value(one.get("value")) for one in listed}
    return {}


def _if(asked: _Asked) -> JsonObject:
    test = condition_of(asked.node.parameters, asked.names)
    if test is not None:
        return {"condition": f"${{{{ {test} }}}}"}
    asked.notes.append(f"the condition {asked.node.name!r} has to be written anew; it asks a model until then")
    said = json.dumps(asked.node.parameters.get("conditions"), ensure_ascii=False)[:500]
    return {"condition": {"ask": f"Does this hold? {said}".replace("${{", "$ {{")}}


def _set(asked: _Asked) -> JsonObject:
    given = asked.node.parameters
    held = given.get("assignments")
    listed = dicts(held.get("assignments")) if isinstance(held, dict) else []
    older = given.get("values")
    listed += [one for kind in older.values() for one in dicts(kind)] if isinstance(older, dict) else []
    made: JsonObject = {word_of(str(one.get("name")), "value"): asked.value(one.get("value")) for one in listed}
    if not made:
        asked.notes.append(f"{asked.node.name!r} sets nothing that can be read: write its values anew")
        made = {"todo": json.dumps(given, ensure_ascii=False)[:500].replace("${{", "$ {{")}
    return {"set": made}


def _code(asked: _Asked) -> JsonObject:
    given = asked.node.parameters
    code = str(given.get("jsCode") or given.get("pythonCode") or given.get("functionCode") or "")
    lines = code.splitlines()
    asked.notes.append(
        f"{asked.node.name!r} is code ({len(lines)} lines): it fails until it is written anew; see above its step"
    )
    shown = "\n".join(["TODO: what this code did has to be written anew:", *lines[:_CODE_LINES]])
    return {NOTE: shown, "fail": f"TODO: the code of {asked.node.name} has to be written anew".replace("${{", "$ {{")}


def _wait(asked: _Asked) -> JsonObject:
    given = asked.node.parameters
    amount, unit = given.get("amount"), _UNITS.get(str(given.get("unit") or "seconds"))
    if given.get("resume") in ("webhook", "form"):
        asked.notes.append(f"{asked.node.name!r} waits for somebody: a person is asked in its place")
        return {"human": asked.node.name, "expires": "never"}
    if given.get("resume") == "specificTime":
        return {"wait": {"until": asked.text("dateTime") or "2030-01-01T00:00:00Z"}}
    if not isinstance(amount, int) or amount < 1 or unit is None:
        asked.notes.append(f"{asked.node.name!r} does not say how long it waits; a minute was taken")
        return {"wait": "1m"}
    return {"wait": f"{amount}{unit}"}


def _workflow(asked: _Asked) -> JsonObject:
    held = asked.node.parameters.get("workflowId")
    id_ = str(held.get("value") if isinstance(held, dict) else held or "")
    shown = str(held.get("cachedResultName") or id_) if isinstance(held, dict) else id_
    if id_ not in asked.others:
        asked.notes.append(
            f"{asked.node.name!r} runs the workflow {shown!r}: import its folder as a whole, or say which playbook"
        )
    before = asked.names.before
    message = f"${{{{ {before} | tojson }}}}" if before and before != "run" else "${{ inputs.message }}"
    return {"playbook": asked.others.get(id_) or playbook_name(shown), "with": {"message": message}}


def _agent(asked: _Asked) -> JsonObject:
    return {"agent": None, "prompt": asked.text("text", "prompt", "messages") or asked.node.name}


def _answer(asked: _Asked) -> JsonObject:
    asked.notes.append(
        f"{asked.node.name!r} answers a webhook: give this as an output, and write `answer: run` at the webhook"
    )
    return {"respond": asked.text("responseBody") or asked.node.name}


_KINDS: Final[Mapping[str, Callable[[_Asked], JsonObject]]] = {
    "httpRequest": _http,
    "if": _if,
    "filter": _if,
    "set": _set,
    **dict.fromkeys(("code", "function", "functionItem"), _code),
    "executeCommand": lambda asked: {"tool": "bash", "with": {"command": asked.text("command")}},
    "wait": _wait,
    "merge": lambda asked: {"merge": "all"},
    "executeWorkflow": _workflow,
    **dict.fromkeys(("agent", "chainLlm", "openAi", "chainSummarization"), _agent),
    "respondToWebhook": _answer,
    "stopAndError": lambda asked: {"fail": asked.text("errorMessage", "errorObject") or asked.node.name},
}
"""By kind; of all others a tool of that name is wanted."""
