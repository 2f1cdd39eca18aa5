"""What a fake service says: rules that look at the request alone, so that a repeated call gets the same reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeVar

import orjson

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call that the fake makes."""

    name: str
    args: JsonObject
    raw: str = ""
    """Sent in the place of the arguments, to be no JSON; empty for the arguments."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the fake answers, and how it sends it."""

    text: str = ""
    thinking: str = ""
    tools: tuple[ToolUse, ...] = ()
    stop: str = ""
    """The service's own word for why it stopped; empty for the one that fits."""
    pieces: int = 4
    """In how many pieces the text comes, at most."""
    delay_s: float = 0.0
    """What passes before each piece of the reply, in seconds of the fake's clock."""
    hold: str = ""
    """A name: the reply stands still until that is released."""
    hold_after: int = 0
    """How many pieces of text are sent before it stands still."""
    lump_bytes: int = 0
    """How many bytes are sent at once, each lot after `delay_s`; 0 for whole pieces."""
    cut_after: int | None = None
    """After how many bytes of the stream it breaks off; None for never."""
    cut_how: Literal["close", "end"] = "close"
    """`close` hangs up; `end` finishes the HTTP answer properly, as a proxy might."""
    native: tuple[JsonObject, ...] = ()
    """What tools that the service runs itself did, as whole blocks or items, before the text."""
    broken: str = ""
    """Sent raw after the text, in the place of everything that would follow."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What the fake answers instead of a reply."""

    status: int
    kind: str = ""
    message: str = "scripted failure"
    retry_after: str = ""
    """The header as it is sent; empty for none."""
    in_stream: bool = False
    """Whether it comes as an event inside a stream that began with 200."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When to say what. The first rule that fits a request is used."""

    answer: Reply | Failure
    text: str = ""
    """Must be in the last text of the user's; empty fits all."""
    results: int | None = None
    """How many tool results must follow that text; None fits any number."""
    times: int | None = None
    """How often the rule may be used while the fake runs; None for always."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What rules look at."""

    text: str
    """The last text of the user's."""
    results: int
    """How many tool results came after it."""


class Script:
    """Rules, and how often each was used.

    Args:
        rules: the first that fits is used.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._used = [0] * len(self._rules)

    def answer(self, asked: Asked) -> Reply | Failure:
        """What to say.

        Raises:
            InvalidInput: no rule fits.
        """
        for place, rule in enumerate(self._rules):
            if rule.text not in asked.text or rule.results not in (None, asked.results):
                continue
            if rule.times is not None and self._used[place] >= rule.times:
                continue
            self._used[place] += 1
            return rule.answer
        raise InvalidInput(f"the fake's script has no rule for {asked.text[-200:]!r} with {asked.results} tool results")


def parse_script(raw: bytes) -> Script:
    """Read ``{"rules": [{"text": …, "results": …, "times": …, "reply": {…}} or {…, "fail": {…}}]}``.

    Raises:
        InvalidInput: it is not such a script; the message says where.
    """
    try:
        data: Json = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"the fake's script is not JSON: {error}") from error
    rules = data.get("rules") if isinstance(data, dict) else None
    if not isinstance(rules, list):
        raise InvalidInput('the fake\'s script must be {"rules": [...]}')
    return Script([_rule(place, item) for place, item in enumerate(rules)])


def _rule(place: int, data: Json) -> Rule:
    where = f"rule {place} of the fake's script"
    if not isinstance(data, dict) or ("reply" in data) == ("fail" in data):
        raise InvalidInput(f"{where}: expected an object with either 'reply' or 'fail'")
    rest = {name: value for name, value in data.items() if name not in ("reply", "fail")}
    answer: Reply | Failure
    if "reply" in data:
        reply = _object(where, data["reply"])
        tools = reply.pop("tools", [])
        if not isinstance(tools, list):
            raise InvalidInput(f"{where}: 'tools' must be a list")
        uses = tuple(_make(ToolUse, where, _object(where, tool)) for tool in tools)
        answer = _make(Reply, where, {**reply, "tools": uses})
    else:
        answer = _make(Failure, where, _object(where, data["fail"]))
    return _make(Rule, where, {**rest, "answer": answer})


def _object(where: str, data: Json) -> dict[str, object]:
    if not isinstance(data, dict):
        raise InvalidInput(f"{where}: expected an object, found {data!r:.100}")
    return dict(data)


_Made = TypeVar("_Made", ToolUse, Reply, Failure, Rule)


def _make(cls: type[_Made], where: str, data: dict[str, object]) -> _Made:
    unknown = data.keys() - {field.name for field in fields(cls)}
    if unknown:
        raise InvalidInput(f"{where}: {cls.__name__} has no {min(unknown)!r}")
    try:
        return cls(**data)  # type: ignore[arg-type]  # names are checked above; a script's author sees a wrong type soon
    except TypeError as error:
        raise InvalidInput(f"{where}: {error}") from error
