"""What each kind of node of Sulla Desktop is here. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject

IGNORED: Final = frozenset({"sticky-note", "loop-frame"})
"""Nodes that are there for the eye alone."""

Names = Mapping[str, str]
"""What the labels and ids of nodes stand for in an expression."""

_TEMPLATE: Final = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_BREAKS: Final = re.compile(
    r"\s*(?:\{\{)?\s*(?P<of>[^{}]+?)\s*(?:\}\})?\s+(?P<how>contains|equals|is|==|!=)\s+[\"']?(?P<what>[^\"'{}]+?)[\"']?\s*",
    re.IGNORECASE,
)
_OWN: Final = frozenset(("", "sulla", "sulla-desktop", "main"))
"""What the original calls the agent of its window."""
_LISTS: Final = ("items", "iterateOver", "collection", "itemsPath", "arrayPath", "forEach", "source")
"""Keys behind which a loop's list may stand."""
_FOR_THE_EYE: Final = frozenset(
    ("icon", "color", "description", "position", "triggerType", "agentName", "workflowName")
)
"""What a node says to those who look at it."""


def playbook_name(said: str) -> str:
    """What a workflow is called here."""
    return word_of(said, "_").replace("_", "-").strip("-").lower() or "imported"


def broken_by(condition: str, names: Names) -> str | None:
    """The expression of a loop's condition, such as ``Review contains APPROVED``; None if it is none of that form."""
    found = _BREAKS.fullmatch(condition)
    of = None if found is None else names.get(found["of"]) or names.get(found["of"].rpartition(".")[0])
    if found is None or of is None:
        return None
    what, how = json.dumps(found["what"], ensure_ascii=False), found["how"].lower()
    if how == "contains":
        return f"{what} in steps.{of}.output"
    return f"steps.{of}.output {'!=' if how == '!=' else '=='} {what}"


def word_of(label: str, otherwise: str) -> str:
    """A label as a name."""
    word = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:60]
    if not word:
        return otherwise
    return word if not word[0].isdigit() else f"{otherwise}_{word}"


def step_name(label: str, taken: set[str]) -> str:
    """The id of a step, by its label; no other one has it.

    Args:
        label: what people call it.
        taken: the ids of others; this one is added.
    """
    step = word_of(label, "step").lower()
    while step in taken:
        step += "_2"
    taken.add(step)
    return step


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
    return next((names[label] for label in (path, path.rpartition(".")[0]) if label in names), None)


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
    used: set[str] = field(default_factory=set)
    """The keys of the configuration that something came of."""

    def get(self, key: str) -> Json:
        """What stands behind a key; None for nothing."""
        self.used.add(key)
        return self.config.get(key)

    def text(self, *keys: str) -> str:
        """What it says under some keys, with its templates as expressions."""
        parts = [str(self.get(key) or "").strip() for key in keys]
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
    made = _KINDS[subtype](said)
    for key, value in config.items():
        if key not in said.used and key not in _FOR_THE_EYE and value not in (None, "", False, [], {}):
            shown = json.dumps(value, ensure_ascii=False)[:80]
            notes.append(f"{label!r} also says `{key}: {shown}`, which has no counterpart; it was left out")
    return made


def _agent(said: NodeSaid) -> JsonObject:
    id_ = str(said.get("agentId") or "")
    made: JsonObject = {
        "agent": None if id_ in _OWN else id_,
        "prompt": said.text("additionalPrompt", "userMessage", "orchestratorInstructions", "completionContract")
        or said.label,
    }
    for key, theirs in (("before", "beforePrompt"), ("after", "afterPrompt"), ("success", "successCriteria")):
        if said.text(theirs):
            made[key] = said.text(theirs)
    return made


def _tool(said: NodeSaid) -> JsonObject:
    label, notes = said.label, said.notes
    slug = "__".join(str(said.get(key)) for key in ("integrationSlug", "endpointName") if said.get(key))
    name = str(said.get("toolName") or said.get("functionRef") or slug or "tool")
    if not said.get("toolName"):
        notes.append(f"{label!r} calls {name!r}: say which tool does that here")
    given = said.get("defaults") or said.get("inputs")
    held = dict(given) if isinstance(given, dict) else {}
    return {"tool": word_of(name, "tool"), "with": {key: said.given(value) for key, value in held.items()}}


