"""What clients can do with channels, and with who may write by them."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import Field

from sulla.channels.machine.people import NAME_PATTERN, ChannelScope
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.rpc.caller import Context
from sulla.rpc.form import Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time

Code = Annotated[str, Field(min_length=1, max_length=40)]
PersonName = Annotated[str, Field(min_length=1, max_length=40, pattern=f"^{NAME_PATTERN}$")]


class ChannelList(Params):
    """`channel.list`."""


class ChannelTest(Params):
    """`channel.test`."""

    channel: Name


class ChannelPeople(Params):
    """`channel.people`."""


class ChannelCodes(Params):
    """`channel.codes`."""


class ChannelRefuse(Params):
    """`channel.refuse`: let somebody not in who was given a code."""

    code: Code


class ChannelPair(Params):
    """`channel.pair`: let somebody in who was given a code."""

    code: Code
    person: PersonName
    scopes: Annotated[list[ChannelScope], Field(min_length=1, max_length=4)] | None = None
    less: bool = False


class ChannelForget(Params):
    """`channel.forget`: somebody may no longer write."""

    person: Name


@dataclass(frozen=True, slots=True)
class ChannelGivenUp:
    """A message that the service has refused for good."""

    at_ms: Annotated[Time, Field(alias="at")]
    place: str
    """The service's id of where it was to go."""
    called: str
    """What that is called; words of the service."""
    why: str


@dataclass(frozen=True, slots=True)
class ChannelAccount:
    """One channel; its secrets are never told."""

    channel: str
    kind: str
    account: str
    """As whom the daemon is there; empty while that is not known."""
    state: str
    """`well`, `failing`, `refused` (for its credentials), `held by another daemon`, `not begun`."""
    since_ms: Annotated[Time, Field(alias="since_at")]
    """From when on it is so."""
    why: str
    failed_ms: Annotated[Time | None, Field(alias="failed_at")]
    """When something went wrong last, since the daemon's start; null for never."""
    failed_why: str
    places: int
    """Where somebody has talked."""
    waiting: int
    """Messages that wait to be sent."""
    given_up: int
    """Messages that the service has refused for good, or that came and cannot be read."""
    last_given_up: ChannelGivenUp | None
    """The last of them; null for none, and while another daemon has the channel."""


@dataclass(frozen=True, slots=True)
class ChannelAccounts:
    """The answer to `channel.list`."""

    channels: tuple[ChannelAccount, ...]


@dataclass(frozen=True, slots=True)
class ChannelTested:
    """The answer to `channel.test`."""

    channel: str
    account: str
    why: str
    """Why the service did not let the daemon in, or what the daemon's own channel fails of; empty for neither."""


@dataclass(frozen=True, slots=True)
class ChannelIdentity:
    """Who somebody is at one channel."""

    channel: str
    sender: str
    """The service's id."""
    in_settings: bool
    """Whether `people` in the settings says so: it ends there alone."""


@dataclass(frozen=True, slots=True)
class ChannelPerson:
    """Somebody who may write."""

    person: str
    scopes: tuple[str, ...]
    identities: tuple[ChannelIdentity, ...]


@dataclass(frozen=True, slots=True)
class ChannelPersons:
    """The answer to `channel.people`."""

    people: tuple[ChannelPerson, ...]
    codes: int
    """Codes that were given and not confirmed."""


@dataclass(frozen=True, slots=True)
class ChannelCode:
    """A stranger who waits for the owner's word."""

    code: str
    channel: str
    sender: str
    """The service's id."""
    called: str
    """What he calls himself; words from outside, which anybody can choose."""
    until_ms: Annotated[Time, Field(alias="until_at")]
    """How long the code is good."""


@dataclass(frozen=True, slots=True)
class ChannelWaiting:
    """The answer to `channel.codes`."""

    codes: tuple[ChannelCode, ...]


@dataclass(frozen=True, slots=True)
class ChannelRefused:
    """The answer to `channel.refuse`."""

    code: str


@dataclass(frozen=True, slots=True)
class ChannelPaired:
    """The answer to `channel.pair`."""

    person: str
    channel: str
    """By which the person is known now, too."""
    scopes: tuple[str, ...]
    """What the person may by every channel."""
    before: tuple[str, ...]
    """The same before; empty for somebody who was not known."""
    channels: tuple[str, ...]
    """All by which the person is known."""


@dataclass(frozen=True, slots=True)
class ChannelForgotten:
    """The answer to `channel.forget`."""

    person: str


