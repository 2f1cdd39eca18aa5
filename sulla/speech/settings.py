"""The settings of speech, `[speech]`. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sulla.host.section import Section


class SpeechSettings(Section):
    """What people say aloud (docs/inside/speech.md)."""

    profile: Literal["classic", "adaptive"] = "adaptive"
    """When a turn ends: by fixed silences, or by how complete the words read."""
    max_live: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """Threads that are spoken in at once; each takes some 20 KB. Another one is refused until one is silent."""
    ttl_s: Annotated[float, Field(ge=60)] = 3600.0
    """How long it is known which chunks of a silent thread are late, in seconds; none comes later than minutes."""
