"""What each kind of node of Sulla Desktop is here. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject

IGNORED: Final = frozenset({"sticky-note", "loop-frame"})
"""Nodes that are there for the eye alone."""

Names = Mapping[str, str]
"""The steps by the labels and ids of their nodes."""

_TEMPLATE: Final = re.compile(r"\{\{\s*([\w\-. ]+?)\s*\}\}")


def word_of(label: str, otherwise: str) -> str:
    """A label as a name."""
    word = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:60]
    if not word:
        return otherwise
    return word if not word[0].isdigit() else f"{otherwise}_{word}"


def expression_text(text: str, names: Names, notes: list[str]) -> str:
    """A text with each ``{{label}}`` of the original as an expression."""

    def expression(found: re.Match[str]) -> str:
        inner = _looked_up(found[1], names)
        if inner is None:
            notes.append(f"{found[0]} names nothing that is there; it was left as it stands")
            return found[0]
        return f"${{{{ {inner} }}}}"

    return _TEMPLATE.sub(expression, text)


def _looked_up(path: str, names: Names) -> str | None:
    if path.split(".", maxsplit=1)[0] == "trigger":
        return "inputs.message"
    if path == "loop.index":
        return "loop.index"
    if path.startswith("loop.currentItem"):
        return "item"
    for label in (path, path.rpartition(".")[0]):
        if label in names:
            return f"steps.{names[label]}.output"
    return None


# ------------------------------------------------------------------------------------------------------------- triggers


def _schedule(config: JsonObject) -> Json:
    def number(key: str, otherwise: int) -> int:
        found = config.get(key)
        return found if isinstance(found, int) else otherwise

    hour, minute = number("hour", 0), number("minute", 0)
    crons = {
        "every-minutes": f"*/{number('intervalMinutes', 30)} * * * *",
        "hourly": f"{minute} * * * *",
        "daily": f"{minute} {hour} * * *",
        "weekly": f"{minute} {hour} * * {number('dayOfWeek', 0)}",
        "monthly": f"{minute} {hour} {number('dayOfMonth', 1)} * *",
    }
    cron = crons.get(str(config.get("frequency")))
    return None if cron is None else {"schedule": cron, "zone": str(config.get("timezone") or "UTC")}


def _chat(config: JsonObject) -> Json:
    about = str(config.get("triggerDescription") or "").strip()
    return {"chat": about} if about else None


TRIGGERS: Final[Mapping[str, Callable[[JsonObject], Json]]] = {
    "manual": lambda config: "manual",
    "workbench": lambda config: "manual",
    "heartbeat": lambda config: "heartbeat",
    "schedule": _schedule,
    "calendar": lambda config: None,
    "chat-app": _chat,
    "sulla-desktop": _chat,
    "chat-completions": _chat,
}
"""By subtype; None for what has no counterpart."""


# ---------------------------------------------------------------------------------------------------------------- kinds


@dataclass(frozen=True, slots=True)
class NodeSaid:
    """What a node says."""

    subtype: str
    label: str
    config: JsonObject
    names: Names
    notes: list[str]
    """Taken further."""

    def text(self, *keys: str) -> str:
        """What it says under some keys, with its templates as expressions."""
        parts = [str(self.config.get(key) or "").strip() for key in keys]
        return expression_text("\n\n".join(part for part in parts if part), self.names, self.notes)

    def given(self, value: Json) -> Json:
        """An argument."""
        return expression_text(value, self.names, self.notes) if isinstance(value, str) else value


def step_of(said: NodeSaid) -> JsonObject:
    """What a node does, as the keys of a step."""
    subtype, label, config, notes = said.subtype, said.label, said.config, said.notes
    if subtype not in _KINDS:
        notes.append(f"{label!r} is a {subtype!r}, which has no counterpart: the agent is asked in its place")
        return {"prompt": f"{label}: {json.dumps(config, ensure_ascii=False)[:500]}".replace("${{", "{{")}
    return _KINDS[subtype](said)


def _agent(said: NodeSaid) -> JsonObject:
    made: JsonObject = {
        "agent": str(said.config.get("agentId") or "") or None,
        "prompt": said.text("additionalPrompt", "userMessage", "orchestratorInstructions", "completionContract")
        or said.label,
    }
    for key, theirs in (("before", "beforePrompt"), ("success", "successCriteria")):
        if said.text(theirs):
            made[key] = said.text(theirs)
    return made


def _tool(said: NodeSaid) -> JsonObject:
    config, label, notes = said.config, said.label, said.notes
    slug = "__".join(str(config[key]) for key in ("integrationSlug", "endpointName") if config.get(key))
    name = str(config.get("toolName") or config.get("functionRef") or slug or "tool")
    if not config.get("toolName"):
        notes.append(f"{label!r} calls {name!r}: say which tool does that here")
    given = config.get("defaults") or config.get("inputs")
    held = dict(given) if isinstance(given, dict) else {}
    return {"tool": word_of(name, "tool"), "with": {key: said.given(value) for key, value in held.items()}}


def _router(said: NodeSaid) -> JsonObject:
    config, label, notes = said.config, said.label, said.notes
    routes = config.get("routes")
    made: JsonObject = {}
    for route in routes if isinstance(routes, list) else []:
        if isinstance(route, dict):
            name = str(route.get("label") or "")
            made[word_of(name, "route")] = str(route.get("description") or name)
    if len(made) < 2:
        notes.append(f"the router {label!r} has fewer than two ways: give it another")
    return {"router": said.text("classificationPrompt") or label, "routes": made}


def _condition(said: NodeSaid) -> JsonObject:
    config, label, notes = said.config, said.label, said.notes
    rules = config.get("rules")
    joined = f" {config.get('combinator') or 'and'} ".join(
        " ".join(str(rule.get(key) or "") for key in ("field", "operator", "value"))
        for rule in (rules if isinstance(rules, list) else [])
        if isinstance(rule, dict)
    )
    notes.append(f"the condition {label!r} asks a model, as it did; an expression would cost nothing and never guess")
    return {"condition": {"ask": str(said.given(joined.strip())) or label}}


def _wait(said: NodeSaid) -> JsonObject:
    config, label, notes = said.config, said.label, said.notes
    amount, unit = config.get("delayAmount"), str(config.get("delayUnit") or "seconds")[:1]
    if not isinstance(amount, int) or amount < 1 or unit not in "smh":
        notes.append(f"{label!r} does not say how long it waits; a minute was taken")
        return {"wait": "1m"}
    return {"wait": f"{amount}{unit}"}


def _loop(said: NodeSaid) -> JsonObject:
    config, label, notes = said.config, said.label, said.notes
    most = config.get("maxIterations")
    count = most if isinstance(most, int) and 1 <= most <= 1000 else 10
    if config.get("condition") or config.get("loopMode") not in (None, "iterations"):
        notes.append(f"the loop {label!r} ends by more than a count: say it with `while`, `for_each` or a break")
    return {"loop": {"count": count}}


_KINDS: Final[Mapping[str, Callable[[NodeSaid], JsonObject]]] = {
    "agent": _agent,
    "tool-call": _tool,
    "integration-call": _tool,
    "function": _tool,
    "desktop-notification": _tool,
    "orchestrator-prompt": lambda said: {"prompt": said.text("prompt") or said.label},
    "router": _router,
    "condition": _condition,
    "wait": _wait,
    "parallel": lambda said: {},
    "merge": lambda said: {"merge": "first" if said.config.get("strategy") == "first" else "all"},
    "loop": _loop,
    "sub-workflow": lambda said: {
        "playbook": word_of(str(said.config.get("workflowId")), "other").replace("_", "-").lower()
    },
    "transfer": lambda said: {
        "transfer": word_of(str(said.config.get("targetWorkflowId")), "other").replace("_", "-").lower()
    },
    "user-input": lambda said: {
        "human": said.text("promptText") or said.label, "input": {"type": "string"}, "expires": "never"
    },
    "response": lambda said: {"respond": said.text("responseTemplate") or said.label},
}  # fmt: skip