class ChannelService(Protocol):
    """The channels of a home."""

    async def list_channels(self) -> ChannelAccounts:
        """All of them."""

    async def test_channel(self, channel: str) -> ChannelTested:
        """See whether a service lets the daemon in, and whether its channel works here.

        Raises:
            NotFound: there is no such channel.
        """

    async def list_people(self) -> ChannelPersons:
        """Who may write."""

    async def list_codes(self) -> ChannelWaiting:
        """Who was given a code and waits."""

    async def refuse(self, code: str) -> ChannelRefused:
        """Let somebody not in.

        Raises:
            NotFound: there is no such code, or no longer.
        """

    async def pair(
        self, code: str, person: str, scopes: tuple[ChannelScope, ...] | None, *, less: bool = False
    ) -> ChannelPaired:
        """Let somebody in.

        Raises:
            NotFound: the code is not good.
            InvalidInput: the name is none.
            Conflict: too many wrong codes were tried, or there are too many people.
        """

    async def forget_person(self, person: str) -> ChannelForgotten:
        """Let somebody in no longer.

        Raises:
            NotFound: there is nobody of that name.
            Conflict: the settings let that person in.
        """


async def _list(service: ChannelService, params: ChannelList, context: Context) -> ChannelAccounts:
    return await service.list_channels()


async def _test(service: ChannelService, params: ChannelTest, context: Context) -> ChannelTested:
    return await service.test_channel(params.channel)


async def _people(service: ChannelService, params: ChannelPeople, context: Context) -> ChannelPersons:
    return await service.list_people()


async def _codes(service: ChannelService, params: ChannelCodes, context: Context) -> ChannelWaiting:
    return await service.list_codes()


async def _refuse(service: ChannelService, params: ChannelRefuse, context: Context) -> ChannelRefused:
    return await service.refuse(params.code)


async def _pair(service: ChannelService, params: ChannelPair, context: Context) -> ChannelPaired:
    scopes = None if params.scopes is None else tuple(dict.fromkeys(params.scopes))
    return await service.pair(params.code, params.person, scopes, less=params.less)


async def _forget(service: ChannelService, params: ChannelForget, context: Context) -> ChannelForgotten:
    return await service.forget_person(params.person)


_ROW: Final[JsonObject] = {
    "channel": "home",
    "kind": "telegram",
    "account": "@ann_bot",
    "state": "well",
    "since_at": "2027-01-15T08:00:00.000Z",
    "why": "",
    "failed_at": None,
    "failed_why": "",
    "places": 2,
    "waiting": 0,
    "given_up": 1,
    "last_given_up": {
        "at": "2027-01-15T07:30:00.000Z",
        "place": "5003",
        "called": "Bob",
        "why": "Telegram refuses it: Forbidden: bot was blocked by the user",
    },
}
_PERSON: Final[JsonObject] = {
    "person": "ann",
    "scopes": ["read", "write", "approve"],
    "identities": [{"channel": "home", "sender": "5001", "in_settings": False}],
}
_CODE: Final[JsonObject] = {
    "code": "K7QM2XPD",
    "channel": "home",
    "sender": "5002",
    "called": "Eve",
    "until_at": "2027-01-15T08:15:00.000Z",
}

METHODS: Final[Methods[ChannelService]] = Methods(
    "channels",
    (
        Method(
            "channel.list",
            ChannelList,
            ChannelAccounts,
            "read",
            _list,
            Rest("GET", "/channels", "The channels that people write by."),
            Example({"channels": [_ROW]}),
        ),
        Method(
            "channel.test",
            ChannelTest,
            ChannelTested,
            "admin",
            _test,
            Rest("POST", "/channels/{channel}/test", "See whether a service lets the daemon in."),
            Example({"channel": "home", "account": "@ann_bot", "why": ""}),
        ),
        Method(
            "channel.people",
            ChannelPeople,
            ChannelPersons,
            "read",
            _people,
            Rest("GET", "/channels/people", "Who may write by channels."),
            Example({"people": [_PERSON], "codes": 0}),
        ),
        Method(
            "channel.codes",
            ChannelCodes,
            ChannelWaiting,
            "admin",
            _codes,
            Rest("GET", "/channels/codes", "Who was given a code and waits to be let in."),
            Example({"codes": [_CODE]}),
        ),
        Method(
            "channel.refuse",
            ChannelRefuse,
            ChannelRefused,
            "admin",
            _refuse,
            Rest("DELETE", "/channels/codes/{code}", "Let somebody not in who was given a code."),
            Example({"code": "K7QM2XPD"}),
        ),
        Method(
            "channel.pair",
            ChannelPair,
            ChannelPaired,
            "admin",
            _pair,
            Rest("POST", "/channels/people", "Let somebody in who was given a code.", 201),
            Example(
                {
                    "person": "ann",
                    "channel": "home",
                    "scopes": ["read", "write", "approve"],
                    "before": [],
                    "channels": ["home"],
                },
                {"code": "K7QM2XPD", "person": "ann"},
            ),
        ),
        Method(
            "channel.forget",
            ChannelForget,
            ChannelForgotten,
            "admin",
            _forget,
            Rest("DELETE", "/channels/people/{person}", "Let somebody in no longer."),
            Example({"person": "ann"}),
        ),
    ),
)
