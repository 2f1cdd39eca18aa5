"""What a person sees of a run: its events, as text. Pure."""

from __future__ import annotations

import json
from dataclasses import field
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.handed import handed_words
from sulla.core.pattern import late_pattern
from sulla.core.waiting import waiting_words
from sulla.terminal.exits import Exit
from sulla.terminal.flow_lines import branches_line, flow_line, is_answer
from sulla.terminal.framed import WHOLE_COLUMNS
from sulla.terminal.program import hint
from sulla.terminal.questions import framed, from_wait
from sulla.terminal.table import harmless

BY_COMMAND: Final = "`sulla changes` shows it"
"""What shows changes that wait, where nobody types a talk's commands."""
CHANGES: Final = "changes_"
"""How the ids begin of changes of commands."""
_NO_WORDS: Final = "no_words"
"""Why a turn is done whose agent has said nothing after its tools."""
_HELD = late_pattern("(?:[\ufe00-\ufe0f\u200b-\u200f]{1,8}|\U0001f3f4[\U000e0020-\U000e007f]{0,6})\\Z")
"""What may join the end of a piece to the next one; whether it belongs there, only that one shows."""


@dataclass(slots=True)
class _Pieces:
    """What `table.harmless` makes of a text that comes in pieces; it lives as long as the text."""

    _before: str = ""
    """The last character that was shown."""
    _held: str = ""
    """What came behind it and may join it to the next piece."""

    @property
    def any_shown(self) -> bool:
        """Whether anything was shown."""
        return bool(self._before)

    def harmless(self, piece: str) -> str:
        """What may be shown of a piece, with what was held back of the one before; empty for an empty one."""
        if not piece:
            return ""
        piece = self._held + piece
        found = None if piece.isascii() else _HELD.search(piece)
        end = found.start() if found is not None else len(piece)
        self._held = piece[end:]
        shown = harmless(self._before + piece[:end]).removeprefix(self._before)
        self._before = shown[-1:] or self._before
        return shown


