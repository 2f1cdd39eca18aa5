"""Answers why a conversation is mistrusted, from its log, copies it as it was before, and takes marks off files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.calls.mark_trust import MOST_NAMED
from sulla.core.errors import InvalidInput, PathEscape, SullaError
from sulla.core.ids import MakeId, ThreadId, derived_id
from sulla.core.stamp import stamp
from sulla.safety.explain import Mark, TaintReport
from sulla.safety.rpc import HeldRow, MarkRow, SafetyExplained, SafetyForgotten, SafetyTrusted
from sulla.threads.archive.fork import ThreadForks
from sulla.threads.log.kind import CONVERSATION
from sulla.threads.store import ThreadStore
from sulla.tools.paths import inside

_PAGE = 512


class HomeSafety:
    """Does the methods of `sulla.safety.rpc`. Lives as long as the daemon, and keeps nothing.

    Args:
        threads: the conversations.
        forks: makes copies.
        make_id: names a copy that the client has not named.
        marks: which files are not to be trusted.
        roots: the folders whose files people can trust, the one first that paths are relative to.
    """

    def __init__(
        self, threads: ThreadStore, forks: ThreadForks, make_id: MakeId, marks: FileMarks, roots: Sequence[Path]
    ) -> None:
        self._marks = marks
        self._roots = roots
        self._threads = threads
        self._forks = forks
        self._make_id = make_id

    async def explain(self, thread_id: str) -> SafetyExplained:
        """Say why a conversation is mistrusted."""
        _, state = await self._threads.get(ThreadId(thread_id))
        report = await self._report(ThreadId(thread_id))
        files, more_files = await self._marked_files() if report.by_command else ((), 0)
        can_go_on = state is None or state.kind.name == CONVERSATION.name
        return SafetyExplained(
            thread_id,
            bool(report.marks),
            tuple(map(_row, report.marks)),
            report.more_marks,
            tuple(HeldRow(held.seq, held.tool, held.why, held.answer) for held in report.held),
            report.clean_before if can_go_on else 0,
            files,
            more_files,
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

    async def trust(self, path: str, seen: str) -> SafetyTrusted:
        """Say what is marked at a path, or take those marks away."""
        target = await asyncio.to_thread(self._place, path)
        found = await self._marks.trust(target, seen)
        kind = "folder" if found.is_folder else "file"
        return SafetyTrusted(str(target), kind, found.files, found.others, found.seen, bool(seen), found.names)

    async def _marked_files(self) -> tuple[tuple[str, ...], int]:
        """The newest marked files of all folders, whole paths, and how many there are beside those."""
        names, count = list[str](), 0
        for root in self._roots:
            with suppress(SullaError):  # nothing is marked there, or it is too much to be looked through
                found = await self._marks.trust(root.resolve())
                names += [str(root / name) for name in found.names]
                count += found.files
        return tuple(names[:MOST_NAMED]), count - len(names[:MOST_NAMED])

    def _place(self, path: str) -> Path:
        for root in self._roots:
            with suppress(PathEscape):
                return inside(root, path)
        raise PathEscape(f"{path!r} is not in {' or '.join(map(str, self._roots))}: files elsewhere have no marks")

    async def _report(self, thread_id: ThreadId) -> TaintReport:
        report, after = TaintReport(), 0
        while page := await self._threads.entries(thread_id, after=after, limit=_PAGE):
            for entry in page:
                report.take(entry)
            after = page[-1].seq
        return report


def _row(mark: Mark) -> MarkRow:
    return MarkRow(mark.seq, stamp(mark.at_ms), mark.source, mark.words)
