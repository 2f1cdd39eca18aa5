"""Reading a run's events back from its end, for the training log."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import field

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, NotFound
from sulla.core.ids import RunId, ThreadId
from sulla.core.redact import Redactor
from sulla.journal.training import PromptFrame, ended_run, first_event, speakers, to_bytes, to_example
from sulla.threads.log.codec import Entry
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

PAGE = 64
"""Events that are read at once."""

MAX_EVENTS = 8192
"""So far back a run's beginning is looked for: 50 model calls with 80 tools each, and their inputs."""


@dataclass(frozen=True, slots=True)
class TrainingFilter:
    """Which runs become training examples, and the prompts that go with them."""

    frames: Mapping[str, PromptFrame] = field(default_factory=dict)
    """By the agent's id."""
    outcomes: tuple[str, ...] = ("done",)
    """The outcomes of the runs that are taken."""


async def examples_of(
    threads: ThreadStore, thread_id: ThreadId, entries: Sequence[Entry], training: TrainingFilter, redactor: Redactor
) -> list[bytes]:
    """The examples of the runs that end among these events, as lines."""
    found: list[bytes] = []
    for entry in entries:
        run_id = ended_run(entry, training.outcomes)
        if run_id is None:
            continue
        try:
            events = await events_of(threads, thread_id, run_id, entry.seq)
            for agent in speakers(run_id, events):
                if (frame := training.frames.get(agent)) is None:
                    continue
                if (example := to_example(thread_id, run_id, events, frame, agent)) is not None:
                    found.append(to_bytes(example, redactor))
        except (CorruptRecord, NotFound) as error:
            log.warning("a run gives no training example: %s", error)
    return found


async def events_of(threads: ThreadStore, thread_id: ThreadId, run_id: RunId, end_seq: int) -> list[Entry]:
    """The thread's events from the message that a run took up to the run's end.

    Raises:
        CorruptRecord: its beginning is not there.
        NotFound: the thread was deleted.
    """
    found: list[Entry] = []
    wanted: int | None = None
    while not found or found[0].seq > (wanted or 1):
        before = found[0].seq if found else end_seq + 1
        page = await threads.entries(thread_id, after=max(0, before - 1 - PAGE), before=before, limit=PAGE)
        found[:0] = page
        wanted = first_event(page, run_id) if wanted is None else wanted
        if not page or len(found) > MAX_EVENTS:
            break
    if wanted is None or found[0].seq > wanted:
        raise CorruptRecord(
            f"{thread_id}: the beginning of the run {run_id!r} is not among its last {MAX_EVENTS} events"
        )
    return [entry for entry in found if entry.seq >= wanted]
