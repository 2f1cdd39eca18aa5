"""The settings of the journal, `[journal]`. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sulla.host.section import Section


class JournalSettings(Section):
    """Copies of conversations as lines of JSON, in the folder `journal` of the home (docs/journal.md)."""

    enabled: bool = True
    """Whether every event of every thread is written to `conversations.jsonl`."""
    training: bool = False
    """Whether finished runs are written to `training.jsonl` too, as examples for fine-tuning."""
    training_outcomes: tuple[Literal["done", "blocked", "failed", "cancelled"], ...] = ("done",)
    """Runs that ended in one of these ways become examples: `done`, `blocked`, `failed`, `cancelled`."""
    file_bytes: Annotated[int, Field(ge=65_536)] = 16 * 1024 * 1024
    """The most bytes of one file; then another one is begun."""
    keep_files: Annotated[int, Field(ge=1, le=10_000)] = 10
    """Older files that are kept of each of the two; the oldest one goes first."""
