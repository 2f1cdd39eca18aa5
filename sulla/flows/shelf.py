"""The flows of a home: files in its folder ``flows/``, looked at again before turns, and the default one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.definitions.file_fault import FileFault
from sulla.definitions.flow_options import read_flow_options
from sulla.flows.conditions import ConditionRegistry
from sulla.flows.reading import MOST_BYTES, Known, read_flow
from sulla.flows.schema import AgentFlow, FlowNode, LoopNode, SequenceNode, SwitchNode
from sulla.tools.nearest import did_you_mean

log = logging.getLogger(__name__)

FLOWS: Final = "flows"
"""The folder of a home that they lie in."""
DEFAULT: Final = "default"
"""What the shipped flow is called; no file of the home can have its name."""
ENDINGS: Final = (".yaml", ".yml", ".json")
MOST_FILES: Final = 100
LOOK_S: Final = 1.0
"""The folder is looked at no more often than this, in seconds."""

_DEFAULT: Final = Path(__file__).parent / "default.yaml"
_Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class ShelvedFlow:
    """A file of the folder, read."""

    file: Path
    found: AgentFlow | tuple[FileFault, ...]
    """The flow, or all that is wrong with it."""

    @property
    def name(self) -> str:
        """By what agents and messages name it."""
        return self.file.stem


class FlowShelf:
    """Knows the flows of a home. It lives as long as the daemon.

    Args:
        home: the home's folder.
        agents: gives whom flows may name.
        conditions: what they may name.
        clock: all time.
    """

    def __init__(
        self, home: Path, agents: Callable[[], Collection[str]], conditions: ConditionRegistry, clock: Clock
    ) -> None:
        self._folder = home / FLOWS
        self._agents = agents
        self._conditions = conditions
        self._clock = clock
        self._looked_s: float | None = None
        self._seen: tuple[_Stamp, Collection[str]] | None = None
        self._flows: Mapping[str, ShelvedFlow] = {}

    @property
    def known(self) -> Known:
        """What flows may name now."""
        return Known(self._agents(), self._conditions.names)

    @property
    def flows(self) -> Mapping[str, ShelvedFlow]:
        """As they were read last, by name."""
        return self._flows

    async def look(self) -> None:
        """Take up what has changed in the folder; beside the event loop, and not more often than every `LOOK_S`."""
        if self._looked_s is None or self._clock.elapsed() - self._looked_s >= LOOK_S:
            await self.look_now()

    async def look_now(self) -> None:
        """The same however short ago it was looked at."""
        self._looked_s = self._clock.elapsed()
        before = self._flows
        await asyncio.to_thread(self.read)
        for flow in self._flows.values():
            if isinstance(flow.found, tuple) and before.get(flow.name) != flow:
                for fault in flow.found:
                    log.warning("the flow %r cannot be used: %s", flow.name, fault.told(str(flow.file)))

    def read(self) -> None:
        """The same at once. It blocks."""
        known = self.known
        seen = (self._stamp(), known.agents)
        if seen != self._seen:
            self._seen = seen
            flows: dict[str, ShelvedFlow] = {}
            for flow in self._read(known):
                if (first := flows.get(flow.name)) is None:
                    flows[flow.name] = flow
                else:
                    said = f"`{first.file.name}` has this name already: rename one of them"
                    flows[flow.file.name] = ShelvedFlow(flow.file, (FileFault("the file", 1, 1, said),))
            self._flows = flows

    def named(self, name: str) -> AgentFlow:
        """The flow of a name.

        Args:
            name: the file's, without its ending.

        Raises:
            InvalidInput: there is none, or it cannot be used.
        """
        flow = self._flows.get(name)
        if flow is None:
            there = f" There is {', '.join(sorted(self._flows))}" if self._flows else ""
            near = did_you_mean(name, self._flows) or there
            raise InvalidInput(f"there is no flow {name!r} in {self._folder}.{near}")
        if isinstance(flow.found, tuple):
            said = "; ".join(fault.told(flow.file.name) for fault in flow.found)
            raise InvalidInput(f"the flow {name!r} cannot be used: {said}")
        return flow.found

    @cached_property
    def _standard(self) -> AgentFlow:
        found = read_flow(_DEFAULT.read_text("utf-8"), self.known)
        if isinstance(found, tuple):
            raise InvalidInput(
                f"the default flow cannot be used: {'; '.join(one.told(_DEFAULT.name) for one in found)}"
            )
        return found

    def default(self, max_loop_count: int | None) -> AgentFlow:
        """The default flow of the seed.

        Args:
            max_loop_count: how often the body of `multi` is walked at the most; None for what the flow says.

        Raises:
            InvalidInput: it names an agent of the home that has gone wrong.
        """
        flow = self._standard
        return flow if max_loop_count is None else AgentFlow(flow.name, _with_loops(flow.root, max_loop_count))

    def _stamp(self) -> _Stamp:
        return tuple((file.name, stat.st_mtime_ns, stat.st_size) for file in self._files() for stat in (file.stat(),))

    def _files(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        found = (one for one in self._folder.iterdir() if one.suffix in ENDINGS and one.name[0] not in "._")
        return sorted(one for one in found if one.is_file())[:MOST_FILES]

    def _read(self, known: Known) -> Iterator[ShelvedFlow]:
        for file in self._files():
            try:
                with file.open("rb") as opened:
                    text = opened.read(MOST_BYTES + 1).decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                yield ShelvedFlow(file, (FileFault("the file", 1, 1, f"it cannot be read: {error}"),))
            else:
                found = read_flow(text, known)
                faults = (*_wrong_name(file.stem), *(found if isinstance(found, tuple) else ()))
                yield ShelvedFlow(file, faults or found)


def _wrong_name(name: str) -> Iterator[FileFault]:
    """Why nobody can name a flow by its file's name."""
    try:
        read_flow_options({"flow": name}, turn=False)
    except InvalidInput as error:
        yield FileFault("the file's name", 1, 1, f"no turn can name it: {error.message}")
    if name == DEFAULT:
        yield FileFault(
            "the file's name", 1, 1, f"{name!r} is the shipped flow: rename the file, and name it by `flow`"
        )


def _with_loops(node: FlowNode, most: int) -> FlowNode:
    """A tree whose loops over an unfinished task are walked so often at the most."""
    match node:
        case LoopNode(condition="task_not_completed"):
            return replace(node, max_loops=most)
        case SequenceNode():
            return SequenceNode([_with_loops(one, most) for one in node.steps])
        case SwitchNode():
            return replace(node, cases={name: _with_loops(one, most) for name, one in node.cases.items()})
        case _:
            return node
