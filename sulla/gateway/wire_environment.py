"""What travels over ``sulla.v1`` about what a person looks at, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sulla.gateway.limits import SEEN_AGE_S, SEEN_EVENTS, SEEN_TEXT_CHARS, SEEN_URL_CHARS, TITLE_CHARS
from sulla.gateway.wire_form import Id, Wire


class EnvironmentEvent(Wire):
    """One thing that a person looked at."""

    kind: Literal["page", "navigation", "selection", "click", "dialog", "app"]
    title: Annotated[str, StringConstraints(max_length=TITLE_CHARS)] = ""
    url: Annotated[str, StringConstraints(max_length=SEEN_URL_CHARS)] = ""
    text: Annotated[str, StringConstraints(max_length=SEEN_TEXT_CHARS)] = ""
    """What stood there, or was marked."""
    ago_s: Annotated[float, Field(ge=0, le=SEEN_AGE_S)] = 0.0
    """How long ago, in seconds."""


class EnvironmentReport(Wire):
    """`environment.report`."""

    thread_id: Id
    events: Annotated[list[EnvironmentEvent], Field(min_length=1, max_length=SEEN_EVENTS)]


class EnvironmentReported(Wire):
    """The answer to `environment.report`."""

    known: int
    """How much is known now of what the person looks at; of more, the oldest is forgotten."""
