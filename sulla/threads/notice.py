"""A note for people, beside what is said in the conversation. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sulla.core.jsontypes import JsonObject
from sulla.threads.forms import fields_to_json

Urgency = Literal["low", "normal", "high"]
"""How soon somebody should look."""


@dataclass(frozen=True, slots=True)
class Notice:
    """An agent has something to tell people, whether they look on or come later. Offered, like an input."""

    kind: ClassVar[str] = "NOTICE"
    text: str
    urgency: Urgency = "normal"
    agent: str = ""
    """Whose it is."""
    tainted: bool = False
    """Whether it may have been made from what nobody trusts (design §9)."""

    def data(self) -> JsonObject:
        """The fields that differ from their defaults."""
        return fields_to_json(self)
