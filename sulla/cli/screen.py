"""What a person sees of a run: its events, as text. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sulla.cli.exits import Exit
from sulla.cli.table import harmless


@dataclass(slots=True)
class Screen:
    """Turns events of one run into pieces of output: (text for the answer, text about it).

    Text is addressed by offset, so a delta that comes twice, after a reconnect, is printed once, and one that comes too
    late not at all. Control characters are left out: a model's words must not move the cursor, or write to a clipboard.
    """

    run_id: str
    exit: Exit | None = None
    """Set when the run has ended."""
    _message: str = ""
    _shown: int = 0
    _over: set[str] = field(default_factory=set)
    """Messages that were printed to their end, or are void."""
    _open_line: bool = field(default=False)

    def show(self, event: dict[str, Any]) -> tuple[str, str]:
        """What to print for an event: on standard output, and beside it."""
        if event.get("run_id") != self.run_id:
            return "", ""
        answer, beside = self._show(event)
        return harmless(answer), harmless(beside)

    def _show(self, event: dict[str, Any]) -> tuple[str, str]:
        data = event["data"]
        match event["type"]:
            case "TEXT_MESSAGE_CONTENT":
                return self._more(data["message_id"], data["offset"], data["delta"]), ""
            case "TEXT_MESSAGE_END":
                return self._whole(data), ""
            case "MODEL_ABANDONED":
                return self._abandoned(data)
            case "TOOL_CALL_START":
                given = json.dumps(data.get("args", {}), ensure_ascii=False)
                return self._line_end(), f"· {data['name']} {given[:120]}\n"
            case "NOTICE":
                return self._line_end(), "! " + f"{notice_head(data)}: {data['text']}".replace("\n", "\n  ") + "\n"
            case "SUSPENDED":
                return self._line_end(), "".join(_asked(wait) for wait in data["waits"])
            case "RUN_FINISHED":
                return self._finished(data)
            case "RUN_ERROR":
                self.exit = Exit.FAILED
                return self._line_end(), f"failed ({data['code']}): {data['message']}\n"
            case _:
                return "", ""

    def _finished(self, data: dict[str, Any]) -> tuple[str, str]:
        outcome = data.get("outcome", {})
        status = outcome.get("status")
        self.exit = {"blocked": Exit.BLOCKED, "cancelled": Exit.CANCELLED}.get(status, Exit.OK)
        beside = ""
        if status == "blocked":
            reason, needs = outcome.get("blocker_reason"), outcome.get("unblock_requirements")
            beside = f"blocked: {reason or 'no reason given'}\n" + (f"needed: {needs}\n" if needs else "")
        elif status == "cancelled":
            beside = f"[{outcome.get('reason', 'cancelled')}]\n"
        elif data.get("joined"):
            beside = "[taken along by the turn that was running]\n"
        return self._line_end(), beside

    def _abandoned(self, data: dict[str, Any]) -> tuple[str, str]:
        self._over.add(data["message_id"])
        if data["message_id"] != self._message or not self._shown:
            return "", ""
        return self._line_end(), f"[that answer broke off ({data.get('reason', '')}); it begins anew]\n"

    def _more(self, message_id: str, offset: int, delta: str) -> str:
        if message_id in self._over:
            return ""
        lead = ""
        if message_id != self._message:
            lead, self._message, self._shown = self._line_end(), message_id, 0
        if offset > self._shown:
            return lead  # a gap: the whole text comes with the end of the message
        fresh = delta[self._shown - offset :]
        self._shown += len(fresh)
        if fresh:
            self._open_line = not fresh.endswith("\n")
        return lead + fresh

    def _whole(self, data: dict[str, Any]) -> str:
        if data.get("hidden") or data["message_id"] in self._over:
            return ""
        text = self._more(data["message_id"], 0, data.get("text", "")) + self._line_end()
        self._over.add(data["message_id"])
        return text

    def _line_end(self) -> str:
        ended, self._open_line = self._open_line, False
        return "\n" if ended else ""


def _asked(wait: dict[str, Any]) -> str:
    """What a person is asked, and where to answer."""
    return f"? {wait.get('prompt', '')}\n  answer with `sulla approvals answer {wait['wait_id']} …`\n"


def notice_head(data: dict[str, Any]) -> str:
    """What a note to people is called: who tells it and how soon somebody should look."""
    urgency = data.get("urgency", "normal")
    soon = f", {urgency} urgency" if urgency != "normal" else ""
    outside = ", perhaps with words from outside" if data.get("tainted") else ""
    return f"note from {data.get('agent') or 'the agent'}{soon}{outside}"
