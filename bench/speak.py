"""How long a sentence is on its way to whoever speaks it, and what it costs to tell sentences apart.

A real daemon, a model's service that streams token by token, and 40 clients that follow a turn each, with `speak` and
without in turns. A sentence's way begins when the service sends the token that shows its end, which begins with the
space behind it, and ends when the client has the `SPEAK` event. What a token costs is taken in a window in which all
streams run, beside following alone; and in this process, beside making the frame of the token.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import orjson
from websockets.asyncio.client import ClientConnection

from bench.frame import Frame, Row, Samples
from bench.paced_service import STAMP_CHARS
from bench.process import processor_s
from bench.sentence_service import TOKEN_CHARS, TOKENS_OF_SENTENCE
from bench.streaming import AT_ONCE, clients, model_service, streaming_daemon
from bench.talk import ask, say
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.speaking import SPEAK, Speaking
from sulla.gateway.rpc import event_frame

NAME = "speak"

STREAMS = 40
TOKENS = 200
"""Of one stream: five seconds."""
STARTS_S = 1.0
"""In which the turns begin, one after the other: what forty at once make of each other is another question."""
WINDOW_S = 2.5
"""From when the last of the streams has begun; none may end in it."""
BAR_MS = 30.0
"""Issue 8's: a sentence leaves within this after its end."""
COST_BAR = 1.5
"""What a followed token may cost with `speak`, beside one without."""
_LATE = (
    "sentence, p50",
    "sentence, p99",
    "first sentence of a reply, p50",
    "first sentence of a reply, p99",
    "token that shows a sentence's end, p99",
    "sentence behind that token, p99",
)
_ROUNDS_PER_STREAMING = 12
_PATIENCE_S = 30.0
_LOOK_S = 0.01
_PURE_TOKENS = 4000


