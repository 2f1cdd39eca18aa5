"""What the settings say of a Telegram bot. Pure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class TelegramOptions(BaseModel):
    """`options` of a channel of the kind `telegram`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    api: str = "https://api.telegram.org"
    """Where the Bot API is: Telegram's, or a server of one's own."""
    poll_s: int = 50
    """How long one look for updates may wait for some, in seconds."""
