"""What `sulla doctor` looks at: a capability's checks, and what they are handed. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Generic, Protocol, TypeVar

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.host.findings import Finding
from sulla.host.home import Home, Whereabouts
from sulla.host.host import Host
from sulla.host.settings import HomeSettings
from sulla.host.team import Team

C_contra = TypeVar("C_contra", contravariant=True)

CHECK_S: Final = 45.0
"""How long a check may take; more than a daemon may take to answer."""


class CheckContext(Protocol):
    """The home that is looked at. It lives as long as one `sulla doctor`, and nothing in it is changed by a check."""

    @property
    def home(self) -> Home:
        """The folder."""

    @property
    def settings(self) -> HomeSettings:
        """What is right of its settings; what is wrong counts as not given."""

    @property
    def clock(self) -> Clock:
        """All time."""

    @property
    def where(self) -> Whereabouts | None:
        """The daemon that runs on the home; None for none."""

    @property
    def silent(self) -> bool:
        """Whether that daemon did not answer when it was looked at."""

    def team(self) -> Team:
        """The home's agents. It reads their files, and blocks."""

    def host(self) -> Host:
        """What the home's capabilities are built with and provide, as in a daemon that was not begun. It blocks.

        Raises:
            SettingsError: a setting asks for something that there is not.
        """

    @property
    def ask(self) -> Callable[[str], Awaitable[JsonObject]]:
        """Asks that daemon for a method without parameters."""


@dataclass(frozen=True, slots=True)
class Check(Generic[C_contra]):
    """One row of the report. It looks and mends nothing.

    Args:
        name: as the report has it.
        run: looks; `C_contra` is what it is handed.
        deadline_s: how long it may take.
    """

    name: str
    run: Callable[[C_contra], Awaitable[list[Finding]]]
    deadline_s: float = CHECK_S
