"""Through how many functions a message goes, and in how many forms, until its client knows that it is kept.

A hop is a function of Sulla that hands the message, or the answer to it, on: it was called after the frame's arrival,
and is on the stack at one of the `LANDMARKS`. What is asked on the way and returns (a check, a digest, a clock, those
who look on) hands nothing on; neither do the loops of the connection, which stood before, and the store's own thread.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType, FrameType

from pydantic import BaseModel

import sulla
from sulla.gateway import rpc
from sulla.gateway.feed.outbox import Outbox
from sulla.gateway.server.direct import DirectWay
from sulla.gateway.server.sockets import WebSocket
from sulla.store.sqlite.thread import SqliteThread
from sulla.terminal.client import open_client
from sulla.threads.log import codec
from tests.daemon.cost.inside import inside, take_turn

MOST_HOPS, MOST_FORMS = 25, 5
HOUSE = f"{Path(sulla.__file__).parent}/"
TEXT = "what was it that I said before the last time"
ARRIVES = WebSocket.data_received.__code__
LANDMARKS = {
    WebSocket.send_receive_event_to_app.__code__: "arrived",
    rpc.parse.__code__: "read",
    rpc.read_params.__code__: "checked",
    codec.encode.__code__: "encoded",
    SqliteThread._ask.__code__: "kept",
    rpc.reply_frame.__code__: "answered",
    Outbox.add.__code__: "queued",
    DirectWay.send.__code__: "sent",
}


class Tracer:
    """Sees each call in this thread; from `armed` on it follows the next frame that arrives."""

    def __init__(self) -> None:
        self.armed = False
        self.hops: dict[CodeType, str] = {}
        self.passed: list[str] = []
        self.forms: set[str] = set()
        self._standing: set[FrameType] = set()
        self._open = False
        self._task: asyncio.Task[object] | None = None

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """See `sys.setprofile`."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(HOUSE) or "sent" in self.passed:
            return
        if self.armed and code is ARRIVES:
            self._open = True
        if not self._open:
            self._standing.add(frame)
            return
        self.forms.update(_forms(frame))
        landmark = LANDMARKS.get(code)
        if landmark is None or self._is_elsewhere(landmark):
            return
        self.passed.append(landmark)
        for hop in _stack(frame):
            if hop not in self._standing:
                self.hops[hop.f_code] = f"{hop.f_code.co_filename.removeprefix(HOUSE)} {hop.f_code.co_qualname}"

    def _is_elsewhere(self, landmark: str) -> bool:
        """Whether it is passed by something that goes on at the same time."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            task = None
        if landmark == "read":
            self._task = task
        if landmark == "sent":
            return "queued" not in self.passed
        return landmark != "arrived" and task is not self._task


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        if frame.f_code.co_filename.startswith(HOUSE):
            yield frame
        frame = frame.f_back


def _forms(frame: FrameType) -> Iterator[str]:
    """The classes of ours that hold the message's text among what a function was called with."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        if isinstance(value, BaseModel):
            held = [getattr(value, field) for field in type(value).model_fields]
        elif is_dataclass(value) and not isinstance(value, type):
            held = [getattr(value, field.name, None) for field in fields(value)]
        else:
            continue
        if any(_says(one) for one in held):
            yield type(value).__name__


def _says(value: object) -> bool:
    if isinstance(value, dict):
        return any(_says(one) for one in value.values())
    return (isinstance(value, str) and TEXT in value) or (isinstance(value, bytes) and TEXT.encode() in value)


async def test_a_message_is_acknowledged_by_few_functions_in_few_forms(tmp_path: Path) -> None:
    tracer = Tracer()
    async with inside(tmp_path / "home") as where:
        sys.setprofile(tracer)
        try:
            async with open_client(where) as client:
                thread_id = (await client.call("thread.create"))["thread_id"]
                await client.call("events.subscribe", thread_id=thread_id, after=0)
                await take_turn(client, thread_id, "m1")  # the first turn loads what turns need
                thread_id = (await client.call("thread.create"))["thread_id"]
                tracer.armed = True
                await client.call("turn.send", thread_id=thread_id, message_id="m2", text=TEXT)
        finally:
            sys.setprofile(None)
    path = "\n".join(tracer.hops.values())
    assert list(dict.fromkeys(tracer.passed)) == list(LANDMARKS.values())
    assert len(tracer.hops) <= MOST_HOPS, path
    assert len(tracer.forms) <= MOST_FORMS, sorted(tracer.forms)
