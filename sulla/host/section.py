"""What the sections of the settings are made of: one frozen model for each capability, which is handed its own
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, get_origin
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Money = Annotated[float | None, Field(ge=0, le=1_000_000)]
Address = Annotated[str, Field(repr=False)]
"""A URL; never shown, because it can hold a password."""

_QUERY_SECRETS: Final = frozenset("password passwd pwd sslpassword secret token access_token key api_key".split())
"""Fields of a URL's query that hold one."""


class Section(BaseModel):
    """What all sections have in common. What checks one is made at first use: mostly a whole is checked."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False, defer_build=True
    )

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

    def more_secrets(self) -> Iterator[tuple[str, str]]:
        """The secrets that stand deeper than in a field of the section, each with its name there."""
        yield from ()


def secrets_in_url(url: str) -> Iterator[str]:
    """The secrets of a URL, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
        password = parts.password or ""
    except ValueError:
        return  # no URL: whoever uses it says so
    yield from (password, unquote(password))
    yield from (value for name, value in parse_qsl(parts.query) if name.lower() in _QUERY_SECRETS)
