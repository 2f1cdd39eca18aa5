"""Copies of conversations, and their texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.core.errors import InvalidInput, NotAvailable
from sulla.core.ids import MakeId, ThreadId, derived_id
from sulla.finding.title import title_of
from sulla.gateway.methods.copies import Form, ThreadForked, ThreadText
from sulla.threads.archive.fork import MOST_BYTES, ThreadForks
from sulla.threads.archive.lines import Sealer, event_of
from sulla.threads.archive.markdown import Markdown
from sulla.threads.log.codec import Entry
from sulla.threads.log.kind import CONVERSATION
from sulla.threads.log.records import Input
from sulla.threads.store import ThreadStore

_PAGE: Final = 256


class ThreadCopies:
    """Does `gateway.methods.copies`. It lives as long as the daemon, and keeps nothing.

    Args:
        threads: the conversations.
        forks: makes copies; None where no capability brings it.
        make_id: names a copy that the client has not named.
        made: hears of each copy, so that lists have it before anything is said in it.
    """

    def __init__(
        self,
        threads: ThreadStore,
        forks: ThreadForks | None,
        make_id: MakeId,
        made: Callable[[ThreadId], None],
    ) -> None:
        self._threads = threads
        self._forks = forks
        self._make_id = make_id
        self._made = made

    async def fork(self, thread_id: str, at_seq: int, request_id: str | None) -> ThreadForked:
        """See `CopyService`."""
        if self._forks is None:
            raise NotAvailable("conversations cannot be copied here: the capability 'safety' is not there")
        _, state = await self._threads.get(ThreadId(thread_id))
        if state is not None and state.kind.name != CONVERSATION.name:
            raise InvalidInput(f"{thread_id!r} is a {state.kind.name}, expected a conversation with a person")
        found = await self._threads.entries(ThreadId(thread_id), after=max(0, at_seq - 1), before=at_seq + 1, limit=1)
        if not found or not isinstance(found[0].fact, Input):
            there = f"is {found[0].kind}" if found else "is nothing"
            raise InvalidInput(f"at_seq: record {at_seq} of {thread_id!r} {there}, expected a message (INPUT)")
        named = derived_id("thr", "fork", thread_id, str(at_seq), request_id) if request_id else self._make_id("thr")
        made = await self._forks.fork_before_turn(ThreadId(thread_id), at_seq, ThreadId(named))
        self._made(made.thread_id)
        return ThreadForked(made.thread_id, made.records)

    async def export(self, thread_id: str, form: Form, after: int, page_bytes: int) -> ThreadText:
        """See `CopyService`."""
        whose, parts, size, seq = ThreadId(thread_id), list[str](), 0, after
        if form == "lines" and not after:
            parts.append(Sealer(whose).first().decode("ascii"))
        markdown = await self._markdown(whose, after) if form == "markdown" else None
        while page := await self._threads.entries(whose, after=seq, limit=_PAGE):
            for entry in page:
                part = markdown.of(entry) if markdown is not None else _line(whose, entry)
                # Escaped once more it may be twice as long. One record is given however large it is.
                size += 2 * len(part.encode())
                if size > page_bytes and seq > after:
                    return ThreadText("".join(parts), seq)
                parts.append(part)
                seq = entry.seq
        if form == "lines":
            parts.append(await self._seal(whose, seq))
        return ThreadText("".join(parts), None)

    async def _markdown(self, thread_id: ThreadId, after: int) -> Markdown:
        """What goes on behind a record; it knows the calls that were named shortly before."""
        told = Markdown(await self._title(thread_id) if not after else "")
        before = await self._threads.entries(thread_id, after=max(0, after - _PAGE), before=after + 1, limit=_PAGE)
        for entry in before:
            told.of(entry)
        return told

    async def _title(self, thread_id: ThreadId) -> str:
        """What it is called now: by a person, by whoever made it, or by how it begins."""
        _, state = await self._threads.get(thread_id)
        return title_of(state)[0] if state is not None else ""

    async def _seal(self, thread_id: ThreadId, last: int) -> str:
        """The last line, which is over all of them."""
        sealer, size = Sealer(thread_id), 0
        sealer.first()
        while page := await self._threads.entries(thread_id, after=sealer.count, before=last + 1, limit=_PAGE):
            size += sum(len(sealer.event(event_of(thread_id, entry))) for entry in page)
            if size > MOST_BYTES:
                raise NotAvailable(
                    f"{thread_id!r} has more than {MOST_BYTES >> 20} MiB: `sulla thread export` writes it to a file"
                )
        return sealer.last().decode("ascii")


def _line(thread_id: ThreadId, entry: Entry) -> str:
    sealer = Sealer(thread_id)
    sealer.count = entry.seq - 1  # the pieces before have these
    return sealer.event(event_of(thread_id, entry)).decode("ascii")
