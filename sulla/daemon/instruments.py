"""What watches the daemon at work: figures, spans, lines of the log. Everything here reads; nothing waits for it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field

from sulla import __version__
from sulla.capabilities import capabilities
from sulla.core.dataclass import dataclass
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import Settings
from sulla.gateway.methods.observing import Done
from sulla.host.collected import families
from sulla.host.health import Health, Trouble
from sulla.host.host import Built
from sulla.host.place import Place
from sulla.rpc.caller import Way
from sulla.telemetry.families import CONNECTIONS, LOOP_LAG_S, REFUSALS, REQUEST_S, REQUESTS, new_tally
from sulla.telemetry.logs import Logs
from sulla.telemetry.measures import Measures
from sulla.telemetry.metrics import Metrics
from sulla.telemetry.reading import Gauge
from sulla.telemetry.run_entries import narrate
from sulla.telemetry.stall import StallWatch
from sulla.telemetry.stream import Read, SpanFeed
from sulla.telemetry.tally import Labels, Tally
from sulla.work.base import Inspection

log = logging.getLogger(__name__)

STALL_TOLD_S = 60.0
"""How long a stall of the event loop is told after it was noticed, in seconds."""


@dataclass(frozen=True, slots=True)
class Instruments:
    """The instruments of one daemon."""

    tally: Tally
    stream: SpanFeed
    """What threads tell."""
    stall: StallWatch
    health: Health
    door: Door
    """What the gateway tells."""
    close: Callable[[], None]
    """Let go of what is open; blocks for a moment if spans are sent."""


@dataclass(frozen=True, slots=True)
class Door:
    """Counts what happens at the gateway (its `Observer`)."""

    tally: Tally
    inside: Counter[str] = field(default_factory=Counter)
    """Connections and streams now, by way."""

    def done(self, done: Done) -> None:
        """A request was carried out or refused."""
        method = done.asked.method
        self.tally.count(REQUESTS, done.asked.caller.way, method, done.code)
        self.tally.observe(REQUEST_S, done.took_s, method)

    def refused(self, way: Way, address: str, code: str) -> None:
        """Somebody was not let in."""
        self.tally.count(REFUSALS, way, code)

    def came(self, way: Way) -> None:
        """A connection has begun."""
        self.tally.count(CONNECTIONS, way)
        self.inside[way] += 1

    def left(self, way: Way) -> None:
        """It has ended."""
        self.inside[way] -= 1


def make_instruments(settings: Settings, choice: Choice, place: Place, tools: Collection[str]) -> Instruments:
    """The instruments that the settings ask for.

    Args:
        settings: say whether spans are sent, and where to.
        choice: the model.
        place: what the daemon stands on.
        tools: the names of the tools that there are.

    Raises:
        SettingsError: spans are to be sent, and what sends them is not installed.
    """
    tally = new_tally(families(capabilities()))
    readers: list[Read] = [Measures(tally, tools).read, narrate]
    endpoint, close = settings.telemetry.otlp_endpoint, _nothing
    if endpoint:
        from sulla.telemetry.spans import Spans
        from sulla.telemetry.tracing import trace_to

        tracing = trace_to(endpoint, __version__)
        readers.append(Spans(tracing.tracer, choice.model.provider, choice.model.model).read)
        close = tracing.close
    stream = SpanFeed(place.clock, readers)
    stall = StallWatch(place.clock, lambda late_s: tally.observe(LOOP_LAG_S, late_s))
    health = Health(place.clock, place.redactor)
    health.watch("loop_stalled", lambda: _stalled(stall), blocks=False)
    return Instruments(tally, stream, stall, health, Door(tally), close)


@dataclass(frozen=True, slots=True)
class Console:
    """What the gateway shows of the daemon (its `Operations`)."""

    instruments: Instruments
    metrics_of: Metrics

    def troubles(self) -> Sequence[Trouble]:
        """What is wrong now."""
        return self.instruments.health.troubles()

    async def metrics(self, accept: str) -> tuple[str, bytes]:
        """The figures."""
        return await self.metrics_of.scrape(accept)


def console(
    instruments: Instruments, work: Callable[[], Inspection], logs: Logs | None, built: Iterable[Built]
) -> Console:
    """Put what changes up and down beside what is counted.

    Args:
        instruments: the daemon's.
        work: what is going on.
        logs: where its log goes; None if that is somebody else's business.
        built: the capabilities, with figures of their own.
    """
    brought = [one.gauges for one in built if one.gauges is not None]

    if logs is not None:
        instruments.health.watch("log", lambda: logs.trouble, blocks=False)

    def gauges() -> Iterable[Gauge]:
        doing, health = work(), instruments.health.troubles()
        states = {"running": len(doing.running), "failing": len(doing.failing)}
        workers: dict[Labels, float] = {} if doing.workers is None else {(): float(doing.workers)}
        troubled: dict[Labels, float] = {(trouble.what,): 1.0 for trouble in health}
        ready = not any(trouble.blocks for trouble in health)
        stalls, lost = float(instruments.stall.stalls), float(logs.lost if logs is not None else 0)
        inside = _floats(instruments.door.inside)
        return (
            Gauge("sulla_info", "The daemon's version.", {(__version__,): 1.0}, ("version",)),
            Gauge("sulla_ready", "Whether messages are taken.", {(): float(ready)}),
            Gauge("sulla_trouble", "What is wrong now, as /readyz says it.", troubled, ("what",)),
            Gauge("sulla_work_threads", "Threads at work here.", _floats(states), ("state",)),
            Gauge("sulla_work_waiting", "Threads of the whole store that wait for work.", {(): float(doing.waiting)}),
            Gauge("sulla_work_workers", "Workers that live, as gateways see it.", workers),
            Gauge("sulla_gateway_connections", "Connections and streams now.", inside, ("way",)),
            Gauge("sulla_loop_stalls", "How often the event loop stood still.", {(): stalls}, rises=True),
            Gauge("sulla_log_entries_lost", "Entries that a log did not get.", {(): lost}, rises=True),
            *(gauge for gauges in brought for gauge in _gauges_of(gauges)),
        )

    return Console(instruments, Metrics(instruments.tally, gauges))


def _gauges_of(gauges: Callable[[], Iterable[Gauge]]) -> tuple[Gauge, ...]:
    try:
        return tuple(gauges())
    except Exception:  # the figures of the others are shown all the same
        log.exception("figures of a capability cannot be shown")
        return ()


def _floats(counts: Mapping[str, int]) -> dict[Labels, float]:
    return {(name,): float(count) for name, count in counts.items()}


def _stalled(stall: StallWatch) -> str:
    if not stall.stalled_within(STALL_TOLD_S):
        return ""
    return f"the event loop stood still within the last {STALL_TOLD_S:.0f} s; the log says what it was doing"


def _nothing() -> None:
    return None
