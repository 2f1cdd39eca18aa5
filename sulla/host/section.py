"""What the sections of the settings are made of: one frozen model for each capability, which is handed its own
values. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, get_origin

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Money = Annotated[float | None, Field(ge=0, le=1_000_000)]
Address = Annotated[str, Field(repr=False)]
"""A URL; never shown, because it can hold a password."""


class _Sources(dict[str, str]):
    """Who has given which setting. Settings that say the same are the same, whoever says so."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sources)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # as a dict's


class Section(BaseModel):
    """What all sections have in common. What checks one is made at first use: mostly a whole is checked."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False, defer_build=True
    )

    _sources: _Sources = PrivateAttr(default_factory=_Sources)

    live: ClassVar[frozenset[str]] = frozenset()
    """The settings of the section that `sulla reload` takes up in a running daemon; all others wait for its restart."""

    @field_validator("*", mode="before")
    @classmethod
    def _as_written(cls, value: object, info: ValidationInfo) -> object:
        """A variable holds a list as one text with commas; and `true` is no number, though Python says so."""
        wanted = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and wanted is not bool:
            raise ValueError("Input should not be true or false")
        if isinstance(value, str) and get_origin(wanted) is tuple:
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    def say_sources(self, sources: Mapping[str, str]) -> None:
        """Keep who has given which setting, for messages about it; whoever reads the settings says so, once.

        Args:
            sources: the file, the variable or the flag, as people call it, by setting.
        """
        self._sources = _Sources(sources)

    def source_of(self, key: str) -> str:
        """Who has given a setting; empty for its default.

        Args:
            key: the setting.
        """
        return self._sources.get(key, "")

    def more_secrets(self) -> Iterator[tuple[str, str]]:
        """The secrets that stand deeper than in a field of the section, each with its name there."""
        yield from ()
