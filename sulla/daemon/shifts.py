"""The crew as it is at this moment: made anew when tools have come or gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from sulla.agent import Actor
from sulla.daemon.agents import Kit, toolbox_of
from sulla.daemon.crew import Crew
from sulla.journal.training import Frame
from sulla.tools import Tool, ToolSource

_Value = TypeVar("_Value")


class Shifts:
    """Everybody who can be set to work, with the tools that there are now.

    A turn keeps the actor that it began with, and so the tools: what comes or goes meanwhile is for the next one.

    Args:
        kit: the agents, and all that they always have.
        always: the tools beside the built-in ones that they always have.
        source: the tools that come and go.
        make: makes a crew of a kit.
    """

    def __init__(self, kit: Kit, always: tuple[Tool, ...], source: ToolSource, make: Callable[[Kit], Crew]) -> None:
        self._kit = kit
        self._always = always
        self._source = source
        self._make = make
        self._tools: tuple[Tool, ...] = ()
        self._crew = make(kit)

    def now(self) -> Crew:
        """The crew of this moment: the same one, as long as the tools are the same."""
        tools = self._source()
        if tools is not self._tools and (tools or self._tools):
            extra = (*self._always, *tools)
            boxes = tuple((spec, toolbox_of(spec, self._kit.shelf, extra)) for spec in self._kit.team.specs)
            self._crew = self._make(replace(self._kit, boxes=boxes))
        self._tools = tools
        return self._crew

    @property
    def actors(self) -> Mapping[str, Actor]:
        """Who can be set to work; each look finds the crew of that moment."""
        return _Current(lambda: self.now().actors)

    @property
    def frames(self) -> Mapping[str, Frame]:
        """What each is told; each look finds the crew of that moment."""
        return _Current(lambda: self.now().frames)


class _Current(Mapping[str, _Value]):
    def __init__(self, look: Callable[[], Mapping[str, _Value]]) -> None:
        self._look = look

    def __getitem__(self, name: str) -> _Value:
        return self._look()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._look())

    def __len__(self) -> int:
        return len(self._look())
