"""What must hold of a round, whatever happened in it. Pure: it looks at what was collected and names every breach.

The promises themselves are those of `tests.simulation.history`; here stands what only a round of kills can know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sulla.tools.base import Effect as EffectClass
from tests.faults.harness import Story
from tests.simulation.history import Acknowledged, Effect, History, Seen, ThreadHistory
from tests.simulation.history import breaches as broken_promises

TAKE_OVER_S = 2.0
EFFECTS: dict[str, EffectClass] = {"note_once": "once", "note_safe": "idempotent", "ask_person": "pure"}


def breaches(story: Story) -> list[str]:
    """Every promise that the round broke; empty if all held."""
    found = [str(breach) for breach in broken_promises(history_of(story))]
    return [*found, *_asked_for(story), *_model(story), *_twice(story), *_take_over(story)]


def history_of(story: Story) -> History:
    """The round as the checker of histories wants it."""
    seen = story.seen
    thread = ThreadHistory(
        seen.thread_id,
        tuple(story.log),
        (Acknowledged(seen.message_id, seen.run_id),) if seen.acknowledged else (),
        tuple(tuple(log) for log in story.before_restart),
        seen=(Seen(tuple((event["seq"], event["type"]) for event in seen.events)),),
    )
    effects = tuple(Effect(line["tool"], line["key"], EFFECTS[line["tool"]]) for line in story.effects)
    return History((thread,), effects)


def _asked_for(story: Story) -> Iterator[str]:
    """One message was sent: one run, however often it was sent again."""
    inputs = [entry for entry in story.log if entry.kind == "INPUT"]
    if len(inputs) != 1:
        yield f"the message is in the log {len(inputs)} times"


def _model(story: Story) -> Iterator[str]:
    """A recorded reply is not paid for again; a call in flight is repeated at most once per kill."""
    for step, times in Counter(story.requests).items():
        if times > 1 + story.kills:
            yield f"the model was asked {times} times with {step} results over {story.kills} kills"
    for snapshot, asked in zip(story.before_restart, story.asked_before_restart, strict=True):
        recorded = sum(entry.kind == "TEXT_MESSAGE_END" and not entry.data.get("cut") for entry in snapshot)
        done = {(0, 2)[place] for place in range(min(recorded, 2))}
        again = done & set(story.requests[asked:])
        if again:
            yield f"replies that were recorded were paid for again: those to requests with {sorted(again)} results"


def _twice(story: Story) -> Iterator[str]:
    """The script asks for one careful note: a second one is a repeat under whatever key."""
    for what, times in Counter(line["what"] for line in story.effects if line["tool"] == "note_once").items():
        if times > 1:
            yield f"a `once` tool ran {times} times for {what!r}"


def _take_over(story: Story) -> Iterator[str]:
    for took_s in story.take_over_s:
        if took_s > TAKE_OVER_S:
            yield f"the next daemon took {took_s:.2f} s to go on, more than {TAKE_OVER_S} s"
