"""A model that takes no tools is asked without them (design §6)."""

from __future__ import annotations

import logging
from typing import Final

from sulla.core.errors import SullaError, ToolsRefused
from sulla.core.words import ours
from sulla.models.base import PromptSection

log = logging.getLogger(__name__)

PLAIN: Final = PromptSection(
    "plain",
    ours(
        "You have no tools here: the service of the model that you are takes none, whatever else you are told of them. "
        "Answer from what you know and from what stands in this conversation, and say plainly what you could not look "
        "up or do. Never write down a call of a tool: nothing would carry it out."
    ),
)
"""What such a model is told instead of its tools."""


class ToolUse:
    """Whether a model's service takes tools, as it has shown. It lives as long as the model: a restart asks anew."""

    __slots__ = ("refused",)

    def __init__(self) -> None:
        self.refused = False
        """Whether the service has refused a request because there were tools in it."""

    def refuse(self, model: str, error: SullaError) -> bool:
        """A request with tools has failed.

        Args:
            model: who was asked.
            error: how it failed.

        Returns:
            Whether it failed because of the tools: then people are told once, and the same is asked without them.
        """
        if not isinstance(error, ToolsRefused):
            return False
        if not self.refused:
            log.warning("the model %r takes no tools, so agents on it only talk: %s", model, error.message)
        self.refused = True
        return True
