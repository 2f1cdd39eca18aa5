"""What capabilities ask of a run that they have set to work. Pure."""

from __future__ import annotations

from typing import ClassVar

from sulla.threads.log.forms import Fielded


class RunRequest(Fielded):
    """An offered record that tells a run of one kind of thread what to do: the base of capabilities' own.

    The run is woken by it and takes it up itself; where there is no such run it is put away.
    """

    __slots__ = ()

    refusal: ClassVar[str]
    """Why it is put away where no such run is open."""