def run(frame: Frame) -> list[Row]:
    """The first bar is issue 8's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return [*asyncio.run(_Measurement(frame, Path(folder)).rows()), *_pure(frame)]


@dataclass(slots=True)
class Stream:
    """What one client saw of one answer."""

    text: str = ""
    tokens: list[float] = field(default_factory=list)
    """When tokens came, in seconds by the monotonic clock."""
    late_ms: list[float] = field(default_factory=list)
    """How long each sentence was on its way, in the order in which they came."""
    added_ms: list[float] = field(default_factory=list)
    """How long after the token that shows its end each of them came."""

    def take(self, event: dict[str, object]) -> None:
        """An event has come."""
        now_ns = time.monotonic_ns()
        data = event["data"]
        assert isinstance(data, dict)
        if event["type"] == TEXT:
            self.text += data["delta"]
            self.tokens += [now_ns / 1e9] * (len(data["delta"]) // TOKEN_CHARS)
        elif event["type"] == SPEAK and data["end"] < len(self.text):
            begins = data["end"] + 1  # behind the space
            self.late_ms.append((now_ns - int(self.text[begins : begins + STAMP_CHARS])) / 1e6)
            self.added_ms.append(now_ns / 1e6 - self.tokens[begins // TOKEN_CHARS] * 1e3)


class _Measurement:
    """One run of this bench, in a folder of its own."""

    def __init__(self, frame: Frame, folder: Path) -> None:
        self._frame = frame
        self._folder = folder
        self._ids = count(1)

    async def rows(self) -> list[Row]:
        """Measure, and say what came out."""
        costs: dict[str, list[float]] = {"token, followed": [], "token, followed with speak": []}
        late: dict[str, list[float]] = {name: [] for name in _LATE}
        async with self._daemon() as (pid, sockets):
            await self._stream(pid, sockets, speak=True)  # the first turn of a daemon loads what it needs
            rounds = max(2, self._frame.rounds // _ROUNDS_PER_STREAMING)
            for names in self._frame.orders(list(costs), rounds):
                for name in names:
                    cost, streams = await self._stream(pid, sockets, speak=name.endswith("speak"))
                    costs[name].append(cost)
                    if name.endswith("speak"):
                        _note(late, streams)
        spent, ways = Samples(costs, "µs CPU"), Samples(late, "ms")
        following, speaking = costs
        return [*_ways(ways), spent.row(following), spent.row(speaking, following, bar=COST_BAR)]

    @asynccontextmanager
    async def _daemon(self) -> AsyncIterator[tuple[int, list[ClientConnection]]]:
        """The daemon on a processor of its own; its process id and its clients."""
        with (
            model_service("bench.sentence_service") as url,
            streaming_daemon(f"{url}/{TOKENS}", self._folder / "home", AT_ONCE) as (pid, where),
        ):
            async with clients(where, STREAMS) as sockets:
                yield pid, sockets

    async def _stream(self, pid: int, sockets: list[ClientConnection], *, speak: bool) -> tuple[float, list[Stream]]:
        """Have all clients stream at once; what a token took of the daemon, in µs, and what they saw."""
        streams = [Stream() for _ in sockets]
        gc.collect()
        async with asyncio.timeout(_PATIENCE_S), asyncio.TaskGroup() as tasks:
            for number, (socket, stream) in enumerate(zip(sockets, streams, strict=True)):
                after_s = number * STARTS_S / len(streams)
                tasks.create_task(self._watch(socket, stream, after_s, speak=speak))
            while not all(stream.tokens for stream in streams):  # noqa: ASYNC110  # an event for each token would cost
                await asyncio.sleep(_LOOK_S)
            began_s, used_s = time.monotonic(), processor_s(pid)
            await asyncio.sleep(WINDOW_S)
            ended_s, used_s = time.monotonic(), processor_s(pid) - used_s
        tokens = sum(began_s <= at_s < ended_s for stream in streams for at_s in stream.tokens)
        expected = TOKENS // TOKENS_OF_SENTENCE - 1 if speak else 0
        assert all(len(stream.late_ms) == expected for stream in streams), [len(one.late_ms) for one in streams]
        return used_s * 1e6 / tokens, streams

    async def _watch(self, socket: ClientConnection, stream: Stream, after_s: float, *, speak: bool) -> None:
        """A turn in a thread of its own, a while from now."""
        await asyncio.sleep(after_s)
        thread_id = (await ask(socket, "thread.create"))["thread_id"]
        await ask(socket, "events.subscribe", thread_id=thread_id, after=1, speak=speak)
        await say(socket, "turn.send", thread_id=thread_id, message_id=f"m{next(self._ids)}", text="hello")
        async for text in socket:
            frame = orjson.loads(text)
            assert "error" not in frame, frame
            if frame.get("method") != "event":
                continue
            event = frame["params"]
            stream.take(event)
            if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                assert event["type"] == "RUN_FINISHED", event
                break
        await ask(socket, "events.unsubscribe", thread_id=thread_id)


def _note(late: dict[str, list[float]], streams: list[Stream]) -> None:
    """What the streams of a round saw."""
    sentences = [late_ms for stream in streams for late_ms in stream.late_ms]
    firsts = [stream.late_ms[0] for stream in streams]
    added = [late_ms for stream in streams for late_ms in stream.added_ms]
    tokens = [whole - behind for whole, behind in zip(sentences, added, strict=True)]
    parts = ((sentences, 0.5), (sentences, 0.99), (firsts, 0.5), (firsts, 0.99), (tokens, 0.99), (added, 0.99))
    for name, (values, share) in zip(_LATE, parts, strict=True):
        late[name].append(_part(values, share))


def _part(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def _ways(ways: Samples) -> list[Row]:
    """The middle round's, each beside the bar."""
    rows = []
    for name in _LATE:
        value = ways.median(name)
        share = value / BAR_MS
        barred = "p99" in name and "token" not in name
        rows.append(
            Row(name, value, "ms", share, f"{BAR_MS:g} ms", 1.0, ok=share <= 1.0) if barred else Row(name, value, "ms")
        )
    return rows


# ---------------------------------------------------------------------------------------------------- in this process


def _pure(frame: Frame) -> list[Row]:
    words = "The train comes at half past nine, if it does, and Dr. Brown is on it. ".split(" ")
    tokens, at = list[Event](), 0
    for number in range(_PURE_TOKENS):
        word = words[number % len(words)] + " "
        data: JsonObject = {"message_id": "msg_1", "offset": at, "delta": word}
        tokens.append(Event("thr_1", None, "run_1", None, "sulla", 0, TEXT, 1_800_000_000_000, data))
        at += len(word)

    def frames() -> float:
        begun = time.perf_counter()
        for event in tokens:
            event_frame(event)
        return (time.perf_counter() - begun) / len(tokens) * 1e6

    def sentences() -> float:
        speaking = Speaking()
        begun = time.perf_counter()
        for event in tokens:
            for _ in speaking.hear(event):
                continue
        return (time.perf_counter() - begun) / len(tokens) * 1e6

    limit, ours = "frame of a token", "sentences of a token"
    samples = frame.compare({limit: frames, ours: sentences}, "µs")
    return [samples.row(limit), samples.row(ours, limit)]
