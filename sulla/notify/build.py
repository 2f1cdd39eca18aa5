"""Notices that go out, in a daemon."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from sulla.core.ids import ThreadId
from sulla.core.late import late
from sulla.host.host import Built, Host
from sulla.notify.rpc import METHODS
from sulla.notify.settings import NotifySettings
from sulla.notify.ways import Ways
from sulla.people.inbox import NoticeInbox
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

if TYPE_CHECKING:
    from sulla.notify.dispatcher import Dispatcher
    from sulla.notify.service import HomeChannels

_PAGE = 200


def build(host: Host) -> Built:
    """Make what sends notices; see `host.Built`. Without channels nothing is at work, or loaded."""
    inbox, ways = host.needed(NoticeInbox), Ways()
    if not host.settings.section(NotifySettings).channels:
        return Built((ways,), methods=(METHODS.done_by(late(lambda: _channels(host, ways)[0])),))
    channels, dispatcher = _channels(host, ways)

    async def run() -> None:
        with inbox.follow(dispatcher.changed):
            await dispatcher.run()

    return Built(
        provides=(ways,),
        methods=(METHODS.done_by(channels),),
        tasks={"notify": run},
        woken=(dispatcher,),
        status=channels.status,
        troubles={"notify": channels.trouble},
    )


def _channels(host: Host, ways: Ways) -> tuple[HomeChannels, Dispatcher]:
    """The channels as clients ask for them, and what sends by them."""
    from zoneinfo import ZoneInfo

    from sulla.notify.book import FILE, OutboxBook
    from sulla.notify.dispatcher import Dispatcher, Places
    from sulla.notify.outbox import Manners, Outbox
    from sulla.notify.sending import fault_of, send
    from sulla.notify.service import HomeChannels
    from sulla.notify.values import Rules
    from sulla.schedules.hours import parse_hours

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
    places = Places(inbox, _loads(host.threads), _suspended(host.threads), send, addresses, fault_of, ways)
    book = OutboxBook(host.settings.place(FILE))
    dispatcher = Dispatcher(outbox, book, places, host.place.clock, host.tally)
    return HomeChannels(wanted.channels, dispatcher), dispatcher


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
