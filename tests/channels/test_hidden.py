"""What is secret among a channel's settings is known as such, wherever it stands, and shown nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from pydantic import BaseModel, SecretStr, field_validator

from sulla.channels.base import Account, Channel
from sulla.channels.cli.setup import TRIES, set_up
from sulla.channels.kinds import KINDS, Wanted, kinds
from sulla.channels.lines import Lines
from sulla.channels.opened import fault_of, making, secret_options
from sulla.channels.settings import AccountSettings, ChannelsSettings
from sulla.core.errors import SettingsError, Unavailable
from sulla.core.redact import MARK, Redactor
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.terminal.exits import Exit
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from tests.channels.test_kinds import installed

WORD = "hunter-two-hunter"
"""What nobody would take for a secret by its looks."""
TOKEN = "k3y0f4nn1n7h3w411"
OTHER = "s0meb0dy3l5e5t0ken"

ADDRESSES = (
    (f"https://ann:{WORD}@b.example/api", {WORD}),
    (f"https://ann:{WORD}%21@b.example", {f"{WORD}%21", f"{WORD}!"}),
    (f"https://{TOKEN}@b.example", {TOKEN}),
    (f"https://b.example/api?token={WORD}", {WORD}),
    (f"https://b.example/api?x={TOKEN}&size=20", {TOKEN}),
    (f"https://b.example/{TOKEN}/api/{OTHER}", {TOKEN, OTHER}),
    ("https://ann@b.example:8443/api/v10?size=20", set[str]()),
    ("https://[b.example", set[str]()),
)
"""What may stand in an option, and what of it is secret."""

NAMED = {
    "telegram": {"token"},
    "slack": {"bot_token", "app_token"},
    "discord": {"token"},
    "mail": {"password", "word"},
    "matrix": {"token"},
}
"""What each kind takes as a secret, which somebody may have written to the options."""
ADDRESSED = {"telegram": "api", "slack": "api", "discord": "api", "mail": "imap", "matrix": "homeserver"}
"""The option of each kind that is an address."""


def test_the_tables_have_all_kinds() -> None:
    assert {one.name: {*one.secrets, *one.may} for one in KINDS} == NAMED
    assert {*ADDRESSED} == {*NAMED}


@pytest.mark.parametrize("kind", NAMED)
def test_what_is_secret_among_the_options_of_each_kind_is_known(kind: str) -> None:
    for address, secrets in ADDRESSES:
        said = AccountSettings(name="a", kind=kind, options={ADDRESSED[kind]: address})
        assert {secret for _, secret in said.hidden()} == secrets, address
        assert {name for name, _ in said.hidden()} <= {f"options.{ADDRESSED[kind]}"}
    listed = AccountSettings(name="a", kind=kind, options={"more": ["plain", ADDRESSES[0][0]], "size": 20, "on": True})
    assert {*listed.hidden()} == {("options.more", WORD)}
    for name in NAMED[kind]:
        said = AccountSettings(name="a", kind=kind, options={name: WORD}, secrets={"other": SecretStr(TOKEN)})
        assert {*said.hidden()} == {("other", TOKEN), (f"options.{name}", WORD)}
        assert secret_options(said, kinds()[kind]) == [name]
        found = ChannelsSettings(accounts=(said,)).more_secrets()
        assert {*found} == {("recognizer_key", ""), ("accounts.a.other", TOKEN), (f"accounts.a.options.{name}", WORD)}
        redactor = Redactor(secret for _, secret in said.hidden())
        assert redactor.text(f"{WORD} sulla+{WORD}@b.example") == f"{MARK} sulla+{MARK}@b.example"


def test_a_kind_that_a_package_brings_says_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = AccountSettings(name="loft", kind="pigeons", options={"ring": WORD, "room": WORD})
    assert {*said.hidden()} == set()  # nobody knows what it is
    monkeypatch.syspath_prepend(installed(tmp_path, "pigeons_hidden"))
    assert {*said.hidden()} == {("options.ring", WORD)}


class Talkative(BaseModel):
    """Options that say what they were given when it is wrong, as those of a package may."""

    api: str

    @field_validator("api")
    @classmethod
    def _is_none(cls, value: str) -> str:
        raise ValueError(f"got {value}")


class Taken(BaseModel):
    """Options that take anything."""

    api: str


class Talking:
    """A channel whose service tells in its failure at what address, and as whom, it was asked."""

    def __init__(self, wanted: Wanted) -> None:
        self._said = f"nobody at {wanted.options}, {wanted.secrets}"

    async def open(self) -> Account:
        """Nobody is there."""
        raise Unavailable(self._said)

    async def close(self) -> None:
        """Nothing to let go of."""


def talking(wanted: Wanted) -> Channel:
    """See `ChannelKind.make`."""
    return cast("Channel", Talking(wanted))


@pytest.mark.parametrize("name", NAMED)
def test_what_is_wrong_with_an_option_is_said_without_what_is_secret_in_it(name: str) -> None:
    address, _ = ADDRESSES[0]
    said = AccountSettings(name="a", kind=name, options={"api": address})
    kind = kinds()[name]._replace(options="tests.channels.test_hidden:Talkative")
    told = fault_of(said, kind, "api")
    assert told == f"Value error, got {address.replace(WORD, MARK)}"
    with pytest.raises(SettingsError) as refused:
        making(said, kind, ManualClock())
    assert str(refused.value).endswith(told)


@pytest.mark.parametrize("name", NAMED)
async def test_who_sets_one_up_is_told_of_its_failures_without_its_secrets(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = "tests.channels.test_hidden"
    kind = kinds()[name]._replace(options=f"{here}:Taken", make=f"{here}:talking", asks={"api": "where"})
    address, _ = ADDRESSES[0]

    async def person(prompt: str, /, *, hidden: bool) -> str:
        return TOKEN if hidden else address

    assert await set_up(kind, "a", tmp_path / "sulla.toml", person) == Exit.FAILED
    told = "".join(capsys.readouterr())
    assert told.count(f"nobody at api='https://ann:{MARK}@b.example/api'") == TRIES
    assert WORD not in told
    assert TOKEN not in told


async def test_a_channel_that_is_tested_tells_of_its_failure_without_its_secrets(tmp_path: Path) -> None:
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.until(lambda: scene.line.state == "well", "it is well")
        scene.line.make = lambda: talking(Wanted("tg", Taken(api="b"), {"token": wire.secret}, clock))
        found = await Lines({"tg": scene.line}, scene.people).test_channel("tg")
        assert found.why == f"nobody at api='b', {{'token': '{MARK}'}}"
    await wire.stop()
