"""What somebody who speaks and listens is shown of a thread, and whether something is still to come. Pure."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import orjson

from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event

_KNOWN: Final = 256
"""Turns and runs that are known to be going on, and as many that are known to be over."""
_FOR_PEOPLE: Final = ("approval:", "review:", "human:", "answer:")
"""How the ids of those waits begin that people answer (docs/inside/protocol.md)."""


def voice_frame(type_: str, fields: JsonObject) -> bytes:
    """A frame of `/voice`."""
    return orjson.dumps({"type": type_, **fields})


class VoiceView:
    """The frames of one thread's events, and what they say of the turns that one client speaks."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, None] = OrderedDict()
        """Spoken, and not known to be a message, or none."""
        self._runs: OrderedDict[str, None] = OrderedDict()
        """Begun by messages, and not over."""
        self._over: OrderedDict[str, None] = OrderedDict()

    @property
    def quiet(self) -> bool:
        """Whether neither a turn nor a reply is still to come."""
        return not (self._turns or self._runs)

    def turn_begins(self, turn_id: str) -> None:
        """Something is being said; the id is empty if nothing is."""
        self._begin(self._turns, turn_id)

    def run_begins(self, run_id: str) -> None:
        """A message is kept."""
        self._begin(self._runs, run_id)

    def turn_ends(self, turn_id: str) -> None:
        """It is a message by now, or will be none."""
        self._end(self._turns, turn_id)

    def frame(self, event: Event) -> bytes:
        """An event as a frame; empty if it is none for ears."""
        type_, data = event.type, event.data
        if type_ == "SPEAK" or type_.startswith("SPEECH_"):
            if type_ == "SPEECH_CANCELLED":
                self.turn_ends(str(data.get("turn_id")))
            return voice_frame(type_.lower(), data)
        return self._kept(event, type_, data) if event.seq is not None and not event.depth else b""

    def _kept(self, event: Event, type_: str, data: JsonObject) -> bytes:
        match type_, data:
            case "INPUT", _:
                self.run_begins(event.run_id or "")
                match data:
                    case {"spoken": {"turn_id": str(turn_id)}}:
                        self.turn_ends(turn_id)
            case "OVERHEARD", {"turn_id": str(turn_id)}:
                self.turn_ends(turn_id)
            case "SUSPENDED", {"waits": list() as waits}:
                questions: JsonObject = {"questions": [_question(wait) for wait in waits if _is_for_people(wait)]}
                return (
                    voice_frame("suspended", {"run_id": event.run_id, **questions}) if questions["questions"] else b""
                )
            case (("RUN_FINISHED" | "RUN_ERROR"), {"run_id": str(run_id)}):
                self._end(self._runs, run_id)
                if data.get("joined") is None:  # else another turn's end is this one's too
                    return voice_frame("reply_end", {"run_id": run_id, **_outcome(type_, data)})
        return b""

    def _begin(self, going_on: OrderedDict[str, None], name: str) -> None:
        if name and name not in self._over:
            _note(going_on, name)

    def _end(self, going_on: OrderedDict[str, None], name: str) -> None:
        going_on.pop(name, None)
        _note(self._over, name)


def _outcome(type_: str, data: JsonObject) -> JsonObject:
    if type_ == "RUN_ERROR":
        return {"status": "failed", "code": data.get("code"), "message": data.get("message")}
    match data:
        case {"outcome": {"status": str(status)}}:
            return {"status": status}
        case _:
            return {"status": "in_progress"}


def _is_for_people(wait: object) -> bool:
    match wait:
        case {"wait_id": str(wait_id)}:
            return wait_id.startswith(_FOR_PEOPLE)
        case _:
            return False


def _question(wait: object) -> JsonObject:
    match wait:
        case {"wait_id": str(wait_id), "prompt": str(prompt)}:
            return {"id": wait_id, "prompt": prompt}
        case {"wait_id": str(wait_id)}:
            return {"id": wait_id, "prompt": ""}
        case _:
            raise TypeError(f"{wait!r} is no wait")


def _note(names: OrderedDict[str, None], name: str) -> None:
    names[name] = None
    if len(names) > _KNOWN:
        names.popitem(last=False)
