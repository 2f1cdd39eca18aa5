"""From a thread's events to the steps of one turn. Pure."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

from sulla.agent.model.pictures import shown_json, shown_text
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, ProviderError, SullaError
from sulla.core.handed import handed_words
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.words import Words
from sulla.gateway.commands import Event
from sulla.gateway.dialects.steps import (
    Called,
    ChildAsks,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepQuestion,
    StepSaid,
    StepSuggests,
    StepText,
    StepUsage,
    StepWaits,
    Thought,
    ToolBegun,
    ToolEnded,
    WentOn,
)
from sulla.gateway.feed.feed import REASONING, TEXT
from sulla.gateway.problems import Problem, status_of_kind
from sulla.threads.log.waits import is_for_people

_OPEN = 256
"""Messages and calls of one turn that are remembered; of more the oldest are forgotten."""
_BRANCHES = "run_branches"
"""The call by which a flow has its branches work: what it comes to holds what parts said that people do not see."""
_T = TypeVar("_T")


@dataclass(slots=True)
class _Message:
    """A reply that is being written."""

    attempt: int
    hidden: bool
    shown: int = 0


class StepReader:
    """Tells of one turn.

    Args:
        run_id: the turn.
        after: up to which number of the log nothing is told, but learnt from.
        past: up to which number it is known what became of the questions; nobody is asked again what is settled.
        waiting: which of these are still open.
    """

    def __init__(self, run_id: str, after: int = 0, past: int = 0, waiting: frozenset[str] = frozenset()) -> None:
        self.run_id = run_id
        self._after = after
        self._past = past
        self._waiting = waiting
        self._messages: OrderedDict[str, _Message] = OrderedDict()
        self._tools: OrderedDict[str, str] = OrderedDict()
        self._asks: dict[str, StepQuestion] = {}
        """What people have not answered yet, as far as the log was read."""
        self._settled: set[str] = set()
        """What of that they have answered since."""
        self._speaker = ""
        self._hidden: OrderedDict[str, None] = OrderedDict()
        """Replies that people do not see, the calls by which these give an answer, and those of the flow itself."""
        self.begun = False
        """Whether somebody works on it, or did."""
        self.over = False

    def take(self, event: Event) -> list[Step]:
        """What an event of the turn's thread says of the turn; nothing if it is another turn's, or the turn is over."""
        about = event.data.get("run_id", event.run_id)  # a turn that joined another is ended by that one
        if self.over or self.run_id not in (about, event.run_id):
            return []
        steps = self._end(event) if event.type in ("RUN_FINISHED", "RUN_ERROR") else self._take(event)
        return [] if event.seq is not None and event.seq <= self._after and not self.over else steps

    def _take(self, event: Event) -> list[Step]:
        data = event.data
        match event.type:
            case t if t == TEXT:
                return self._text(data)
            case t if t == REASONING:
                return self._thought(data)
            case "RUN_STARTED" | "AGENT_ROUTED" | "FLOW_PART_STARTED" | "FLOW_MOVED" | "RUN_WAITING" | "NOTICE":
                return self._worked_on(event)
            case "MODEL_STARTED":
                return self._called(event)
            case "TEXT_MESSAGE_END":
                return self._said(event)
            case "MODEL_ABANDONED":
                return self._dropped(_str(data, "message_id"))
            case "TOOL_CALL_START" | "TOOL_CALL_RESULT":
                return self._tool(event)
            case "SUSPENDED":
                asks = [_ask(wait) for wait in _objects(data.get("waits")) if is_for_people(_str(wait, "wait_id"))]
                self._asks = {ask.id: ask for ask in asks}
                past = event.seq is not None and event.seq <= self._past
                self._settled = {ask.id for ask in asks if past and ask.id not in self._waiting}
                return self._asked(event)
            case "RESUMED":
                return self._went_on(event)
            case _:
                return []

    # ------------------------------------------------------------------------------------------------------- messages

    def _called(self, event: Event) -> list[Step]:
        message_id, attempt = _str(event.data, "message_id"), _int(event.data, "attempt", 1)
        hidden = _str(event.data, "purpose", "reply") != "reply"
        self._messages[message_id] = _Message(attempt, hidden)
        _bound(self._messages)
        return [] if hidden else [Called(message_id, event.agent, attempt)]

    def _text(self, data: JsonObject) -> list[Step]:
        """Whoever follows has cut pieces so that they go on from each other; what comes twice is cut here too."""
        message_id, delta = _str(data, "message_id"), _str(data, "delta")
        message = self._message(message_id)
        fresh = delta[max(0, message.shown - _int(data, "offset")) :]
        if message.hidden or not fresh or _int(data, "offset") > message.shown:
            return []
        step = StepText(message_id, message.shown, fresh)
        message.shown += len(fresh)
        return [step]

    def _thought(self, data: JsonObject) -> list[Step]:
        message_id = _str(data, "message_id")
        if self._message(message_id).hidden:
            return []
        return [Thought(message_id, _int(data, "offset"), _str(data, "delta"))]

    def _said(self, event: Event) -> list[Step]:
        message_id, text = _str(event.data, "message_id"), _str(event.data, "text")
        message = self._messages.pop(message_id, None) or _Message(1, False)
        if message.hidden or event.data.get("hidden") is True:
            self._hidden[message_id] = None
            _bound(self._hidden)
            return []
        if message.shown and not text and not event.data.get("cut"):  # words beside a call that are taken back
            return [Dropped(message_id, message.shown)]
        rest = text[message.shown :]
        said = StepSaid(message_id, event.agent, text, event.data.get("cut") is True)
        return [StepText(message_id, message.shown, rest), said] if rest else [said]

    def _dropped(self, message_id: str) -> list[Step]:
        message = self._messages.pop(message_id, None)
        if message is None or message.hidden:
            return []
        return [Dropped(message_id, message.shown)]

    def _message(self, message_id: str) -> _Message:
        """What is known of a message; one whose beginning was not seen is one that people may see."""
        message = self._messages.setdefault(message_id, _Message(1, False))
        _bound(self._messages)
        return message

    # ------------------------------------------------------------------------------------------------- calls and ends

    def _tool(self, event: Event) -> list[Step]:
        """A call that people were asked about begins twice: when it is put to them, and when it is made."""
        data, call_id = event.data, _str(event.data, "call_id")
        if _str(data, "message_id") in self._hidden or _str(data, "name") == _BRANCHES:
            self._hidden[call_id] = None
            _bound(self._hidden)
        if call_id in self._hidden or (event.type == "TOOL_CALL_START" and call_id in self._tools):
            return []
        if event.type == "TOOL_CALL_START":
            name, args = _str(data, "name"), data.get("args")
            self._tools[call_id] = name
            _bound(self._tools)
            # Nobody looks here whether the conversation is trusted: a call is shown, and not done from what is shown.
            shown = shown_json(args) if isinstance(args, dict) else {}
            return [ToolBegun(call_id, _str(data, "message_id"), name, _object(shown))]
        name = self._tools.pop(call_id, "")
        text = shown_text(Words(_str(data, "text")))
        return [ToolEnded(call_id, name, text, data.get("is_error") is True, _str(data, "failure"))]

    def _worked_on(self, event: Event) -> list[Step]:
        self.begun = True
        if event.type in ("RUN_STARTED", "AGENT_ROUTED", "FLOW_PART_STARTED"):
            return self._spoken_by(event)
        if event.type == "FLOW_MOVED":
            found = _object(_object(event.data.get("value")).get("value")).get("suggestions")
            return [StepSuggests(tuple(map(str, found)))] if isinstance(found, list) else []
        if event.type == "NOTICE":
            return [ChildAsks(_str(event.data, "text"))] if _str(event.data, "wait_id") else []
        wait_s = event.data.get("wait_s")
        if not isinstance(wait_s, int | float):
            return []
        return [StepWaits(_str(event.data, "reason"), float(wait_s), _str(event.data, "said"))]

    def _spoken_by(self, event: Event) -> list[Step]:
        """Who speaks from here on; nothing where a part of a flow is the same one's."""
        agent, part = event.agent, event.data.get("part")
        if event.type != "RUN_STARTED":
            agent = _str(part if isinstance(part, dict) else event.data, "agent")
            if isinstance(part, dict) and agent == self._speaker:
                return []
        self._speaker = agent
        if event.type == "RUN_STARTED":
            return [StepBegun(self.run_id, agent)]
        said = f"{agent} does its part" if isinstance(part, dict) else handed_words(event.data)
        return [StepBegun(self.run_id, agent, said)]

    def _asked(self, event: Event) -> list[Step]:
        asks = tuple(ask for ask in self._asks.values() if ask.id not in self._settled)
        return [StepAsked(asks, event.seq or 0)] if asks else []

    def _went_on(self, event: Event) -> list[Step]:
        """A turn that has been answered one of several questions goes on to wait for the others, and says no more."""
        self.begun = True
        reason, answered = _str(event.data, "reason"), self._asks.pop(_str(event.data, "wait_id"), None)
        if answered is None:
            self._asks = {} if reason == "steered" else self._asks
            return [WentOn(reason)]
        return [WentOn(reason), *self._asked(event)]

    def _end(self, event: Event) -> list[Step]:
        data = event.data
        if data.get("run_id", event.run_id) != self.run_id:
            return []  # another turn that this one brought to its end
        self.over = True
        if joined := _str(data, "joined"):
            return [StepEnded("joined", "", event.seq or 0, joined=joined)]
        outcome = _object(data.get("outcome"))
        status, reason = _str(outcome, "status", "in_progress"), _str(outcome, "reason")
        said = [text for text in (_str(outcome, "blocker_reason"), _str(outcome, "unblock_requirements")) if text]
        problem = _problem(event, status, reason)
        status = "failed" if event.type == "RUN_ERROR" else status
        spent, response = _spent(_object(data.get("usage"))), _str(outcome, "response")
        return [StepEnded(status, reason, event.seq or 0, spent, problem, "\n".join(said), response)]


