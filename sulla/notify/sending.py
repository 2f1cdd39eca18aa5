"""How a message is sent: the promise, and the library behind it, which is loaded at the first message. Pure."""

from __future__ import annotations

from typing import Protocol

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


def send(address: str, title: str, text: str) -> str:
    """See `Send`."""
    try:
        from sulla.notify.apprise_send import send as by_apprise
    except ImportError:
        raise SettingsError("notices go out through Apprise: pip install 'sulla-agent[notify]'") from None
    return by_apprise(address, title, text)
