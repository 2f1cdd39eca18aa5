"""What is heard in a thread and is no message. Pure."""

from __future__ import annotations

from typing import ClassVar, Final

from sulla.core.dataclass import dataclass
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.schema import Slice


@dataclass(frozen=True, slots=True)
class Overheard(Fielded):
    """Somebody said no more than that they are listening, while the agent spoke: it is no message. Offered."""

    kind: ClassVar[str] = "OVERHEARD"
    provenance: ClassVar[Provenance] = "person"
    turn_id: str
    text: str


OVERHEARD: Final[Slice[None]] = Slice("overheard", offered=(Overheard,))
"""It adds up to nothing: it is there to be seen."""