def _router(said: NodeSaid) -> JsonObject:
    label, notes = said.label, said.notes
    routes = said.get("routes")
    made: JsonObject = {}
    for route in routes if isinstance(routes, list) else []:
        if isinstance(route, dict):
            name = str(route.get("label") or "")
            made[word_of(name, "route")] = str(route.get("description") or name)
    if len(made) < 2:
        notes.append(f"the router {label!r} has fewer than two ways: give it another")
    return {"router": said.text("classificationPrompt") or label, "routes": made}


def _condition(said: NodeSaid) -> JsonObject:
    label, notes = said.label, said.notes
    rules = said.get("rules")
    joined = f" {said.get('combinator') or 'and'} ".join(
        " ".join(str(rule.get(key) or "") for key in ("field", "operator", "value"))
        for rule in (rules if isinstance(rules, list) else [])
        if isinstance(rule, dict)
    )
    notes.append(f"the condition {label!r} asks a model, as it did; an expression would cost nothing and never guess")
    return {"condition": {"ask": str(said.given(joined.strip())) or label}}


def _wait(said: NodeSaid) -> JsonObject:
    label, notes = said.label, said.notes
    amount, unit = said.get("delayAmount"), str(said.get("delayUnit") or "seconds")[:1]
    if not isinstance(amount, int) or amount < 1 or unit not in "smh":
        notes.append(f"{label!r} does not say how long it waits; a minute was taken")
        return {"wait": "1m"}
    return {"wait": f"{amount}{unit}"}


def _loop(said: NodeSaid) -> JsonObject:
    label, notes = said.label, said.notes
    most, mode = said.get("maxIterations"), str(said.get("loopMode") or "iterations")
    count = most if isinstance(most, int) and 1 <= most <= 1000 else 10
    given = next((str(said.get(key)) for key in _LISTS if said.config.get(key)), "")
    found = _TEMPLATE.fullmatch(given.strip())
    listed = _looked_up(found[1], said.names) if found is not None else None
    if "each" in mode and listed is not None:
        notes.append(
            f"the loop {label!r} goes over {listed}: see whether it is a list, else make one (`| lines`, `| fromjson`)"
        )
        return {"loop": {"for_each": f"${{{{ {listed} }}}}", "most": count}}
    if "each" in mode:
        notes.append(f"the loop {label!r} does not say its list in a way that can be read: say it with `for_each`")
    condition = str(said.get("condition") or "")
    steps = {name: one.removeprefix("steps.").removesuffix(".output") for name, one in said.names.items()}
    if condition and broken_by(condition, steps) is None:
        notes.append(f"the loop {label!r} ends by more than a count: say {condition[:80]!r} with `while` or a break")
    elif mode not in ("iterations", "for-each", "foreach") and not condition:
        notes.append(f"the loop {label!r} ends by more than a count: say it with `while`, `for_each` or a break")
    return {"loop": {"count": count}}


def _notification(said: NodeSaid) -> JsonObject:
    text = said.text("title", "message", "body")
    return {"tool": "notify_user", "with": {"text": text or said.label}}


_KINDS: Final[Mapping[str, Callable[[NodeSaid], JsonObject]]] = {
    "agent": _agent,
    "tool-call": _tool,
    "integration-call": _tool,
    "function": _tool,
    "desktop-notification": _notification,
    "orchestrator-prompt": lambda said: {"prompt": said.text("prompt") or said.label},
    "router": _router,
    "condition": _condition,
    "wait": _wait,
    "parallel": lambda said: {},
    "merge": lambda said: {"merge": "first" if said.get("strategy") == "first" else "all"},
    "loop": _loop,
    "sub-workflow": lambda said: {"playbook": playbook_name(str(said.get("workflowId")))},
    "transfer": lambda said: {"transfer": playbook_name(str(said.get("targetWorkflowId")))},
    "user-input": lambda said: {
        "human": said.text("promptText") or said.label, "input": {"type": "string"}, "expires": "never"
    },
    "response": lambda said: {"respond": said.text("responseTemplate") or said.label},
}  # fmt: skip
