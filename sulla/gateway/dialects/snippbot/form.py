"""What is asked of ``/api/chat``, and how it is refused there (seed 001, steps 1 and 6). Pure."""

from __future__ import annotations

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import TooLarge
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.commands import Verdict
from sulla.gateway.problems import Malformed, Problem
from sulla.gateway.rpc import show
from sulla.rpc.limits import TEXT_CHARS

VERDICTS: tuple[Verdict, ...] = ("approve", "reject", "always", "run_again", "give_up", "result")
STATUS: dict[Verdict, str] = {
    "approve": "approved",
    "reject": "rejected",
    "always": "approved",
    "run_again": "answered",
    "give_up": "answered",
    "result": "answered",
}
"""What an approval request is called that was answered like that."""
_CHAT = ("message", "session_id", "project", "stream")
_ANSWER = ("session_id", "approved", "decision", "text")


@dataclass(frozen=True, slots=True)
class SnippbotChat:
    """A message to an agent."""

    message: str
    session: str
    """Which conversation it belongs to; empty for a new one."""
    project: str = ""
    """What a new one is about; empty for nothing in particular."""


@dataclass(frozen=True, slots=True)
class SnippbotDecision:
    """An answer to an approval request."""

    session: str
    verdict: Verdict
    text: str


def error_body(problem: Problem) -> bytes:
    """An error in this protocol's form."""
    return orjson.dumps(error_json(problem))


def error_json(problem: Problem) -> JsonObject:
    """The same as a value."""
    return {"error": problem.code, "message": problem.message, "status": problem.status}


def read_chat(body: JsonObject) -> SnippbotChat:
    """What a message's body says.

    Raises:
        Malformed: it is not of this protocol's form.
        TooLarge: the message is too long.
    """
    _check_fields(body, _CHAT)
    if body.get("stream") not in (None, True):
        raise _wrong("stream", f"stream: got {show(body['stream'])}; an answer here is always a stream: leave it out")
    message = _text(body, "message")
    if not message.strip():
        raise _wrong("message", "message: expected what the agent should be told, got nothing")
    if len(message) > TEXT_CHARS:
        raise TooLarge(f"message: got {len(message)} characters, expected at most {TEXT_CHARS}")
    session, project = _text(body, "session_id", needed=False), _text(body, "project", needed=False)
    return SnippbotChat(message, session, project)


def read_decision(body: JsonObject) -> SnippbotDecision:
    """What an answer's body says.

    Raises:
        Malformed: it is not of this protocol's form.
    """
    _check_fields(body, _ANSWER)
    session, text = _text(body, "session_id"), _text(body, "text", needed=False)
    approved, decision = body.get("approved"), body.get("decision")
    if (approved is None) == (decision is None):
        raise _wrong("approved", "expected one of 'approved' (true or false) and 'decision'")
    if decision is None:
        if not isinstance(approved, bool):
            raise _wrong("approved", f"approved: got {show(approved)}, expected true or false")
        return SnippbotDecision(session, "approve" if approved else "reject", text)
    if decision not in VERDICTS:
        expected = ", ".join(repr(verdict) for verdict in VERDICTS)
        raise _wrong("decision", f"decision: got {show(decision)}, expected one of {expected}")
    return SnippbotDecision(session, decision, text)


def _check_fields(body: JsonObject, known: tuple[str, ...]) -> None:
    if unknown := sorted(set(body) - set(known)):
        raise _wrong(unknown[0][:80], f"{unknown[0][:80]!r} is unknown here: expected {', '.join(known)}")


def _text(body: JsonObject, name: str, *, needed: bool = True) -> str:
    value: Json = body.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        got = f"got {show(value)}, " if name in body else ""
        raise _wrong(name, f"{name}: {got}expected a text")
    return value


def _wrong(param: str, message: str) -> Malformed:
    return Malformed(422, "invalid_input", message, param)