@dataclass(slots=True)
class Screen:
    """Turns events of one run into pieces of output: (text for the answer, text about it).

    Text is addressed by offset, so a delta that comes twice, after a reconnect, is printed once, and one that comes too
    late not at all. Control characters are left out: a model's words must not move the cursor, or write to a clipboard.
    So is what cannot be seen (`table.harmless`).
    """

    run_id: str
    exit: Exit | None = None
    """Set when the run has ended."""
    _message: str = ""
    _shown: int = 0
    _over: set[str] = field(default_factory=set)
    """Messages that were printed to their end, or are void."""
    _open_line: bool = field(default=False)
    _asides: set[str] = field(default_factory=set)
    """Runs in which the agent tells what came of a playbook."""
    _cycle: str = ""
    """What the cycle of a beat that is at work is waited for by."""
    _pieces: _Pieces = field(default_factory=_Pieces, init=False)
    said: str = field(default="", init=False)
    """The last reply that was shown."""

    def show(self, event: dict[str, Any]) -> tuple[str, str]:
        """What to print for an event: on standard output, and beside it."""
        if line := held_line(event, BY_COMMAND):
            return self._line_end(), f"{hint(line)}\n"
        if event.get("run_id") != self.run_id and event["type"] not in _OF_THE_THREAD:
            return "", harmless(self.aside(event))
        answer, beside = self._show(event)
        return self._pieces.harmless(answer), harmless(beside)

    def aside(self, event: dict[str, Any]) -> str:
        """What the agent says of a playbook that has ended, in a turn that no person asked for."""
        data, run_id = event["data"], str(event.get("run_id"))
        if event["type"] == "INPUT" and data.get("origin") == "playbook":
            self._asides.add(run_id)
        elif event["type"] == "TEXT_MESSAGE_END" and run_id in self._asides and not data.get("hidden"):
            return f"[of a playbook]\n{data['text']}\n" if data.get("text") else ""
        return ""

    def _show(self, event: dict[str, Any]) -> tuple[str, str]:
        data = event["data"]
        match event["type"]:
            case "TEXT_MESSAGE_CONTENT":
                return self._more(data["message_id"], data["offset"], data["delta"]), ""
            case "TEXT_MESSAGE_END":
                void = self._shown and data["message_id"] == self._message and not data.get("text")
                told = cut_at_limit(data) or (TAKEN_BACK if void and not data.get("cut") else "")
                return self._whole(data), f"{told}\n" if told else ""
            case "MODEL_ABANDONED":
                return self._abandoned(data)
            case "FLOW_PART_STARTED" | "FLOW_MOVED" | "TOOL_CALL_START" as kind:
                told = _work_line(kind, data)
                return (self._line_end(), f"{told}\n") if told else ("", "")
            case "NOTICE" if not data.get("wait_id"):  # what a sub-agent asks is put to whoever sits here
                return self._line_end(), "! " + f"{notice_head(data)}: {data['text']}".replace("\n", "\n  ") + "\n"
            case "SUSPENDED":
                return self._line_end(), "".join(map(_asked, data["waits"]))
            case "RUN_PAUSED" | "RUN_WAITING" | "AGENT_ROUTED" as kind:
                return self._line_end(), f"{_LINES[kind](data)}\n"
            case "RUN_FINISHED":
                return self._finished(data)
            case "RUN_ERROR":
                self.exit = Exit.FAILED
                return self._line_end(), f"failed ({data['code']}): {data['message']}\n"
            case kind:
                return self._of_beat(kind, data)

    def _of_beat(self, kind: str, data: dict[str, Any]) -> tuple[str, str]:
        """Of a message to a heartbeat: what its cycles have to say, each in a thread of its own."""
        match kind:
            case "CYCLE_STARTED":
                self._cycle = f"child:{data['child']}"
            case "ANSWER" if data.get("wait_id") == self._cycle and data.get("text"):
                return f"{data['text']}\n", ""
            case "BEAT_SKIPPED":
                return self._line_end(), f"[no beat ({data['reason']}): {data.get('text', '')}]\n"
        return "", ""

    def _finished(self, data: dict[str, Any]) -> tuple[str, str]:
        outcome = data.get("outcome", {})
        status = outcome.get("status")
        self.exit = {"blocked": Exit.BLOCKED, "cancelled": Exit.CANCELLED}.get(status, Exit.OK)
        told = self._pieces.any_shown or self._cycle or data.get("joined") or outcome.get("response")
        quiet = status == "done" and (not told or outcome.get("reason") == _NO_WORDS)
        beside = "[the agent has said nothing]\n" if quiet else ""
        if status == "blocked":
            beside = "".join(f"{line}\n" for line in blocked_lines(outcome, self.said)) or "[blocked]\n"
        elif status == "cancelled":
            beside = f"[{outcome.get('reason', 'cancelled')}]\n"
        elif data.get("joined"):
            beside = "[taken along by the turn that was running]\n"
        return self._line_end(), beside

    def _abandoned(self, data: dict[str, Any]) -> tuple[str, str]:
        self._over.add(data["message_id"])
        if data["message_id"] != self._message or not self._shown:
            return "", ""
        reason = data.get("reason", "")
        # One that was cut off by the daemon's end is made again by whoever takes the run up.
        anew = "; it begins anew" if data.get("retry_in_s") is not None or reason in _TAKEN_UP else ""
        return self._line_end(), f"[that answer broke off ({reason}){anew}]\n"

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
        self.said = str(data.get("text", ""))
        text = self._more(data["message_id"], 0, data.get("text", "")) + self._line_end()
        self._over.add(data["message_id"])
        return text

    def _line_end(self) -> str:
        ended, self._open_line = self._open_line, False
        return "\n" if ended else ""


TAKEN_BACK = "[that does not count: the answer begins anew]"
_TAKEN_UP = ("crashed", "drained", "paused")
_OF_THE_THREAD = ("NOTICE", "SUSPENDED", "ANSWER")
"""What concerns whoever follows a thread, whichever of its runs it comes from."""


