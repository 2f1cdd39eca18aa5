"""What every key has to be, whatever the service. Pure."""

from __future__ import annotations

from sulla.core.errors import SettingsError


def check_key(variable: str, key: str) -> None:
    """Refuse a key that no HTTP header can carry.

    Args:
        variable: where it was given, for the error.
        key: the key; it is never shown.

    Raises:
        SettingsError: it holds blanks, control characters or others that no key has.
    """
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError(f"{variable} holds blanks or other characters that no key has: set it again")
