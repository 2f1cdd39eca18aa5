"""Answers why a conversation is mistrusted, from its log, and copies it as it was before."""

from __future__ import annotations

from sulla.core.errors import InvalidInput
from sulla.core.ids import MakeId, ThreadId, derived_id
from sulla.core.stamp import stamp
from sulla.safety.explain import Mark, TaintReport
from sulla.safety.rpc import HeldRow, MarkRow, SafetyExplained, SafetyForgotten
from sulla.threads.archive.fork import ThreadForks
from sulla.threads.log.kind import CONVERSATION
from sulla.threads.store import ThreadStore

_PAGE = 512


class HomeSafety:
    """Does the methods of `sulla.safety.rpc`. Lives as long as the daemon, and keeps nothing.

    Args:
        threads: the conversations.
        forks: makes copies.
        make_id: names a copy that the client has not named.
    """

    def __init__(self, threads: ThreadStore, forks: ThreadForks, make_id: MakeId) -> None:
        self._threads = threads
        self._forks = forks
        self._make_id = make_id

    async def explain(self, thread_id: str) -> SafetyExplained:
        """Say why a conversation is mistrusted."""
        _, state = await self._threads.get(ThreadId(thread_id))
        report = await self._report(ThreadId(thread_id))
        can_go_on = state is None or state.kind.name == CONVERSATION.name
        return SafetyExplained(
            thread_id,
            bool(report.marks),
            tuple(map(_row, report.marks)),
            report.more_marks,
            tuple(HeldRow(held.seq, held.tool, held.why, held.answer) for held in report.held),
            report.clean_before if can_go_on else 0,
        )

    async def forget(self, thread_id: str, request_id: str | None) -> SafetyForgotten:
        """Copy a conversation as it was before it was mistrusted."""
        _, state = await self._threads.get(ThreadId(thread_id))
        if state is not None and state.kind.name != CONVERSATION.name:
            raise InvalidInput(f"{thread_id!r} is a {state.kind.name}, expected a conversation with a person")
        report = await self._report(ThreadId(thread_id))
        if not report.marks:
            raise InvalidInput(f"nothing in {thread_id!r} is from outside: go on in it")
        if not report.clean_before:
            raise InvalidInput(f"in {thread_id!r} nothing was answered before words from outside came: begin a new one")
        named = derived_id("thr", "forget", thread_id, request_id) if request_id else self._make_id("thr")
        made = await self._forks.fork(ThreadId(thread_id), report.clean_before, ThreadId(named))
        return SafetyForgotten(made.thread_id, made.records)

    async def _report(self, thread_id: ThreadId) -> TaintReport:
        report, after = TaintReport(), 0
        while page := await self._threads.entries(thread_id, after=after, limit=_PAGE):
            for entry in page:
                report.take(entry)
            after = page[-1].seq
        return report


def _row(mark: Mark) -> MarkRow:
    return MarkRow(mark.seq, stamp(mark.at_ms), mark.source, mark.words)
