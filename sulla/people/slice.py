"""What people are told in a thread, beside what is said in the conversation. Pure."""

from __future__ import annotations

from typing import ClassVar, Final

from sulla.core.dataclass import dataclass
from sulla.people.notices import Urgency
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.schema import Slice


@dataclass(frozen=True, slots=True)
class Notice(Fielded):
    """An agent has something to tell people, whether they look on or come later. Offered, like an input."""

    kind: ClassVar[str] = "NOTICE"
    provenance: ClassVar[Provenance] = "beside"
    text: str
    urgency: Urgency = "normal"
    agent: str = ""
    """Whose it is."""
    tainted: bool = False
    """Whether it may have been made from what nobody trusts (design §9)."""
    wait_id: str = ""
    """The question of a sub-agent that it tells of, for whoever waits here; empty for none."""


NOTICES_TOLD: Final[Slice[None]] = Slice("notices", offered=(Notice,))
"""They add up to nothing: the model knows from its call that people were told."""