def _work_line(kind: str, data: dict[str, Any]) -> str:
    """What the agent does now, in a line; empty for what people are not told."""
    if kind != "TOOL_CALL_START":
        return f"[{told}]" if (told := flow_line(kind, data)) else ""
    if told := branches_line(data):
        return f"[{told}]"
    return "" if is_answer(data) else f"· {data['name']} {json.dumps(data.get('args', {}), ensure_ascii=False)[:120]}"


def _asked(wait: dict[str, Any]) -> str:
    """What a person is asked, whole; nothing for what is not theirs to answer."""
    asked = from_wait(wait)
    return "".join(f"{line}\n" for line in framed(asked, WHOLE_COLUMNS)) if asked.is_for_people else ""


def held_line(event: dict[str, Any], how: str) -> str:
    """What is said of a call's result of which changes wait for a person; empty for any other event.

    Args:
        event: it.
        how: what shows them.
    """
    held = event["data"].get("held") if event["type"] == "TOOL_CALL_RESULT" else ""
    return f"! {short_id(str(held))}: what this command changed waits for your yes; {how}" if held else ""


def short_id(changes: str) -> str:
    """The id of changes as it is typed."""
    return changes.removeprefix(CHANGES)


def is_for_people(event: dict[str, Any]) -> bool:
    """Whether an event concerns whoever waits also where it is a sub-agent's: it asks them something.

    Args:
        event: it.
    """
    return event["type"] == "SUSPENDED" or bool(held_line(event, ""))


def status_word(status: str) -> str:
    """How a conversation is, in a word for people: one that is suspended waits to be told something.

    Args:
        status: as the protocol has it.
    """
    return "waits" if status == "suspended" else status


def waiting_line(data: dict[str, Any]) -> str:
    """What a run waits for before another attempt, and what to do against it."""
    said = str(data.get("said", ""))
    return f"[{waiting_words(str(data['reason']), float(data['wait_s']), said)}; Ctrl-C stops]"


def paused_line(data: dict[str, Any]) -> str:
    """Who has paused all work, why, and how it goes on."""
    return f"[{paused_head(data)}; it goes on when somebody says `sulla resume`]"


def routed_line(data: dict[str, Any]) -> str:
    """Who speaks from here on, and why."""
    return f"[{handed_words(data)}]"


_LINES: Final = {"RUN_PAUSED": paused_line, "RUN_WAITING": waiting_line, "AGENT_ROUTED": routed_line}


def paused_head(data: dict[str, Any]) -> str:
    """Who has paused all work, and why."""
    return f"paused by {data.get('by', '')}" + (f": {data['reason']}" if data.get("reason") else "")


def cut_at_limit(reply: dict[str, Any]) -> str:
    """What is said below a reply that ended at its limit; empty for any other.

    Args:
        reply: its record.
    """
    return "[cut off at the reply's limit]" if reply.get("stop") == "max_tokens" and not reply.get("hidden") else ""


def held_words(held: int) -> str:
    """What is said of messages that a stop holds; empty for none."""
    if not held:
        return ""
    if held == 1:
        return "[1 message is held; your next one lets it go on, and /stop all drops it]"
    return f"[{held} messages are held; your next lets them go on, and /stop all drops them]"


def blocked_lines(outcome: dict[str, Any], said: str) -> list[str]:
    """Why an agent cannot go on and what it needs; nothing where its reply said just that.

    Args:
        outcome: of its turn.
        said: its last reply.
    """
    reason, needs = str(outcome.get("blocker_reason") or ""), str(outcome.get("unblock_requirements") or "")
    if reason and said.strip() == "\n\n".join(filter(None, (reason, needs))).strip():
        return []
    return [f"blocked: {reason or 'no reason given'}", *([f"needed: {needs}"] if needs else [])]


def notice_head(data: dict[str, Any]) -> str:
    """What a note to people is called: who tells it and how soon somebody should look."""
    urgency = data.get("urgency", "normal")
    soon = f", {urgency} urgency" if urgency != "normal" else ""
    outside = ", perhaps with words from outside" if data.get("tainted") else ""
    return f"note from {data.get('agent') or 'the agent'}{soon}{outside}"
