"""What finds notes by their meaning, in a daemon whose settings name an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.agent.model.embedding import embed
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.host.host import Host
from sulla.memory.base import MemoryIndex
from sulla.memory.recall import MEANING_S
from sulla.memory.vectors.placing import Placing
from sulla.memory.vectors.search import Meanings
from sulla.memory.vectors.traits import traits_of
from sulla.models.catalog import parse_model

EMBED_S: Final = 120.0
"""How long the embeddings of some notes may take: the model may have to be loaded first."""

SERVICES: Final = ("ollama", "openai")
"""Those that have embedding models."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What it is made of."""

    meanings: Meanings
    """Finds notes."""
    placing: Placing
    """Gives notes their vectors."""
    telling: float
    """The cosine from which on a note is told unasked."""


def make_meaning(host: Host, index: MemoryIndex, name: str, telling: float | None = None) -> Meaning:
    """Make it. Nothing is loaded or asked yet.

    Args:
        host: gives the model.
        index: keeps the notes and their vectors.
        name: the embedding model, as `memory.embed` has it.
        telling: the cosine from which on a note is told unasked; None for what is known of the model.

    Raises:
        SettingsError: it is no model's name, or of a service that has no embedding models.
    """
    try:
        model = parse_model(name, SERVICES)
    except SettingsError as error:
        raise SettingsError(f"memory.embed: {error.message}") from error
    clock, make_id, traits = host.place.clock, host.place.make_id, traits_of(model.model)

    async def place(question: str) -> Sequence[float]:
        asked = [traits.question + question]
        (found,) = await embed(host.agents.model_of(str(model)), asked, make_id("emb"), clock, MEANING_S)
        return found

    async def places(texts: Sequence[str]) -> list[list[float]]:
        asked = [traits.note + text for text in texts]
        return await embed(host.agents.model_of(str(model)), asked, make_id("emb"), clock, EMBED_S)

    vectors = index.vectors
    placing = Placing(vectors, str(model), places, clock, host.tally)
    return Meaning(Meanings(vectors, place), placing, traits.telling if telling is None else telling)
