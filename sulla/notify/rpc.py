"""What clients can do with the channels that notices go out by."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class NotifyList(Params):
    """`notify.list`."""


class NotifyTest(Params):
    """`notify.test`."""

    channel: Name


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """One channel; its address is never told."""

    channel: str
    kinds: tuple[str, ...]
    level: str
    waiting: int
    """Messages that wait to be sent."""
    failures: int
    """In a row; 0 if the last one arrived."""
    why: str
    """Why nothing can be sent to its address, or of the last failure, a test's too; empty for none."""


@dataclass(frozen=True, slots=True)
class ChannelRows:
    """The answer to `notify.list`."""

    channels: tuple[ChannelRow, ...]


@dataclass(frozen=True, slots=True)
class Tested:
    """The answer to `notify.test`."""

    channel: str
    why: str
    """Why the channel did not take it; empty if it did."""


class NotifyService(Protocol):
    """The channels of a home."""

    async def list_channels(self) -> ChannelRows:
        """All of them."""

    async def test_channel(self, channel: str) -> Tested:
        """Send a test by one of them.

        Raises:
            NotFound: there is none of that name, with those that there are.
        """


async def _list(service: NotifyService, params: NotifyList, context: Context) -> ChannelRows:
    return await service.list_channels()


async def _test(service: NotifyService, params: NotifyTest, context: Context) -> Tested:
    return await service.test_channel(params.channel)


METHODS: Final[Methods[NotifyService]] = Methods(
    "notify",
    (
        Method(
            "notify.list",
            NotifyList,
            ChannelRows,
            "read",
            _list,
            Rest("GET", "/notify", "The channels that notices go out by."),
            Example(
                {
                    "channels": [
                        {
                            "channel": "mail",
                            "kinds": ["approval", "failed"],
                            "level": "normal",
                            "waiting": 0,
                            "failures": 0,
                            "why": "",
                        }
                    ]
                }
            ),
        ),
        Method(
            "notify.test",
            NotifyTest,
            Tested,
            "admin",
            _test,
            Rest("POST", "/notify/{channel}/test", "Send a test by one of them."),
            Example({"channel": "mail", "why": ""}),
        ),
    ),
)
