"""How a message is sent: the promise, and the library behind it, which is loaded where there are channels. Pure."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.errors import SettingsError


class Send(Protocol):
    """Sends one message; it blocks."""

    def __call__(self, address: str, title: str, text: str) -> str:
        """Send it.

        Args:
            address: where to, as Apprise writes it.
            title: a line.
            text: plain text.

        Returns:
            Why it was not taken, without secrets; empty if it was.

        Raises:
            SettingsError: the library is not installed, or knows no such address.
        """


class FaultOf(Protocol):
    """Says why nothing can be sent to an address, and sends nothing; it blocks."""

    def __call__(self, address: str) -> str:
        """Judge it.

        Args:
            address: where to, as Apprise writes it.

        Returns:
            What is wrong, without secrets; empty for nothing.
        """


MISSING: Final = "notices go out through Apprise: pip install 'sulla-agent[notify]'"


def fault_of(address: str) -> str:
    """See `FaultOf`."""
    try:
        from sulla.notify.apprise_send import fault_of as by_apprise
    except ImportError:
        return MISSING
    return by_apprise(address)


def send(address: str, title: str, text: str) -> str:
    """See `Send`."""
    try:
        from sulla.notify.apprise_send import send as by_apprise
    except ImportError:
        raise SettingsError(MISSING) from None
    return by_apprise(address, title, text)
