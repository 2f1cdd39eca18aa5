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

    def check(self, model: str, tool: str) -> None:
        """See whether a model can be made to call a tool.

        Args:
            model: who is asked.
            tool: what it has to call; empty for nothing.

        Raises:
            ToolsRefused: its service takes none, so the call would only be missing; it was not asked.
        """
        if tool and self.refused:
            raise ToolsRefused(
                f"the model {model!r} takes no tools, and this is answered by a call of {tool!r} alone: "
                "give the agent another model (`model` in its agent.toml, or model.name)"
            )
