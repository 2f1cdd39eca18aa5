"""A note for people, beside what is said in the conversation. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sulla.threads.forms import Fielded

Urgency = Literal["low", "normal", "high"]
"""How soon somebody should look."""


@dataclass(frozen=True, slots=True)
class Notice(Fielded):
    """An agent has something to tell people, whether they look on or come later. Offered, like an input."""

    kind: ClassVar[str] = "NOTICE"
    text: str
    urgency: Urgency = "normal"
    agent: str = ""
    """Whose it is."""
    tainted: bool = False
    """Whether it may have been made from what nobody trusts (design §9)."""
