"""What must hold of a round, whatever happened in it. Pure: it looks at what was collected and names every breach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.faults.harness import Story

TAKE_OVER_S = 2.0
ENDS = ("RUN_FINISHED", "RUN_ERROR")


def breaches(story: Story) -> list[str]:
    """Every promise that the round broke; empty if all held."""
    return [*_answered(story), *_log(story), *_events(story), *_model(story), *_effects(story), *_take_over(story)]


def _answered(story: Story) -> Iterator[str]:
    """Acknowledged → answered once or visibly failed."""
    ends = Counter(entry.origin.run_id for entry in story.log if entry.kind in ENDS)
    if story.seen.acknowledged and ends[story.seen.run_id] != 1:  # type: ignore[index]  # a run id is text
        yield f"the run ended {ends[story.seen.run_id]} times"  # type: ignore[index]  # a run id is text
    for run_id, times in ends.items():
        if run_id != story.seen.run_id:
            yield f"a run that nobody asked for ended {times} times: {run_id}"
    inputs = [entry for entry in story.log if entry.kind == "INPUT"]
    if len(inputs) != 1:
        yield f"the message is in the log {len(inputs)} times"


def _log(story: Story) -> Iterator[str]:
    if [entry.seq for entry in story.log] != list(range(1, len(story.log) + 1)):
        yield "the log's numbers have holes or repeats"
    for snapshot in story.before_restart:
        if [(e.seq, e.kind, e.data) for e in story.log[: len(snapshot)]] != [(e.seq, e.kind, e.data) for e in snapshot]:
            yield "what was in the log when the daemon died is not what is there now"


def _events(story: Story) -> Iterator[str]:
    """The client that came back saw each durable event once, in order, and as it is in the log."""
    seen = [(event["seq"], event["type"]) for event in story.seen.events]
    kept = [(entry.seq, entry.kind) for entry in story.log][: len(seen)]
    if seen != kept:
        yield f"the client saw {seen}, the log has {kept}"


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


def _effects(story: Story) -> Iterator[str]:
    once = Counter(line["what"] for line in story.effects if line["tool"] == "note_once")
    for what, times in once.items():
        if times > 1:
            yield f"a `once` tool ran {times} times for {what!r}"
    # The idempotent tool may repeat, but only under the key of the same call.
    recorded = {str(entry.data["call_id"]) for entry in story.log if entry.kind == "TOOL_CALL_START"}
    keys = {line["key"].rpartition(":")[2] for line in story.effects}
    if keys - recorded:
        yield f"tools ran for calls whose intent is not in the log: {sorted(keys - recorded)}"


def _take_over(story: Story) -> Iterator[str]:
    for took_s in story.take_over_s:
        if took_s > TAKE_OVER_S:
            yield f"the next daemon took {took_s:.2f} s to go on, more than {TAKE_OVER_S} s"
