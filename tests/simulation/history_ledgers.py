"""What others wrote down, held against the logs: who wrote under which lease, what tools did, what models said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sulla.threads.log.codec import Entry
from sulla.threads.taking import daemon_of
from sulla.tools.base import Effect as EffectClass
from tests.simulation.history_reading import Breach, LogReading


@dataclass(frozen=True, slots=True)
class Leased:
    """A lease was granted."""

    owner: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Wrote:
    """A write was kept."""

    owner: str
    epoch: int
    first_seq: int
    last_seq: int
    """One less than `first_seq` for a write without records."""


Leasing = Leased | Wrote


@dataclass(frozen=True, slots=True)
class Effect:
    """A tool did something."""

    tool: str
    key: str
    """The idempotency key: ``<run>:<call>``."""
    effect: EffectClass
    """What repeating it would really do, whatever the tool is declared to be."""
    after_seq: int | None = None
    """The newest record of the thread at that moment, if known."""
    owner: str = ""
    """Who began it, as leases name them; empty if nobody wrote it down."""
    holder: str = ""
    """Who held the thread at that moment; empty if that is not known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A model was asked."""

    request_hash: str
    completed: bool
    """Whether it answered to the end."""


def check_leases(thread_id: str, log: Sequence[Entry], leases: Sequence[Leasing]) -> Iterator[Breach]:
    """One writer per epoch, none after a newer one was granted, and every decision by exactly one of them."""
    if not leases:
        return
    newest: Leased | None = None
    writers: dict[int, Wrote] = {}
    for step in leases:
        if isinstance(step, Leased):
            if newest is not None and step.epoch <= newest.epoch:
                wanted = f"an epoch over {newest.epoch} for {step.owner}"
                yield Breach(thread_id, None, "one writer", wanted, f"epoch {step.epoch}")
            newest = step
            continue
        if newest is None or (step.owner, step.epoch) != (newest.owner, newest.epoch):
            wanted = f"no write but under the newest lease ({newest})"
            yield Breach(thread_id, step.first_seq, "one writer", wanted, str(step))
        for seq in range(step.first_seq, step.last_seq + 1):
            if (before := writers.setdefault(seq, step)) is not step:
                yield Breach(thread_id, seq, "one writer", f"it written once, by {before}", f"again by {step}")
    yield from _unexplained(thread_id, log, writers)


def _unexplained(thread_id: str, log: Sequence[Entry], writers: Mapping[int, Wrote]) -> Iterator[Breach]:
    for entry in log:
        if not entry.offered and entry.seq not in writers:
            wanted = "a decision that a lease holder was seen to write"
            yield Breach(thread_id, entry.seq, "one writer", wanted, f"{entry.kind} from nowhere")
        if entry.offered and entry.seq in writers:
            yield Breach(thread_id, entry.seq, "one writer", "an input, offered", f"written by {writers[entry.seq]}")


def check_effects(effects: Sequence[Effect], readings: Sequence[LogReading]) -> Iterator[Breach]:
    """A tool runs only for an intent that is kept, and one that may run once runs once, and again only if allowed."""
    intents = {key: (reading, seq) for reading in readings for key, seq in reading.intents.items()}
    times: Counter[str] = Counter()
    for effect in effects:
        times[effect.key] += 1
        if effect.key not in intents:
            yield Breach("?", None, "intent first", f"an intent of {effect.key} in some log", f"{effect.tool} done")
            continue
        reading, seq = intents[effect.key]
        if effect.after_seq is not None and effect.after_seq < seq:
            found = f"{effect.tool} done when the log ended at {effect.after_seq}"
            yield Breach(reading.thread_id, seq, "intent first", f"the intent of {effect.key} kept first", found)
        if effect.owner and effect.holder and effect.owner != daemon_of(effect.holder):
            found = f"{effect.tool} begun by {effect.owner} for {effect.key}"
            yield Breach(
                reading.thread_id, seq, "one writer", f"effects of {effect.holder} alone, who took over", found
            )
        allowed = 1 + reading.permits.get(effect.key, 0)
        if effect.effect == "once" and times[effect.key] == allowed + 1:
            wanted = f"{effect.tool} done {allowed} times at the most for {effect.key}"
            yield Breach(reading.thread_id, seq, "once", wanted, f"one more, when the log ended at {effect.after_seq}")


def check_asked(asked: Sequence[Asked], readings: Sequence[LogReading]) -> Iterator[Breach]:
    """No model is asked without a record that was kept before, and no reply is kept that no model gave."""
    times = Counter(one.request_hash for one in asked)
    answered = Counter(one.request_hash for one in asked if one.completed)
    started: Counter[str] = Counter()
    replies: Counter[str] = Counter()
    where: dict[str, str] = {}
    for reading in readings:
        started.update(reading.started)
        replies.update(reading.replied)
        where |= dict.fromkeys((*reading.started, *reading.replied), reading.thread_id)
    for request, count in times.items():
        if count > started[request]:
            wanted = f"request {request} made {started[request]} times at the most, as MODEL_STARTED says"
            yield Breach(where.get(request, "?"), None, "paid once", wanted, f"{count} times")
    for request, count in replies.items():
        if count > answered[request]:
            wanted = f"{answered[request]} replies to request {request}, as the model gave"
            yield Breach(where.get(request, "?"), None, "paid once", wanted, f"{count} of them")
