"""What the settings say of an account at a Matrix homeserver. Pure."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

_SAFE: Final = re.compile(r"(?:https://[^\s/?#@\\]+|http://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:/[^\s?#]*)?")
"""What nobody on the way can read, or nobody is on."""


class MatrixOptions(BaseModel):
    """`options` of a channel of the kind `matrix`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    homeserver: str
    """Where the client-server API is, e.g. `https://matrix.example.org`."""
    poll_s: Annotated[int, Field(ge=1, le=300)] = 30
    """How long one look for events may wait for some, in seconds."""
    invites: tuple[str, ...] = ()
    """Whose invitations are taken: people (`@ann:example.org`), servers (`example.org`), `*` for anybody's. Without
    any those of people of the account's own server."""
    sends_per_s: Annotated[float, Field(gt=0, le=50)] = 1.0
    """Messages and edits in a second, to all rooms together."""

    @field_validator("homeserver")
    @classmethod
    def _is_safe(cls, value: str) -> str:
        if _SAFE.fullmatch(value) is None:
            raise ValueError("give an address that begins with https://: the access token goes there")
        return value.rstrip("/")
