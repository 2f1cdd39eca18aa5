"""What is asked of ``/agents/{name}/completion``, and how it is refused there (seed 000). Pure."""

from __future__ import annotations

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import TooLarge
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.problems import Malformed, Problem
from sulla.gateway.rpc import show
from sulla.rpc.limits import TEXT_CHARS

_MOST_DIGITS = 19


@dataclass(frozen=True, slots=True)
class AbiPrompt:
    """A message to an agent."""

    text: str
    thread: str
    """What the client calls the conversation; empty for a new one."""


def error_body(problem: Problem) -> bytes:
    """An error in the form of this protocol's framework: a list for what is wrong in the body, else a text."""
    if problem.status != 422:
        return orjson.dumps({"detail": problem.message})
    place: list[Json] = ["body", problem.param]
    detail: JsonObject = {"type": problem.code, "loc": place, "msg": problem.message}
    return orjson.dumps({"detail": [detail]})


def read_prompt(body: JsonObject) -> AbiPrompt:
    """What a request's body says. Fields that there are not are passed over, as they are there.

    Raises:
        Malformed: it is not of this protocol's form.
        TooLarge: the prompt is too long.
    """
    text, thread = body.get("prompt"), body.get("thread_id")
    if not isinstance(text, str) or not text.strip():
        got = f"got {show(text)}, " if "prompt" in body else ""
        raise Malformed(422, "invalid_input", f"prompt: {got}expected what the agent should be told", "prompt")
    if len(text) > TEXT_CHARS:
        raise TooLarge(f"prompt: got {len(text)} characters, expected at most {TEXT_CHARS}")
    if isinstance(thread, int) and not isinstance(thread, bool) and len(str(abs(thread))) <= _MOST_DIGITS:
        return AbiPrompt(text, str(thread))
    if thread is None or isinstance(thread, str):
        return AbiPrompt(text, thread or "")
    raise Malformed(422, "invalid_input", f"thread_id: got {show(thread)}, expected a text or a number", "thread_id")
