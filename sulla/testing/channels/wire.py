"""What the conformance kit wants of a fake service: the service's side of a channel, in words that fit all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from sulla.channels.base import AttachmentKind, Channel, Place, Sender
from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """A message of the daemon's, as people see it now."""

    ref: str
    """The service's id."""
    text: str
    """In the service's own form, without marks that people do not see."""
    buttons: Mapping[str, str]
    """What its buttons send, by their labels."""
    file: bytes | None = None
    """Its content, where it is a file."""
    exact: tuple[str, ...] = ()
    """What people see of it in blocks of code, as their apps read it; also a part of `text`."""


class Wire(Protocol):
    """One fake of a service, on a real socket. The kit opens it, speaks to it as people and as the network, and looks
    at what they see.
    """

    @property
    def secret(self) -> str:
        """The token or password that the channel comes with; it must stand in no log."""

    async def start(self) -> None:
        """Listen."""

    async def stop(self) -> None:
        """Let go of everything."""

    def channel(self, *, secret: str | None = None) -> Channel:
        """A channel to it, as a daemon makes one at each start; with another secret, one that is refused."""

    # --------------------------------------------------------------------------------------------------- as people

    def place(self, number: int, *, group: bool = False) -> Place:
        """One of the places there, the same for the same number."""

    def person(self, number: int) -> Sender:
        """One of the people there."""

    async def say(
        self,
        place: Place,
        sender: Sender,
        text: str,
        *,
        mentions: bool = False,
        reply_to: str = "",
        forwarded: bool = False,
        files: Sequence[tuple[str, bytes, AttachmentKind]] = (),
    ) -> str:
        """Somebody says something; the service's id of it.

        Args:
            place, sender, text: where, who and what.
            mentions: whether the daemon's name stands before it.
            reply_to: the id of the message that this answers.
            forwarded: whether they are somebody else's words.
            files: name, content and kind of what comes with it.
        """

    async def nonsense(self, place: Place, sender: Sender, text: str) -> bool:
        """The service tells of something that this sender did in a way that nobody can read; False where the channel
        takes whatever is not what it should be for something that means nothing.

        Args:
            place, sender: where and who.
            text: stands somewhere in it.
        """

    async def edit(self, place: Place, sender: Sender, message_id: str, text: str) -> bool:
        """Somebody changes his message; False where the service tells nobody."""

    async def delete(self, place: Place, sender: Sender, message_id: str) -> bool:
        """Somebody deletes his message; False where the service tells nobody."""

    async def press(self, place: Place, sender: Sender, ref: str, token: str) -> bool:
        """Somebody presses a button, or forges that; False where there are none."""

    def seen(self, place: Place) -> Sequence[Seen]:
        """The daemon's messages there, as people see them now, the oldest first."""

    # ------------------------------------------------------------------------------------------------ as the network

    async def repeat(self) -> None:
        """The service tells once more what it has told already, as after a lost acknowledgement."""

    def away(self, gone: bool) -> None:
        """The service cannot be reached, or can be again; what people say meanwhile it keeps."""

    def refuse(self, sends: int, retry_after_s: float) -> None:
        """The next so many sends are refused because they come too fast."""

    def lose(self, answers: int) -> None:
        """The next so many sends arrive, and their answers do not."""

    @property
    def typing(self) -> int:
        """How many typing signs were shown."""

    @property
    def fastest_s(self) -> float:
        """The least time that lay between two sends or edits to one place, in seconds; infinite for fewer than two."""


@runtime_checkable
class ExclusiveWire(Wire, Protocol):
    """A fake of a service that hands what arrives to one program alone: its channel says so by `base.Refusal`."""

    def occupy(self, taken: bool) -> None:
        """Another program reads what arrives here, or no longer does."""


@runtime_checkable
class CrowdedWire(Wire, Protocol):
    """A fake of a service that counts what is sent to each place by itself, and refuses what is too much for one."""

    def crowd(self, place: Place, sends: int, retry_after_s: float) -> None:
        """The next so many sends to a place are refused because they come too fast for it."""
