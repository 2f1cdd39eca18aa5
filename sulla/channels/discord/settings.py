"""What the settings say of a Discord bot. Pure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class DiscordOptions(BaseModel):
    """`options` of a channel of the kind `discord`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    api: str = "https://discord.com/api/v10"
    """Where the HTTP interface is: Discord's, or a proxy of one's own. It says where the gateway is."""
    message_content: bool = False
    """Whether the bot reads what is said in servers without a mention of it. Discord wants that to be allowed in its
    developer portal (Message Content Intent); without it a reply to the bot is understood only where it mentions it."""
