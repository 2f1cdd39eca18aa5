"""What a person sees of a playbook's run: its events, as lines. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import field
from datetime import datetime
from typing import Any

from sulla.core.dataclass import dataclass
from sulla.playbooks.machine.counts import UPSTREAM
from sulla.terminal.program import program
from sulla.terminal.screen import paused_head
from sulla.terminal.table import one_line

Row = dict[str, Any]

SHORT = 120
"""Columns that an output takes up in a line."""


IN_FINALLY = "in finally: "
"""How it begins why a run has failed whose own steps had not."""
"""The reason of a step that was not begun, because one that it needs had failed."""
WHY = 200
"""Columns that a failure takes up in a line."""


def cause_of(message: str) -> str:
    """Which step's failure kept another one from being begun; what was wrong with it is told there."""
    return one_line(message.partition(":")[0], WHY)


def short(value: object, most: int = SHORT) -> str:
    """A value in so many columns; text as it is, the rest as JSON, nothing for null."""
    if value is None:
        return ""
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), most)


def took(began: str | None, ended: str | None) -> str:
    """How long something took, from two stamps; empty if that is not known."""
    if not began or not ended:
        return ""
    return span_of((datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())


def span_of(seconds: float) -> str:
    """A time for people: ``0.4s``, ``12s``, ``3m05s``, ``2h10m`` or ``3d04h``."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f}s"
    minutes, seconds = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds}s"
    hours, minutes = divmod(minutes, 60)
    if not hours:
        return f"{minutes}m{seconds:02}s"
    days, hours = divmod(hours, 24)
    return f"{days}d{hours:02}h" if days else f"{hours}h{minutes:02}m"


@dataclass(slots=True)
class RunLines:
    """Turns the events of a run's thread into lines."""

    ended: str | None = None
    """How the run ended; None while it goes on."""
    outputs: Row = field(default_factory=dict)
    """What it gave back."""
    _began: dict[str, str] = field(default_factory=dict)
    """When each open step began, by address."""
    _tokens: int = 0
    """All that the run is charged for: also what came to nothing, such as an agent that was given up."""
    _done: int = 0

    def show(self, event: Row) -> Iterator[str]:
        """The lines for an event of the run's own thread."""
        data = event["data"]
        match event["type"]:
            case "INPUT":
                self.ended = None  # one that has ended is told to go on: nothing else is written to it
            case "ANSWER":
                self._tokens += (data.get("report") or {}).get("tokens", 0)
            case "PLAYBOOK":
                self._tokens += data.get("tokens", 0)
                yield from self._fact(str(data["what"]), str(data.get("at", "")), data.get("detail", {}), event["at"])
            case "CHILD_STARTED":
                yield f"{data.get('agent', 'an agent')} works in the thread {data['thread_id']}"
            case "NOTICE":
                yield f"! {data['text']}"
            case "RUN_PAUSED":
                yield f"[{paused_head(data)}; it goes on when somebody says `{program()} resume`]"
            case "RUN_FINISHED" if self.ended is None and data["outcome"].get("status") == "cancelled":
                self.ended = "cancelled"
                yield "the run was stopped"
            case "RUN_ERROR" if self.ended in (None, "transferred"):  # nobody took over
                self.ended = "failed"
                yield f"failed ({data['code']}): {data['message']}"
            case _:
                pass

    def _fact(self, what: str, at: str, detail: Row, when: str) -> Iterator[str]:
        if what.startswith("RUN_"):
            yield from self._of_run(what, detail)
            return
        spent = detail.get("spent", {}).get("tokens", 0)
        if what == "STEP_STARTED":
            attempt = detail.get("attempt", 1)
            self._began.setdefault(at, when)
            yield f"{at} began" + (f" again (attempt {attempt})" if attempt > 1 else "")
        elif what == "STEP_COMPLETED":
            self._done += 1
            tokens = f", {spent} tokens" if spent else ""
            went = f" -> {detail['route']}" if detail.get("route") else ""
            said = short(detail.get("value"))
            yield f"{at} done{self._took(at, when)}{tokens}{went}" + (f": {said}" if said else "")
        elif what == "STEP_FAILED":
            failure = detail.get("failure") or {}
            if failure.get("reason") == UPSTREAM:
                yield f"{at} not done: {cause_of(str(failure.get('message', '')))}"
            else:
                self._done += 1
                yield f"{at} failed{self._took(at, when)} {_why(detail)}"
        elif what == "STEP_SKIPPED":
            self._began.pop(at, None)
            yield f"{at} skipped: {detail.get('why', '')}"
        elif what == "TAKEN_UP":
            behind = ", ".join(map(str, detail.get("behind", ())))
            if behind:
                yield f"waits for its turn, behind {behind}"
        else:
            yield from _of_step(what, at, detail, when)

    def _of_run(self, what: str, detail: Row) -> Iterator[str]:
        match what:
            case "RUN_STARTED":
                inputs = short(detail.get("inputs") or None)
                old = f", after what {detail['forked_from']} has done" if detail.get("forked_from") else ""
                yield f"{detail.get('playbook', 'the playbook')} began" + (f" with {inputs}" if inputs else "") + old
            case "RUN_PAUSED":
                why = detail.get("why")
                yield "paused" + (f" ({why})" if why else "") + ": no further step begins until it is resumed"
            case "RUN_RESUMED":
                yield "resumed"
            case "RUN_REOPENED":
                self.ended = None
                yield f"goes on from {', '.join(detail.get('steps', []))}"
            case "RUN_STOPPED":
                yield f"is ended ({detail.get('status')})" + (f": {detail['why']}" if detail.get("why") else "")
            case "RUN_CLOSING":
                why = f"; {_why_all(detail)}" if detail.get("failure") else ""
                yield f"comes to its end ({detail['status']}){why}"
            case "RUN_ENDED":
                self.ended = str(detail["status"])
                self.outputs = dict(detail.get("outputs", {})) if self.ended != "transferred" else {}
                to = f" to {detail['to']}" if detail.get("to") else ""
                why = f"; {_why_all(detail)}" if detail.get("failure") else ""
                yield f"{self.ended}{to}: {self._done} steps, {self._tokens} tokens{why}"
            case _:
                pass

    def _took(self, at: str, when: str) -> str:
        found = took(self._began.pop(at, None), when)
        return f" in {found}" if found else ""


def _of_step(what: str, at: str, detail: Row, when: str) -> Iterator[str]:
    match what:
        case "STEP_RETRY":
            wait_s = max(0.0, detail["due_ms"] / 1000 - datetime.fromisoformat(when).timestamp())
            yield f"{at}: attempt {detail['attempt']} failed {_why(detail)}; again in {span_of(wait_s)}"
        case "STEP_REASKED":
            yield f"{at}: asked once more ({detail.get('reason', '')})"
        case "STEP_CANCELLED":
            yield f"{at} cancelled"
        case "PASS_STARTED":
            yield f"{at}: pass {detail.get('number', 0) + 1}"
        case _:
            pass


def of_child(event: Row) -> Iterator[str]:
    """The lines for an event of a thread that works for the run."""
    data = event["data"]
    match event["type"]:
        case "TOOL_CALL_START" if not data.get("refused"):
            yield f"· {data['name']} {json.dumps(data.get('args', {}), ensure_ascii=False)[:SHORT]}"
        case "NOTICE":
            yield f"! {data['text']}"
        case "RUN_ERROR":
            yield f"failed ({data['code']}): {data['message']}"
        case _:
            pass


def _why_all(detail: Row) -> str:
    """Why a run failed: where a step did, its own line has the reason."""
    message = str((detail.get("failure") or {}).get("message", ""))
    return one_line(message, WHY) if message.startswith(("step '", f"{IN_FINALLY}step '")) else _why(detail)


def _why(detail: Row) -> str:
    failure = detail.get("failure") or {}
    reason, message = str(failure.get("reason", "unknown")), one_line(str(failure.get("message", "")), WHY)
    word = "" if reason == UPSTREAM else f"({reason})"
    return ": ".join(filter(None, (word, message)))