class Retellings:
    """Tells of all turns of a thread, for dialects that show a whole conversation."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, StepReader] = OrderedDict()

    def take(self, event: Event) -> list[tuple[str, Step]]:
        """What an event says, with the turn that it says it of. A turn that is over is forgotten."""
        run_ids = dict.fromkeys(one for one in (event.run_id, event.data.get("run_id")) if isinstance(one, str) and one)
        found: list[tuple[str, Step]] = []
        for run_id in run_ids:
            turn = self._turns.pop(run_id, None) or StepReader(run_id)
            found += [(run_id, step) for step in turn.take(event)]
            if not turn.over:
                self._turns[run_id] = turn
                _bound(self._turns)
        return found


def _problem(event: Event, status: str, reason: str) -> Problem | None:
    if event.type == "RUN_ERROR":
        code, message = _str(event.data, "code"), _str(event.data, "message")
        return Problem(status_of_end(code), code, message, event.data.get("retryable") is True)
    if status == "cancelled":
        said = "it was ended before it was done" + (f" ({reason})" if reason else "")
        return Problem(409, reason or "cancelled", f"the turn came to nothing: {said}")
    if status == "failed":
        return Problem(500, reason or "failed", f"the turn failed: {reason or 'it does not say why'}")
    return None


def status_of_end(code: str) -> int:
    """The HTTP status that the end of a turn deserves: what a model's service did is no fault of the daemon's.

    Args:
        code: of an error of ours.
    """
    if code == LimitReached.code:
        return 429
    for kind in _kinds(SullaError):
        if kind.code == code:
            return 502 if issubclass(kind, ProviderError) else status_of_kind(kind)
    return 500


def _kinds(root: type[SullaError]) -> list[type[SullaError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _kinds(child))]


def _spent(usage: JsonObject) -> StepUsage:
    cached = _int(usage, "cache_read_tokens")
    read = _int(usage, "input_tokens") + cached + _int(usage, "cache_write_tokens")
    return StepUsage(read, cached, _int(usage, "output_tokens"))


def _ask(wait: JsonObject) -> StepQuestion:
    choices = wait.get("choices")
    return StepQuestion(
        _str(wait, "wait_id"),
        _str(wait, "prompt"),
        _str(wait, "call_id"),
        _str(wait, "tool"),
        _str(wait, "target"),
        tuple(str(choice) for choice in choices) if isinstance(choices, list) else (),
        _int(wait, "expires_ms") or None,
    )


def _str(data: JsonObject, name: str, usual: str = "") -> str:
    value = data.get(name, usual)
    return value if isinstance(value, str) else usual


def _int(data: JsonObject, name: str, usual: int = 0) -> int:
    value = data.get(name, usual)
    return value if isinstance(value, int) else usual


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _objects(value: Json) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _bound(mapping: OrderedDict[str, _T]) -> None:
    while len(mapping) > _OPEN:
        mapping.popitem(last=False)
