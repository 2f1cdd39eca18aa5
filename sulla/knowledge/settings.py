"""The settings of the knowledge of a home, `[knowledge]`. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sulla.host.section import Section


class KnowledgeSettings(Section):
    """How much of the home's folder `knowledge/` is read, and how much of it an answer quotes (docs/knowledge.md)."""

    passages: Annotated[int, Field(ge=1, le=5)] = 3
    """Passages that `grounded_lookup` quotes at the most."""
    files: Annotated[int, Field(ge=1, le=5_000)] = 1_000
    """Files that are read, in the order of their names."""
    file_bytes: Annotated[int, Field(ge=1_024, le=64 * 1024 * 1024)] = 8 * 1024 * 1024
    """The largest file that is read."""
    total_bytes: Annotated[int, Field(ge=1_024, le=256 * 1024 * 1024)] = 32 * 1024 * 1024
    """All files together, or the text that was made of them where that is longer."""
    sections: Annotated[int, Field(ge=1, le=100_000)] = 20_000
    """Sections of all files together."""
