"""Notices that go out, in a daemon."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from zoneinfo import ZoneInfo

from sulla.core.ids import ThreadId
from sulla.host.host import Built, Host
from sulla.notify.book import FILE, OutboxBook
from sulla.notify.dispatcher import Dispatcher, Places
from sulla.notify.outbox import Manners, Outbox
from sulla.notify.rpc import METHODS
from sulla.notify.sending import fault_of, send
from sulla.notify.service import HomeChannels
from sulla.notify.settings import NotifySettings
from sulla.notify.values import Rules
from sulla.people.inbox import NoticeInbox
from sulla.schedules.hours import parse_hours
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

_PAGE = 200


def build(host: Host) -> Built:
    """Make what sends notices; see `host.Built`. Without channels nothing is at work."""
    wanted, inbox = host.settings.section(NotifySettings), host.needed(NoticeInbox)
    manners = Manners(
        parse_hours(wanted.quiet) if wanted.quiet else None,
        ZoneInfo(host.place.zone),
        wanted.urgent_passes,
        wanted.join_min * 60_000,
        wanted.per_hour,
    )
    outbox = Outbox([Rules(one.name, frozenset(one.kinds), one.level) for one in wanted.channels], manners)
    addresses = {one.name: wanted.address_of(one) for one in wanted.channels}
    places = Places(inbox, _loads(host.threads), _suspended(host.threads), send, addresses, fault_of)
    book = OutboxBook(host.settings.place(FILE))
    dispatcher = Dispatcher(outbox, book, places, host.place.clock, host.tally)
    channels = HomeChannels(wanted.channels, dispatcher)
    methods = (METHODS.done_by(channels),)
    if not wanted.channels:
        return Built(methods=methods)

    async def run() -> None:
        with inbox.follow(dispatcher.changed):
            await dispatcher.run()

    return Built(
        methods=methods,
        tasks={"notify": run},
        woken=(dispatcher,),
        status=channels.status,
        troubles={"notify": channels.trouble},
    )


def _loads(threads: ThreadStore) -> Callable[[ThreadId], Awaitable[ThreadState | None]]:
    async def load(thread_id: ThreadId) -> ThreadState | None:
        return await threads.load(thread_id, messages=False)

    return load


def _suspended(threads: ThreadStore) -> Callable[[], Awaitable[Sequence[ThreadId]]]:
    async def suspended() -> Sequence[ThreadId]:
        found, after = list[ThreadId](), ""
        while page := await threads.list(status="suspended", after=after, limit=_PAGE):
            found += [ThreadId(info.key) for info, _ in page]
            after = page[-1][0].key
        return found

    return suspended
